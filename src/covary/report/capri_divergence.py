"""RQ5 and RQ6: how far answers move between cultures, between cue levels, and between mere repeats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary.analysis import contrasts, divergence
from covary.analysis.contrasts import Contrast
from covary.errors import DataError
from covary.report.capri_frame import (
    CULTURES,
    LEVELS,
    MEAN,
    SUBJECTIVE,
    Shown,
    Study,
    in_words,
    largest_and_direct,
    of_scorer,
    ranked_as,
    rate,
    regrouped,
    stacked,
)

NEUTRAL = "Neutral"
SCORES = {"ImplicitFull": "D_impl", "ExplicitFull": "D_expl"}
HOURS = tuple(range(11, 21))
# A level and the control that tells culture apart from any other edit (see build.cues).
CONTROL_OF = (
    ("ImplicitFull", "Placebo"),
    ("ImplicitFull", "ShuffledCues"),
    ("ImplicitCue1", "NeutralCue1"),
    ("ImplicitCue2", "NeutralCue2"),
    ("ExplicitFull", "ExplicitConflict"),
)
UNSURE_SD_MINUTES = 6 * 60
DAY = 24 * 60
SAME_PROMPT = "the prompt is the same for all cultures: 0 by construction"
REFERENCE_OF = {"US": "English", "GB": "English", "FR": "French"}
CLOCK_OF = {"US": "US", "IN": "India", "BR": "Brazil"}


class Reference(NamedTuple):
    """Published human ranges: (culture, concept, option) → (low, high), in minutes since midnight or shares. Never a gold."""

    ranges: Mapping[tuple[str, str, str], tuple[float, float]]
    sources: tuple[str, ...]


def tables(rows: pl.DataFrame, study: Study, items: pl.DataFrame | None, reference: Reference | None) -> list[Shown]:
    """D_inter by level, D_impl and D_expl by culture, controls, the ranking's extremes, the clock grid, human ranges."""
    answers = of_scorer(rows, "option", "vqa", SUBJECTIVE)
    if answers["answer"].drop_nulls().is_empty():
        return []
    floor = noise(answers, study)
    pairs = divergence.between_cultures(answers, ["line", "mode"], keep=["cluster", "domain"])
    found = [
        Shown(
            "capri-inter",
            "D_inter: share (%) of pairs of cultures that get different answers, over all pairs, by cue level. "
            f"Answering always the same scores 0. Column “repeat”: {_floor_words(floor)}",
            stacked(
                [
                    inter(answers, study, pairs),
                    regrouped(floor, cue_level="repeat").with_columns(name=pl.lit("capri-inter")),
                ]
            ),
            ("line", "mode"),
            ("cue_level",),
        )
    ]
    found += _split(answers, pairs, study)
    shifts = shifted(answers, study)
    if shifts.height:
        for level, name in SCORES.items():
            part = shifts.filter(pl.col("group").str.contains(f'"cue_level":"{level}"', literal=True))
            if part.height:
                table = f"capri-{name.lower().replace('_', '-')}"
                caption = (
                    f"{name}: share (%) of answers that differ from Neutral at {level}, by culture. ↓ least and ↑ most "
                    f"moved culture, ties marked too. Noise floor: {_floor_words(floor)}"
                )
                found.append(Shown(table, caption, with_marks(part), ("line", "mode"), ("culture",)))
        caption = (
            "D_impl and D_expl (%) side by side, of direct answers of the largest model of each family; ↓ least and ↑ most moved "
            "culture, ties marked too."
        )
        found.append(Shown("capri-cultures", caption, side_by_side(shifted(largest_and_direct(answers, study), study))))
        others = shifts.filter(pl.col("group").str.contains(f'"culture":"{MEAN}"', literal=True))
        caption = "Share (%) of answers that differ from Neutral, by cue level, controls and repeats included."
        both = stacked([others, regrouped(floor, cue_level="repeat", culture=MEAN)])
        found.append(
            Shown(
                "capri-shift", caption, both.with_columns(name=pl.lit("capri-shift")), ("line", "mode"), ("cue_level",)
            )
        )
        against = beyond_controls(answers, study)
        if against.height:
            caption = (
                "Shift from Neutral beyond that of a control (points): what culture does and any other edit doesn't."
            )
            found.append(Shown("capri-controls", caption, in_words(against)))
        ranks = extremes(answers, study)
        caption = (
            "Most against least moved culture (percentage points), p by Holm over all pairs of cultures of a model and mode. "
            "A ranking that can't reach significance is a ranking of noise."
        )
        found.append(Shown("capri-ranking", caption, ranked(ranks)))
    if items is not None:
        clock = clock_grid(answers, items)
        if clock.height:
            caption = "Time of day chosen for clocks on the hour (11:00 to 20:00), by cue level and culture; ties are joined by /."
            found.append(Shown("capri-clock", caption, clock))
        if reference is not None:
            inside = within_reference(answers, items, reference, study)
            if inside.height:
                caption = (
                    "Share (%) of answers whose option people of that country use for what the picture shows, by published "
                    f"ranges. A reference, never a gold: {'; '.join(reference.sources)}"
                )
                found.append(
                    Shown("capri-human-ranges", caption, inside, ("line", "mode", "domain", "culture"), ("cue_level",))
                )
    return found


