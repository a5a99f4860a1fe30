"""Reading pages: Tesseract's text against what was printed, a vision model's replies, and a queue that counts corrections."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from tests.build.printed import page, texts
from tests.build.scripted import MODEL, REFUSED, ask, json_reply

from covary.build.pages import Page, character_error_rate, plan_pages, read_pages, reviewed, text_row
from covary.digest import sha256_hex
from covary.errors import DataError, UsageError
from covary.prompts.requests import Model
from covary.run.page_files import pages_of
from covary.run.tesseract import page_text
from covary.run.transport import Answer

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="Tesseract is missing: apt-get install tesseract-ocr tesseract-ocr-ben"
)
SEES = Model(MODEL.name, inputs=("text", "image"), transport=MODEL.transport)
GOOD = json_reply(
    problems=[
        {
            "question": "Find $\\frac{1}{2} + 1$.",
            "solution": "It is $1.5$.",
            "answer": "1.5",
            "needs_figure": False,
            "unsure": [],
        },
        {"question": "Find the angle.", "solution": None, "answer": None, "needs_figure": True, "unsure": ["angle"]},
    ]
)


@needs_tesseract
@pytest.mark.parametrize(("language", "most"), [("en", 0.02), ("bn", 0.05)])
def test_a_clean_page_is_read(language: str, most: float) -> None:
    picture, printed = page(texts(language, 1)[0], language)
    assert character_error_rate(page_text(picture, language), printed) <= most


@needs_tesseract
@pytest.mark.slow
@pytest.mark.parametrize(("language", "most"), [("en", 0.02), ("bn", 0.05)])
def test_twenty_clean_pages_are_read(language: str, most: float) -> None:
    rates = []
    for text in texts(language, 20):
        picture, printed = page(text, language)
        rates.append(character_error_rate(page_text(picture, language), printed))
    assert len(rates) == 20
    assert sum(rates) / 20 <= most


@needs_tesseract
def test_an_empty_page_gives_no_row_and_bytes_that_are_no_picture_one_line() -> None:
    picture, _ = page("", "en")
    assert text_row("p", page_text(picture, "en"), "en") is None
    with pytest.raises(DataError, match="can't read it"):
        page_text(b"no picture", "en")
    with pytest.raises(UsageError, match="no language pack"):
        page_text(picture, "kk-none")


def test_the_error_rate_counts_edits_over_the_reference() -> None:
    assert character_error_rate("abc", "abc") == 0
    assert character_error_rate("a c", "abc") == pytest.approx(1 / 3)
    assert character_error_rate("", "abcd") == 1
    assert character_error_rate("a  b\nc", "a b c") == 0  # blanks and line breaks don't count
    with pytest.raises(UsageError):
        character_error_rate("a", " ")


def pages(*names: str) -> list[Page]:
    return [Page(name, sha256_hex(name.encode())) for name in names]


def test_a_vision_models_page_becomes_queue_rows_with_latex_whole(tmp_path: Path) -> None:
    plan = plan_pages(pages("a"), SEES, "en")
    found = read_pages(pages("a"), plan.links, ask(tmp_path, plan, lambda _: GOOD), "en")
    assert [row["question"] for row in found.rows] == ["Find $\\frac{1}{2} + 1$.", "Find the angle."]
    assert [row["needs_figure"] for row in found.rows] == [False, True]
    assert found.left_out == {}


BAD: dict[str, str | Answer] = {
    "nothing on it": json_reply(problems=[]),
    "chatty": "Here is what I can see on the page: a problem about angles.",
    "truncated": Answer("truncated", text=GOOD[:80], finish_reason="length"),
    "damaged JSON": GOOD[:-3],
    "refuses": REFUSED,
    "loops": json_reply(problems=[{"question": "Find x."}] * 5),
    "endless": json_reply(problems=[{"question": f"Find {n}."} for n in range(90)]),
    "no question": json_reply(problems=[{"solution": "It is 3."}]),
    "a list for a text": json_reply(problems=[{"question": "Find x.", "solution": ["It is 3."]}]),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_page_is_left_out_with_its_reason_and_the_rest_goes_on(kind: str, tmp_path: Path) -> None:
    both = pages("bad", "good")
    plan = plan_pages(both, SEES, "en")
    replies = iter([BAD[kind], GOOD])
    bad_id = plan.links["request_id"][0]
    by_id = {bad_id: ask(tmp_path / "bad", plan._replace(requests=plan.requests.head(1)), lambda _: next(replies))}
    other = ask(tmp_path / "good", plan._replace(requests=plan.requests.tail(1)), lambda _: next(replies))
    found = read_pages(both, plan.links, by_id[bad_id].vstack(other), "en")
    assert list(found.left_out) == ["bad"]
    assert {row["page"] for row in found.rows} == {"good"}


def test_a_damaged_or_chatty_problem_keeps_its_flags(tmp_path: Path) -> None:
    plan = plan_pages(pages("a"), SEES, "en")
    reply = json_reply(problems=[{"question": "Find $x.", "solution": "It is {3."}])
    row = read_pages(pages("a"), plan.links, ask(tmp_path, plan, lambda _: reply), "en").rows[0]
    assert row["flags"] == ["question: a $ is left open", "solution: a bracket { is left open or over"]


def test_corrections_are_counted_and_dropped_rows_stay_out() -> None:
    rows = [text_row(f"p{n}", f"Find {n}.", "en") for n in range(4)]
    verdicts = [
        {"verdict": "ok"},
        {"verdict": "error", "corrections": {"question": "Find one.", "answer": "1", "answer_type": "Numerical"}},
        {"verdict": "drop"},
        {"verdict": "ok", "corrections": {"question": "Find 3."}},
    ]
    done = reviewed(
        [{**(row or {}), **verdict} for row, verdict in zip(rows, verdicts, strict=True)], "a book", "CC-BY-4.0"
    )
    assert (done.seen, done.corrected, done.dropped, done.items.height) == (4, 1, 1, 3)
    assert done.items["question"].to_list() == ["Find 0.", "Find one.", "Find 3."]
    assert done.items["target"].to_list() == [None, "1", None]
    with pytest.raises(DataError, match="pages row 1: verdict None"):
        reviewed([rows[0] or {}], "a book", "CC-BY-4.0")


def test_a_model_without_eyes_is_refused() -> None:
    with pytest.raises(UsageError, match="takes no pictures"):
        plan_pages(pages("a"), MODEL, "en")


def test_files_that_are_no_pages_are_told_in_one_line(tmp_path: Path) -> None:
    text = tmp_path / "notes.png"
    text.write_text("not a picture")
    with pytest.raises(DataError, match="expected a PNG, JPEG or PDF"):
        list(pages_of(text))
    with pytest.raises(DataError, match="can't be read"):
        list(pages_of(tmp_path / "none.png"))
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    with pytest.raises(DataError, match="it is damaged"):
        list(pages_of(broken))


def test_a_pdf_gives_a_picture_per_page_and_one_with_a_password_one_line(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("pypdfium2", reason="the extra covary[pdf] is not installed")
    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 400)
    writer.add_blank_page(300, 400)
    buffer = io.BytesIO()
    writer.write(buffer)
    (tmp_path / "two.pdf").write_bytes(buffer.getvalue())
    found = list(pages_of(tmp_path / "two.pdf"))
    assert [one.name for one in found] == ["two.pdf#1", "two.pdf#2"]
    assert all(one.data.startswith(b"\x89PNG") for one in found)
    writer.encrypt("secret", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    (tmp_path / "locked.pdf").write_bytes(buffer.getvalue())
    with pytest.raises(DataError, match="it has a password"):
        list(pages_of(tmp_path / "locked.pdf"))
