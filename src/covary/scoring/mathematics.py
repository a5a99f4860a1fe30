"""Equivalence as a scorer, and over plain rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, cast

from covary.errors import StudyError, nearest
from covary.mathematics.equivalence import equivalent
from covary.mathematics.verdict import DEFAULT, PAPER, Policy, Prover, Verdict
from covary.scoring.case import Case, Judgement
from covary.scoring.extract import Extraction, answer_of

VALUE_OF: dict[str, float | None] = {"equal": 1.0, "not_equal": 0.0, "undecided": None}


class Mathematics:
    """Scores a case by its extracted answer: equal 1, not equal 0, undecided null with the reason.

    extract: case → what was extracted, and by which rule. prover: a killable symbolic worker, made at the edge.
    """

    name = "mathematics"
    version = 1

    def __init__(
        self,
        extract: Callable[[Case], Extraction] = answer_of,
        policy: Policy | Literal["default", "paper"] = DEFAULT,
        prover: Prover | None = None,
    ) -> None:
        self._extract = extract
        named = {"default": DEFAULT, "paper": PAPER}
        if isinstance(policy, str) and policy not in named:
            raise StudyError(f"scorer 'mathematics': unknown policy {policy!r}{nearest(policy, named)}")
        self._policy = named[policy] if isinstance(policy, str) else policy
        self._prover = prover

    def __call__(self, case: Case) -> Judgement:
        """The judgement of one case. Raises nothing for what a model wrote."""
        if case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        found = self._extract(case)
        if found.answer is None:
            return Judgement(None, None, f"no answer: {found.note}")
        if case.target is None:
            return Judgement(found.answer, None, "no target")
        verdict = equivalent(
            found.answer,
            case.target,
            language=case.answer_language or case.language,
            answer_type=case.answer_type,
            policy=self._policy,
            prover=self._prover,
        )
        detail = {
            "verdict": verdict.verdict,
            "policy": self._policy.name,
            "evidence": list(verdict.evidence),
            "extracted_by": found.rule,
            "note": found.note,
        }
        return Judgement(found.answer, VALUE_OF[verdict.verdict], verdict.reason, detail)


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
