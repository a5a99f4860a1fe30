"""Whether the intervals of one simulated run hold the analytic values: (kind, mode, level) → yes or no. `covered.py SEEDS` prints
the shares over many seeds."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from tests.capri_study import respond
from tests.capri_study.population import WEIGHTS, cultures_of, scores

from covary.analysis.intervals import wilson
from covary.report import capri_depth, capri_divergence, capri_priors, capri_rates
from covary.report.capri_frame import MEAN, OBJECTIVE, SUBJECTIVE, arranged, of_scorer, rate, shares
from covary.studies import builtin
from covary.studies.declaration import parse

PICTURES = 172
Key = tuple[str, str, str]
Found = tuple[Key, float, float, float, float]  # value, low, high, truth
STUDY = parse(builtin.text("capri"), "capri.toml")


def cells(seed: int, pictures: int = PICTURES) -> Iterator[Found]:
    """Every estimate of a run that has an analytic value."""
    rows = arranged(scores(seed, pictures), STUDY)
    both = capri_rates.tasks(rows)
    for group, *found in _of(rate(both, ["mode", "task", "cue_level"], "levels", seed)):
        yield (
            (group["task"], group["mode"], group["cue_level"]),
            *found,
            rate_of(group["task"], group["mode"], group["cue_level"]),
        )
    for group, *found in _of(capri_rates.gap(rows, STUDY, ["cue_level"])):
        mode, level = group["mode"], group["cue_level"]
        yield ("gap", mode, level), *found, rate_of("bg", mode, level) - rate_of("vqa", mode, level)
    answers = of_scorer(rows, "option", "vqa", SUBJECTIVE)
    for group, *found in _of(capri_divergence.inter(answers, STUDY)):
        if group["cue_level"] in respond.CUED:
            yield (
                ("D_inter", group["mode"], group["cue_level"]),
                *found,
                respond.expected_inter(group["mode"], group["cue_level"]),
            )
    for group, *found in _of(capri_divergence.shifted(answers, STUDY)):
        name = capri_divergence.SCORES.get(group["cue_level"])
        if name and group["culture"] in (MEAN, "BR"):
            kind = name if group["culture"] == MEAN else f"{name} of one culture"
            yield (
                (kind, group["mode"], group["cue_level"]),
                *found,
                respond.expected_shift(group["mode"], group["cue_level"]),
            )
    traces = of_scorer(rows, "depth", "vqa", OBJECTIVE)
    for group, *found in _of(shares(traces, ("mode", "cue_level"), capri_depth.DEPTHS, "depth", "depth", seed)):
        truth = respond.DEPTHS[group["mode"]][int(group["depth"][1])]
        yield ("depth", group["mode"], f"{group['cue_level']} {group['depth']}"), *found, truth
    units = of_scorer(rows, "quantity", "vqa", [name for name in OBJECTIVE if name != "price"])
    for group, *found in _of(capri_priors.prior(units, ["mode"], "cluster")):
        truth = respond.METRIC_PRIOR if group["answer"] == "metric" else 1 - respond.METRIC_PRIOR
        yield ("prior of units", group["mode"], group["answer"]), *found, truth
    countries = capri_priors.prior(of_scorer(rows, "country", "bg"), ["mode"], "request_id")
    named = {(group["mode"], group["answer"]): found for group, *found in _of(countries)}
    nobody = wilson([0], [len(WEIGHTS)])  # a country that is never named has no row; its share is 0 of the requests
    for mode in ("direct", "cot"):
        for country, truth in respond.COUNTRY_PRIOR.items():
            found = named.get((mode, country), [0.0, float(nobody.low[0]), float(nobody.high[0])])
            yield ("prior of countries", mode, country), *found, truth


def rate_of(task: str, mode: str, level: str) -> float:
    """The analytic rate over the population of pictures; pictures weigh by their number of cultures."""
    total, weight = 0.0, 0.0
    for concept in OBJECTIVE:
        for culture in cultures_of(concept):
            expected = (
                respond.expected_background(level, culture)
                if task == "bg"
                else respond.expected_reply(mode, level, culture, concept)
            )
            total += WEIGHTS[concept] * expected
            weight += WEIGHTS[concept]
    return total / weight


def _of(estimates: pl.DataFrame) -> Iterator[tuple[dict[str, str], float, float, float]]:
    for group, value, low, high in estimates.select("group", "value", "low", "high").iter_rows():
        yield json.loads(group), value, low, high


def covered(seeds: range, pictures: int = PICTURES) -> dict[Key, tuple[float, float, float, int]]:
    """By cell: share of intervals that hold the truth, mean of the estimates, truth, number of runs."""
    inside: dict[Key, list[bool]] = defaultdict(list)
    values: dict[Key, list[float]] = defaultdict(list)
    truths: dict[Key, float] = {}
    for seed in seeds:
        for key, value, low, high, truth in cells(seed, pictures):
            inside[key].append(low - 1e-12 <= truth <= high + 1e-12)
            values[key].append(value)
            truths[key] = truth
    return {
        key: (float(np.mean(inside[key])), float(np.mean(values[key])), truths[key], len(inside[key])) for key in inside
    }


if __name__ == "__main__":
    found = covered(range(int(sys.argv[1])))
    kinds: dict[str, list[float]] = defaultdict(list)
    for (kind, mode, level), (share, mean, truth, n) in found.items():
        print(f"{kind:24} {mode:10} {level:14} covered {share:.3f} of {n}; mean {mean:.4f}, analytic {truth:.4f}")
        kinds[f"{kind} at Null" if level == "Null" else kind].append(share)
    for kind, shares in kinds.items():
        print(f"{kind:32} {np.mean(shares):.3f} (least {min(shares):.3f}, {len(shares)} cells)")
