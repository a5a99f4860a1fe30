from __future__ import annotations

import struct
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.build.pictures import picture_bytes, render_png, render_svg, specifications
from covary.build.pictures.image_file import image_file
from covary.build.pictures.replacement import (
    PHOTOGRAPH,
    Replacement,
    faults,
    replaced,
    replacement_of,
    with_replacements,
)
from covary.digest import sha256_hex
from covary.errors import DataError, UsageError

SPECS = specifications()
SPEC = SPECS[0]  # a temperature


def png(width: int, height: int) -> bytes:
    """The header of a PNG file, which is all that is looked at."""
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0"
    )


PHOTO = png(1600, 1200)
RECORD = Replacement(
    picture_id=SPEC.picture_id,
    sha256=sha256_hex(PHOTO),
    licence="CC-BY-4.0",
    source="A. Photographer, a public collection",
    value=-9.0,
    tolerance=1.0,
    description="The column ends at −9 on the left scale and at 16 on the right scale.",
    reading=-9.5,
    value_readable=True,
    no_text=True,
    no_cultural_signal=True,
    checked_by="M. Reader",
    checked_on="2026-11-29",
)


def test_a_good_record_has_no_faults_and_replaces_the_picture():
    assert faults(RECORD, SPEC, PHOTO) == []
    spec = replaced(SPEC, RECORD, PHOTO)
    assert (spec.scene, spec.value, spec.caption) == (PHOTOGRAPH, -9.0, SPEC.caption)
    assert spec.parameters["sha256"] == sha256_hex(PHOTO)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"licence": "CC-BY-NC-4.0"}, "licence"),
        ({"source": " "}, "source is empty"),
        ({"value": 5000.0, "reading": 5000.0}, "outside"),
        ({"value": float("nan")}, "outside"),
        ({"reading": -12.0}, "the check read -12.0"),
        ({"checked_by": ""}, "checked_by"),
        ({"checked_on": "29.11.2026"}, "ISO date"),
        ({"checked_on": "2026-02-30"}, "ISO date"),
        ({"no_text": False}, "'no_text' was not passed"),
        ({"value_readable": False}, "'value_readable' was not passed"),
        ({"no_cultural_signal": False}, "'no_cultural_signal' was not passed"),
        ({"description": "It shows −9 °C."}, "name a unit"),
        ({"caption": "A thermometer that shows degrees."}, "name a unit"),
        ({"sha256": "0" * 64}, "sha256"),
        ({"picture_id": "speed-01"}, "not for temperature-01"),
        ({"tolerance": -1.0}, "tolerance"),
    ],
)
def test_each_fault_is_named(change: dict[str, object], part: str):
    bad = replace(RECORD, **change)
    assert any(part in fault for fault in faults(bad, SPEC, PHOTO))
    with pytest.raises(DataError, match=SPEC.picture_id):
        replaced(SPEC, bad, PHOTO)


def test_small_and_foreign_files_are_refused():
    small, foreign = png(1600, 700), b"GIF89a...."
    assert any("700 pixels" in fault for fault in faults(replace(RECORD, sha256=sha256_hex(small)), SPEC, small))
    assert any("PNG or JPEG" in fault for fault in faults(replace(RECORD, sha256=sha256_hex(foreign)), SPEC, foreign))


def test_a_replaced_picture_has_no_drawing():
    spec = replaced(SPEC, RECORD, PHOTO)
    with pytest.raises(UsageError, match="send that file"):
        render_svg(spec)


def test_what_is_sent_is_the_users_file_or_the_drawing():
    spec = replaced(SPEC, RECORD, PHOTO)
    assert picture_bytes(spec, {RECORD.sha256: PHOTO}) == PHOTO
    assert picture_bytes(SPEC, {}) == render_png(SPEC)
    with pytest.raises(DataError, match="not among"):
        picture_bytes(spec, {})


def test_records_come_from_rows_and_bad_rows_are_refused():
    assert replacement_of(asdict(RECORD)) == RECORD
    row = asdict(RECORD)
    for change, part in (
        ({"licence": 4}, "'licence' must be str"),
        ({"no_text": "yes"}, "must be bool"),
        ({"valeu": 1}, "did you mean 'value'"),
    ):
        with pytest.raises(DataError, match=part):
            replacement_of({**row, **change}, "photos.jsonl:3")
    with pytest.raises(DataError, match="key 'source' is missing"):
        replacement_of({key: value for key, value in row.items() if key != "source"}, "photos.jsonl:3")


def test_a_set_takes_records_once_each_and_keeps_its_order():
    changed = with_replacements(SPECS, [RECORD], {RECORD.sha256: PHOTO})
    assert [spec.picture_id for spec in changed] == [spec.picture_id for spec in SPECS]
    assert [a == b for a, b in zip(changed, SPECS, strict=True)] == [False] + [True] * 171
    for records, files, part in (
        ([RECORD, RECORD], {RECORD.sha256: PHOTO}, "comes twice"),
        ([RECORD], {}, "no file"),
        ([replace(RECORD, picture_id="temprature-01")], {RECORD.sha256: PHOTO}, "did you mean"),
    ):
        with pytest.raises(DataError, match=part):
            with_replacements(SPECS, records, files)


def test_sizes_of_png_and_jpeg_are_read_from_the_header():
    assert image_file(render_png(SPECS[100]))[1:] == (1024, 768)
    # SOI, an APP0 segment of 16 bytes, then a baseline frame header: height 600, width 800
    jpeg = (
        b"\xff\xd8"
        + b"\xff\xe0\x00\x10"
        + b"\0" * 14
        + b"\xff\xc0\x00\x11\x08"
        + struct.pack(">HH", 600, 800)
        + b"\0" * 10
    )
    assert image_file(jpeg) == ("image/jpeg", 800, 600)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_size_or_a_clear_refusal(data: bytes):
    for start in (b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n"):
        try:
            kind = image_file(start + data)
        except DataError:
            continue
        assert kind.width >= 0
