"""How far answers move: between cultures, between cue levels, between mere repeats.

There is no right answer here, only whether two answers are the same. Each function turns answers into rows whose `value` is
the chance that two answers differ; the rates, intervals and contrasts of this package then work on them as on any score.

    between_cultures(answers)      D_inter: summaries.rate(…, by=["model", "cue_level"])
    moved(answers)                 D_impl, D_expl and controls: summaries.rate(…, by=["model", "cue_level", "culture"])
    repeats(answers)               the noise floor: how often a repeat alone changes the answer
    beyond_noise(answers)          the shift that repeats don't explain
    shift_parts(answers)           the common and the culture-specific part of a shift
    prior(answers)                 what is answered without any cue

Input: one row per answer, with source_id, culture, cue_level, answer and any `by` columns (model, condition); further rows of the
same cell are replicates. Null answers are left out. Definitions: CAPRI paper, section 4, D_Inter, D_Impl and D_Expl.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from covary.analysis import summaries
from covary.analysis.tally import require

BASELINE = "Neutral"
NO_REPEATS = "no cell was asked twice: the noise floor is unknown"


def between_cultures(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    unit: str = "source_id",
    keep: Sequence[str] = (),
    culture: str = "culture",
    cue_level: str = "cue_level",
    answer: str = "answer",
) -> pl.DataFrame:
    """One row per `by` × cue level × unit × pair of cultures (culture_a < culture_b), `value` = Pr(y^B ≠ y^B′) over
    replicates. The paper's D_inter is the mean over pairs; with complete data that is the mean of the rows. `keep`: columns
    that hang on the unit (a picture to cluster by)."""
    cell = [*by, cue_level, unit]
    shares = _shares(frame, [*cell, culture], keep, answer).filter(pl.col(culture).is_not_null())
    left = shares.rename({culture: "culture_a"})
    right = shares.rename({culture: "culture_b", "p": "q"}).drop(keep)
    return _differing(
        left, right, cell, [*cell, *keep, "culture_a", "culture_b"], pl.col("culture_a") < pl.col("culture_b")
    )


def moved(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    baseline: str = BASELINE,
    unit: str = "source_id",
    keep: Sequence[str] = (),
    culture: str = "culture",
    cue_level: str = "cue_level",
    answer: str = "answer",
) -> pl.DataFrame:
    """One row per `by` × unit × culture × cue level other than the baseline, `value` = Pr(y_level ≠ y_baseline).

    Level ExplicitFull gives D_expl, ImplicitFull D_impl, a control level (placebo, length-matched, shuffled cues) the shift
    that any edit makes: contrast the two. A baseline without culture serves every culture.
    """
    levels, base = _against_baseline(frame, by, baseline, unit, keep, culture, cue_level, answer)
    return _differing(levels, base, [*by, unit, culture], [*by, unit, *keep, culture, cue_level])


def repeats(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    unit: str = "source_id",
    keep: Sequence[str] = (),
    culture: str = "culture",
    cue_level: str = "cue_level",
    answer: str = "answer",
) -> pl.DataFrame:
    """One row per cell that was asked at least twice, `value` = the chance that two of its answers differ (unbiased)."""
    cell = [*by, unit, culture, cue_level]
    same = (pl.col("n") * (pl.col("n") - 1)).sum() / (pl.col("n").sum() * (pl.col("n").sum() - 1))
    return (
        _counts(frame, cell, keep, answer)
        .group_by([*cell, *keep])
        .agg(value=1.0 - same, asked=pl.col("n").sum())
        .filter(pl.col("asked") > 1)
        .drop("asked")
        .sort([*cell, *keep], nulls_last=True)
    )


def noise_floor(
    frame: pl.DataFrame, by: Sequence[str] = (), *, cluster: str = "source_id", **names: str
) -> pl.DataFrame:
    """Estimates of the chance that a repeat alone changes the answer, per `by`; one null row where nothing was repeated."""
    keep = [cluster] if cluster != names.get("unit", "source_id") else []
    factors = [
        column for column in by if column not in (names.get("culture", "culture"), names.get("cue_level", "cue_level"))
    ]
    found = repeats(frame, factors, keep=keep, **names)
    if found.is_empty():
        empty = summaries.rate(found, cluster=cluster, denominator="judged", name="noise floor")
        return empty.with_columns(note=pl.lit(NO_REPEATS))
    return summaries.rate(found, by, cluster=cluster, denominator="judged", name="noise floor")


def beyond_noise(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    baseline: str = BASELINE,
    unit: str = "source_id",
    keep: Sequence[str] = (),
    culture: str = "culture",
    cue_level: str = "cue_level",
    answer: str = "answer",
) -> pl.DataFrame:
    """`moved` minus the mean noise of the two cells compared, for cells asked at least twice. The expectation is
    ½ Σ (p − q)² over the answers' chances p and q: 0 just where the two have the same distribution. Use summaries.mean: single
    values may be negative."""
    names = {"unit": unit, "culture": culture, "cue_level": cue_level, "answer": answer}
    shifts = moved(frame, by, baseline=baseline, keep=keep, **names)
    noise = repeats(frame, by, keep=keep, **names)
    levels = noise.filter(pl.col(cue_level) != baseline).rename({"value": "noise"}).drop(list(keep))
    base = noise.filter(pl.col(cue_level) == baseline).rename({"value": "base_noise"}).drop(cue_level, *keep)
    joined = shifts.join(levels, on=[*by, unit, culture, cue_level], nulls_equal=True)
    joined = joined.join(
        _of_each_culture(base, joined, [*by, unit], culture), on=[*by, unit, culture], nulls_equal=True
    )
    shift = pl.col("value") - (pl.col("noise") + pl.col("base_noise")) / 2
    return joined.with_columns(value=shift).drop("noise", "base_noise")


def shift_parts(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    baseline: str = BASELINE,
    unit: str = "source_id",
    keep: Sequence[str] = (),
    culture: str = "culture",
    cue_level: str = "cue_level",
    answer: str = "answer",
) -> pl.DataFrame:
    """`moved` split in two: columns `common` (moved to where the other cultures are too: any edit, or any culture, does that)
    and `specific` (moved elsewhere); `value` is their sum. For an answer o that isn't the baseline's, common weighs it by the
    share of the other cultures that give o at the same level. Units with one culture only are left out."""
    levels, base = _against_baseline(frame, by, baseline, unit, keep, culture, cue_level, answer)
    cell, group, place = [*by, unit, *keep, culture, cue_level], [*by, unit, cue_level], [*by, unit, culture]
    levels = levels.join(base.select(place).unique(), on=place, how="semi", nulls_equal=True)
    cultures = levels.group_by(group).agg(cultures=pl.col(culture).n_unique()).filter(pl.col("cultures") > 1)
    everyone = levels.group_by([*group, "option"]).agg(total=pl.col("p").sum())
    options = levels.join(cultures, on=group, nulls_equal=True).join(everyone, on=[*group, "option"], nulls_equal=True)
    options = options.join(base, on=[*place, "option"], how="left", nulls_equal=True)
    shifted = pl.col("p") * (1.0 - pl.col("q").fill_null(0.0))
    others = (pl.col("total") - pl.col("p")) / (pl.col("cultures") - 1)
    return (
        options.with_columns(value=shifted, common=shifted * others)
        .group_by(cell)
        .agg(pl.col("value", "common").sum())
        .with_columns(specific=pl.col("value") - pl.col("common"))
        .sort(cell, nulls_last=True)
    )


def prior(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    level: str = "Null",
    cue_level: str = "cue_level",
    answer: str = "answer",
    cluster: str = "source_id",
) -> pl.DataFrame:
    """Estimates of the share of each answer at a cue level without cues: one row per `by` × answer, the answer in the group.
    Null answers are left out; give them a name first where refusing is an answer."""
    require(frame, [*by, cue_level, answer, cluster])
    chosen = frame.filter(pl.col(cue_level) == level).select(*dict.fromkeys([*by, answer, cluster]))
    answers = chosen.drop_nulls(answer)
    options = answers.select(*by, answer).unique()
    given = answers.rename({answer: "_given"})
    crossed = given.join(options, on=list(by), nulls_equal=True) if by else given.join(options, how="cross")
    crossed = crossed.with_columns(value=(pl.col("_given") == pl.col(answer)).cast(pl.Float64))
    return summaries.rate(crossed, [*by, answer], cluster=cluster, denominator="judged", name="prior")


def _counts(frame: pl.DataFrame, cell: Sequence[str], keep: Sequence[str], answer: str) -> pl.DataFrame:
    require(frame, [*cell, *keep, answer])
    return (
        frame.drop_nulls(answer)
        .group_by([*cell, *keep, answer])
        .agg(n=pl.len().cast(pl.Int64))
        .rename({answer: "option"})
    )


def _shares(frame: pl.DataFrame, cell: Sequence[str], keep: Sequence[str], answer: str) -> pl.DataFrame:
    """One row per cell × answer given there (`option`), `p` its share."""
    counts = _counts(frame, cell, keep, answer)
    return counts.with_columns(p=pl.col("n") / pl.col("n").sum().over([*cell, *keep])).drop("n")


def _against_baseline(
    frame: pl.DataFrame,
    by: Sequence[str],
    baseline: str,
    unit: str,
    keep: Sequence[str],
    culture: str,
    cue_level: str,
    answer: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Shares `p` at the levels that aren't the baseline, and `q` at the baseline, one for each culture."""
    shares = _shares(frame, [*by, unit, culture, cue_level], keep, answer)
    levels = shares.filter((pl.col(cue_level) != baseline) & pl.col(culture).is_not_null())
    base = shares.filter(pl.col(cue_level) == baseline).drop(cue_level, *keep).rename({"p": "q"})
    return levels, _of_each_culture(base, levels, [*by, unit], culture)


