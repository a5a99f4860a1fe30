"""The CAPRI set: pictures, scaffolds and cue values become conversations at every cue level.

172 pictures × 3 conversation types = 516 scaffolds; filled for each culture (GB left out of distance and size) they are
4,992 conversations; compiled to six levels, 29,952 items. Null and Neutral don't depend on the culture, so their prompts
are shared: by content the VQA task needs 172 + 516 + 4 × 4,992 = 20,656 prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import polars as pl

from covary import digest, schema
from covary.build import pictures as bundled
from covary.build.capri_told import readings
from covary.build.cues import (
    CONTROLS,
    CONVERSATION_TYPES,
    LEVELS,
    Explicit,
    Scaffold,
    conversation,
    statement_of,
)
from covary.build.pictures.replacement import KEPT, PHOTOGRAPH
from covary.build.scaffold import QUESTIONS, Pictured, cultures_of, scaffolds
from covary.culture import knowledge
from covary.culture.knowledge import CULTURES, CueValue, Knowledge
from covary.digest import Draw
from covary.errors import UsageError, nearest

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "time_expression": ("morning", "noon", "afternoon", "evening", "night"),
    "quantifiers": ("few", "some", "half", "most", "almost all"),
}
# Of the true value, in the names that the scorers know; a price shows no currency, so it has none.
_UNITS: dict[str, str | None] = {str(concept): unit for concept, unit in bundled.UNITS.items()} | {
    "size": "m2",
    "price": None,
}
VERSION = 1  # of the construction; bump it when an item may differ for the same seed


class Depicted(Pictured, Protocol):
    """A picture's facts, as the builder of pictures gives them."""

    @property
    def scene(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def description(self) -> str: ...


class CapriSet(NamedTuple):
    """A built set: items (schema.ITEMS), picture specifications, and the pictures' bytes by SHA-256."""

    items: pl.DataFrame
    pictures: tuple[Any, ...]
    bytes_of: Mapping[str, bytes]


@dataclass(frozen=True)
class Conversation:
    """One scaffold filled for one culture: the two cue values and, for controls, those of another culture."""

    scaffold: Scaffold
    culture: str
    cues: tuple[CueValue, CueValue]
    other: str
    other_cues: tuple[CueValue, CueValue]


def build_capri(
    seed: int = 0,
    *,
    explicit: Explicit = "start-of-neutral",
    controls: Sequence[str] = (),
    pictures: Sequence[Depicted] | None = None,
    render: Callable[[Any], bytes] | None = None,
    source: Knowledge | None = None,
    written: Sequence[Scaffold] | None = None,
    fillings: Mapping[tuple[str, str], tuple[str, str]] | None = None,
) -> CapriSet:
    """The whole set. Pure: the same arguments give the same frame and the same bytes.

    `controls` adds rows of those control levels (see cues.CONTROLS); `pictures` and `render` replace the bundled ones;
    `written` and `fillings` are scaffolds and values by a model (see build.fill) in place of the grammar's.
    """
    unknown = [control for control in controls if control not in CONTROLS]
    if unknown:
        raise UsageError(f"unknown control {unknown[0]!r}{nearest(unknown[0], CONTROLS)}")
    base = source or knowledge.load()
    specs: tuple[Any, ...] = tuple(bundled.specifications(seed) if pictures is None else pictures)
    draw = render or bundled.render_png
    png = {spec.picture_id: draw(spec) for spec in specs}
    sha = {name: digest.sha256_hex(data) for name, data in png.items()}
    built = scaffolds(specs, base, seed) if written is None else written
    filled = fill(built, base, seed, fillings or {})
    rows = compile_items(filled, {spec.picture_id: spec for spec in specs}, sha, explicit, (*LEVELS, *controls), seed)
    return CapriSet(rows, specs, {sha[name]: data for name, data in png.items()})


def fill(
    built: Iterable[Scaffold],
    source: Knowledge,
    seed: int = 0,
    fillings: Mapping[tuple[str, str], tuple[str, str]] | None = None,
) -> tuple[Conversation, ...]:
    """Every scaffold filled for every culture of its concept, in that order.

    The first cue always points to its culture alone. The second may be shared by several; together they point to one.
    `fillings` ((scaffold_id, culture) → two values) stand in place of drawn values where they have an entry.
    """
    chosen = fillings or {}
    return tuple(
        _filled(scaffold, culture, source, seed, chosen)
        for scaffold in built
        for culture in cultures_of(scaffold.concept)
    )


def compile_items(
    filled: Iterable[Conversation],
    pictures: Mapping[str, Depicted],
    sha: Mapping[str, str],
    explicit: Explicit,
    levels: Sequence[str],
    seed: int,
) -> pl.DataFrame:
    """Items (schema.ITEMS) of every conversation at every level. A picture without a SHA-256 is left null."""
    columns: dict[str, list[Any]] = {name: [] for name in schema.ITEMS.schema}
    for chat in filled:
        picture = pictures[chat.scaffold.picture_id]
        for level in levels:
            row = _row(chat, picture, sha.get(picture.picture_id), explicit, level, seed)
            for name, values in columns.items():
                values.append(row.get(name))
    return schema.ITEMS.check(pl.DataFrame(columns, schema=schema.ITEMS.schema))


def counts(items: pl.DataFrame) -> pl.DataFrame:
    """Pictures, scaffolds and conversations by concept, as in Table 1 of the paper, with a last row "total"."""
    levels = items.filter(pl.col("cue_level") == "ImplicitFull").with_columns(
        pl.col("meta").str.json_path_match("$.picture_id").alias("picture_id")
    )
    facts = (
        pl.col("picture_id").n_unique().alias("pictures"),
        pl.col("source_id").n_unique().alias("scaffolds"),
        pl.len().cast(pl.UInt32).alias("conversations"),
    )
    by_concept = levels.group_by("domain", maintain_order=True).agg(facts).rename({"domain": "concept"})
    total = levels.select(pl.lit("total").alias("concept"), *facts)
    return pl.concat([by_concept, total], how="vertical_relaxed")


def distinct_prompts(items: pl.DataFrame) -> int:
    """How many distinct VQA prompts the items need: distinct (conversation, question, picture)."""
    return items.select("conversation", "question", "picture").unique().height


def text_only_items(
    seed: int = 0,
    cultures: Sequence[str] = CULTURES,
    concepts: Sequence[str] = ("temperature", "distance", "speed", "size", "price", "time_expression", "quantifiers"),
    levels: Sequence[str] = LEVELS,
    limit: int | None = None,
) -> pl.DataFrame:
    """A small set without pictures: a reading told in words without a unit, after the same conversations.

    Three readings a concept, one conversation type each; `limit` keeps that many source items, spread over the concepts.
    Items have no picture, and meta.route is "text". Unlike those with pictures they never stand in the paper's tables.
    """
    for given, known, noun in (
        (cultures, CULTURES, "culture"),
        (concepts, QUESTIONS, "concept"),
        (levels, (*LEVELS, *CONTROLS), "cue level"),
    ):
        for name in given:
            if name not in known:
                raise UsageError(f"unknown {noun} {name!r}{nearest(name, known)}")
    base = knowledge.load()
    told = [reading for reading in readings(seed) if reading.concept in concepts]
    by_picture = {reading.picture_id: reading for reading in told}
    built = scaffolds(told, base, seed)
    chosen = [
        scaffold
        for index in range(len(CONVERSATION_TYPES))
        for scaffold in built
        if by_picture[scaffold.picture_id].turn == index and scaffold.conversation_type == CONVERSATION_TYPES[index]
    ]
    filled = [chat for chat in fill(chosen[:limit], base, seed) if chat.culture in cultures]
    items = compile_items(filled, by_picture, {}, "start-of-neutral", levels, seed)
    told_first = pl.concat_str(
        pl.lit("The picture in words: "),
        pl.col("meta").str.json_path_match("$.description"),
        pl.lit(" "),
        pl.col("question"),
    )
    return items.with_columns(told_first.alias("question"))


def _filled(
    scaffold: Scaffold, culture: str, source: Knowledge, seed: int, fillings: Mapping[tuple[str, str], tuple[str, str]]
) -> Conversation:
    cues = _cues(scaffold, culture, source, seed, fillings)
    order = Draw(seed, "other", scaffold.scaffold_id, culture).shuffled(cultures_of(scaffold.concept))
    candidates = [(name, _cues(scaffold, name, source, seed, fillings)) for name in order if name != culture]
    # A second cue that also fits this culture (A4, 230 V) would leave nothing shuffled.
    strange = [pair for pair in candidates if culture not in pair[1][1].cultures]
    other, other_cues = (strange or candidates)[0]
    return Conversation(scaffold, culture, cues, other, other_cues)


def _cues(
    scaffold: Scaffold, culture: str, source: Knowledge, seed: int, fillings: Mapping[tuple[str, str], tuple[str, str]]
) -> tuple[CueValue, CueValue]:
    draw = Draw(seed, "fill", scaffold.scaffold_id, culture)
    first, second = (
        source.usable(cue.cue_type, culture, scaffold.concept, alone=cue.slot == 1) for cue in scaffold.cues
    )
    given = fillings.get((scaffold.scaffold_id, culture))
    if given is None:
        return draw.choice(first), draw.choice(second)
    return _named(first, given[0], scaffold, culture), _named(second, given[1], scaffold, culture)


def _named(usable: Sequence[CueValue], value: str, scaffold: Scaffold, culture: str) -> CueValue:
    for entry in usable:
        if entry.value == value:
            return entry
    raise UsageError(f"{scaffold.scaffold_id}, {culture}: {value!r} is not among the values that this slot may have")


def _row(
    chat: Conversation, picture: Depicted, sha: str | None, explicit: Explicit, level: str, seed: int
) -> dict[str, Any]:
    concept = chat.scaffold.concept
    cues = _shown(chat, level)
    turns = conversation(chat.scaffold, level, (cues[0].value, cues[1].value), chat.culture, explicit)
    variant = {"culture": chat.culture, "cue_level": level}
    explicitly = level in ("ExplicitFull", "ExplicitConflict")
    if explicitly and explicit != "start-of-neutral":
        variant["explicit"] = explicit
    meta: dict[str, Any] = {
        "picture_id": picture.picture_id,
        "scene": picture.scene,
        "caption": picture.caption,
        "true_value": picture.value,
        "true_unit": _UNITS.get(concept),
        "tolerance": getattr(picture, "tolerance", None),
        "description": picture.description,
        "route": "picture" if sha else "text",
        "conversation_type": chat.scaffold.conversation_type,
        "cues": [
            {
                "type": cue.cue_type,
                "value": cue.value,
                "neutral": slot.neutral,
                "culture": cue.culture,
                "verified": cue.verified,
            }
            for cue, slot in zip(cues, chat.scaffold.cues, strict=True)
        ],
        "statement": statement_of(chat.culture) if explicitly else None,
    }
    if picture.scene == PHOTOGRAPH:
        given: Mapping[str, Any] = getattr(picture, "parameters", {})
        meta["replaced"] = {name: given.get(name) for name in KEPT if name != "sha256"}
    provenance = {"source": "covary capri", "version": VERSION, "seed": seed, "licence": "Apache-2.0"}
    options = OPTIONS.get(concept)
    return {
        "source_id": chat.scaffold.scaffold_id,
        "item_id": digest.item_id(chat.scaffold.scaffold_id, variant),
        "variant": digest.canonical_json(variant).decode(),
        "language": "en",
        "culture": chat.culture,
        "cue_level": level,
        "format": "conversation",
        "question": chat.scaffold.question,
        "options": list(options) if options else None,
        "conversation": [{"role": turn.role, "text": turn.text} for turn in turns],
        "picture": sha,
        "answer_type": "option" if options else "quantity",
        "domain": concept,
        "meta": digest.canonical_json(meta).decode(),
        "provenance": digest.canonical_json(provenance).decode(),
    }


def _shown(chat: Conversation, level: str) -> tuple[CueValue, CueValue]:
    if level == "ShuffledCues":
        return chat.cues[0], chat.other_cues[1]
    return chat.other_cues if level == "ExplicitConflict" else chat.cues
