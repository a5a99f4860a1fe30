"""A part of a run says so, on the terminal and on the page, before anyone quotes its numbers."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_commands import covary
from tests.cli.test_end_to_end import study


def test_a_run_that_stopped_early_says_so_and_a_whole_one_does_not(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    part = covary("run", str(folder), "--max-requests", "3")
    # 8 requests serve 16 cells, two each: 3 answers leave 10 open.
    told = "Only a part has been run: 10 of 16 answers are still missing."
    assert part.returncode == 1
    assert told in " ".join(part.stdout.split())
    page = folder / "report" / "index.html"
    assert told in page.read_text()
    whole = covary("run", str(folder))
    assert whole.returncode == 0
    assert "Only a part" not in whole.stdout + page.read_text()