def _of_each_culture(base: pl.DataFrame, levels: pl.DataFrame, keys: list[str], culture: str) -> pl.DataFrame:
    """The baseline of each culture: its own, or where it has none the one without culture."""
    own = base.filter(pl.col(culture).is_not_null())
    lacking = levels.select(*keys, culture).unique().join(own, on=[*keys, culture], how="anti", nulls_equal=True)
    shared = base.filter(pl.col(culture).is_null()).drop(culture).join(lacking, on=keys, nulls_equal=True)
    return pl.concat([own, shared.select(own.columns)])


def _differing(
    left: pl.DataFrame, right: pl.DataFrame, keys: list[str], cell: list[str], wanted: pl.Expr | None = None
) -> pl.DataFrame:
    """One row per cell in which both sides answered, `value` = 1 − Σ p·q over the options."""
    chosen = pl.lit(value=True) if wanted is None else wanted
    sides = [side.drop("option", share).unique() for side, share in ((left, "p"), (right, "q"))]
    cells = sides[0].join(sides[1], on=keys, nulls_equal=True).filter(chosen).select(cell)
    both = left.join(right, on=[*keys, "option"], nulls_equal=True).filter(chosen)
    same = both.group_by(cell).agg(same=(pl.col("p") * pl.col("q")).sum())
    joined = cells.join(same, on=cell, how="left", nulls_equal=True)
    return joined.select(*cell, value=1.0 - pl.col("same").fill_null(0.0)).sort(cell, nulls_last=True)
