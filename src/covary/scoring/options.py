"""Which option of a closed list an answer chooses: times of day and quantifiers."""

from __future__ import annotations

from covary.culture.lexicons import Found, lowered, plain_text
from covary.culture.lexicons_json import json_as_text
from covary.culture.lexicons_stance import stance
from covary.culture.options import OPTIONS, option_lexicon
from covary.errors import UsageError
from covary.scoring.case import Case, Judgement
from covary.scoring.quantities import Mention, Reading, reading_of


def read_option(text: str, concept: str) -> Reading:
    """The options an answer stands by; what lies outside the list counts only where no option does.

    >>> read_option("At most half.", "quantifiers").values, read_option("5 PM", "time_expression").status
    (('half',), 'unknown')
    """
    if concept not in OPTIONS:
        raise UsageError(f"options are known for {', '.join(OPTIONS)}; found {concept!r}")
    plain = plain_text(json_as_text(text) if "{" in text else text)
    low = lowered(plain)
    found = [mention for mention in option_lexicon(concept).find(low) if mention.sense.kind != "none"]
    if not found:
        return Reading("unknown", reason="no option", text=plain)
    spans = [Found(mention.start, mention.end, mention.sense.value) for mention in found]
    kept = [found[index] for index in stance(low, spans).kept]
    chosen = [mention for mention in kept if mention.sense.kind == "option"] or kept
    mentions = tuple(Mention(m.start, m.end, m.sense.value, "", "option", True) for m in chosen)
    return reading_of(
        plain, [mention.sense.value for mention in chosen], lambda value: value in OPTIONS[concept], mentions
    )


class Option:
    """The option chosen. There is no right one, so the value is None; the answer is what the analysis uses."""

    name = "option"
    version = 1
    answer_types = frozenset({"option"})

    def __call__(self, case: Case) -> Judgement:
        """Judges by the case's domain; the answer is the option where there is exactly one inside the list."""
        if case.text is None or case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        if case.domain not in OPTIONS:
            return Judgement(None, None, f"no options for {case.domain}")
        reading = read_option(case.text, case.domain)
        answer = reading.primary if reading.status == "one" else None
        return Judgement(answer, None, f"no right option: {reading.status}", reading.row())
