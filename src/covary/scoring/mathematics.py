"""Equivalence as a scorer, and over plain rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from covary.mathematics.equivalence import equivalent
from covary.mathematics.verdict import DEFAULT, Policy, Prover, Verdict
from covary.scoring.case import Case, Judgement

VALUE_OF: dict[str, float | None] = {"equal": 1.0, "not_equal": 0.0, "undecided": None}


class Mathematics:
    """Scores a case by its extracted answer: equal 1, not equal 0, undecided null with the reason.

    extract: case → answer text, or None with nothing to judge. prover: a killable symbolic worker, made at the edge.
    """

    name = "mathematics"
    version = 1

    def __init__(
        self, extract: Callable[[Case], str | None], policy: Policy = DEFAULT, prover: Prover | None = None
    ) -> None:
        self._extract = extract
        self._policy = policy
        self._prover = prover

    def __call__(self, case: Case) -> Judgement:
        """The judgement of one case. Raises nothing for what a model wrote."""
        if case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        answer = self._extract(case)
        if answer is None:
            return Judgement(None, None, "no answer found")
        if case.target is None:
            return Judgement(answer, None, "no target")
        verdict = equivalent(
            answer,
            case.target,
            language=case.answer_language or case.language,
            answer_type=case.answer_type,
            policy=self._policy,
            prover=self._prover,
        )
        detail = {"verdict": verdict.verdict, "policy": self._policy.name, "evidence": list(verdict.evidence)}
        return Judgement(answer, VALUE_OF[verdict.verdict], verdict.reason, detail)


def try_rows(rows: Iterable[Any], prover: Prover | None = None) -> Iterator[dict[str, Any]]:
    """One result a row, in order: id, verdict, reason, ms. Rows: id, gold, answer, language?, answer_type?.

    A row that lacks a text or has another type there is undecided with the reason; nothing is raised.
    """
    for row in rows:
        start = time.perf_counter()
        verdict = _row_verdict(row, prover)
        elapsed_ms = round((time.perf_counter() - start) * 1000, 3)
        name = _field(row, "id")
        yield {"id": name, "verdict": verdict.verdict, "reason": verdict.reason, "ms": elapsed_ms}


def _field(row: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", row).get(name) if isinstance(row, Mapping) else None


def _row_verdict(row: Any, prover: Prover | None) -> Verdict:
    if not isinstance(row, Mapping):
        return Verdict("undecided", f"bad row: expected an object, found {type(row).__name__}")
    texts = {name: _field(row, name) for name in ("gold", "answer")}
    for name, text in texts.items():
        if not isinstance(text, str):
            return Verdict("undecided", f"bad row: {name} must be text, found {type(text).__name__}")
    language, answer_type = _field(row, "language"), _field(row, "answer_type")
    return equivalent(
        str(texts["answer"]),
        str(texts["gold"]),
        language=language if isinstance(language, str) else None,
        answer_type=answer_type if isinstance(answer_type, str) else None,
        prover=prover,
    )
