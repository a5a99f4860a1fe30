"""Which errors a drawn problem admits: every fault with its place and what refutes it, the same for all languages.

Value faults (incorrect rule, sign, carry and unit slips) show a wrong number or formula in one step; an omission leaves a
step out whose result is used later; the three faults of reasoning are a false sentence after a right step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from covary.errors import UsageError
from covary.items import arithmetic, render
from covary.items.languages import language
from covary.items.render import Drawn, Values
from covary.items.template import PLACEHOLDER, UNIT, Step

ErrorType = Literal[
    "step omission",
    "incorrect rule",
    "faulty causality",
    "overgeneralization",
    "logical fallacy",
    "sign slip",
    "carry slip",
    "unit slip",
]
ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
REASONING: tuple[ErrorType, ...] = ("faulty causality", "overgeneralization", "logical fallacy")

# the unit that is taken for another, and how many of the other one make it
CONFUSED_UNITS = {
    "cm": ("mm", 10),
    "m": ("cm", 100),
    "km": ("m", 1000),
    "kg": ("g", 1000),
    "l": ("ml", 1000),
    "h": ("min", 60),
    "min": ("s", 60),
    "cm2": ("mm2", 100),
    "m2": ("cm2", 10_000),
    "cm3": ("mm3", 1000),
    "pct": ("permille", 10),
}
CARRY = 10  # what a lost carry changes: one in the next place
FALLACIES = ("affirming the consequent", "circular reasoning")  # by wording of the remark


@dataclass(frozen=True)
class Fault:
    """One error: type, step (from 0), and how it shows.

    values: the numbers that the faulty step shows. show, rule: formula and rule instead of the step's own. given: the number
    of the question that a false sentence speaks of. wording: which of the two sentences. refutation: JSON, exact numbers
    as texts; `by` is "value" (the shown number is not the right one), "unit" (the shown unit is `factor` times smaller than
    the right one), "formula" (the shown equation is false), "counterexample" or "reason" (a typed reason).
    """

    type: ErrorType
    step: int
    values: Values
    refutation: dict[str, Any]
    show: str | None = None
    rule: str | None = None
    given: str | None = None
    wording: int = 0
    numbers: dict[str, Fraction] = field(default_factory=dict[str, Fraction])

    @property
    def reasoning(self) -> bool:
        """Whether the error is a sentence of its own after a right step."""
        return self.type in REASONING


def faults(drawn: Drawn, kind: ErrorType) -> list[Fault]:
    """Every fault of a type that the drawn problem admits, in order of its steps; none where the type doesn't apply."""
    finder = {
        "step omission": _omissions,
        "incorrect rule": _wrong_rules,
        "faulty causality": _false_causes,
        "overgeneralization": _overgeneralizations,
        "logical fallacy": _fallacies,
        "sign slip": _sign_slips,
        "carry slip": _carry_slips,
        "unit slip": _unit_slips,
    }[kind]
    return list(finder(drawn))


def carried(drawn: Drawn, fault: Fault) -> Values | None:
    """All numbers as they follow from a value fault; None where nothing follows or the rest can't be computed with it.

    Only numerical problems have them: a proof's claim is given, and an identity with a wrong coefficient is false by itself.
    """
    wrong = drawn.template.step[fault.step].result
    if drawn.template.answer_type != "Numerical" or wrong is None or fault.values[wrong] == drawn.values[wrong]:
        return None
    values = dict(drawn.values) | {wrong: fault.values[wrong]}
    try:
        for step in drawn.template.step[fault.step + 1 :]:
            for name, expression in step.let.items():
                values[name] = arithmetic.value(expression, values)
            render.step_line(step, values, language("en"))
        if render.target(drawn._replace(values=values), language("en")) == render.target(drawn, language("en")):
            return None
    except UsageError:
        return None
    return values


def _omissions(drawn: Drawn) -> Iterator[Fault]:
    steps = drawn.template.step
    for index, step in enumerate(steps[:-1]):
        later = {name for rest in steps[index + 1 :] for name, _ in PLACEHOLDER.findall(rest.show)}
        target = {name for name, _ in PLACEHOLDER.findall(drawn.template.target)}
        if step.result in later | target:
            yield Fault("step omission", index, drawn.values, {"by": "reason", "reason": "missing step"})


def _wrong_rules(drawn: Drawn) -> Iterator[Fault]:
    for index, step in enumerate(drawn.template.step):
        wrong = step.wrong
        if wrong is None:
            continue
        if wrong.value is None:
            refutation = {"by": "formula"}
            yield Fault("incorrect rule", index, drawn.values, refutation, show=wrong.show, rule=wrong.rule)
        else:
            value = arithmetic.value(wrong.value, drawn.values)
            yield from _value_fault(drawn, index, "incorrect rule", value, show=wrong.show, rule=wrong.rule)