def _split(answers: pl.DataFrame, pairs: pl.DataFrame, study: Study) -> list[Shown]:
    """Divergence by concept and by culture, and shifts by concept, at the levels with cues."""
    cued = pairs.filter(~pl.col("cue_level").is_in(["Null", NEUTRAL]))
    sides = [cued.with_columns(culture=pl.col(side)) for side in ("culture_a", "culture_b")]
    moved = divergence.moved(answers, ["line", "mode"], keep=["cluster", "domain"])
    moved = moved.filter(pl.col("cue_level").is_in(list(SCORES)))
    split = (
        ("capri-inter-by-concept", cued, "domain", "D_inter by concept: share (%) of pairs of cultures that get different answers."),
        ("capri-inter-by-culture", pl.concat(sides), "culture", "D_inter of each culture: share (%) of its pairs with the others that get different answers."),
        ("capri-shift-by-concept", moved, "domain", "Share (%) of answers that differ from Neutral, by concept (ImplicitFull: D_impl; ExplicitFull: D_expl)."),
    )  # fmt: skip
    return [
        Shown(name, caption, rate(rows, ["line", "mode", factor, "cue_level"], name, study.seed), ("line", "mode", factor), ("cue_level",))
        for name, rows, factor, caption in split
        if rows.height
    ]  # fmt: skip


def inter(answers: pl.DataFrame, study: Study, pairs: pl.DataFrame | None = None) -> pl.DataFrame:
    """D_inter per line × mode × cue level, all pairs of cultures (`pairs`, where they are at hand). Null and Neutral are one prompt
    for all cultures."""
    if pairs is None:
        pairs = divergence.between_cultures(answers, ["line", "mode"], keep=["cluster"])
    found = rate(pairs, ["line", "mode", "cue_level"], "capri-inter", study.seed)
    same = pl.col("group").str.contains('"cue_level":"Null"', literal=True) | pl.col("group").str.contains(
        '"cue_level":"Neutral"', literal=True
    )
    by_construction = same & (pl.col("value") == 0)
    return found.with_columns(
        low=pl.when(by_construction).then(None).otherwise("low"),
        high=pl.when(by_construction).then(None).otherwise("high"),
        note=pl.when(by_construction).then(pl.lit(SAME_PROMPT)).otherwise("note"),
    )


