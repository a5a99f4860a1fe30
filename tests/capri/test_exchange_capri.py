"""Sets as folders: written with the same bytes, read back equal, and published ones read by mapped columns."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from stand_in import stand_in_png

from covary import digest
from covary.build import pictures
from covary.build.capri import build_capri
from covary.errors import DataError
from covary.exchange.capri import Columns, card, columns_from, read_folder, write_folder
from covary.lint import culture as lint

BUILT = build_capri(
    pictures=[spec for spec in pictures.specifications() if spec.picture_id in ("price-01", "time_expression-01")],
    render=stand_in_png,
)
MAPPED = Columns("sid", "country", "level", "dimension", "final_question", "dialogue", "image")
TURNS = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def publish(folder: Path, rows: list[dict], name: str = "data/test.jsonl") -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "img.png").write_bytes(b"a picture")
    (folder / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return folder


def published(**changes: object) -> dict:
    row = {"sid": "s1", "country": "Brazil", "level": "implicit_full", "dimension": "Temperature", "final_question": "What is it?", "dialogue": TURNS, "image": "img.png"}  # fmt: skip
    return row | changes


def test_writing_twice_gives_the_same_bytes_and_reading_gives_the_same_set(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_folder(BUILT.items, BUILT.bytes_of, tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    back = read_folder(tmp_path / "a")
    assert back.items.equals(BUILT.items)
    assert back.bytes_of == BUILT.bytes_of


def test_writing_over_an_earlier_set_works_and_over_other_files_does_not(tmp_path: Path) -> None:
    write_folder(BUILT.items, BUILT.bytes_of, tmp_path)
    write_folder(BUILT.items, BUILT.bytes_of, tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError, match=r"holds thesis\.tex"):
        write_folder(BUILT.items, BUILT.bytes_of, tmp_path)


def test_sums_name_every_file_with_its_digest(tmp_path: Path) -> None:
    write_folder(BUILT.items, BUILT.bytes_of, tmp_path)
    files = contents(tmp_path)
    sums = dict(line.split("  ")[::-1] for line in files.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: digest.sha256_hex(data) for name, data in files.items()}
    assert set(files) == {
        "README.md",
        "data/items.parquet",
        "data/pictures.parquet",
        "pictures/price-01.png",
        "pictures/time_expression-01.png",
    }


def test_the_card_counts_and_says_what_nobody_verified() -> None:
    text = card(BUILT.items)
    assert text.startswith("---\nlicense: apache-2.0\n")
    assert "| price | 1 | 3 | 30 |" in text
    assert "confirmed by a person" in text


def test_a_picture_without_bytes_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no bytes for"):
        write_folder(BUILT.items, {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_changed_picture_is_noticed(tmp_path: Path) -> None:
    write_folder(BUILT.items, BUILT.bytes_of, tmp_path)
    (tmp_path / "pictures" / "price-01.png").write_bytes(b"another")
    with pytest.raises(DataError, match="the file was changed"):
        read_folder(tmp_path)


def test_a_published_set_is_read_by_mapped_columns(tmp_path: Path) -> None:
    rows = [
        published(),
        published(level="Null", dialogue=[]),
        published(country="UK", level="ImplicitCue1", dialogue="User: Hi.\nAssistant: Hello."),
        published(country="South Korea", level="NEUTRAL", dialogue=json.dumps(TURNS)),
    ]
    found = read_folder(publish(tmp_path, rows), MAPPED)
    assert found.items["culture"].to_list() == ["BR", "BR", "GB", "KR"]
    assert found.items["cue_level"].to_list() == ["ImplicitFull", "Null", "ImplicitCue1", "Neutral"]
    assert found.items["domain"].unique().to_list() == ["temperature"]
    said = [[turn["text"] for turn in turns] for turns in found.items["conversation"]]
    assert said == [["Hi.", "Hello."], [], ["Hi.", "Hello."], ["Hi.", "Hello."]]
    assert found.bytes_of == {digest.sha256_hex(b"a picture"): b"a picture"}
    assert "missing-picture" not in {finding.rule for finding in lint.check(found.items, pictures=found.bytes_of)}


def test_a_set_with_a_column_for_each_level_becomes_a_row_for_each(tmp_path: Path) -> None:
    row = published(neutral_text=TURNS, full_text="User: I am at Coupang.", who="Min-jun")
    columns = columns_from(
        {"source": "sid", "culture": "country", "concept": "dimension", "question": "final_question", "picture": "image", "cue1": "who",
         "levels": {"Neutral": "neutral_text", "ImplicitFull": "full_text"}}
    )  # fmt: skip
    items = read_folder(publish(tmp_path, [row]), columns).items
    assert items["cue_level"].to_list() == ["Neutral", "ImplicitFull"]
    assert json.loads(items["meta"][0])["cues"] == [{"type": "", "value": "Min-jun"}]


def test_pictures_inside_a_parquet_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    row = published(image={"bytes": b"inside", "path": "x.png"})
    pl.DataFrame([row]).write_parquet(tmp_path / "data" / "train-00000.parquet")
    assert list(read_folder(tmp_path, MAPPED).bytes_of.values()) == [b"inside"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"country": "Atlantis"}, r"test\.jsonl, row 1: culture must be one of"),
        ({"level": "Medium"}, "cue level must be one of Null"),
        ({"dimension": "Weight"}, "concept must be one of temperature"),
        ({"dialogue": "Hello there"}, "expected lines that start with User:"),
        ({"dialogue": [{"text": "no role"}]}, "a turn must have role"),
        ({"dialogue": "[broken"}, "isn't one"),
        ({"image": "../../secret.png"}, "lies outside the folder"),
        ({"image": "gone.png"}, r"'gone\.png' can't be read"),
    ],
)
def test_a_bad_row_gets_one_line_with_file_and_row(tmp_path: Path, changes: dict, expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        read_folder(publish(tmp_path / "set", [published(**changes)]), MAPPED)


def test_a_missing_column_folder_or_table_gets_one_line(tmp_path: Path) -> None:
    folder = publish(
        tmp_path / "set", [{key: value for key, value in published().items() if key != "country"} | {"contry": "x"}]
    )
    with pytest.raises(DataError, match="column 'country' for 'culture' is missing, did you mean 'contry'"):
        read_folder(folder, MAPPED)
    with pytest.raises(DataError, match="found nothing"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(DataError, match="map its columns"):
        read_folder(folder)
    with pytest.raises(DataError, match=r"no table .* with the columns 'a' and 'question'"):
        read_folder(folder, Columns(source="a"))
    (folder / "data" / "test.jsonl").write_text("{broken")
    with pytest.raises(DataError, match="no readable jsonl table"):
        read_folder(folder, MAPPED)


def test_a_wrong_mapping_gets_the_nearest_right_word() -> None:
    with pytest.raises(DataError, match="did you mean 'culture'"):
        columns_from({"cultur": "country"})
    with pytest.raises(DataError, match="did you mean 'Neutral'"):
        columns_from({"levels": {"Neutrl": "x"}})
    with pytest.raises(DataError, match="must be the name of a column"):
        columns_from({"culture": 3})
