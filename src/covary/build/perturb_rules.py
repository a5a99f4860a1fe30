"""Solutions with errors of known type and place, made by rule from the steps of drawn problems, in all languages at once.

For every problem and kind three solutions: the faulty one, a clean one and a paraphrase of the clean one. The clean ones are
built from the same plan: the same lines, with the right number instead of the wrong one and the true twin of each false
sentence, so that form alone does not give the faulty one away. Kinds: one error type alone ("rule:sign slip"), or a
strategy of MathMist (section 3.3.2) with all its types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema
from covary.build.perturb_rules_faults import ERROR_TYPES, REASONING, ErrorType, Fault, carried, faults
from covary.errors import DataError, UsageError, nearest
from covary.items import render
from covary.items.draw import LICENCE, SOURCE, canonical, meta
from covary.items.languages import Language, language
from covary.items.numerals import decimal, in_script, number
from covary.items.render import Drawn, Values
from covary.items.template import PLACEHOLDER, Template, bundled_templates, load_wordings
from covary.items.variants import identity

STRATEGIES: dict[str, tuple[ErrorType, ...]] = {
    "strategy-1": ("step omission", "incorrect rule", "faulty causality"),
    "strategy-2": ("overgeneralization", "logical fallacy"),
    "strategy-3": ERROR_TYPES[:5],
}
_ALONE: dict[str, tuple[ErrorType, ...]] = {f"rule:{kind}": (kind,) for kind in ERROR_TYPES}
KINDS = _ALONE | STRATEGIES

# kept: a wrong number stays in its step and the last line is the right answer, as in the paper; carried: what follows is
# computed with the wrong number, and the last line is wrong
Answer = Literal["kept", "carried"]

TWINS = {
    "faulty-causality": "true-causality",
    "overgeneralization": "true-overgeneralization",
    "logical-fallacy": "true-fallacy",
}
MAX_PADDING = 3
RESTATED = "restated"
COMPARISON = "comparison"


class Remark(NamedTuple):
    """A sentence after a step: a false one (with its fault) or a true one.

    key: of wordings/remarks.toml, or RESTATED for the step's own line in its other wording. pair: the smaller and the larger
    number that a comparison names; twin_pair: those that it names in the clean twin.
    """

    step: int
    key: str
    wording: int
    given: str | None = None
    fault: Fault | None = None
    pair: tuple[Fraction, Fraction] | None = None
    twin_pair: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Plan:
    """A solution before it has a language: wording of each step, faults by step, sentences, and the step left out."""

    wordings: tuple[int, ...]
    slips: dict[int, Fault]
    remarks: tuple[Remark, ...]
    omitted: Fault | None = None
    spare: Remark | None = None  # the line that stands in for the omitted step
    later: tuple[int, Values] | None = None  # from this step on these numbers are shown


class Line(NamedTuple):
    """One line of a rendered solution, with its fault."""

    text: str
    fault: Fault | None


def perturb_by_rule(
    items: pl.DataFrame,
    seed: int,
    kinds: Sequence[str] = tuple(KINDS),
    answer: Answer = "kept",
    templates: Sequence[Template] | None = None,
) -> pl.DataFrame:
    """Items of format "solution": for each drawn problem × kind × language a faulty, a clean and a paraphrased solution.

    items: what `items.draw` gave (their meta names template and parameters). A kind that a problem does not admit is left
    out for that problem, in all languages. `meta.errors` lists {type, step, line, explanation, refutation}; it is empty for
    controls. With answer="carried" only kinds that are one value error
    are made (incorrect rule, sign slip, carry slip), where the error changes the answer of a numerical problem.
    Raises UsageError for an unknown kind, DataError for an item that comes from no known template.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"perturb: expected a kind of error, found {kind!r}{nearest(kind, KINDS)}")
    known = {template.id: template for template in (bundled_templates() if templates is None else templates)}
    rows: list[dict[str, Any]] = []
    for group in items.partition_by("source_id", maintain_order=True):
        drawn = _drawn(group.row(0, named=True), known)
        spoken = [language(code) for code in group["language"]]
        source = str(group["source_id"][0])
        for kind in kinds:
            rng = digest.Draw(seed, "perturb", source, kind, answer)
            if (plan := plan_faults(drawn, KINDS[kind], rng, answer)) is not None:
                rows.extend(_rows(drawn, source, kind, plan, spoken, seed))
    return schema.ITEMS.from_rows(rows)


