"""The symbolic worker: proofs, refusals, a late worker killed and replaced."""

from __future__ import annotations

import pytest

from covary.mathematics.equivalence import equivalent
from covary.mathematics.tree import Call, Const, Dots, Mul, Num, Pow, Sym, integer
from covary.run.prover import SympyProver


@pytest.fixture(scope="module")
def prover():
    with SympyProver(budget_s=20.0) as worker:
        assert worker.warm(60.0)
        yield worker


def test_an_identity_of_complex_numbers_is_proved(prover: SympyProver) -> None:
    assert equivalent("i^2", "-1").verdict == "undecided"
    assert equivalent("i^2", "-1", prover=prover).verdict == "equal"


def test_a_difference_is_refuted(prover: SympyProver) -> None:
    assert prover.equal(Pow(Const("i"), integer(2)), integer(1)) is False


def test_what_the_worker_is_not_told_of_is_not_asked(prover: SympyProver) -> None:
    assert prover.equal(Dots(), integer(1)) is None
    assert prover.equal(Num((2**3000) * integer(1).value), integer(1)) is None


def test_a_late_worker_is_killed_and_another_one_answers() -> None:
    with SympyProver(budget_s=0.0) as hurried:
        assert hurried.warm(60.0)
        assert hurried.equal(Sym("x"), Sym("x")) is None
        hurried._budget_s = 20.0
        assert hurried.warm(60.0)
        assert hurried.equal(Call("sin", (Sym("x"),)), Call("sin", (Sym("x"),))) is True


def test_the_budget_is_processor_time_and_a_spent_one_is_no_verdict() -> None:
    hard = Pow(Call("sin", (Sym("x"),)), integer(40))
    with SympyProver(budget_s=0.01) as small:
        assert small.warm(60.0)
        assert small.equal(Mul((hard, hard)), Call("cos", (Mul((hard, Sym("y"))),))) is None
        assert small.equal(Sym("x"), Sym("x")) is not False


def test_a_worker_that_is_still_starting_is_not_waited_for() -> None:
    with SympyProver(budget_s=0.0) as cold:
        assert cold.equal(Sym("x"), Sym("x")) is None
        assert cold.warm(60.0)


def test_without_a_prover_the_verdict_is_undecided_where_it_would_be_needed() -> None:
    assert equivalent(r"\sqrt{-4}", "2i").verdict == "undecided"


def test_a_worker_that_is_not_started_ahead_is_waited_for() -> None:
    with SympyProver(ahead=False) as later:
        assert later.equal(Call("sin", (Sym("x"),)), Call("sin", (Sym("x"),))) is True
