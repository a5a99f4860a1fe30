"""What has not changed is not done again, and what has changed is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
from tests.cli.test_commands import covary
from tests.cli.test_end_to_end import study

MARK = "left as it was"
FURTHER = """
[[conditions]]
name = "further"
prompt = "solve-direct"
scorers = ["mathematics"]
"""


def marked(folder: Path) -> None:
    """Write a mark into every row of the scores: rows that are scored anew lose it."""
    path = folder / "scores.parquet"
    pl.read_parquet(path).with_columns(reason=pl.lit(MARK)).write_parquet(path)


def kept(folder: Path) -> dict[str, bool]:
    """Condition → whether its rows still carry the mark."""
    scores = pl.read_parquet(folder / "scores.parquet")
    return {
        str(name): bool((rows["reason"] == MARK).all())
        for (name,), rows in scores.group_by("condition", maintain_order=True)
    }


def test_a_condition_that_is_added_is_scored_alone(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    marked(folder)
    (folder / "study.toml").write_text((folder / "study.toml").read_text() + FURTHER)
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert kept(folder) == {"short": True, "again": True, "further": False}


def test_a_changed_item_is_scored_with_its_piece(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    marked(folder)
    items = folder / "items.jsonl"
    items.write_text(items.read_text().replace('"target": "2"', '"target": "two"', 1))
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert kept(folder) == {"short": False, "again": False}


def test_paths_start_where_the_study_file_lies(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    alone = (folder / "study.toml").rename(folder / "mine.toml")
    assert covary("run", str(alone), "--quiet").returncode == 0
    assert covary("run", str(alone), "--quiet", "--out", str(tmp_path / "elsewhere")).returncode == 0
    assert (folder / "mine" / "scores.parquet").exists()
    assert (tmp_path / "elsewhere" / "scores.parquet").exists()


def test_scores_whose_pieces_are_not_known_are_made_anew(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    marked(folder)
    (folder / "scores.pieces.json").write_text('[["')
    (folder / "study.toml").write_text((folder / "study.toml").read_text() + FURTHER)
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert kept(folder) == {"short": False, "again": False, "further": False}


def test_a_run_that_finds_all_done_writes_no_page_and_loads_no_statistics(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    before = {path: path.stat().st_mtime_ns for path in (folder / "report").rglob("*")}
    program = (
        "import sys; from covary.cli import main\n"
        "main()\n"
        "print('loaded:', *sorted({'scipy', 'altair', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "run", str(folder), "--quiet"], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["loaded:"], done.stderr
    assert {path: path.stat().st_mtime_ns for path in (folder / "report").rglob("*")} == before


def test_a_new_title_is_a_new_page(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    declared = folder / "study.toml"
    declared.write_text(declared.read_text().replace("Small <b>study</b>", "Another name"))
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert "Another name" in (folder / "report" / "index.html").read_text(encoding="utf-8")


def test_verdicts_of_judges_are_shown_only_with_the_scores_they_were_read_for(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>the same as before</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert "judge" in set(pl.read_parquet(folder / "judged.parquet")["scorer"])
    (folder / "study.toml").write_text((folder / "study.toml").read_text() + FURTHER)
    assert covary("run", str(folder), "--quiet", "--only", "run").returncode == 0
    assert covary("score", str(folder)).returncode == 0
    judged = pl.read_parquet(folder / "judged.parquet")
    assert set(judged.filter(pl.col("scorer") == "judge")["condition"]) == {"short", "again", "further"}


def test_a_run_until_its_scores_makes_no_report(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet", "--until", "score").returncode == 0
    assert (folder / "scores.parquet").exists()
    assert not (folder / "estimates.parquet").exists() and not (folder / "report").exists()
    both = covary("run", str(folder), "--until", "score", "--only", "run")
    assert both.returncode == 2 and "exclude each other" in both.stderr
    assert "did you mean 'score'" in covary("run", str(folder), "--until", "scores").stderr


def test_a_report_of_scores_that_another_declaration_made_says_so(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    assert covary("run", str(folder), "--quiet").returncode == 0
    assert covary("report", str(folder)).stderr == ""
    (folder / "study.toml").write_text((folder / "study.toml").read_text() + FURTHER)
    told = covary("report", str(folder))
    assert told.returncode == 0 and "has changed since these scores were made" in told.stderr
