"""Scaffolds: 516 of them, varied, with two typed slots and nothing that gives a culture away."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from stand_in import grammar_scaffolds

from covary.build import pictures
from covary.build.cues import CONVERSATION_TYPES, Cue, Detail, Scaffold, five_grams, jaccard, masked
from covary.build.scaffold import (
    DETAILS,
    LIMIT,
    QUESTIONS,
    cue_types,
    cultures_of,
    load_grammar,
    scaffolds,
    slot_parts,
    thing,
)
from covary.culture import knowledge
from covary.lint.culture import names_in

BASE = knowledge.load()
FEW_ROWS = [spec for spec in pictures.specifications() if spec.picture_id.endswith("-01")]


def by_concept() -> dict[str, list[Scaffold]]:
    grouped: defaultdict[str, list[Scaffold]] = defaultdict(list)
    for scaffold in grammar_scaffolds():
        grouped[scaffold.concept].append(scaffold)
    return grouped


def test_every_picture_has_three_scaffolds_of_three_types() -> None:
    built = grammar_scaffolds()
    assert len(built) == 516 == len({scaffold.scaffold_id for scaffold in built})
    assert Counter(scaffold.conversation_type for scaffold in built) == dict.fromkeys(CONVERSATION_TYPES, 172)


def test_no_two_of_a_concept_share_more_than_half_of_their_masked_five_grams() -> None:
    for built in by_concept().values():
        grams = [five_grams(masked(scaffold)) for scaffold in built]
        assert max(jaccard(left, right) for at, left in enumerate(grams) for right in grams[:at]) <= LIMIT / 2


def test_every_scaffold_has_five_turns_or_more_that_alternate_and_go_on_after_the_second_cue() -> None:
    for scaffold in grammar_scaffolds():
        roles = [turn.role for turn in scaffold.turns]
        assert len(roles) >= 5
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        assert scaffold.turn_of(1) < scaffold.turn_of(2) < len(roles) - 1
        assert all(scaffold.turns[scaffold.turn_of(slot)].role == "user" for slot in (1, 2))


def test_the_two_cues_are_of_different_families_and_leave_the_unit_open() -> None:
    for scaffold in grammar_scaffolds():
        first, second = (BASE.types[cue.cue_type] for cue in scaffold.cues)
        assert first.family != second.family
        assert scaffold.concept not in first.leaks | second.leaks
        assert all(
            BASE.usable(first.name, culture, scaffold.concept, alone=True) for culture in cultures_of(scaffold.concept)
        )


def test_fifty_cue_types_are_used_and_none_dominates() -> None:
    used = Counter(cue.cue_type for scaffold in grammar_scaffolds() for cue in scaffold.cues)
    assert len(used) >= 50
    assert max(used.values()) < 0.05 * 2 * 516


def test_every_scaffold_has_a_placebo_slot() -> None:
    for scaffold in grammar_scaffolds():
        details = [part for turn in scaffold.turns for part in turn.parts if isinstance(part, Detail)]
        assert details
        assert all(detail.value != detail.other for detail in details)


def test_the_grammar_names_no_unit_currency_country_dialect_or_option() -> None:
    grammar = load_grammar()
    tables = [
        *grammar.openings.values(),
        *grammar.middles.values(),
        *grammar.closings.values(),
        *grammar.frames.values(),
    ]
    for exchange in (exchange for table in tables for exchange in table):
        for text in exchange:
            assert list(names_in(text)) == [], text
    for concept in ("time_expression", "quantifiers"):
        shared = [*grammar.closings.values(), *grammar.frames.values()]
        own = [table[concept, kind] for table in (grammar.openings, grammar.middles) for kind in CONVERSATION_TYPES]
        for exchange in (exchange for table in (*shared, *own) for exchange in table):
            assert [found for text in exchange for found in names_in(text, concept)] == [], exchange
    for cue_type in BASE.types.values():
        assert [found for concept in QUESTIONS for found in names_in(cue_type.neutral, concept)] == [], cue_type


def test_no_slot_is_left_in_any_scaffold_and_none_starts_a_sentence_in_lower_case() -> None:
    for scaffold in grammar_scaffolds():
        assert "{" not in masked(scaffold)
        for turn in scaffold.turns:
            for before, part in zip(("", *turn.parts), turn.parts, strict=False):
                starts = before == "" or (isinstance(before, str) and before.endswith((". ", "? ", "! ")))
                if isinstance(part, Cue) and starts:
                    values = [entry.value for entry in BASE.every() if entry.cue_type == part.cue_type]
                    assert not any(value[0].islower() for value in values), (scaffold.scaffold_id, part)


def test_every_opening_shows_the_picture_and_has_one_placebo_slot() -> None:
    for key, openings in load_grammar().openings.items():
        assert len(openings) >= 7, key
        for opening in openings:
            assert opening.user.count("{np}") == 1
            assert len(re.findall(r"\{{(?:{})\}}".format("|".join(DETAILS)), opening.user)) == 1


def test_every_concept_and_type_has_many_frames() -> None:
    grammar = load_grammar()
    for concept in QUESTIONS:
        for kind in CONVERSATION_TYPES:
            types = cue_types(concept, kind, BASE, alone=False)
            assert len(types) >= 20
            assert sum(len(grammar.frames[name, kind]) for name in types) >= 60
            assert len(grammar.middles[concept, kind]) >= 6


def test_equal_seeds_give_equal_scaffolds_and_other_seeds_others() -> None:
    assert scaffolds(FEW_ROWS, BASE, 3) == scaffolds(FEW_ROWS, BASE, 3)
    assert [masked(one) for one in scaffolds(FEW_ROWS, BASE, 3)] != [
        masked(one) for one in scaffolds(FEW_ROWS, BASE, 4)
    ]


def test_jaccard_is_the_shared_share() -> None:
    # six words make two 5-grams; the texts share one of three
    left, right = five_grams("a b c d e f"), five_grams("b c d e f g")
    assert len(left) == len(right) == 2
    assert jaccard(left, right) == 1 / 3
    assert jaccard(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(
    ("caption", "words"), [("A bus.", "a bus"), ("An oven with a loaf.", "an oven with a loaf"), ("Mugs.", "Mugs")]
)
def test_a_caption_becomes_a_noun_phrase(caption: str, words: str) -> None:
    assert thing(caption) == words


def test_a_slot_may_have_its_own_neutral_words() -> None:
    assert slot_parts("At {v|home}, now.", (2, "city", "a city")) == ["At ", Cue(2, "city", "home"), ", now."]
    assert slot_parts("{v}", (1, "city", "a city")) == [Cue(1, "city", "a city")]
