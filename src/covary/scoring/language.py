"""Language composition of a trace: mathematics masked, languages by step, one label, and whether the asked language was obeyed.

    LanguageComposition()(case)     value 1: the asked language was obeyed, 0: it was not, null: no prose
    composition(scores, by)         counts and shares of single languages, of mixed traces and of their combinations

MathMist's tables of language composition have the same labels: a single language, or Mixed with its combination. Theirs divide
combinations by different totals; here each share is of the traces with prose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import polars as pl

from covary.errors import StudyError, UsageError
from covary.items.languages import language
from covary.scoring.case import Case, Judgement
from covary.scoring.language_steps import DECLARED, OF_SCRIPT, Step, steps_of, switches
from covary.scoring.sections import sections

Source = Literal["text", "reasoning", "both"]
MIXED = "mixed"
STRATEGY_SECTION = 3  # first section of a code-switched solution that is asked for in the reasoning language
SECTIONS = 5
SCRIPT_NAMES = {
    "Cyrl": "Cyrillic",
    "Latn": "Latin script",
    "Arab": "Arabic script",
    "Deva": "Devanagari",
    "Hani": "Han",
}
DENOMINATOR = "traces with prose"


class Presence(NamedTuple):
    """From how much on a language is present in a trace: this many words, and this share of its prose.

    A language whose script no other language of the trace shares needs `words_own_script` words and no share.
    """

    words: float = 3
    share: float = 0.03
    words_own_script: float = 1


class Composition(NamedTuple):
    """A trace's label ("bn", or "mixed"), the languages present (most words first), and words of every language found."""

    label: str | None
    languages: tuple[str, ...]
    words: dict[str, float]
    steps: tuple[Step, ...]


DEFAULT = Presence()


class LanguageComposition:
    """Scores a case by the language of its reasoning.

    languages: those told apart (the asked one is added); presence: words, share, words_own_script; obeyed_share: the share of
    prose in the asked language from which it counts as obeyed; source: which text is read.
    """

    name = "language"
    version = 1
    reads_truncated = True

    def __init__(
        self,
        languages: Sequence[str] = DECLARED,
        presence: Mapping[str, float] | Presence = DEFAULT,
        obeyed_share: float = 0.8,
        source: Source = "text",
    ) -> None:
        self._languages = tuple(language(word).code for word in languages)
        self._presence = presence if isinstance(presence, Presence) else _presence(presence)
        self._obeyed_share = obeyed_share
        self._source: Source = source

    def __call__(self, case: Case) -> Judgement:
        text = _trace(case, self._source)
        if not text.strip():
            return Judgement(None, None, "empty response")
        asked = case.reasoning_language or case.answer_language or case.language
        declared = tuple(dict.fromkeys([*self._languages, asked]))
        found = compose(text, declared, self._presence)
        if found.label is None:
            return Judgement(None, None, "no prose: mathematics only", {"label": None, "languages": [], "words": {}})
        share, judged = _asked_share(text, found.steps, asked, case.language)
        obeyed = share >= self._obeyed_share
        combination = "+".join(sorted(found.languages))
        detail = {
            "label": found.label,
            "languages": list(found.languages),
            "words": {code: round(count, 2) for code, count in found.words.items()},
            "asked": asked,
            "asked_share": round(share, 4),
            "asked_of": judged,
            "obeyed": obeyed,
            "steps": sum(step.main is not None for step in found.steps),
            "switches": [list(entry) for entry in switches(found.steps)][:100],
            "presence": self._presence._asdict(),
        }
        reason = f"{asked} {'obeyed' if obeyed else 'not obeyed'}: {share:.0%} of prose, {combination}"
        return Judgement(combination, float(obeyed), reason, detail)


def compose(text: str, languages: Sequence[str] = DECLARED, presence: Presence = DEFAULT) -> Composition:
    """The language composition of a trace. No prose gives no label."""
    steps = tuple(steps_of(text, languages))
    counts: dict[str, float] = {}
    for step in steps:
        for code, count in step.words.items():
            counts[code] = counts.get(code, 0.0) + count
    total = sum(counts.values())
    ordered = sorted(counts, key=lambda code: (-counts[code], code))
    kept = [code for code in ordered if _is_present(code, counts, total, presence)] or ordered[:1]
    label = None if not kept else kept[0] if len(kept) == 1 else MIXED
    return Composition(label, tuple(kept), {code: counts[code] for code in ordered}, steps)


