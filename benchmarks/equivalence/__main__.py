"""covary and math-verify on the same pairs, in one run: `python -m benchmarks.equivalence [--install] [--pairs N]`.

Needs COVARY_DATA. math-verify runs in a virtual environment of its own (made by --install, thrown away with its folder) and is
left out, saying so, where that is missing. CPU seconds are of one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from covary.analysis.intervals import wilson
from covary.scoring.mathematics import try_rows

WANTED = {"equivalent": {"equal"}, "not_equivalent": {"not_equal"}, "ambiguous": None}
OTHER = Path(tempfile.gettempdir()) / "covary-math-verify"
PACKAGE = "math-verify==0.9.0"


class Run(NamedTuple):
    """Verdict by row id, CPU seconds in all, and the slowest pair's seconds."""

    verdicts: dict[str, str]
    seconds: float
    worst_s: float


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--install", action="store_true", help="make math-verify's environment first")
    options.add_argument("--pairs", type=int, default=400, help="recorded pairs given to math-verify (it is slow)")
    asked = options.parse_args()
    data = Path(os.environ["COVARY_DATA"])
    if asked.install:
        install()
    hard = rows_of(data / "equivalence/hard_dev.jsonl")
    gold = rows_of(data / "equivalence/gold_dev.jsonl")
    recorded = list(recorded_pairs(data))
    distinct = list(
        {(row["gold"], row["answer"], row["language"], row["answer_type"]): row for row in recorded}.values()
    )
    print(f"recorded non-proof pairs: {len(recorded)}, distinct {len(distinct)}")
    table("covary, every recorded pair as it comes", with_covary, hard, gold, recorded, recorded)
    cold = with_covary(distinct)
    print(f"  distinct pairs alone: {len(distinct) / cold.seconds:,.0f} a CPU second, worst pair {cold.worst_s:.2f} s")
    if (OTHER / "bin/python").exists():
        table(
            "math-verify 0.9.0",
            with_math_verify,
            hard,
            gold,
            recorded,
            distinct[:: max(1, len(distinct) // asked.pairs)],
        )
    else:
        print("math-verify: left out; run with --install to make its environment")


def table(name: str, run: Any, hard: list[Any], gold: list[Any], recorded: list[Any], timed: list[Any]) -> None:
    """The figures of one checker."""
    print(f"\n{name}")
    found = run(hard)
    wrong = [row for row in hard if found.verdicts[row["id"]] not in (*row["accept"], "undecided")]
    right = sum(found.verdicts[row["id"]] in row["accept"] for row in hard)
    false_equal = sum(found.verdicts[row["id"]] == "equal" for row in wrong)
    print(
        f"  hard_dev: right {right / len(hard):.1%}, wrong {len(wrong) / len(hard):.1%}, false equal {false_equal} of {len(hard)}"
    )
    gold_figures(gold, run(gold))
    timing = run(timed)
    pace = len(timed) / timing.seconds
    print(f"  recorded: {pace:,.0f} pairs a CPU second over {len(timed)} pairs, worst pair {timing.worst_s:.2f} s")
    by_pair = {pair_of(row): timing.verdicts[row["id"]] for row in timed}
    known = [row for row in recorded if pair_of(row) in by_pair]
    agreement(known, by_pair)


def gold_figures(gold: list[Any], found: Run) -> None:
    """Right and wrong of all labelled pairs, and, weighted to the recorded verdicts, how many are decided and right of decided."""
    labelled = [row for row in gold if WANTED[row["label"]] is not None]
    outcome = {row["id"]: found.verdicts[row["id"]] for row in labelled}
    right = [row for row in labelled if outcome[row["id"]] in WANTED[row["label"]]]
    decided = [row for row in labelled if outcome[row["id"]] != "undecided"]
    wrong = len(decided) - len(right)
    print(f"  gold_dev: right {len(right) / len(labelled):.1%}, wrong {wrong / len(labelled):.1%} of {len(labelled)}")
    weight = {row["id"]: float(row["weight"]) for row in labelled}
    of_decided = sum(weight[row["id"]] for row in right) / sum(weight[row["id"]] for row in decided)
    share = sum(weight[row["id"]] for row in decided) / sum(weight.values())
    interval = wilson(len(right), len(decided))
    print(
        f"  gold_dev weighted: decided {share:.1%}, right of decided {of_decided:.1%} "
        f"(unweighted {len(right)} of {len(decided)}, 95 % interval {interval.low:.1%} to {interval.high:.1%})"
    )


def agreement(recorded: list[Any], by_pair: dict[tuple[str, ...], str]) -> None:
    """Share decided and agreement with the recorded judge, by language and type."""
    count: Counter[tuple[str, str, str]] = Counter()
    for row in recorded:
        verdict = by_pair[pair_of(row)]
        said = (
            "undecided"
            if verdict == "undecided"
            else "agree"
            if (verdict == "equal") == (row["decision"] == "yes")
            else "differ"
        )
        for group in ((row["language"], row["answer_type"]), ("all", "all")):
            count[(*group, said)] += 1
    for group in sorted({key[:2] for key in count}):
        agree, differ, undecided = (count[(*group, said)] for said in ("agree", "differ", "undecided"))
        total, decided = agree + differ + undecided, agree + differ
        print(
            f"  {group[0]:>3} {group[1]:<10} n {total:>6}  decided {decided / total:6.1%}  agrees with the judge {agree / max(1, decided):6.1%}"
        )


def with_covary(rows: list[Any]) -> Run:
    """covary's verdicts, in this process."""
    start = time.process_time()
    found = list(try_rows(rows))
    seconds = time.process_time() - start
    return Run({row["id"]: row["verdict"] for row in found}, seconds, max(row["ms"] for row in found) / 1000)


def with_math_verify(rows: list[Any]) -> Run:
    """math-verify's verdicts, in its own environment; what it can't parse counts as not equal, as it does there."""
    program = Path(__file__).with_name("math_verify_rows.py")
    asked = "\n".join(json.dumps({"id": row["id"], "gold": row["gold"], "answer": row["answer"]}) for row in rows)
    done = subprocess.run([OTHER / "bin/python", program], input=asked, capture_output=True, text=True, check=True)
    *lines, last = done.stdout.splitlines()
    found = [json.loads(line) for line in lines]
    return Run(
        {row["id"]: row["verdict"] for row in found}, json.loads(last)["seconds"], max(row["s"] for row in found)
    )


def recorded_pairs(data: Path) -> Iterator[dict[str, Any]]:
    """Recorded non-proof pairs with the judge's decision, one a verdict: gold, first extracted answer, language, type."""
    for path in sorted((data / "mathmist/recorded").glob("*/*.jsonl.gz")):
        if path.parent.name in ("mcq", "perturbation", "cot"):
            continue
        for place, row in enumerate(rows_of(path)):
            kind = (row["answer_type"] or "").strip()
            if row.get("decision") is None or kind == "Proof":
                continue
            language = row.get("lang") or row["question_lang"]
            answer = (row["extracted"] or [""])[0]
            name = f"{path.parent.name}/{path.stem}:{place}"
            yield {
                "id": name,
                "gold": row["gold"],
                "answer": answer,
                "language": language,
                "answer_type": kind,
                "decision": row["decision"],
            }


def pair_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What a verdict depends on."""
    return row["gold"], row["answer"], row["language"], row["answer_type"]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Objects of a JSON Lines file, packed or not."""
    raw = path.read_bytes()
    return list(parsed((gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8").split("\n")))


def parsed(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Objects of the lines that hold one."""
    return (json.loads(line) for line in lines if line)


def install() -> None:
    """A throwaway environment with math-verify."""
    venv.create(OTHER, with_pip=True, clear=True)
    subprocess.run(
        [OTHER / "bin/python", "-m", "pip", "install", "--quiet", PACKAGE, "antlr4-python3-runtime==4.13.2"], check=True
    )


if __name__ == "__main__":
    sys.exit(main())
