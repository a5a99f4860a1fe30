"""The decision that an imported response brought with it, as a scorer: what others judged, not what covary judges.

`policy.field` names the decision: "decision" (judge's yes/no, an MCQ's credit, detection) or "secondary_decision"
(identification: only "True Positive" counts). No decision is null, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from covary.scoring.case import Case, Judgement

RIGHT = frozenset({"yes", "true", "true positive"})
WRONG = frozenset({"no", "false", "false positive", "false negative", "true negative"})


@dataclass(frozen=True)
class Recorded:
    """Value 1 or 0 as recorded; null where the source recorded nothing or an unknown word."""

    field: str = "decision"
    name: str = "recorded"
    version: int = 1

    def __call__(self, case: Case) -> Judgement:
        recorded = case.detail.get("recorded")
        if not isinstance(recorded, dict):
            return Judgement(None, None, "no recorded decision: this response was not imported")
        decision = recorded.get(self.field)
        word = str(decision).strip().lower()
        answer = recorded.get("answer")
        shown = answer if isinstance(answer, str) else None
        if decision is None:
            return Judgement(shown, None, f"the source recorded no {self.field}")
        if word not in RIGHT | WRONG:
            return Judgement(shown, None, f"the source recorded an unknown {self.field}: {word[:40]}")
        judge = recorded.get("judge")
        return Judgement(
            shown, float(word in RIGHT), f"recorded {self.field}: {word}" + (f", judge {judge}" if judge else "")
        )