def plan_faults(drawn: Drawn, types: Sequence[ErrorType], rng: digest.Draw, answer: Answer = "kept") -> Plan | None:
    """A solution with one error of each type at places that don't meet; None where the problem has no room for them."""
    chosen: list[Fault] = []
    for kind in sorted(types, key=_room):
        options = [fault for fault in rng.shuffled(faults(drawn, kind)) if _free(fault, chosen)]
        if answer == "carried":
            options = [fault for fault in options if carried(drawn, fault)]
        options.sort(key=lambda fault: fault.step == len(drawn.template.step) - 1)  # not the last step if possible
        if not options:
            return None
        chosen.append(options[0])
    return _assemble(drawn, chosen, rng, answer)


def clean(plan: Plan) -> Plan:
    """The same solution without its faults: right numbers, true twins, the omitted step instead of its stand-in."""
    return Plan(plan.wordings, {}, tuple(_twin(remark) for remark in plan.remarks if remark is not plan.spare))


def paraphrase(plan: Plan) -> Plan:
    """The same solution in other words: every sentence in its other wording.

    The two wordings of an argument are two arguments, one of them by way of the answer; such a sentence stays as it is.
    """
    stays = TWINS["logical-fallacy"]
    remarks = tuple(r if r.key == stays else r._replace(wording=1 - r.wording) for r in plan.remarks)
    return replace(plan, wordings=tuple(1 - wording for wording in plan.wordings), remarks=remarks)


def lines(drawn: Drawn, plan: Plan, spoken: Language) -> list[Line]:
    """The rendered solution in one language, last line: the answer."""
    found: list[Line] = []
    for index, step in enumerate(drawn.template.step):
        slip = plan.slips.get(index)
        if plan.omitted is None or plan.omitted.step != index:
            values = slip.values if slip else _values_at(drawn, plan, index)
            show, rule = (slip.show, slip.rule) if slip else (None, None)
            found.append(Line(render.step_line(step, values, spoken, plan.wordings[index], show, rule), slip))
        found.extend(Line(_sentence(drawn, plan, r, spoken), r.fault) for r in plan.remarks if r.step == index)
    last = drawn._replace(values=_values_at(drawn, plan, len(drawn.template.step)))
    return [*found, Line(render.target(last, spoken), None)]


def _twin(remark: Remark) -> Remark:
    """The true sentence in place of a false one, the comparison of right with wrong number in place of another one."""
    if remark.fault:
        return Remark(remark.step, TWINS[remark.key], remark.wording, remark.given)
    return remark._replace(pair=remark.twin_pair or remark.pair)


def _room(kind: ErrorType) -> int:
    """Types with fewer possible places are placed first."""
    order = ("unit slip", "incorrect rule", "sign slip", "carry slip", "step omission")
    return order.index(kind) if kind in order else len(order)


def _free(fault: Fault, chosen: Sequence[Fault]) -> bool:
    """Whether a fault's step is untouched by those chosen before; several sentences may follow one step."""
    return all(other.step != fault.step or (other.reasoning and fault.reasoning) for other in chosen)


def _assemble(drawn: Drawn, chosen: Sequence[Fault], rng: digest.Draw, answer: Answer) -> Plan:
    slips = {fault.step: fault for fault in chosen if not fault.reasoning and fault.type != "step omission"}
    omitted = next((fault for fault in chosen if fault.type == "step omission"), None)
    false = [Remark(f.step, f.type.replace(" ", "-"), f.wording, f.given, f) for f in chosen if f.reasoning]
    touched = {*slips, *({omitted.step} if omitted else ())}
    options = [r for r in _true_remarks(drawn) if r.step not in touched and not _repeats(r, false)]
    later = None
    if answer == "carried":  # after the error no sentence about a result would be true
        first = min(slips)
        options = [r for r in options if r.step < first and r.key != TWINS["logical-fallacy"]]
        later = (first + 1, carried(drawn, slips[first]) or drawn.values)
    spare = _stand_in(drawn, omitted, touched) if omitted else None
    padding = _distinct(
        rng.shuffled([r for r in options if not spare or not _repeats(r, [spare])]), rng.integer(1, MAX_PADDING)
    )
    comparisons = [_comparison(drawn, slip, touched, rng) for slip in slips.values()]
    if omitted:
        comparisons.append(_lost_numbers(drawn, omitted, rng))
    return Plan(
        wordings=tuple(rng.integer(0, 1) for _ in drawn.template.step),
        slips=slips,
        remarks=tuple(rng.shuffled([*false, *(c for c in comparisons if c), *padding, *([spare] if spare else [])])),
        omitted=omitted,
        spare=spare,
        later=later,
    )


def _true_remarks(drawn: Drawn) -> list[Remark]:
    """True sentences: the twins of every false one that the problem admits, and each step said once more."""
    found = [Remark(index, RESTATED, 0) for index in range(len(drawn.template.step))]
    for kind in REASONING:
        key = TWINS[kind.replace(" ", "-")]
        found += [Remark(fault.step, key, fault.wording, fault.given) for fault in faults(drawn, kind)]
    return found


