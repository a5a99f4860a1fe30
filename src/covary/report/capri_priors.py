"""RQ4: what is answered without any cue. Countries over distinct requests, units over pictures, corpus counts beside them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import msgspec
import polars as pl

from covary.analysis import divergence
from covary.analysis.intervals import wilson
from covary.errors import DataError
from covary.report.capri_frame import OBJECTIVE, SUBJECTIVE, Shown, Study, of_scorer, once

LEVEL = "Null"
NOTHING = "none"
DOLLAR, OTHER_CURRENCIES = "USD", "other currencies"
CORPUS_COLUMNS = ("concept", "unit", "share", "count", "corpus", "source")


def tables(rows: pl.DataFrame, study: Study, corpus: pl.DataFrame | None = None) -> list[Shown]:
    """Priors of country, unit and option at Null; with corpus counts a table that sets them beside the unit priors."""
    found: list[Shown] = []
    countries = prior(of_scorer(rows, "country", "bg"), ["line", "mode"], "request_id")
    if countries.height:
        caption = (
            "Country named without any cue: share (%) of distinct requests. At Null a background request is the question "
            "alone, so there are only as many as the concepts have questions."
        )
        found.append(Shown("capri-prior-country", caption, countries, ("line", "mode"), ("answer",)))
    units = prior(of_scorer(rows, "quantity", "vqa", OBJECTIVE), ["line", "mode", "domain"], "cluster")
    if units.height:
        caption = "Unit system or currency used without any cue: share (%) of pictures, Wilson intervals."
        found.append(Shown("capri-prior-unit", caption, units, ("line", "mode", "domain"), ("answer",)))
    options = prior(of_scorer(rows, "option", "vqa", SUBJECTIVE), ["line", "mode", "domain"], "cluster")
    if options.height:
        caption = "Time and quantity words used without any cue: share (%) of pictures, Wilson intervals."
        found.append(Shown("capri-prior-option", caption, options, ("line", "mode", "domain"), ("answer",)))
    if corpus is not None and units.height:
        caption = "Unit priors at Null (%) beside the shares of unit terms in text corpora."
        found.append(Shown("capri-prior-corpus", caption, beside_corpus(units, corpus)))
    return found


def prior(rows: pl.DataFrame, by: Sequence[str], cluster: str) -> pl.DataFrame:
    """Share of each answer at Null per `by`, over distinct requests; an answer that names nothing counts as one."""
    null = once(rows.filter(pl.col("cue_level") == LEVEL)).with_columns(
        answer=pl.when(pl.col("reason").str.starts_with("error") | (pl.col("reason") == "no response yet"))
        .then(None)
        .otherwise(pl.col("answer").fill_null(NOTHING))
    )
    if null.is_empty():
        return pl.DataFrame()
    found = divergence.prior(null, by, level=LEVEL, cluster=cluster).with_columns(denominator=pl.lit("answered"))
    asked = null.group_by(list(by)).agg(pl.col("request_id").n_unique().cast(pl.Int64).alias("n"))
    known = {tuple(row[name] for name in by): row["n"] for row in asked.iter_rows(named=True)}
    keys = [tuple(msgspec.json.decode(group)[name] for name in by) for group in found["group"]]
    return found.with_columns(n_requests=pl.Series([known.get(key) for key in keys], dtype=pl.Int64))


def read_corpus(text: str, where: str = "corpus counts") -> pl.DataFrame:
    """Term counts of corpora from CSV: concept, unit (metric, imperial, or an ISO currency), share (of the concept's terms, in
    %) or count, corpus, source. Raises DataError for a missing column or a number that is none."""
    reader = csv.DictReader(io.StringIO(text))
    missing = {"concept", "unit"} - set(reader.fieldnames or ())
    if missing:
        raise DataError(
            f"{where}: expected columns concept, unit, share or count; missing {', '.join(sorted(missing))}"
        )
    rows: list[dict[str, str | float | None]] = []
    for number, row in enumerate(reader, 2):
        made: dict[str, str | float | None] = {name: row.get(name) or None for name in CORPUS_COLUMNS}
        for name in ("share", "count"):
            try:
                made[name] = float(row[name]) if row.get(name) else None
            except ValueError:
                raise DataError(f"{where}:{number}: {name} must be a number, found {row[name]!r}") from None
        rows.append(made)
    schema = {name: pl.Float64() if name in ("share", "count") else pl.String() for name in CORPUS_COLUMNS}
    return _with_shares(pl.DataFrame(rows, schema=schema))


def beside_corpus(units: pl.DataFrame, corpus: pl.DataFrame) -> pl.DataFrame:
    """One row per line × mode × concept × unit of the corpus: the prior (%) with its interval, and the corpus share (%)."""
    groups = pl.DataFrame([msgspec.json.decode(group) for group in units["group"]])
    flat = groups.hstack(units.select("value", "low", "high", "n_items")).rename(
        {"domain": "concept", "answer": "unit"}
    )
    flat = pl.concat([flat, _other_currencies(flat)], how="diagonal")
    known = flat.group_by("line", "mode", "concept").agg(pl.col("n_items").max())
    wanted = known.join(corpus, on="concept", how="inner")
    joined = wanted.join(flat.drop("n_items"), on=["line", "mode", "concept", "unit"], how="left")
    per_cent = [(100 * pl.col(name)).round(1).alias(name) for name in ("value", "low", "high")]
    never = wilson(
        [0] * joined.height, joined["n_items"].to_list()
    )  # a unit that was never given has no row of its own
    absent = pl.col("value").is_null()
    return (
        joined.with_columns(
            low=pl.when(absent).then(pl.Series(never.low)).otherwise("low"),
            high=pl.when(absent).then(pl.Series(never.high)).otherwise("high"),
            value=pl.col("value").fill_null(0.0),
        )
        .with_columns(per_cent)
        .select("line", "mode", "concept", "unit", "value", "low", "high", "n_items", "share", "corpus", "source")
        .rename({"value": "prior", "n_items": "pictures", "share": "corpus_share"})
        .sort("line", "mode", "concept", "unit")
    )


def _other_currencies(flat: pl.DataFrame) -> pl.DataFrame:
    """All currencies but the US dollar as one, without an interval."""
    others = flat.filter((pl.col("concept") == "price") & ~pl.col("unit").is_in([DOLLAR, NOTHING]))
    return others.group_by("line", "mode", "concept").agg(
        pl.col("value").sum(), pl.col("n_items").max(), unit=pl.lit(OTHER_CURRENCIES)
    )


def _with_shares(corpus: pl.DataFrame) -> pl.DataFrame:
    """Shares worked out from counts within concept and corpus, where no share is given."""
    total = pl.col("count").sum().over("concept", "corpus")
    return corpus.with_columns(share=pl.coalesce("share", (100 * pl.col("count") / total).round(1)))
