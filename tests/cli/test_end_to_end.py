"""A study from its file to its report, on scripted models: what is sent, shared, judged, resumed and shown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
from tests.cli.test_commands import covary

EVIL = "<script>alert(1)</script> <img src=x onerror=alert(2)> </dd></dl> {{ 7*7 }} <final>4</final>"
STUDY = """\
name = "small"
title = "Small <b>study</b>"
notice = "Only a test."

[[items]]
source = "file"
path = "items.jsonl"

[[models]]
name = "left"
transport = { kind = "fake", answers = [%(answers)s] }

[[models]]
name = "judge"
role = "judge"
transport = { kind = "fake", answers = ['{"equivalent": "yes", "confidence": 0.9, "reason": "same"}'] }

[[conditions]]
name = "short"
prompt = "solve-direct"
scorers = ["mathematics"]

[[conditions]]
name = "again"
prompt = "solve-direct"
scorers = ["mathematics"]

[[scorers]]
name = "mathematics"

[[judges]]
of = "mathematics"

[[contrasts]]
name = "Finnish against English"
factor = "language"
levels = ["fi", "en"]
scorer = "mathematics"

[[tables]]
name = "by-language"
caption = "Solved (%%)"
scorer = "mathematics"
rows = ["model"]
columns = ["language"]
"""
ITEMS = [
    {
        "source_id": f"s{number}",
        "language": language,
        "question": f"{number} + 1?",
        "target": str(number + 1),
        "answer_type": "Numerical",
    }
    for number in range(4)
    for language in ("en", "fi")
]


def study(folder: Path, *answers: str) -> Path:
    folder.mkdir()
    shown = ", ".join(json.dumps(answer) for answer in answers)
    (folder / "study.toml").write_text(STUDY % {"answers": shown})
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    return folder


class Outside(HTMLParser):
    """Collects every tag and every address that a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_a_study_runs_to_its_report_and_a_rerun_sends_nothing(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>", "<final>3</final>")
    done = covary("run", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    # 8 items, two conditions with one prompt: 8 requests serve 16 cells.
    assert (told["cells"], told["requests"], told["sent_ok"]) == (16, 8, 8)
    assert told["scores"]["mathematics"] == {"judged": 16, "null": 0, "why_null": {}}
    again = json.loads(covary("run", str(folder), "--json").stdout)
    assert (again["sent_ok"], again["done"]) == (0, 8)
    shown = covary("report", str(folder), "--table", "by-language", "--format", "csv")
    assert shown.stdout.startswith("model,language,value")
    for form in ("latex", "text"):
        assert covary("report", str(folder), "--table", "by-language", "--format", form).returncode == 0
    for form in ("svg", "png", "pdf", "parquet"):
        path = covary("report", str(folder), "--table", "by-language", "--format", form).stdout.strip()
        assert Path(path).stat().st_size > 500


def test_only_what_rules_leave_undecided_goes_to_the_judge(tmp_path: Path) -> None:
    odd = "<final>the colour of the sky, roughly speaking</final>"
    folder = study(tmp_path / "s", odd)
    told = json.loads(covary("run", str(folder), "--json").stdout)
    assert told["scores"]["mathematics"]["null"] == 16
    assert told["judged_cells"] == 16
    judged = pl.read_parquet(folder / "judged.parquet")
    assert set(judged.filter(pl.col("scorer") == "mathematics+judge")["value"]) == {1.0}
    assert judged.filter(pl.col("scorer") == "mathematics+judge")["reason"][0] == "judge: same"
    decided = study(tmp_path / "t", "<final>2</final>")
    told = json.loads(covary("run", str(decided), "--json").stdout)
    assert "judged_cells" not in told
    assert (
        not list((decided / "judge-mathematics").glob("requests.parquet"))
        or pl.read_parquet(decided / "judge-mathematics" / "requests.parquet").is_empty()
    )


def test_the_page_fetches_nothing_runs_only_its_own_script_and_escapes_what_models_wrote(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", EVIL)
    assert covary("run", str(folder), "--quiet").returncode == 0
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    seen = Outside()
    seen.feed(page)
    assert not {"iframe", "object", "img", "link"} & set(seen.tags)
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert seen.tags.count("script") == 1
    assert f"script-src 'sha256-{allowed}';" in page
    assert all(address.startswith(("#", "tables/", "browse/index.html")) for address in seen.addresses), seen.addresses
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in page
    assert "Small &lt;b&gt;study&lt;/b&gt;" in page
    assert "default-src 'none'" in page
    assert re.search(r'<html lang="en">', page)


def test_an_audit_round_trip_measures_the_error_of_the_rules(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>", "<final>3</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    review = tmp_path / "review.jsonl"
    assert covary("audit", str(folder), "--sample", "1", "--review", str(review)).returncode == 0
    rows = [json.loads(line) for line in review.read_text().splitlines()]
    assert len(rows) == 16
    assert "never" not in covary("audit", str(folder), "--review", str(review)).stdout
    for row in rows:
        row["label"] = "right" if row["value"] == 1 else "wrong"
    rows[0]["label"] = "wrong" if rows[0]["label"] == "right" else "right"
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(covary("audit", str(folder), "--labels", str(labelled), "--json").stdout)
    assert told["overall"][0]["looked_at"] == 16
    assert told["overall"][0]["wrong"] == 1
    rows[0]["label"] = "rihgt"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "did you mean 'right'" in covary("audit", str(folder), "--labels", str(labelled)).stderr


def test_judging_starts_while_solving_goes_on_and_ends_in_the_same_tables(tmp_path: Path) -> None:
    odd = "<final>the colour of the sky, roughly speaking</final>"
    piped, staged = study(tmp_path / "piped", odd), study(tmp_path / "staged", odd)
    told = json.loads(covary("run", str(piped), "--json").stdout)
    # 8 questions and, in the same run, their distinct pairs of answer and target: 4 targets.
    assert told["sent_ok"] == 12
    assert json.loads(covary("run", str(staged), "--json", "--only", "run").stdout)["sent_ok"] == 8
    assert covary("run", str(staged), "--json").returncode == 0
    columns = ["item_id", "condition", "scorer", "value", "reason"]
    first, second = (pl.read_parquet(folder / "judged.parquet").select(columns) for folder in (piped, staged))
    assert first.equals(second)
