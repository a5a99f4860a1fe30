"""Tesseract reads no letters in the pictures. Needs Debian's tesseract-ocr; skips, saying so, where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
import resvg_py

from covary.build.pictures import PictureSpec, render_png, render_svg, specifications
from covary.build.pictures.words import letters_in, unit_words, words_read

SPECS = specifications()
TESSERACT = shutil.which("tesseract")
needs_tesseract = pytest.mark.skipif(
    TESSERACT is None, reason="Tesseract is not installed: apt-get install tesseract-ocr, then run this test again"
)

# Strokes of a few capital letters, in a box 7 wide and 10 high, to plant a word in a picture.
STROKES = {
    "K": "M0 0L0 10M6 0L0 6M2 4L6 10",
    "M": "M0 10L0 0L3.5 6L7 0L7 10",
    "P": "M0 10L0 0L3.5 0C7 0 7 5.4 3.5 5.4L0 5.4",
    "H": "M0 0L0 10M6 0L6 10M0 5L6 5",
    "O": "M3 0C-.9 0-.9 10 3 10C6.9 10 6.9 0 3 0Z",
    "E": "M6 0L0 0L0 10L6 10M0 5L5 5",
    "N": "M0 10L0 0L6 10L6 0",
}


def tsv_of(png: bytes) -> str:
    assert TESSERACT is not None
    done = subprocess.run(
        [TESSERACT, "stdin", "stdout", "--psm", "11", "tsv"],
        input=png,
        capture_output=True,
        check=True,
        timeout=120,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    return done.stdout.decode()


def with_word(spec: PictureSpec, word: str) -> bytes:
    letters = "".join(
        f'<path d="{STROKES[letter]}" transform="translate({9 * k} 0)"/>' for k, letter in enumerate(word)
    )
    plate = f'<rect x="46" y="28" width="{36 * len(word) + 20}" height="64" fill="#fff"/>'
    strokes = (
        '<g transform="translate(60 40) scale(4)" fill="none" stroke="#111" stroke-width="1.4" '
        f'stroke-linecap="round">{letters}</g>'
    )
    svg = render_svg(spec).replace("</svg>", plate + strokes + "</svg>")
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def found(spec: PictureSpec) -> list[str]:
    return [word.text for word in letters_in(tsv_of(render_png(spec)))]


@needs_tesseract
def test_no_letters_in_a_sample_of_pictures():
    assert {spec.picture_id: words for spec in SPECS[::20] if (words := found(spec))} == {}


@needs_tesseract
@pytest.mark.slow
def test_no_letters_in_any_picture():
    assert {spec.picture_id: words for spec in SPECS if (words := found(spec))} == {}


@needs_tesseract
def test_a_planted_word_is_found():
    """The same reading and threshold do find letters: three of four planted words or more."""
    planted = [("OPEN", 18), ("MPH", 30), ("OPEN", 80), ("KM", 6)]
    read = [any(word in hit.text for hit in letters_in(tsv_of(with_word(SPECS[k], word)))) for word, k in planted]
    assert sum(read) >= 3


def test_words_are_told_from_digits_and_noise():
    tsv = "level\tconf\ttext\n5\t96.5\t40\n5\t91\tKM\n5\t12\tee\n5\t95\tA\n5\t97\tO0\n4\t-1\t\n"
    assert [word.text for word in words_read(tsv)] == ["KM", "ee"]
    assert [word.text for word in letters_in(tsv)] == ["KM"]


def test_output_without_columns_holds_no_words():
    assert words_read("") == []
    assert words_read("nothing here\n") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It points to 40 °C.", ["°"]),
        ("five Miles away", ["Miles"]),
        ("3 m or 10 ft", ["m", "ft"]),
        ("The needle points to 40.", []),
        ("a metronome and a yardstick", []),
    ],
)
def test_unit_words_are_found(text: str, words: list[str]):
    assert unit_words(text) == words
