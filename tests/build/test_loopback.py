"""A whole set through a server on a real socket that behaves like many models at once; every outcome is counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import resvg_py
from tests.build.scripted import json_reply
from tests.run.faults import Reply, Script, Sent, problem, said, serving

from covary.cli import building
from covary.exchange.items_file import read_items_file, write_items_file
from covary.items.loading import load_items

MANNERS = (
    "good",
    "chatty",
    "cut off",
    "damaged",
    "another language",
    "numbers changed",
    "refuses",
    "loops",
    "good",
    "approved with text",
)


def english(number: int) -> str:
    return f"Find the sum of the numbers {number} and 3.5. Write the result as a decimal number."


def finnish(number: int) -> str:
    return f"Laske lukujen {number} ja 3,5 summa. Kirjoita tulos desimaalilukuna."


def as_translator(manner: str, number: int) -> Reply:
    good = finnish(number)
    match manner:
        case "chatty":
            return said(json_reply(translation=f"Tässä on käännös suomeksi:\n\n{good}"))
        case "cut off":
            return said('{"translation": "Laske lukujen', finish="length")
        case "damaged":
            return said('{"translation": "Laske "lukujen" summa}')
        case "another language":
            return said(
                json_reply(
                    translation=f"Calculez la somme des nombres {number} et 3,5. Écrivez le résultat en décimal."
                )
            )
        case "numbers changed":
            return said(json_reply(translation=finnish(number + 1)))
        case "refuses":
            return said(None, finish="content_filter", refusal="I can't do that.")
        case "loops":
            return said(json_reply(translation=good + " Kirjoita tulos." * 20))
        case _:
            return said(json_reply(translation=good))


def test_a_set_comes_through_a_server_with_good_and_bad_manners(tmp_path: Path) -> None:
    manners = {100 + at: manner for at, manner in enumerate(MANNERS * 2)}
    seen: Counter[str] = Counter()

    def script(sent: Sent) -> Reply:
        found = re.search(r"numbers (\d{3}) and|lukujen (\d{3}) ja", sent.text)
        assert found is not None
        number = int(found[1] or found[2])
        verifying = '"verdict"' in sent.text
        seen["verify" if verifying else "translate"] += 1
        if sent.before == 0 and number % 7 == 0:
            return problem(503, "busy")  # a hiccup: tried again by the run, not by the pass
        if not verifying:
            return as_translator(manners[number], number)
        if manners[number] == "approved with text":
            return said(f"APPROVED\n\n{finnish(number)}")
        return said(json_reply(verdict="approved", text=None, reasons=[]))

    rows = [
        {"id": f"q{number}", "question": english(number), "target": str(number + 3.5), "answer_type": "Numerical"}
        for number in manners
    ]
    write_items_file(load_items(rows, "rows", defaults={"language": "en"}), tmp_path / "items.jsonl")
    with serving(script) as server:
        (tmp_path / "study.toml").write_text(
            'name = "build"\nformat = 1\n\n[[items]]\nsource = "templates"\n\n[[models]]\nname = "m"\n'
            f'[models.transport]\nkind = "http"\nbase_url = "{server.url}"\n',
            encoding="utf-8",
        )
        command = (str(tmp_path / "items.jsonl"), ["fi"], "m", str(tmp_path), tmp_path / "out.jsonl")
        building.translate(*command, rounds=2, back=False)
        asked = seen.total()
        building.translate(*command, rounds=2, back=False)
    assert seen.total() == asked  # the second run sent nothing
    made = read_items_file(tmp_path / "out.jsonl")
    good = [number for number, manner in manners.items() if manner == "good"]
    assert sorted(made["question"]) == sorted(finnish(number) for number in good)
    assert sorted(made["target"]) == sorted(str(number + 3.5).replace(".", ",") for number in good)
    flagged = [json.loads(line) for line in (tmp_path / "out.flagged.jsonl").read_text().splitlines()]
    assert len(flagged) == len(manners) - len(good)
    assert {row["field"] for row in flagged} == {"question"}


BADLY: tuple[Callable[[str], Reply], ...] = (
    lambda good: said(f"Certainly! Here is what you asked for.\n\n{good[:-3]}"),
    lambda good: said(good[: len(good) // 2], finish="length"),
    lambda good: said(good.replace('":', '"', 1)),
    lambda good: said(None, finish="content_filter", refusal="I can't do that."),
    lambda good: said(good + "\n" + good),
    lambda good: said(""),
)


def mannered(good: Callable[[Sent], tuple[int, str]]) -> Script:
    """A server that answers every second problem well and the others each in one bad manner."""

    def script(sent: Sent) -> Reply:
        number, text = good(sent)
        if sent.before == 0 and number % 4 == 0:
            return problem(503, "busy")
        return said(text) if number % 2 == 0 else BADLY[number // 2 % len(BADLY)](text)

    return script


def declared(folder: Path, url: str) -> str:
    """A study whose one model is the server, with eyes."""
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(
        'name = "build"\nformat = 1\n\n[[items]]\nsource = "templates"\n\n[[models]]\nname = "m"\n'
        f'inputs = ["text", "image"]\n[models.transport]\nkind = "http"\nbase_url = "{url}"\n',
        encoding="utf-8",
    )
    return str(folder)


def written(folder: Path, count: int, **fields: str) -> str:
    """A file of problems numbered from 100, whose texts name their number."""
    rows = [
        {"id": f"q{at}", **{name: text.replace("#", str(at)) for name, text in fields.items()}}
        for at in range(100, 100 + count)
    ]
    write_items_file(load_items(rows, "rows", defaults={"language": "en"}), folder / "items.jsonl")
    return str(folder / "items.jsonl")


def blank_png(side: int) -> bytes:
    """A white square; another side is another picture."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}"><rect width="99" height="99" fill="#fff"/></svg>'
    return bytes(resvg_py.svg_to_bytes(svg_string=svg))


