"""What an answer stands by: mentions that it denies, takes back or only names in a refusal are left out.

Works on any mentions (units, currencies, countries, options) of a lowered plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from covary.culture.lexicons import Found, Lexicon, S, form_key, package_data

SHORT = 40  # characters of a text that may be no more than its mentions
LETTER = re.compile(r"[^\W\d_]")
PORTUGUESE = re.compile(
    r"\b(?:usuári[oa]|é|está|não|mora|vive|são|então|preço|custa|você|uma|portanto|do|da|em|que)\b"
)  # where 'no' is 'in the'
BREAK = re.compile(r"[!?。\n।;]|\.(?=\s|$)|(?<=[^\d\s])\.(?=[^\W\d])")
CLAUSE_END = re.compile(r"[,:;!?。।()\[\]\n—]|\.(?=\s|$)| - ")
# where a clause starts that a later 'not' denies: behind a mark, or behind a causal ending (since he is Korean, not pyeong but …)
BEFORE_DENIED = re.compile(
    CLAUSE_END.pattern + r"|이?므로|(?:이)?니까|(?:이)?라서|때문에|なので|ですから|だから|ので|इसलिए"
)
NEXT_TO = re.compile(r"\S{0,3}\s?")
REFUSAL_END = re.compile(
    r"[:;—\n]| - |,\s*(?=(?:so |but |probably|likely|maybe|perhaps|about|around|roughly|approximately|my |best|i'd|i would guess|i guess|possibly|at a guess|say|~|\d))"
)
SOFT_END = re.compile(r"[,:;—\n]| - ")
START_OF_CLAUSE = re.compile(r"(?:^|[.,:;!?。()\n—…-]|\b(?:oh|but|ah|or))\s*$")
CLOSED = re.compile(r"\s*(?:[,.:;!?。…—]|-{1,2}\s|wait|sorry|actually|the user)")
ABBREVIATED = re.compile(r"(?:\b(?:approx|ca|sq|rs|no|ft|in|mi|yd|vs|e\.g|i\.e|st|dr|mr|mrs)|\b\w|\.\w)$")
# what follows a 'not' that limits or softens an amount instead of denying it: can't be more than 5 °F
LIMIT = re.compile(
    r"\s*(?:be |have been |get |go |look )?(?:any |a cent |a penny |a bit |one )?(?:more|less|over|under|much|above|below|far|exactly|fewer|greater|higher|lower|warmer|colder|"
    r"hotter|cooler|longer|shorter|farther|further|bigger|larger|smaller|cheaper|faster|slower|beyond|later|earlier|exceed\w*|quite(?= an?\b| \d)|"
    r"even(?= an?\b| \d)|only|just|merely|too|very|mais|menos|plus|moins|superior|inferior)(?![\w])"
)


SUBORDINATE = frozenset(
    {"although", "though", "while", "whereas", "still"}
)  # what follows gives way, not what precedes


class Spanned(Protocol):
    """Anything with a place in the text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Stance(NamedTuple):
    """Mentions that the text stands by, and why the others went: denied, refused, retracted."""

    kept: list[int]
    dropped: dict[int, str]


@cache
def discourse_lexicon() -> Lexicon[frozenset[str]]:
    """The words that deny, refuse, retract, hedge and settle; one form may do several."""
    kinds: dict[str, set[str]] = {}
    for kind, forms in package_data("lexicon_discourse").items():
        if kind != "about":
            for form in forms.split("|"):
                kinds.setdefault(form_key(form), set()).add(kind)
    return Lexicon({form: frozenset(of_form) for form, of_form in kinds.items()})


def stance(low: str, mentions: Sequence[Found[S]], keep_reasons: bool = False) -> Stance:
    """Which mentions stand, by index. Scopes end at clause or sentence ends; a retraction needs something after it."""
    if not mentions or (len(low) <= SHORT and nothing_else(low, mentions)):
        return Stance(list(range(len(mentions))), {})
    marks = [mark for mark in discourse_lexicon().find(low) if not _inside(mark, mentions)]
    if not marks:
        return Stance(list(range(len(mentions))), {})
    return _Reading(low, mentions, marks, keep_reasons).stance()


