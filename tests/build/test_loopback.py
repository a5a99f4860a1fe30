"""A whole set through a server on a real socket that behaves like many models at once; every outcome is counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from tests.build.scripted import json_reply
from tests.run.faults import Reply, Sent, problem, said, serving

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