def shifted(answers: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Share of answers that differ from Neutral per line × mode × cue level × culture, with culture "Mean" over all rows."""
    moved = divergence.moved(answers, ["line", "mode"], keep=["cluster"])
    moved = moved.filter(~pl.col("cue_level").is_in(["Null"]))
    if moved.is_empty():
        return pl.DataFrame()
    by = ["line", "mode", "cue_level"]
    each = rate(moved, [*by, "culture"], "capri-shift", study.seed)
    return stacked([each, regrouped(rate(moved, by, "capri-shift", study.seed), culture=MEAN)])


def extremes(answers: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Per line × mode × score the contrast of its most against its least moved culture, Holm over all pairs of cultures."""
    moved = divergence.moved(answers, ["line", "mode"], keep=["cluster"])
    found: list[pl.DataFrame] = []
    for (line, mode, level), part in moved.group_by("line", "mode", "cue_level", maintain_order=True):
        if level not in SCORES or part["culture"].n_unique() < 2:
            continue
        made = contrasts.estimate(
            part,
            contrasts.all_pairs(part, "culture", by=["line", "mode"], blocked_by=["source_id"]),
            cluster="cluster",
            denominator="judged",
            family=f"cultures of {line}, {mode}, {level}",
            seed=study.seed,
        )
        turned = made.with_columns(pl.col("value").abs().alias("size")).sort("size", descending=True, nulls_last=True)
        found.append(regrouped(turned.head(1).drop("size"), score=SCORES[str(level)]))
    return pl.concat(found) if found else pl.DataFrame()


def beyond_controls(answers: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Contrasts of a level's shift with its control's, per line × mode, for the controls that the set has; one family."""
    moved = divergence.moved(answers, ["line", "mode"], keep=["cluster"])
    known = set(moved["cue_level"])
    parts = [
        regrouped(
            contrasts.estimate(
                moved,
                Contrast(
                    f"{level} - {control}",
                    "cue_level",
                    (level, control),
                    by=["line", "mode"],
                    blocked_by=["source_id", "culture"],
                ),
                cluster="cluster",
                denominator="judged",
                family="controls",
                seed=study.seed,
            ),
            level=level,
            control=control,
        )
        for level, control in CONTROL_OF
        if {level, control} <= known
    ]
    return pl.concat(parts) if parts else pl.DataFrame()


def ranked(tests: pl.DataFrame) -> pl.DataFrame:
    """The extremes as a plain frame: most and least moved culture, their difference, and what the test can say of it."""
    turned = pl.col("points") < 0
    a, b = tests["level_a"], tests["level_b"]
    return (
        in_words(tests)
        .with_columns(a=a, b=b)
        .with_columns(
            most=pl.when(turned).then("b").otherwise("a"),
            least=pl.when(turned).then("a").otherwise("b"),
            points=pl.col("points").abs(),
            low=pl.when(turned).then(-pl.col("high")).otherwise("low"),
            high=pl.when(turned).then(-pl.col("low")).otherwise("high"),
        )
        .select("line", "mode", "score", "most", "least", "points", "low", "high", "p_adjusted", "family_size", "note")
    )


def noise(answers: pl.DataFrame, study: Study) -> pl.DataFrame:
    """How often a repeat alone changes the answer, per line × mode; null with a note where nothing was asked twice."""
    distinct = answers.unique(["line", "mode", "request_id"], keep="first", maintain_order=True)
    floor = divergence.noise_floor(distinct, ["line", "mode"], cluster="cluster", unit="source_id")
    if floor["value"].null_count() < floor.height:
        return floor
    empty = answers.select("line", "mode").unique(maintain_order=True)
    parts = [regrouped(floor, line=line, mode=mode) for line, mode in empty.iter_rows()]
    return pl.concat(parts)


def with_marks(estimates: pl.DataFrame) -> pl.DataFrame:
    """Estimates with `mark`: ↓ at the least and ↑ at the greatest value of a line × mode, all of them where they tie."""
    groups = [msgspec.json.decode(group) for group in estimates["group"]]
    values: dict[tuple[str, str], list[float]] = {}
    for group, value in zip(groups, estimates["value"], strict=True):
        if group["culture"] != MEAN and value is not None:
            values.setdefault((group["line"], group["mode"]), []).append(value)
    marks = [
        mark(value, values.get((group["line"], group["mode"]), [])) if group["culture"] != MEAN else ""
        for group, value in zip(groups, estimates["value"], strict=True)
    ]
    return estimates.with_columns(mark=pl.Series(marks, dtype=pl.String))


def side_by_side(shifts: pl.DataFrame) -> pl.DataFrame:
    """One row per culture (the mean last), a column per line × mode × score: per cent with its mark."""
    cells: list[dict[str, str]] = []
    for level, name in SCORES.items():
        part = with_marks(shifts.filter(pl.col("group").str.contains(f'"cue_level":"{level}"', literal=True)))
        for label, value, sign in part.select("group", "value", "mark").iter_rows():
            group = msgspec.json.decode(label)
            text = "–" if value is None else f"{100 * value:.1f} {sign}".strip()
            who = f"{group['line']}, {group['mode']}"
            cells.append({"culture": group["culture"], "who": who, "column": f"{who}: {name}", "text": text})
    order = [*CULTURES, MEAN]
    wide = (
        pl.DataFrame(cells)
        .sort("who", maintain_order=True)
        .pivot("column", index="culture", values="text", maintain_order=True)
    )
    return wide.sort(ranked_as("culture", order))


def mark(value: float | None, among: Sequence[float]) -> str:
    """↓ for a least, ↑ for a greatest value (every one of a tie); nothing where all are equal.

    >>> mark(1.0, [1.0, 1.0, 3.0]), mark(3.0, [1.0, 3.0]), mark(2.0, [2.0, 2.0])
    ('↓', '↑', '')
    """
    if value is None or not among or min(among) == max(among):
        return ""
    return "↓" if value == min(among) else "↑" if value == max(among) else ""


def clock_grid(answers: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """One row per line × mode × cue level × culture, a column per hour: the option chosen most often over the conversations."""
    timed = _with_truth(answers.filter(pl.col("domain") == "time_expression"), items).filter(
        (pl.col("truth") % 60 == 0) & (pl.col("truth") / 60).is_between(HOURS[0], HOURS[-1])
    )
    if timed.is_empty():
        return pl.DataFrame()
    keys = ["line", "mode", "cue_level", "culture"]
    counted = timed.drop_nulls("answer").group_by([*keys, "truth", "answer"]).agg(n=pl.len())
    most = counted.filter(pl.col("n") == pl.col("n").max().over([*keys, "truth"]))
    chosen = most.group_by([*keys, "truth"]).agg(pl.col("answer").sort().str.join(" / "))
    hours = chosen.with_columns(hour=(pl.col("truth") // 60).cast(pl.Int64).cast(pl.String) + ":00").sort("truth")
    wide = hours.pivot("hour", index=keys, values="answer", maintain_order=True)
    return wide.sort(
        "line", "mode", ranked_as("cue_level", LEVELS), "cue_level", ranked_as("culture", CULTURES), "culture"
    )


def read_reference(text: str, where: str = "human ranges") -> Reference:
    """Published human ranges from JSON: time_expressions (country → option → start mean, sd, end mean, sd as h:mm) and
    quantifiers (language → option → lower, vertex, upper in %). A time range whose ends have a standard deviation above six
    hours says nothing and is left out. Raises DataError for another shape."""
    try:
        data: dict[str, Any] = json.loads(text)
        ranges: dict[tuple[str, str, str], tuple[float, float]] = {}
        for culture, country in CLOCK_OF.items():
            for option, (start, start_sd, end, end_sd) in data["time_expressions"].get(country, {}).items():
                if max(_minutes(start_sd), _minutes(end_sd)) <= UNSURE_SD_MINUTES:
                    ranges[(culture, "time_expression", option)] = (_minutes(start), _minutes(end))
        for culture, language in REFERENCE_OF.items():
            for option, bounds in data["quantifiers"].get(language, {}).items():
                if bounds is not None:
                    ranges[(culture, "quantifiers", option)] = (bounds[0] / 100, bounds[2] / 100)
        sources = tuple(str(data[part]["source"]) for part in ("time_expressions", "quantifiers"))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise DataError(
            f"{where}: expected an object with time_expressions and quantifiers, found {type(error).__name__}: {error}"
        ) from None
    return Reference(ranges, sources)


def within_reference(answers: pl.DataFrame, items: pl.DataFrame, reference: Reference, study: Study) -> pl.DataFrame:
    """Share of answers inside the published range of their culture, per line × mode × concept × culture × cue level."""
    rows = _with_truth(answers, items)
    values = [
        inside(reference, culture, concept, answer, truth)
        for culture, concept, answer, truth in rows.select("culture", "domain", "answer", "truth").iter_rows()
    ]
    known = rows.with_columns(value=pl.Series(values, dtype=pl.Float64)).drop_nulls("value")
    if known.is_empty():
        return pl.DataFrame()
    return rate(known, ["line", "mode", "domain", "culture", "cue_level"], "capri-human-ranges", study.seed)


def inside(reference: Reference, culture: str, concept: str, answer: str | None, truth: float | None) -> float | None:
    found = reference.ranges.get((culture, concept, answer or ""))
    if found is None or truth is None:
        return None
    low, high = found
    return float(low <= truth <= high) if low <= high else float(truth >= low or truth <= high)


def _with_truth(answers: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    truth = items.select(
        "item_id", truth=pl.col("meta").str.json_path_match("$.true_value").cast(pl.Float64, strict=False)
    )
    return answers.join(truth, on="item_id", how="left", maintain_order="left")


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _floor_words(floor: pl.DataFrame) -> str:
    known = floor.drop_nulls("value")
    if known.is_empty():
        return "unknown, nothing was asked twice."
    low, high = 100 * float(known["value"].min() or 0), 100 * float(known["value"].max() or 0)  # type: ignore[arg-type]
    return f"a mere repeat changes {low:.1f} to {high:.1f} % of the answers."
