"""What the equivalence checker gives back, and the policy and prover it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from covary.mathematics.tree import Node

Outcome = Literal["equal", "not_equal", "undecided"]


class Verdict(NamedTuple):
    """The outcome, the rule that decided (a few words), and what it rests on, step by step."""

    verdict: Outcome
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    """What counts as the same number when one side is rounded, and how much work may be spent.

    rounding: "stated" compares to the decimals that the coarser side shows (at least two significant digits), and within
    `absolute` at most; "absolute" takes any two numbers within `absolute` as equal.
    """

    name: str = "stated-decimals"
    rounding: Literal["stated", "absolute"] = "stated"
    absolute: float = 0.01
    significant_digits: int = 2
    characters: int = 12_000
    tokens: int = 1_500
    depth: int = 60
    points: int = 6


DEFAULT = Policy()
PAPER = Policy(name="absolute-0.01", rounding="absolute")


class Prover(Protocol):
    """Symbolic proof by a worker that can be killed: True equal, False different, None not found in time."""

    def equal(self, left: Node, right: Node) -> bool | None: ...


class Rules(NamedTuple):
    """By what two answers are compared: policy, prover, and the type of the answer where it is known."""

    policy: Policy = DEFAULT
    prover: Prover | None = None
    answer_type: str | None = None
