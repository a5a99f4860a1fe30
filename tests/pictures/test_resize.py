"""A picture within a model's limits: what fits is sent as it is, the rest once as a smaller PNG."""

from __future__ import annotations

import zlib

import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

from covary.build.pictures import render_png, specifications
from covary.build.pictures.image_file import image_file
from covary.build.pictures.resize import LEAST_SIDE, fitted
from covary.errors import DataError
from covary.prompts.requests import PictureLimits

DRAWN = render_png(specifications(0)[0])  # 1024 × 768
LINES = "".join(f'<rect x="{x}" width="1" height="256"/>' for x in range(0, 256, 4))
STRIPES = f'<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="#fff"/>{LINES}</svg>'


def first_pixel(png: bytes) -> tuple[int, int, int]:
    """Red, green, blue of the upper left pixel: as written, since no filter of PNG changes it."""
    at, packed = 8, b""
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        packed += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    return tuple(zlib.decompress(packed)[1:4])  # type: ignore[return-value]


def test_a_picture_within_the_limits_is_sent_as_it_is() -> None:
    for limits in (PictureLimits(), PictureLimits(1024 * 768, 1024, len(DRAWN))):
        made = fitted(DRAWN, limits)
        assert (made.data, made.mime, made.width, made.height) == (DRAWN, "image/png", 1024, 768)


@pytest.mark.parametrize(
    ("limits", "size"),
    [
        (PictureLimits(max_side=512), (512, 384)),
        (PictureLimits(max_pixels=512 * 384), (512, 384)),
        (PictureLimits(max_pixels=100_000), (365, 273)),  # √(100,000 / 786,432) = 0.35659 of 1024 and 768, rounded down
        (PictureLimits(max_pixels=512 * 384, max_side=300), (300, 225)),
    ],
)
def test_a_larger_one_keeps_its_proportions(limits: PictureLimits, size: tuple[int, int]) -> None:
    made = fitted(DRAWN, limits)
    assert image_file(made.data) == ("image/png", *size) == (made.mime, made.width, made.height)


def test_the_same_limits_give_the_same_bytes() -> None:
    assert fitted(DRAWN, PictureLimits(max_side=700)).sha256 == fitted(DRAWN, PictureLimits(max_side=700)).sha256


def test_a_file_that_is_too_heavy_loses_pixels_until_it_fits() -> None:
    made = fitted(DRAWN, PictureLimits(max_bytes=20_000))
    assert LEAST_SIDE < made.height < 768
    assert len(made.data) <= 20_000 < len(fitted(DRAWN, PictureLimits(max_side=int(made.width / 0.9))).data)


def test_thin_lines_become_their_mean_and_do_not_vanish() -> None:
    # One column in four is black, so a quarter of the size is grey: 255 · 3/4 = 191, give or take the edge.
    small = fitted(vl_convert.svg_to_png(STRIPES, scale=1), PictureLimits(max_side=64))
    assert first_pixel(small.data) == pytest.approx((191, 191, 191), abs=10)


def test_a_photograph_becomes_a_png() -> None:
    photograph = vl_convert.svg_to_jpeg(
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><circle cx="300" cy="300" r="90"/></svg>',
        scale=1,
    )
    assert fitted(photograph, PictureLimits()).mime == "image/jpeg"
    made = fitted(photograph, PictureLimits(max_side=450))
    assert image_file(made.data) == ("image/png", 450, 300)


def test_what_cannot_be_brought_within_is_refused_with_its_size() -> None:
    with pytest.raises(DataError, match=r"1024 × 768 pixels, \d+ bytes, can't be brought within 100 bytes"):
        fitted(DRAWN, PictureLimits(max_bytes=100))
    with pytest.raises(DataError, match="expected a PNG or JPEG"):
        fitted(b"GIF89a", PictureLimits(max_side=100))


@given(st.integers(90, 2000), st.integers(10_000, 2_000_000))
@settings(max_examples=6, deadline=None)
def test_no_limit_is_ever_passed_and_nothing_is_enlarged(side: int, pixels: int) -> None:
    made = fitted(DRAWN, PictureLimits(max_side=side, max_pixels=pixels))
    assert max(made.width, made.height) <= min(side, 1024)
    assert made.width * made.height <= pixels
