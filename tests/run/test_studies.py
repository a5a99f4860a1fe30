"""Whole studies against a scripted server: what is taken over is marked, and attempts stop where they may."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from tests.cli.test_commands import covary
from tests.run.faults import FaultServer, Reply, Sent, problem, said, serving

from covary.analysis.stopping import STOPPED
from covary.store.journal import Journal

STUDY = """\
name = "small"
[[items]]
source = "file"
path = "items.jsonl"

[[models]]
name = "m"
transport = {{ kind = "http", base_url = "{url}", max_attempts = 1 }}

[[conditions]]
name = "short"
prompt = "solve-direct"
scorers = ["mathematics"]
replicates = {replicates}
sampling = {{ temperature = 1 }}

[[scorers]]
name = "mathematics"
{more}
"""
STOPS = '[attempts]\nstop = "first success"\n'


def study(folder: Path, server: FaultServer, items: int = 8, replicates: int = 1, more: str = "") -> Path:
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY.format(url=server.url, replicates=replicates, more=more))
    rows = [
        {
            "source_id": f"s{n}",
            "language": "en",
            "question": f"{n} + 1?",
            "target": str(n + 1),
            "answer_type": "Numerical",
        }
        for n in range(items)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def number(sent: Sent) -> int:
    found = re.search(r"(\d+) \+ 1\?", sent.text)
    assert found
    return int(found[1])


RUN = ("--only", "run")


def told(folder: Path, *more: str, status: int = 0) -> dict[str, Any]:
    done = covary("run", str(folder), "--json", *more)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def test_answers_that_are_not_whole_are_marked_when_a_study_takes_them_over(tmp_path: Path) -> None:
    def script(sent: Sent) -> Reply:
        return {
            0: said("<final>1</final> and so", "length"),
            1: said(None, refusal="I can't help with that."),
            2: problem(400, "bad request"),
        }.get(number(sent), said(f"<final>{number(sent) + 1}</final>"))

    with serving(script) as server:
        first = study(tmp_path / "first", server)
        fresh = told(first, *RUN, status=1)
        assert (fresh["sent_ok"], fresh["truncated"], fresh["refused"], fresh["errors"]) == (5, 1, 1, 1)
        nothing = {
            "truncated": 0,
            "refused": 0,
            "errors": 0,
            "borrowed": 0,
            "borrowed_truncated": 0,
            "borrowed_refused": 0,
        }
        assert fresh["taken_over"] == nothing
        assert told(first, *RUN, status=1)["taken_over"] == nothing | {"truncated": 1, "refused": 1, "errors": 1}
        sent = server.counts.total()
        # A second study asks the same and two more; the error of the first is asked anew, and the answers aren't.
        second = study(tmp_path / "second", server, items=10)
        also = ("--read", str(first / "journal.sqlite"))
        taken = told(second, *also, *RUN, status=1)
        assert server.counts.total() == sent + 3
        marks = {"truncated": 1, "refused": 1, "borrowed": 7, "borrowed_truncated": 1, "borrowed_refused": 1}
        assert taken["taken_over"] == nothing | marks
        assert taken["sent_ok"] == 2
        with Journal.open(second / "journal.sqlite", write=False) as journal:
            origins = Counter(journal.frame().select("status", "origin").iter_rows())
        # What kept failing has no answer: it was sent here, and failed here.
        assert origins == {
            ("ok", "borrowed"): 5,
            ("truncated", "borrowed"): 1,
            ("refused", "borrowed"): 1,
            ("ok", "sent"): 2,
            ("error", "sent"): 1,
        }
        judged = told(second, "--only", "score")["scores"]["mathematics"]
        assert judged == {"judged": 7, "null": 3, "why_null": {"truncated": 1, "refused": 1, "error": 1}}
        # Later runs need not be told of the journal; the marks stay.
        said_aloud = covary("run", str(second), *RUN).stdout
        assert "none of them a whole answer: 1 cut off, 1 refused, 1 errors" in said_aloud
        assert "taken from other studies' journals: 7 answers, of them 1 cut off, 1 refused" in said_aloud


def solving_at(attempt: dict[int, int], server_counts: Counter[int]) -> Any:
    """A script that answers an item's n-th send rightly from a given attempt on (counted from 0), and wrongly before."""

    def script(sent: Sent) -> Reply:
        item = number(sent)
        tries = server_counts[item]
        server_counts[item] += 1
        return said(f"<final>{item + 1 if tries >= attempt.get(item, 99) else 0}</final>")

    return script


def test_attempts_stop_at_the_first_success_and_every_number_says_so(tmp_path: Path) -> None:
    sends: Counter[int] = Counter()
    # Eight items, four attempts: solved at the first (three), the second (two), the fourth (one), never (two).
    solved = {0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 3}
    with serving(solving_at(solved, sends)) as server:
        folder = study(tmp_path / "s", server, replicates=4, more=STOPS)
        spoken = covary("run", str(folder), *RUN).stdout
        assert spoken == ""
        found = told(folder)
        assert sends == {0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4}
        # 32 attempts planned, 19 made: three × 3 and two × 2 were left out.
        assert (found["done"], found["left"], found["attempts_left_out"]) == (19, 0, 13)
        assert found["scores"]["mathematics"]["why_null"] == {"stopped": 13}
        assert (found["sent_ok"], sends.total()) == (0, 19)  # the second run found all
    scores = pl.read_parquet(folder / "scores.parquet")
    assert scores.filter(pl.col("reason") == STOPPED).height == 13
    estimates = pl.read_parquet(folder / "estimates.parquet")
    # First attempts: 3 of 8. A mean over the 19 attempts would be 6 / 19, and with those left out as wrong 6 / 32.
    accuracy = estimates.filter(pl.col("name") == "accuracy-mathematics")
    assert accuracy["value"].to_list() == [3 / 8]
    assert "attempts stop at the first success" in accuracy["note"][0]
    passed = estimates.filter(pl.col("name").str.starts_with("pass@")).sort("name")
    assert passed["value"].to_list() == [3 / 8, 5 / 8, 5 / 8, 6 / 8]
    assert passed["note"].str.contains("attempts stop at the first success").all()
    shown = covary("report", str(folder), "--table", "pass-at-k", "--format", "csv").stdout
    assert "stop at the first success" in shown
    assert "attempts stop at the first success" in (folder / "report" / "index.html").read_text(encoding="utf-8")
    spoken = covary("run", str(folder), "--only", "score").stdout
    assert "13 attempts were not asked, since an earlier one was right" in spoken