def composition(scores: pl.DataFrame, by: Sequence[str] = ("model", "condition")) -> pl.DataFrame:
    """Counts and shares of language labels: one row per group × name, from scores of scorer "language".

    Columns: `by`, part ("language": a single language or "mixed"; "combination": which languages a mixed trace holds), name
    (ISO codes; combinations joined by "+"), n, share, denominator (its name), n_denominator. Shares of both parts are of the
    traces with prose in the group (their score has an answer), so that combinations sum up to the share of "mixed"; null where there is none.
    """
    mixed = pl.col("answer").str.contains("+", literal=True)
    frame = scores.filter((pl.col("scorer") == "language") & pl.col("answer").is_not_null()).select(
        *by,
        part_language=pl.when(mixed).then(pl.lit(MIXED)).otherwise(pl.col("answer")),
        part_combination=pl.when(mixed).then(pl.col("answer")),
    )
    totals = frame.group_by(by).agg(n_denominator=pl.len()) if by else frame.select(n_denominator=pl.len())
    parts = [
        frame.filter(pl.col(f"part_{part}").is_not_null())
        .group_by([*by, pl.col(f"part_{part}").alias("name")])
        .agg(n=pl.len())
        .with_columns(part=pl.lit(part))
        for part in ("language", "combination")
    ]
    counted = pl.concat(parts)
    joined = counted.join(totals, on=list(by), how="left") if by else counted.join(totals, how="cross")
    return (
        joined.with_columns(share=pl.col("n") / pl.col("n_denominator"), denominator=pl.lit(DENOMINATOR))
        .sort([*by, pl.col("part") == "combination", -pl.col("n").cast(pl.Int64), "name"])
        .select(*by, "part", "name", "n", "share", "denominator", "n_denominator")
    )


def readable(name: str) -> str:
    """A label or combination in words, in alphabetical order.

    >>> readable("bn+en+Cyrl")
    'Bangla + Cyrillic + English'
    """
    words = [SCRIPT_NAMES.get(code) or (code if len(code) != 2 else language(code).name) for code in name.split("+")]
    return " + ".join(sorted(word[:1].upper() + word[1:] for word in words))


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text, languages?} → {id, label, languages, words, switches, reason}. One result a row."""
    for row in rows:
        text, listed = row.get("text"), row.get("languages")
        reason = None if isinstance(text, str) else str(row.get("error") or "no text")
        extra: list[str] = []
        try:
            extra = [language(str(word)).code for word in cast("list[Any]", listed)] if isinstance(listed, list) else []
        except UsageError as error:
            reason = reason or str(error)
        if not isinstance(text, str) or reason is not None:
            yield {"id": row.get("id"), "label": None, "languages": [], "words": {}, "switches": [], "reason": reason}
            continue
        found = compose(text, tuple(dict.fromkeys([*DECLARED, *extra])))
        yield {
            "id": row.get("id"),
            "label": found.label,
            "languages": list(found.languages),
            "words": {code: round(count, 2) for code, count in found.words.items()},
            "switches": [list(entry) for entry in switches(found.steps)][:100],
            "reason": "no prose" if found.label is None else "by script and language of each step",
        }


def _presence(policy: Mapping[str, float]) -> Presence:
    unknown = set(policy) - set(Presence._fields)
    if unknown:
        raise StudyError(
            f"scorer 'language': unknown key {sorted(unknown)[0]!r} in presence; known: {', '.join(Presence._fields)}"
        )
    return Presence(**policy)


def _trace(case: Case, source: Source) -> str:
    shown = case.text or ""
    thought = case.reasoning or ""
    if source == "both":
        return f"{thought}\n{shown}"
    return thought if source == "reasoning" else shown


def _is_present(code: str, counts: Mapping[str, float], total: float, presence: Presence) -> bool:
    alone = not any(other != code and _shares_script(code, other) for other in counts)
    if alone and _script(code) != "Latn":
        return counts[code] >= presence.words_own_script
    return counts[code] >= presence.words and counts[code] / total >= presence.share


def _shares_script(one: str, other: str) -> bool:
    return _script(one) == _script(other)


def _script(code: str) -> str:
    for script, known in OF_SCRIPT.items():
        if known == code:
            return script
    return code if len(code) != 2 else language(code).script


def _asked_share(text: str, steps: Sequence[Step], asked: str, question_language: str) -> tuple[float, str]:
    """The share of prose in the asked language, and of what: where five numbered sections are there and question and
    reasoning language differ, only of the sections that were asked for in the reasoning language."""
    parts = sections(text) if asked != question_language else []
    start = next((part.start for part in parts if part.number == STRATEGY_SECTION), 0) if len(parts) == SECTIONS else 0
    counted = [step for step in steps if step.start >= start]
    total = sum(sum(step.words.values()) for step in counted)
    if not total:
        start, counted = 0, list(steps)
        total = sum(sum(step.words.values()) for step in counted)
    obeying = sum(step.words.get(asked, 0.0) for step in counted)
    return obeying / total, f"sections from {STRATEGY_SECTION} on" if start else "the whole trace"