class _Reading:
    """One text with its mentions and marks, sentence by sentence."""

    def __init__(
        self, low: str, mentions: Sequence[Found[S]], marks: list[Found[frozenset[str]]], reasons: bool
    ) -> None:
        self.low, self.mentions, self.marks, self.reasons = low, mentions, marks, reasons
        self.breaks = [match.start() for match in BREAK.finditer(low) if not _abbreviation(low, match)]
        self.contrasts = [mark.start for mark in marks if "contrast" in mark.sense]
        self.dropped: dict[int, str] = {}

    def stance(self) -> Stance:
        for mark in self.marks:
            if "plain" in mark.sense:
                continue
            if "refuse" in mark.sense:
                self._drop(mark.end, self._scope_end(mark.end, REFUSAL_END), "refused")
            elif "refuse_soft" in mark.sense:
                self._drop(mark.end, self._scope_end(mark.end, SOFT_END), "refused")
            if "refuse_after" in mark.sense:
                self._drop(self._scope_start(mark.start), mark.start, "refused")
            if "not_after" in mark.sense:
                self._drop_before(mark)
            if "instead_after" in mark.sense:
                self._drop_nearest(mark)
            if self.low[mark.start : mark.end] == "no" and PORTUGUESE.search(self.low):
                continue
            if "not" in mark.sense and not self._is_interjection(mark) and not LIMIT.match(self.low, mark.end):
                self._drop(mark.end, self._denial_end(mark), "denied")
        self._retract()
        if self.reasons:
            self._leave_reasons()
        kept = [index for index in range(len(self.mentions)) if index not in self.dropped]
        return Stance(kept, self.dropped)

    def _retract(self) -> None:
        """Drops what stands before the last correction, final answer or settling clause that names something."""
        point = -1
        for mark in self.marks:
            if ("retract" in mark.sense and self._free_standing(mark)) or (
                "retract_start" in mark.sense and self._is_interjection(mark) and mark.start > 0
            ):
                point = self._cut(point, mark.start)
            elif "final" in mark.sense:
                point = self._cut(point, mark.end)
            elif "settle_after" in mark.sense:
                point = self._cut(point, self._scope_start(mark.start))
            elif "commit" in mark.sense and self._was_tentative(mark.start):
                point = self._cut(point, self._turn(mark.start))
            elif (
                "contrast" in mark.sense
                and self.low[mark.start : mark.end] not in SUBORDINATE
                and (self._is_settled(mark.end) or (self._was_tentative(mark.start) and not self._is_hedged(mark.end)))
            ):
                point = self._cut(point, mark.start)
        if point > 0:
            self._drop(0, point, "retracted")

    def _leave_reasons(self) -> None:
        """Drops what stands in a reason that follows the answer."""
        for mark in self.marks:
            if "explain" in mark.sense and self._alive(0, mark.start):
                self._drop(mark.end, len(self.low), "reason")
                return

    def _cut(self, point: int, candidate: int) -> int:
        after = self._alive(candidate, len(self.low) + 1)
        return max(point, candidate) if after and self._alive(0, candidate) else point

    def _turn(self, position: int) -> int:
        """Where the settling clause begins: the last break, contrast or clause end before the position."""
        ends = [at for at in (*self.breaks, *self.contrasts) if at < position]
        ends += [match.start() for match in CLAUSE_END.finditer(self.low, 0, position)]
        return max(ends, default=position)

    def _was_tentative(self, position: int) -> bool:
        """Whether something before the position was said tentatively and stands before it."""
        for mark in self.marks:
            if mark.start >= position:
                return False
            if "tentative" in mark.sense:
                start, end = self._sentence_start(mark.start), position
                if self._alive(start, end):
                    return True
        return False

    def _is_settled(self, position: int) -> bool:
        """Whether the next mention after the position is what the answer settles on: 'but for this user', 'but I'll say'."""
        after = [m.start for index, m in enumerate(self.mentions) if m.start >= position and index not in self.dropped]
        return bool(after) and any("commit" in mark.sense and position <= mark.start < after[0] for mark in self.marks)

    def _is_hedged(self, position: int) -> bool:
        """Whether the next mention after the position is offered beside, not instead: 'but also', 'but possibly'."""
        after = [
            mention.start
            for index, mention in enumerate(self.mentions)
            if mention.start >= position and index not in self.dropped
        ]
        if not after:
            return True
        between = [mark for mark in self.marks if position <= mark.start < after[0]]
        if any("commit" in mark.sense for mark in between):
            return False
        return any("hedge" in mark.sense or "tentative" in mark.sense for mark in between)

    def _is_interjection(self, mark: Found[frozenset[str]]) -> bool:
        """'No, …' and the like, as against 'no dollars'; Portuguese 'no' is neither."""
        if "retract_start" not in mark.sense:
            return False
        if START_OF_CLAUSE.search(self.low, max(0, mark.start - 6), mark.start) is None:
            return False
        return "not" not in mark.sense or CLOSED.match(self.low, mark.end) is not None

    def _free_standing(self, mark: Found[frozenset[str]]) -> bool:
        return "refuse" not in mark.sense

    def _denial_end(self, mark: Found[frozenset[str]]) -> int:
        end = self._scope_end(mark.end, CLAUSE_END)
        sentence_end = self._sentence_end(mark.end)
        turns = [at for at in self.contrasts if mark.end < at < sentence_end and self.low.startswith("but", at)]
        if (
            turns
            and end < turns[0]
            and not any(
                mark.end < other.start < turns[0] and other.sense & {"commit", "tentative", "hedge"}
                for other in self.marks
            )
        ):
            return turns[0]
        return end

    def _drop_before(self, mark: Found[frozenset[str]]) -> None:
        """Denial that follows what it denies: the nearest clause before it."""
        start = self._scope_start(mark.start)
        commas = [match.end() for match in BEFORE_DENIED.finditer(self.low, start, mark.start)]
        commas = [at for at in commas if self.low[at : mark.start].strip()]
        self._drop(max([start, *commas]), mark.start, "denied")

    def _drop_nearest(self, mark: Found[frozenset[str]]) -> None:
        """'In place of' behind its word: that word alone goes, not its clause."""
        for mention in self.mentions:
            if mention.end <= mark.start and NEXT_TO.fullmatch(self.low, mention.end, mark.start):
                self._drop(mention.start, mark.start, "denied")

    def _drop(self, start: int, end: int, reason: str) -> None:
        for index, mention in enumerate(self.mentions):
            if start <= mention.start < end:
                self.dropped.setdefault(index, reason)

    def _alive(self, start: int, end: int) -> bool:
        return any(
            start <= mention.start < end and index not in self.dropped for index, mention in enumerate(self.mentions)
        )

    def _scope_end(self, start: int, ends: re.Pattern[str]) -> int:
        stops = [at for at in (*self.breaks, *self.contrasts) if at >= start]
        if match := ends.search(self.low, start):
            stops.append(match.start())
        return min(stops, default=len(self.low))

    def _scope_start(self, position: int) -> int:
        return max([at for at in (*self.breaks, *self.contrasts) if at < position], default=0)

    def _sentence_start(self, position: int) -> int:
        return max([at for at in self.breaks if at < position], default=0)

    def _sentence_end(self, position: int) -> int:
        return min([at for at in self.breaks if at >= position], default=len(self.low))


def _abbreviation(low: str, match: re.Match[str]) -> bool:
    return match[0] == "." and ABBREVIATED.search(low, max(0, match.start() - 8), match.start()) is not None


def _inside(mark: Found[frozenset[str]], mentions: Sequence[Found[S]]) -> bool:
    return any(mention.start < mark.end and mark.start < mention.end for mention in mentions)


def nothing_else(low: str, mentions: Sequence[Spanned]) -> bool:
    """Whether a short text has no letter outside the mentions."""
    position = 0
    for mention in mentions:
        if LETTER.search(low, position, mention.start):
            return False
        position = mention.end
    return LETTER.search(low, position) is None