def _stand_in(drawn: Drawn, omitted: Fault, touched: set[int]) -> Remark | None:
    """An untouched step said once more where another one is left out: the one whose line is most like the missing line."""
    steps = drawn.template.step
    lengths = [len(render.step_line(step, drawn.values, language("en"))) for step in steps]
    free = [index for index in range(len(steps)) if index not in touched]
    if not free:
        return None
    best = min(free, key=lambda index: (abs(lengths[index] - lengths[omitted.step]), index))
    return Remark(best, RESTATED, 0)


def _comparison(drawn: Drawn, slip: Fault, touched: set[int], rng: digest.Draw) -> Remark | None:
    """A true comparison after a step with a wrong number, so that its clean twin can name that number too.

    It names two numbers that the solution shows anyway, together about as long as what the twin shows instead.
    """
    result = drawn.template.step[slip.step].result
    if result is None or slip.values[result] == drawn.values[result]:
        return None
    right = drawn.values[result]
    pairs = list(combinations(_shown_numbers(drawn, touched), 2))
    if not pairs:
        return None
    off = {pair: abs(_length(*pair) - 2 * _length(right)) for pair in pairs}
    pair = rng.choice([pair for pair in pairs if off[pair] == min(off.values())])
    small, large = sorted((slip.values[result], right))
    return Remark(slip.step, COMPARISON, rng.integer(0, 1), pair=pair, twin_pair=(small, large))


def _lost_numbers(drawn: Drawn, omitted: Fault, rng: digest.Draw) -> Remark | None:
    """A true comparison that names what only the omitted step shows; its clean twin compares numbers shown elsewhere."""
    steps = drawn.template.step
    elsewhere = _numbers_in(drawn.template.target, drawn).union(
        *(_numbers_in(step.show, drawn) for index, step in enumerate(steps) if index != omitted.step)
    )
    lost = sorted(_numbers_in(steps[omitted.step].show, drawn) - elsewhere)
    kept = sorted(value for value in elsewhere if value.denominator == 1)
    if not lost or len(kept) < 2:
        return None
    first = rng.choice(lost)
    small, large = sorted((first, rng.choice([value for value in lost if value != first] or kept)))
    low = rng.integer(0, len(kept) - 2)
    return Remark(
        omitted.step, COMPARISON, rng.integer(0, 1), pair=(small, large), twin_pair=(kept[low], kept[low + 1])
    )


def _numbers_in(formula: str, drawn: Drawn) -> set[Fraction]:
    return {drawn.values[name] for name, _ in PLACEHOLDER.findall(formula)}


def _shown_numbers(drawn: Drawn, touched: set[int]) -> list[Fraction]:
    """The whole numbers of the question and of the untouched steps' results, ascending."""
    results = [step.result for index, step in enumerate(drawn.template.step) if index not in touched and step.result]
    values = {drawn.values[name] for name in (*drawn.template.given, *results)}
    return sorted(value for value in values if value.denominator == 1)


def _length(*values: Fraction) -> int:
    return sum(len(str(value)) for value in values)


def _repeats(remark: Remark, others: Sequence[Remark]) -> bool:
    """Whether a sentence of the same sort, about the same step, is there already."""
    return any(remark.step == other.step and remark.key in (other.key, TWINS.get(other.key)) for other in others)


def _distinct(options: Sequence[Remark], count: int) -> list[Remark]:
    found: list[Remark] = []
    for remark in options:
        if len(found) < count and not _repeats(remark, found):
            found.append(remark)
    return found


def _values_at(drawn: Drawn, plan: Plan, step: int) -> Values:
    return plan.later[1] if plan.later and step >= plan.later[0] else drawn.values


def _sentence(drawn: Drawn, plan: Plan, remark: Remark, spoken: Language) -> str:
    own = drawn.template.step[remark.step]
    if remark.key == RESTATED:
        return render.step_line(own, drawn.values, spoken, 1 - plan.wordings[remark.step])
    said = load_wordings("remarks")[remark.key][spoken.code]
    marks: dict[str, str] = {}
    if remark.pair:
        write = decimal if ":d>" in own.show else number
        marks = {
            mark: f"${in_script(write(value, spoken, 'formula'), spoken)}$"
            for mark, value in zip(("small", "large"), remark.pair, strict=True)
        }
    filled = _fill(said[remark.wording % len(said)], drawn, remark.step, remark.given, spoken, marks)
    return filled + render.full_stop(spoken)


