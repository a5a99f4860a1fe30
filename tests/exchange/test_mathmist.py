"""MathMist's files as items, its recorded runs as responses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from covary.errors import DataError
from covary.exchange import mathmist

ROW = {
    "id": "mm-0001",
    "lang": "en",
    "question": "2 + 2?",
    "solution": "4",
    "exact_answer": "4",
    "answer_type": " numerical ",
    "chapter": "1",
}


def corpus(folder: Path, *lines: str) -> Path:
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "corpus" / "en.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return folder


def test_labels_are_cleaned_and_texts_are_not(tmp_path: Path) -> None:
    items = mathmist.read_items(corpus(tmp_path, json.dumps({**ROW, "question": " a\tb "})), "corpus")
    assert items["answer_type"][0] == "Numerical"
    assert items["question"][0] == " a\tb "


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id": 1', r"en\.jsonl\.gz:2: expected one JSON object a line"),
        ("[1]", r"en\.jsonl\.gz:2: expected one JSON object a line, found something else"),
        (
            json.dumps({key: value for key, value in ROW.items() if key != "question"}),
            r":2: field 'question' is missing",
        ),
    ],
)
def test_a_bad_row_is_told_with_file_and_line(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        mathmist.read_items(corpus(tmp_path, json.dumps(ROW), line), "corpus")


def test_missing_folders_languages_and_cut_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        mathmist.read_items(tmp_path, "corpus")
    corpus(tmp_path, json.dumps(ROW))
    with pytest.raises(DataError, match="no file for language 'bn'; known: en"):
        mathmist.read_items(tmp_path, "corpus", ["bn"])
    file = tmp_path / "corpus" / "en.jsonl.gz"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DataError, match="can't be read"):
        mathmist.read_items(tmp_path, "corpus")


def test_a_code_switched_row_keeps_its_extracted_answers_and_no_invented_text(tmp_path: Path) -> None:
    items = mathmist.read_items(corpus(tmp_path, json.dumps(ROW)), "corpus")
    run = tmp_path / "recorded" / "code-switch"
    run.mkdir(parents=True)
    recorded = {"id": "mm-0001", "generated": None, "extracted": ["4"], "decision": None, "judge": "j"}
    strange = {**recorded, "id": "mm-9999"}
    (run / "qwen3-8b-q_en-cot_bn.jsonl").write_text(json.dumps(recorded) + "\n" + json.dumps(strange))
    got = mathmist.read_recorded(tmp_path, items)
    assert got.links["condition"].to_list() == ["code-switch-bn"]
    assert got.responses["text"].to_list() == [None]
    assert json.loads(got.responses["detail"][0]) == {
        "extracted": ["4"],
        "recorded": {"answer": "4", "confidence": None, "decision": None, "judge": "j", "reason": None},
    }
    assert got.responses["origin"].to_list() == ["imported"]
    assert got.left_out == ("code-switch/qwen3-8b-q_en-cot_bn.jsonl: 1 rows answer items that are not in this study",)
    with pytest.raises(DataError, match="no recorded run of model 'qwen'"):
        mathmist.read_recorded(tmp_path, items, ["qwen"])


@pytest.mark.data
def test_the_whole_corpus_and_all_recorded_runs_are_read(data: Path) -> None:
    folder = data / "mathmist"
    items = mathmist.read_items(folder, "corpus", ["bn", "en"])
    assert items.height == 2890
    got = mathmist.read_recorded(folder, items)
    counts = dict(got.links.group_by("condition").len().iter_rows())
    # 1,445 rows of 3 models in 2 languages; 150 rows of 3 models in en and bn among the cross-lingual ones.
    assert counts["zero-shot"] == 8670
    assert counts["code-switch-en"] == counts["code-switch-bn"] == 8670
    assert got.responses["request_id"].n_unique() == got.responses.height
    assert any("answer items that are not in this study" in line for line in got.left_out)
