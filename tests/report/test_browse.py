"""The items browser: what its files hold, how they are bounded, and that nothing in them is markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import polars as pl

from covary.report import browse
from covary.report.page import verdict

EVIL = "</script><script>alert(1)</script>\u2028<img src=x>"


def frame(sources: int = 25) -> pl.DataFrame:
    rows = [
        {
            "source_id": f"s{number:03}",
            "item_id": f"s{number:03}-{language}",
            "language": language,
            "condition": "c",
            "model": "m",
            "replicate": 0,
            "request_id": f"r{number}-{language}",
            "scorer": "mathematics",
            # Even source items are right in English only; odd ones have no score in Bangla.
            "value": 1.0 if language == "en" else None if number % 2 else 0.0,
            "answer": EVIL,
            "reason": "as written",
            "detail": "{}",
        }
        for number in range(sources)
        for language in ("bn", "en")
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def items(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        "item_id",
        variant=pl.lit('{"language":"') + pl.col("language") + pl.lit('"}'),
        question=pl.lit("১ + ১?"),
        target=pl.lit("2"),
        options=pl.lit(None, dtype=pl.List(pl.String)),
        conversation=pl.lit(None, dtype=pl.List(pl.Struct({"role": pl.String(), "text": pl.String()}))),
        answer_type=pl.lit("Numerical"),
    )


class Responses:
    """Responses by id; remembers the most that were asked for at once."""

    def __init__(self, text: str = EVIL) -> None:
        self.text, self.most = text, 0

    def __call__(self, ids: list[str]) -> pl.DataFrame:
        self.most = max(self.most, len(ids))
        return pl.DataFrame(
            {"request_id": ids, "status": "ok", "text": self.text, "reasoning": None, "error": None},
            schema_overrides={"reasoning": pl.String, "error": pl.String},
        )


def made(responses: Responses | None = None, most: int = browse.MOST_SCORES) -> dict[str, str]:
    rows = frame()
    return {file.name: file.text for file in browse.files("T <b>", rows, items(rows), responses or Responses(), most)}


def arguments(text: str) -> Any:
    found = re.fullmatch(r"covary\w+\((.*)\);\n", text, re.S)
    assert found is not None
    return json.loads(f"[{found[1]}]")


def test_every_score_is_in_the_index_and_every_source_item_in_one_file() -> None:
    files = made()
    (index,) = arguments(files["index.js"])
    assert len(index["sources"]) == 25
    assert {len(column) for column in index["columns"].values()} == {50}
    parts = [arguments(files[name]) for name in sorted(files) if name.startswith("items-")]
    assert [number for number, _ in parts] == [0, 1, 2]
    assert [source["id"] for _, sources in parts for source in sources] == index["sources"]


def test_a_flip_is_a_difference_of_judgements_and_a_null_is_none() -> None:
    (index,) = arguments(made()["index.js"])
    columns = index["columns"]
    flips = {source for source, flip in zip(columns["source"], columns["flip"], strict=True) if flip}
    assert flips == set(range(0, 25, 2))
    verdicts = [index["verdicts"][number] for number in columns["verdict"]]
    assert (verdicts.count("right"), verdicts.count("wrong"), verdicts.count("none")) == (25, 13, 12)


def test_responses_are_read_a_few_source_items_at_a_time_and_long_ones_are_cut() -> None:
    responses = Responses("a" * 400 + "b" * 5000 + "c" * 600)
    files = made(responses)
    assert responses.most == 2 * browse.SOURCES_PER_FILE
    _, sources = arguments(files["items-0000.js"])
    text = sources[0]["cells"][0]["text"]
    assert sum(len(words) for words, _ in text) < 1400
    assert "4,800 characters not shown" in "".join(words for words, _ in text)


def test_beyond_the_bound_items_with_flips_are_kept_and_the_page_says_what_is_left_out() -> None:
    files = made(most=20)
    (index,) = arguments(files["index.js"])
    assert index["left_out"] == 15
    assert index["sources"] == [f"s{number:03}" for number in range(0, 20, 2)]
    assert "15 further source items are left out" in files["index.html"]


def test_the_page_allows_its_own_script_alone_and_data_are_never_markup() -> None:
    files = made()
    page = files["index.html"]
    script = re.search(r"<script>(.*)</script>", page, re.S)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'strict-dynamic'" in page
    assert "default-src 'none'" in page
    assert page.count("<script") == 1
    assert "T &lt;b&gt;" in page
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "XMLHttp"):
        assert word not in script[1]
    assert all("\u2028" not in text for text in files.values())


def test_a_trace_shows_its_failures_marked_by_kind() -> None:
    span = {"start": 1, "end": 3, "label": "loop", "source": "text"}
    rows = frame(1).with_columns(scorer=pl.lit("trace"), detail=pl.lit(json.dumps({"spans": [span]})))
    files = {file.name: file.text for file in browse.files("T", rows, items(rows), Responses("abcd"))}
    _, sources = arguments(files["items-0000.js"])
    assert sources[0]["cells"][0]["text"] == [["a", ""], ["bc", "loop"], ["d", ""]]
    assert sources[0]["cells"][0]["reasoning"] is None


def test_scorers_that_judge_nothing_right_or_wrong_are_named_in_the_index() -> None:
    (index,) = arguments(made()["index.js"])
    assert "trace" in index["no_rates"]
    assert "mathematics" not in index["no_rates"]
    assert (verdict(1.0, "trace"), verdict(1.0, "mathematics"), verdict(None, "trace")) == (
        "value 1:",
        "right:",
        "not judged:",
    )