def _fill(
    text: str, drawn: Drawn, step: int, given: str | None, spoken: Language, marks: dict[str, str] | None = None
) -> str:
    """A sentence with its marks filled; the words around them get the language's digits and French no-break blanks."""
    own = drawn.template.step[step]
    filled = {"formula": f"${render.formula(own.show, drawn.values, spoken)}$"}
    filled["target"] = f"${render.target(drawn, spoken)}$"
    if given:
        value = drawn.values[given]
        filled |= {"given": _math(value, spoken), "parity": _parity(value, spoken)}
    text = render.spaced(text, spoken)
    for mark, replacement in (filled | (marks or {})).items():
        text = text.replace(f"<{mark}>", replacement)
    return text


def _parity(value: Fraction, spoken: Language) -> str:
    return load_wordings("remarks")["even" if value % 2 == 0 else "odd"][spoken.code][0]


def _math(value: Fraction, spoken: Language) -> str:
    return f"${in_script(number(value, spoken, 'formula'), spoken)}$"


def _rows(
    drawn: Drawn, source: str, kind: str, plan: Plan, spoken: Sequence[Language], seed: int
) -> list[dict[str, Any]]:
    right = clean(plan)
    forms = ((kind, plan), ("clean", right), ("paraphrase", paraphrase(right)))
    return [_row(drawn, source, kind, name, form, code, seed) for name, form in forms for code in spoken]


def _row(
    drawn: Drawn, source: str, kind: str, perturbation: str, plan: Plan, spoken: Language, seed: int
) -> dict[str, Any]:
    shown = lines(drawn, plan, spoken)
    variant = {"language": spoken.code, "format": "solution", "perturbation": perturbation}
    if perturbation != kind:
        variant["matched"] = kind
    texts = [line.text for line in shown]
    about = meta(drawn) | {
        "steps": texts[:-1],
        "errors": _errors(drawn, plan, shown, spoken),
        "kind": kind,
        "final_answer": "wrong" if plan.later else "right",
    }
    review = "native reader" if spoken.native_review else "none by a native reader"
    return {
        **identity(source, variant)._asdict(),
        "language": spoken.code,
        "perturbation": perturbation,
        "format": "solution",
        "question": render.question(drawn, spoken),
        "solution": "\n".join(texts),
        "target": render.target(drawn, spoken),
        "answer_type": drawn.template.answer_type,
        "domain": drawn.template.domain,
        "meta": canonical(about),
        "provenance": canonical(
            {"source": SOURCE, "licence": LICENCE, "seed": seed, "method": "by rule", "review": review}
        ),
    }


def _errors(drawn: Drawn, plan: Plan, shown: Sequence[Line], spoken: Language) -> list[dict[str, Any]]:
    """The declared errors in the order of their lines; steps and lines count from 1."""
    placed = [(number, line.fault) for number, line in enumerate(shown, 1) if line.fault]
    if plan.omitted:
        before = plan.omitted.step + sum(remark.step < plan.omitted.step for remark in plan.remarks)
        placed.append((before + 1, plan.omitted))
    placed.sort(key=lambda entry: (entry[0], entry[1].step))
    return [
        {
            "type": fault.type,
            "step": fault.step + 1,
            "line": at,
            "explanation": _explanation(drawn, fault, spoken),
            "refutation": fault.refutation,
        }
        for at, fault in placed
    ]


def _explanation(drawn: Drawn, fault: Fault, spoken: Language) -> str:
    own = drawn.template.step[fault.step]
    key = fault.refutation["reason"] if fault.type == "logical fallacy" else fault.type
    wrong, right = own.show if fault.show is None else fault.show, own.show
    marks = {"step": in_script(str(fault.step + 1), spoken)}
    marks["shown"] = f"${render.formula(wrong, fault.values, spoken)}$"
    marks["right"] = f"${render.formula(right, drawn.values, spoken)}$"
    if fault.rule and own.rule:
        marks["shown"] = f"${render.formula(fault.rule, drawn.values, spoken)}$; {marks['shown']}"
        marks["right"] = f"${render.formula(own.rule, drawn.values, spoken)}$; {marks['right']}"
    marks |= {name: _math(value, spoken) for name, value in fault.numbers.items()}
    said = load_wordings("explanations")[key.replace(" ", "-")][spoken.code][0]
    return _fill(said, drawn, fault.step, fault.given, spoken, marks)


def _drawn(row: dict[str, Any], known: dict[str, Template]) -> Drawn:
    """The drawn problem behind an items row."""
    about: dict[str, Any] = msgspec.json.decode(row["meta"])
    template = known.get(str(about.get("template")))
    if template is None or template.version != about.get("template_version"):
        raise DataError(
            f"perturb by rule: item {row['item_id']} must come from a known template and version, found "
            f"{about.get('template')!r}; draw items with `covary items draw`, or perturb by a model"
        )
    return render.derived(template, about["parameters"])
