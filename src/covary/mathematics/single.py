"""One claim against one: labels, statements, values in any of their forms, relations."""

from __future__ import annotations

import re
from dataclasses import replace

from covary.mathematics import lexicon
from covary.mathematics.claims import Claim, is_number
from covary.mathematics.commands import GREEK
from covary.mathematics.evaluate import has_value
from covary.mathematics.outcomes import EQUAL, NOT_EQUAL, UNDECIDED
from covary.mathematics.regions import compare_regions, region_of
from covary.mathematics.relations import compare_equation_and_value, compare_equations, compare_relations
from covary.mathematics.scalars import Found, rename
from covary.mathematics.tree import (
    Const,
    Group,
    Node,
    Sym,
    Words,
)
from covary.mathematics.values import compare_nodes
from covary.mathematics.verdict import Rules


def compare_one(left: Claim, right: Claim, rules: Rules) -> Found:
    if left.others or right.others:
        return _compare_restated(left, right, rules)
    kinds = {left.kind, right.kind}
    if kinds == {"words"}:
        return _compare_words(left.node, right.node)
    if "words" in kinds:
        words, other = (left, right) if left.kind == "words" else (right, left)
        return _words_and_value(words.node, other)
    if left.kind == right.kind == "value" and (left.node, right.node) == (
        Sym(right.label or ""),
        Sym(left.label or ""),
    ):
        return Found(EQUAL, "the same equality, turned round")
    found = _compare_unlabelled(left, right, rules)
    if found.outcome == EQUAL and _labels_differ(left, right):
        return Found(NOT_EQUAL, f"equal values of different unknowns ({left.label}, {right.label})")
    if found.outcome == EQUAL and _labels_unsure(left, right):
        return Found(UNDECIDED, f"equal values with different names ({left.label}, {right.label})")
    return found


def _compare_restated(left: Claim, right: Claim, rules: Rules) -> Found:
    """Equal where any form in which one side says its value equals any of the other's; the first forms decide else."""
    first: Found | None = None
    for one in (replace(left, others=()), *left.others[:4]):
        for other in (replace(right, others=()), *right.others[:4]):
            found = compare_one(one, other, rules)
            if found.outcome == EQUAL:
                return found
            first = first or found
    assert first is not None
    return first


SINGLE_LETTER = re.compile(r"[^\W\d_](?:_\w)?")


def _labels_differ(left: Claim, right: Claim) -> bool:
    if not (left.variable and right.variable) or left.label == right.label:
        return False
    letters = [re.sub(r"_\d$", "", claim.label or "") for claim in (left, right)]
    return letters[0] != letters[1] and letters[0].isascii() == letters[1].isascii()


def _labels_unsure(left: Claim, right: Claim) -> bool:
    if not left.label or not right.label or left.label == right.label or isinstance(left.node, Group):
        return False
    if re.sub(r"_\d$", "", left.label) == re.sub(r"_\d$", "", right.label):
        return False
    return all(SINGLE_LETTER.fullmatch(label) or label in GREEK for label in (left.label, right.label))


def _compare_unlabelled(left: Claim, right: Claim, rules: Rules) -> Found:
    if left.kind == "value" and right.kind == "value":
        return _compare_values(left, right, rules)
    regions = region_of(left.node), region_of(right.node)
    if regions[0] is not None and regions[1] is not None:
        return _named_regions(compare_regions(regions[0][0], regions[1][0]), [regions[0][1], regions[1][1]])
    if left.kind == "relation" and right.kind == "relation":
        return compare_relations(left.node, right.node, rules)
    if left.kind == "equation" and right.kind == "equation":
        return compare_equations(left.node, right.node, rules)
    if "equation" in (left.kind, right.kind):
        equation, value = (left, right) if left.kind == "equation" else (right, left)
        if value.kind == "relation":
            return Found(UNDECIDED, "an equation against a relation")
        return compare_equation_and_value(equation, value, rules)
    relation, value = (left, right) if left.kind == "relation" else (right, left)
    if is_number(value.node) and region_of(relation.node) is not None:
        return Found(NOT_EQUAL, "a number is no range")
    return Found(UNDECIDED, "a relation against a value")


def _named_regions(found: Found, names: list[str | None]) -> Found:
    first, second = names
    if found.outcome == EQUAL and first and second and first != second and "□" not in names:
        return Found(UNDECIDED, f"the same range for different unknowns ({first}, {second})")
    return found


def _compare_words(left: Node, right: Node) -> Found:
    assert isinstance(left, Words) and isinstance(right, Words)
    if left.text == right.text:
        return Found(EQUAL, "the same statement")
    if frozenset({left.text, right.text}) in lexicon.OPPOSITES:
        return Found(NOT_EQUAL, "opposite statements")
    known = [text in lexicon.STATEMENTS for text in (left.text, right.text)]
    return Found(NOT_EQUAL, "different statements") if all(known) else Found(UNDECIDED, "words that rules don't know")


def _words_and_value(words: Node, other: Claim) -> Found:
    assert isinstance(words, Words)
    text, node = words.text, other.node
    empty = isinstance(node, Group) and node.left == "{" and not node.items
    if text in ("empty set", "no solution") and empty:
        return Found(EQUAL, "the empty set in words")
    if text == "infinity" and node == Const("inf"):
        return Found(EQUAL, "infinity in words")
    if text == "all real numbers":
        region = region_of(node)
        if region is not None:
            return (
                Found(EQUAL, "all reals in words")
                if len(region[0]) == 1 and abs(region[0][0].low.number) > 1e29 and region[0][0].high.number > 1e29
                else Found(NOT_EQUAL, "not all reals")
            )
    if text == "undefined" and is_number(node) and not has_value(node):
        return Found(UNDECIDED, "an expression without real value, called undefined")
    if text in lexicon.STATEMENTS and other.kind == "value" and is_number(node):
        return Found(NOT_EQUAL, "a statement is no number")
    return Found(UNDECIDED, "words that rules don't know")


def _compare_values(left: Claim, right: Claim, rules: Rules) -> Found:
    left, right = _bound_renamed(left, right)
    found = compare_nodes(left, right, left.node, right.node, rules)
    if found.outcome == EQUAL or not (left.forms or right.forms):
        return found
    for mine in (left.node, *left.forms):
        for yours in (right.node, *right.forms):
            if (mine is left.node) == (yours is right.node) and mine is left.node:
                continue
            if mine is not left.node and yours is not right.node:
                continue
            again = compare_nodes(left, right, mine, yours, rules)
            if again.outcome == EQUAL:
                return Found(EQUAL, f"{again.reason}, with another member of the chain")
    return found


def _bound_renamed(left: Claim, right: Claim) -> tuple[Claim, Claim]:
    """f(x) = … and f(y) = … with one name of the argument."""
    pattern = r"[A-Za-z]\S*\(([a-z])\)"
    found = [re.fullmatch(pattern, claim.label or "") for claim in (left, right)]
    if found[0] and found[1] and found[0].group(1) != found[1].group(1):
        return left, replace(right, node=rename(right.node, {found[1].group(1): found[0].group(1)}))
    return left, right
