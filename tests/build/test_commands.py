"""The commands' bodies end to end: files in, files out, resumable, one clear line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from covary.cli import building
from covary.errors import DataError, UsageError
from covary.exchange.items_file import read_items_file, write_items_file
from covary.items.draw import draw
from covary.items.loading import load_items

QUESTION = "Find the sum of the numbers 12 and 3.5. Write the result as a decimal number."
GOOD = "Laske lukujen 12 ja 3,5 summa. Kirjoita tulos desimaalilukuna."


def study(folder: Path, answer: object) -> str:
    """A study folder with one scripted model that gives one answer to everything."""
    folder.mkdir(exist_ok=True)
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    (folder / "study.toml").write_text(
        'name = "build"\nformat = 1\n\n[[items]]\nsource = "templates"\n\n[[models]]\nname = "m"\n'
        f'[models.transport]\nkind = "fake"\nanswers = [{json.dumps(text)}]\n',
        encoding="utf-8",
    )
    return str(folder)


def one_item(folder: Path) -> str:
    row = {"id": "q", "question": QUESTION, "target": "15.5", "answer_type": "Numerical"}
    path = folder / "items.jsonl"
    write_items_file(load_items([row], "rows", defaults={"language": "en"}), path)
    return str(path)


def test_translate_writes_items_and_asks_nothing_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = study(tmp_path / "s", {"translation": GOOD, "verdict": "approved", "text": None})
    for _ in range(2):
        building.translate(one_item(tmp_path), ["fi"], "m", asked, tmp_path / "out.jsonl", back=False)
        made = read_items_file(tmp_path / "out.jsonl")
        assert made.select("language", "question", "target").rows() == [("fi", GOOD, "15,5")]
    assert "1 items of 1 problems" in capsys.readouterr().out


def test_translate_flags_what_never_passes(tmp_path: Path) -> None:
    asked = study(tmp_path / "s", "Here is the translation: " + GOOD)
    building.translate(one_item(tmp_path), ["fi"], "m", asked, tmp_path / "out.jsonl")
    flagged = [json.loads(line) for line in (tmp_path / "out.flagged.jsonl").read_text().splitlines()]
    assert [(row["field"], row["language"]) for row in flagged] == [("question", "fi")]
    assert (tmp_path / "out.jsonl").read_text() == ""


def test_choices_by_rule_and_by_a_model(tmp_path: Path) -> None:
    items = one_item(tmp_path)
    building.choices(items, tmp_path / "rule.jsonl")
    assert len(read_items_file(tmp_path / "rule.jsonl")["options"][0]) == 4
    options = [
        {"text": "14.5", "pool": "calculation", "kind": "off by one"},
        {"text": "15.5", "pool": "plausible", "kind": "the key"},
        {"text": "15.50", "pool": "plausible", "kind": "the key again"},
        {"text": "about 16", "pool": "plausible", "kind": "other words"},
        {"text": "155", "pool": "calculation", "kind": "decimal point"},
        {"text": "8.5", "pool": "concept", "kind": "difference"},
    ]
    asked = study(tmp_path / "s", {"options": options})
    building.choices(items, tmp_path / "model.jsonl", model="m", study=asked)
    made = read_items_file(tmp_path / "model.jsonl")
    assert sorted(made["options"][0].to_list()) == ["14.5", "15.5", "155", "8.5"]
    with pytest.raises(UsageError, match="--model needs --study"):
        building.choices(items, tmp_path / "x.jsonl", model="m")
    with pytest.raises(UsageError, match="has no model 'n'"):
        building.choices(items, tmp_path / "x.jsonl", model="n", study=asked)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_what_was_written_is_read_back_whole(ending: str, tmp_path: Path) -> None:
    drawn = draw(3, 1, ["en", "bn"])
    write_items_file(drawn, tmp_path / f"items.{ending}")
    assert read_items_file(tmp_path / f"items.{ending}").equals(drawn)


def test_perturb_by_rule_asks_no_model_and_keeps_thirds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = str(tmp_path / "drawn.jsonl")
    write_items_file(draw(3, 1, ["en", "bn"]), Path(items))
    building.perturb(items, "rule:sign slip", None, None, tmp_path / "faulty.jsonl")
    made = read_items_file(tmp_path / "faulty.jsonl")
    kinds = made["perturbation"].value_counts().rows()
    assert dict(kinds) == dict.fromkeys(("rule:sign slip", "clean", "paraphrase"), made.height // 3)
    assert "a third of them faulty" in capsys.readouterr().out
    with pytest.raises(UsageError, match="did you mean 'rule:sign slip'"):
        building.perturb(items, "rule:sign", None, None, tmp_path / "x.jsonl")
    with pytest.raises(UsageError, match="--model needs --study"):
        building.perturb(items, "strategy-1", "m", None, tmp_path / "x.jsonl")
    with pytest.raises(DataError, match="must come from a known template"):
        building.perturb(one_item(tmp_path), "all", None, None, tmp_path / "x.jsonl")


def test_tag_prints_the_corpus_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_items_file(draw(0, 1, ["en", "bn"]), tmp_path / "items.parquet")
    building.tag(str(tmp_path / "items.parquet"), tmp_path / "tagged.parquet")
    printed = capsys.readouterr().out
    assert "Numerical / Algebra: 3" in printed
    assert "problems: 43" in printed


def test_review_goes_out_and_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items.parquet"
    write_items_file(draw(0, 1, ["en"]), items)
    building.review(str(items), tmp_path / "check.jsonl", share=1.0)
    rows = [json.loads(line) for line in (tmp_path / "check.jsonl").read_text().splitlines()]
    with pytest.raises(SystemExit):
        building.read_review(str(items), tmp_path / "check.jsonl")
    rows = [{**row, "verdict": "ok"} for row in rows]
    rows[0] |= {"verdict": "error", "corrections": {"question": "Better."}}
    (tmp_path / "check.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    building.read_review(str(items), tmp_path / "check.jsonl", most=0.2, out=tmp_path / "better.parquet")
    printed = capsys.readouterr().out
    assert "stage 'human check': 43 seen, 1 corrected in 1 fields" in printed
    assert "human check: 1 of 43 corrected, question 1" in printed
    assert "Better." in read_items_file(tmp_path / "better.parquet")["question"].to_list()


def test_publish_says_what_lint_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    building.publish(one_item(tmp_path), tmp_path / "set")
    assert (tmp_path / "set/README.md").exists()
    assert "1 items in" in capsys.readouterr().out


def test_pages_that_are_no_pages_are_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.png").write_text("no picture")
    with pytest.raises(DataError, match="no page could be read"):
        building.read_pages([tmp_path / "a.png"], tmp_path / "queue.jsonl")
    assert "expected a PNG, JPEG or PDF" in capsys.readouterr().err
    with pytest.raises(UsageError, match="--route 'scan'"):
        building.read_pages([tmp_path / "a.png"], tmp_path / "queue.jsonl", route="scan")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="--route model needs"):
        building.read_pages([tmp_path / "a.png"], tmp_path / "queue.jsonl", route="model")
