"""RQ3: what size does. Background, reply and gap by family and size, and each model's reply against the next smaller one's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import polars as pl

from covary.analysis import contrasts
from covary.analysis.contrasts import Contrast
from covary.report.capri_frame import Shown, Study, in_words, rate
from covary.report.capri_rates import GAP_LEVEL, gap, tasks

SIZE = "parameters (billion)"
KEYS = ("line", "mode")


def tables(rows: pl.DataFrame, study: Study) -> list[Shown]:
    """The table by size at ImplicitFull; nothing where no two models of one family have scores."""
    both = tasks(rows).filter(pl.col("cue_level") == GAP_LEVEL)
    order = sized(both["line"].unique().to_list(), study)
    steps = list(_steps(order))
    if not steps:
        return []
    found = order.join(_rates(both, study), on="line", maintain_order="left")
    found = found.join(_gaps(rows, study), on=list(KEYS), how="left", maintain_order="left")
    found = found.join(_grown(both, steps, study), on=list(KEYS), how="left", maintain_order="left")
    caption = (
        f"By size of model, at {GAP_LEVEL}: background and reply (% right), their gap (points, intervals by picture), and the "
        "reply against that of the next smaller model of the family (points, paired by item, p by Holm over all steps)."
    )
    first = [
        "family",
        "line",
        "mode",
        "gap",
        "low",
        "high",
    ]  # what is drawn of a plain frame: its first number with its interval
    return [Shown("capri-scaling", caption, found.select(*first, pl.exclude(first)))]


def sized(lines: Sequence[str], study: Study) -> pl.DataFrame:
    """Lines of checkpoints with family and size, by family and size; a line whose pictures were told in words goes by the size
    of its model, and stays a family of its own."""
    facts = {model.checkpoint_of or model.name: (model.family, model.parameters_b) for model in study.models}
    known: list[tuple[str, str, float | None]] = []
    for line in lines:
        name, told, _ = line.partition(" [")
        family, size = facts.get(name, (None, None))
        known.append((f"{family or name}{' [told in words]' if told else ''}", line, size))
    ordered = sorted(known, key=lambda row: (row[0], row[2] or 0.0, row[1]))
    return pl.DataFrame(ordered, schema={"family": pl.String(), "line": pl.String(), SIZE: pl.Float64()}, orient="row")


def _steps(order: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Each line with the next smaller one of its family."""
    for _, family in order.drop_nulls(SIZE).group_by("family", maintain_order=True):
        names = family["line"].to_list()
        yield from zip(names[1:], names, strict=False)


def _rates(both: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Background (of the same thinking, else of any) and reply in per cent, per line × mode of the reply."""
    found = rate(both, ["line", "mode", "task"], "capri-scaling", study.seed)
    groups = pl.DataFrame([msgspec.json.decode(group) for group in found["group"]])
    flat = groups.with_columns(share=(100 * found["value"]).round(1), pictures=found["n_items"])
    reply = flat.filter(pl.col("task") == "vqa").select(*KEYS, "pictures", reply="share")
    same = pl.when(pl.col("mode") == "pragmatic").then(pl.lit("cot")).otherwise("mode")
    background = flat.filter(pl.col("task") == "bg").select("line", "share", beside="mode")
    return (
        reply.with_columns(beside=same)
        .join(background, on=["line", "beside"], how="left", maintain_order="left")
        .select(*KEYS, "pictures", pl.col("share").alias("background"), "reply")
    )


def _gaps(rows: pl.DataFrame, study: Study) -> pl.DataFrame:
    found = gap(rows, study, ["cue_level"], level=GAP_LEVEL)
    if found.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(KEYS, pl.String()))
    return in_words(found).select(*KEYS, gap="points", low="low", high="high")


def _grown(both: pl.DataFrame, steps: Sequence[tuple[str, str]], study: Study) -> pl.DataFrame:
    """Contrasts of the reply of each line with that of the next smaller one, per mode; one family (Holm)."""
    reply = both.filter(pl.col("task") == "vqa")
    modes = {line: set(part["mode"]) for (line,), part in reply.group_by("line")}
    declared = [
        Contrast("size", "line", (larger, smaller), by=["mode"], blocked_by=["item_id"])
        for larger, smaller in steps
        if modes.get(larger, set()) & modes.get(smaller, set())
    ]
    if not declared:
        return pl.DataFrame(schema=dict.fromkeys(KEYS, pl.String()))
    made = contrasts.estimate(reply, declared, cluster="cluster", denominator="judged", family="size", seed=study.seed)
    words = in_words(made).with_columns(line=made["level_a"])
    return words.select(
        *KEYS, more_than_next_smaller="points", more_low="low", more_high="high", p="p_adjusted", note="note"
    )