def _sign_slips(drawn: Drawn) -> Iterator[Fault]:
    for index, step in enumerate(drawn.template.step):
        for flipped in arithmetic.sign_slips(step.let[step.result]) if step.result else ():
            try:
                value = arithmetic.evaluate(flipped, drawn.values)
            except UsageError:
                continue
            yield from _value_fault(drawn, index, "sign slip", value)


def _carry_slips(drawn: Drawn) -> Iterator[Fault]:
    for index, step in enumerate(drawn.template.step):
        if step.result and arithmetic.carries(step.let[step.result]):
            right = drawn.values[step.result]
            for slip in (CARRY, -CARRY):
                if abs(right) >= CARRY and right + slip != 0 and (right + slip > 0) == (right > 0):
                    yield from _value_fault(drawn, index, "carry slip", right + slip)


def _unit_slips(drawn: Drawn) -> Iterator[Fault]:
    """The unit of a step's result, after its last equals sign, taken for another one."""
    for index, step in enumerate(drawn.template.step):
        before, equals, result = step.show.rpartition("=")
        units = UNIT.findall(result)
        if equals and units and units[-1] in CONFUSED_UNITS:
            other, factor = CONFUSED_UNITS[units[-1]]
            head, _, tail = result.rpartition(f"[{units[-1]}]")
            refutation = {"by": "unit", "shown": other, "right": units[-1], "factor": factor}
            show = f"{before}={head}[{other}]{tail}"
            yield Fault("unit slip", index, drawn.values, refutation, show=show)


def _value_fault(
    drawn: Drawn, index: int, kind: ErrorType, value: Fraction, show: str | None = None, rule: str | None = None
) -> Iterator[Fault]:
    """The fault, unless the value is right after all or can't be written the way the step writes it."""
    step = drawn.template.step[index]
    if step.result is None or value == drawn.values[step.result]:
        return
    values = dict(drawn.values) | {step.result: value}
    try:
        render.step_line(step, values, language("en"), show=show, rule=rule)
    except UsageError:
        return
    refutation = {"by": "value", "shown": str(value), "right": str(drawn.values[step.result])}
    yield Fault(kind, index, values, refutation, show=show, rule=rule)


def _false_causes(drawn: Drawn) -> Iterator[Fault]:
    """A given number's parity as the cause of a step in which that number does not even occur."""
    for index, step, given in _steps_and_givens(drawn):
        if given not in _shown(step):
            for wording in (0, 1):
                refutation = {"by": "reason", "reason": "irrelevant cause", "given": given}
                yield Fault("faulty causality", index, drawn.values, refutation, given=given, wording=wording)


def _overgeneralizations(drawn: Drawn) -> Iterator[Fault]:
    """A result said to be the same for every number, although it changes when one given number grows by one."""
    for index, step, given in _steps_and_givens(drawn):
        if step.result is None:
            continue
        instead, value = drawn.values[given] + 1, drawn.values[step.result]
        other = _with_another(drawn, given, instead, index)
        if other is None or other == value:
            continue
        numbers = {"instead": instead, "value": value, "other": other}
        refutation = {"by": "counterexample", "given": given} | {name: str(n) for name, n in numbers.items()}
        for wording in (0, 1):
            yield Fault(
                "overgeneralization", index, drawn.values, refutation, given=given, wording=wording, numbers=numbers
            )


def _with_another(drawn: Drawn, given: str, instead: Fraction, index: int) -> Fraction | None:
    """A step's result when one given number is another and the rest of the question stays; None where it has none.

    Every step up to this one is computed anew: a result may stay the same although the number stands in its formula.
    """
    values = dict(drawn.values) | {given: instead}
    try:
        for step in drawn.template.step[: index + 1]:
            for name, expression in step.let.items():
                values[name] = arithmetic.value(expression, values)
    except UsageError:
        return None
    return values[drawn.template.step[index].result or ""]


def _fallacies(drawn: Drawn) -> Iterator[Fault]:
    for index in range(len(drawn.template.step)):
        for wording, reason in enumerate(FALLACIES):
            refutation = {"by": "reason", "reason": reason}
            yield Fault("logical fallacy", index, drawn.values, refutation, wording=wording)


def _steps_and_givens(drawn: Drawn) -> Iterator[tuple[int, Step, str]]:
    """Every step with every whole number that the question gives."""
    for index, step in enumerate(drawn.template.step):
        for given in drawn.template.given:
            if drawn.values[given].denominator == 1:
                yield index, step, given


def _shown(step: Step) -> set[str]:
    return {name for name, _ in PLACEHOLDER.findall(step.show)}