def test_a_later_run_without_stopping_asks_what_was_left_out_and_counts_all_attempts(tmp_path: Path) -> None:
    sends: Counter[int] = Counter()
    with serving(solving_at({0: 0}, sends)) as server:
        folder = study(tmp_path / "s", server, items=2, replicates=3)
        told(folder, "--stop-at-success", *RUN)
        assert sends == {0: 1, 1: 3}
        assert told(folder, "--only", "score")["attempts_left_out"] == 2
        found = told(folder)
        assert "attempts_left_out" not in found
        assert (found["sent_ok"], sends.total()) == (2, 6)
    estimates = pl.read_parquet(folder / "estimates.parquet")
    assert not estimates["note"].str.contains("stop").any()
    # Item 0 is right three times of three, item 1 never: 3 of 6.
    assert estimates.filter(pl.col("name") == "accuracy-mathematics")["value"].to_list() == [0.5]


def test_a_stopping_run_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    sends: Counter[int] = Counter()
    with serving(solving_at({0: 0, 1: 1, 2: 2}, sends)) as server:
        folder = study(tmp_path / "s", server, items=3, replicates=3, more=STOPS)
        assert "3 requests are the fewest that a whole run sends, 9 the most" in covary("plan", str(folder)).stdout
        told(folder, "--max-requests", "4", *RUN, status=1)
        assert sends.total() == 4
        due = covary("batch", "write", str(folder), str(tmp_path / "batch"))
        lines = [line for file in (tmp_path / "batch").iterdir() for line in file.read_text().splitlines()]
        unsolved = sum(sends[item] <= at for item, at in {0: 0, 1: 1, 2: 2}.items())
        assert (due.returncode, len(lines)) == (0, unsolved)  # the next attempt of each, no more
        assert told(folder, *RUN)["left"] == 0
        assert sends == {0: 1, 1: 2, 2: 3}


def test_stopping_is_refused_where_nothing_could_stop(tmp_path: Path) -> None:
    with serving(lambda sent: said("x")) as server:
        folder = study(tmp_path / "s", server)
        done = covary("run", str(folder), "--stop-at-success")
    assert done.returncode == 2
    assert "no condition has both replicates above 1" in done.stderr


def test_no_file_report_or_line_of_a_whole_study_holds_a_key_or_a_hidden_header(tmp_path: Path) -> None:
    key, header = "sk-" + "s3cr3t" * 5, "hdr-" + "h1dd3n" * 5

    def script(sent: Sent) -> Reply:
        assert (sent.headers["authorization"], sent.headers["x-team"]) == (f"Bearer {key}", header)
        return {
            0: said(f"<final>1</final> You sent {key}"),
            1: said("<final>2</final>", reasoning_content=f"The key is {key}, the team {header}."),
            2: problem(400, f"bad request with {key}"),
            3: problem(500, f"Bearer {key}; X-Team: {header}"),
            4: said(f"undecided {header}", "length"),
        }.get(number(sent), said("<final>6</final>", note=key))

    with serving(script) as server:
        folder = study(tmp_path / "s", server)
        told_of = 'key_env = "RUN_KEY", headers = { X-Team = "$RUN_TEAM" }, max_attempts'
        declared = (folder / "study.toml").read_text().replace("max_attempts", told_of)
        (folder / "study.toml").write_text(declared)
        secrets = {"RUN_KEY": key, "RUN_TEAM": header}
        whole = covary("run", str(folder), **secrets)
        server.script = lambda sent: problem(401, f"wrong key {key} of {header}")
        stopped = covary("run", str(folder), "--retry-errors", *RUN, COVARY_DEBUG="1", **secrets)
    assert (whole.returncode, stopped.returncode) == (1, 1)
    assert "status 401" in stopped.stderr
    shown = [whole.stdout, whole.stderr, stopped.stdout, stopped.stderr]
    files = [path for path in folder.rglob("*") if path.is_file()]
    kinds = {path.suffix for path in files}
    assert {".sqlite", ".parquet", ".html", ".json", ".csv"} <= kinds
    for path in files:
        shown.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":  # packed: its cells are read
            shown.append(str(pl.read_parquet(path).to_dicts()))
    for secret in (key, header):
        assert not [text[:80] for text in shown if secret in text]


JUDGED = """
[[models]]
name = "j"
role = "judge"
transport = {{ kind = "http", base_url = "{url}" }}

[[judges]]
of = "mathematics"
"""


def test_a_budget_holds_for_solving_and_judging_together(tmp_path: Path) -> None:
    with serving(lambda sent: said("<final>the colour of the sky, roughly</final>")) as server:
        folder = study(tmp_path / "s", server, items=4, more=JUDGED.format(url=server.url))
        found = told(folder, "--max-requests", "5", status=1)
        # Four answers that rules leave undecided, and four questions to the judge: five are sent, whoever asks.
        assert server.counts.total() == 5
        assert found["completion_tokens"] == 5 * 3