def number_in(sent: Sent) -> int:
    found = re.search(r"the number (\d{3})", sent.text)
    assert found is not None
    return int(found[1])


def test_choices_come_through_such_a_server(tmp_path: Path) -> None:
    def good(sent: Sent) -> tuple[int, str]:
        number = number_in(sent)
        texts = [str(number + 1), str(number + 10), str(2 * number)]
        return number, json_reply(options=[{"text": text, "pool": "calculation", "kind": "slip"} for text in texts])

    items = written(tmp_path, 12, question="What is the number # plus 0?", target="#", answer_type="Numerical")
    with serving(mannered(good)) as server:
        building.choices(items, tmp_path / "out.jsonl", model="m", study=declared(tmp_path / "s", server.url))
    made = read_items_file(tmp_path / "out.jsonl")
    assert sorted(made["source_id"]) == [f"q{number}" for number in range(100, 112, 2)]
    flagged = [json.loads(line) for line in (tmp_path / "out.flagged.jsonl").read_text().splitlines()]
    assert sorted(row["source_id"] for row in flagged) == [f"q{number}" for number in range(101, 112, 2)]


def test_tags_come_through_such_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def good(sent: Sent) -> tuple[int, str]:
        return number_in(sent), json_reply(answer_type="Proof", domain="Number Theory", needs_figure=False)

    items = written(tmp_path, 12, question="Is the number # odd?", target="it is", answer_type="text")
    with serving(mannered(good)) as server:
        building.tag(items, tmp_path / "out.jsonl", model="m", study=declared(tmp_path / "s", server.url))
    made = read_items_file(tmp_path / "out.jsonl")
    proofs = made.filter(pl.col("answer_type") == "Proof")
    assert sorted(proofs["source_id"]) == [f"q{number}" for number in range(100, 112, 2)]
    assert "left open: 6" in capsys.readouterr().out


def test_planted_errors_come_through_such_a_server(tmp_path: Path) -> None:
    def good(sent: Sent) -> tuple[int, str]:
        number = number_in(sent)
        if '"hints"' in sent.text:
            told = [{"number": at, "present": True, "line": at} for at in (1, 2)]
            return number, json_reply(errors=told, hints=False)
        if '"complete"' in sent.text:
            return number, json_reply(right=True, complete=True, reason="")
        if "in other words" in sent.text:
            lines = [
                f"One takes the number {number} and adds the number to itself.",
                f"Adding {number} to {number} gives {2 * number} as a result.",
                str(2 * number),
            ]
            return number, json_reply(solutions={"en": lines})
        lines = [
            f"The number {number} is even here, so every number that one doubles is even: {2 * number}.",
            f"Doubled numbers are even, and {2 * number} is even, so it must have been doubled.",
            str(2 * number),
        ]
        errors = [
            {"type": "overgeneralization", "line": 1, "explanation": {"en": "one case is no proof"}},
            {"type": "logical fallacy", "line": 2, "explanation": {"en": "the converse is used"}},
        ]
        return number, json_reply(solutions={"en": lines}, errors=errors)

    rows = [
        {
            "id": f"q{at}",
            "question": f"Double the number {at}.",
            "solution": f"Twice the number {at} is the sum of it with itself.\nThat is {at} and {at}, which makes {2 * at}.\n{2 * at}",
            "target": str(2 * at),
            "answer_type": "Numerical",
        }
        for at in range(100, 112)
    ]
    write_items_file(load_items(rows, "rows", defaults={"language": "en"}), tmp_path / "items.jsonl")
    with serving(mannered(good)) as server:
        study = declared(tmp_path / "s", server.url)
        building.perturb(str(tmp_path / "items.jsonl"), "strategy-2", "m", study, tmp_path / "out.jsonl", rounds=1)
    made = read_items_file(tmp_path / "out.jsonl")
    assert sorted(made["source_id"]) == [f"q{number}" for number in range(100, 112, 2) for _ in range(3)]
    assert dict(made["perturbation"].value_counts().rows()) == {"strategy-2": 6, "clean": 6, "paraphrase": 6}
    flagged = [json.loads(line) for line in (tmp_path / "out.flagged.jsonl").read_text().splitlines()]
    assert len(flagged) == 6


def test_pages_come_through_such_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order: dict[str, int] = {}

    def good(sent: Sent) -> tuple[int, str]:
        picture = json.dumps(sent.body["messages"][-1]["content"])
        number = order.setdefault(picture, 100 + len(order))
        return number, json_reply(problems=[{"question": f"Find {number}.", "solution": None, "answer": str(number)}])

    files = [tmp_path / f"page{at}.png" for at in range(12)]
    for at, file in enumerate(files):
        file.write_bytes(blank_png(8 + at))
    with serving(mannered(good)) as server:
        study = declared(tmp_path / "s", server.url)
        building.read_pages(files, tmp_path / "queue.jsonl", "model", "en", "m", study)
    rows = [json.loads(line) for line in (tmp_path / "queue.jsonl").read_text().splitlines()]
    assert sorted(row["answer"] for row in rows) == [str(number) for number in range(100, 112, 2)]
    assert "6 rows to review" in capsys.readouterr().out
