"""MathMist's files → items, and its recorded runs → responses and links.

Reads a folder with corpus/, mcq/, perturbed/ and recorded/ (JSON Lines, gzip). Texts stay byte for byte as published,
faults and all; only labels that code relies on are cleaned (answer type without stray blanks), and `lint` tells the rest.
Imported responses have origin `imported`: their request_id is the digest of (source, model, setting, id, language,
replicate), so that no run can ever send them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from covary import digest, schema
from covary.errors import DataError, nearest
from covary.exchange.rows import read_rows

Part = Literal["corpus", "mcq", "perturbed"]
SOURCE = "MathMist"
LICENCE = "Apache-2.0"
ANSWER_TYPES = {"numerical": "Numerical", "symbolic": "Symbolic", "proof": "Proof"}
_LETTER = re.compile(r"^\s*([A-D])\s*[.)]\s*", re.IGNORECASE)
_FILE = re.compile(
    r"(?P<model>.+?)-(?:q_(?P<question>[a-z]{2})-cot_(?P<cot>[a-z]{2})|(?P<language>[a-z]{2}))\.jsonl(?:\.gz)?"
)


class Recorded(NamedTuple):
    """Recorded runs of others: responses (schema.RESPONSES), the links that place them, and files left out, with why."""

    responses: pl.DataFrame
    links: pl.DataFrame
    left_out: tuple[str, ...]


def read_items(folder: Path, part: Part, languages: Iterable[str] = ()) -> pl.DataFrame:
    """Items (schema.ITEMS) of one part of the corpus, in the languages wanted (all that are there when none is named)."""
    files = _files(folder / part, languages)
    return schema.ITEMS.from_rows(item for path in files for item in _items(path, part))


def read_recorded(folder: Path, items: pl.DataFrame, models: Iterable[str] = ()) -> Recorded:
    """Every recorded run below a folder, linked to the items that it answers.

    Condition names: zero-shot, cot, code-switch-<reasoning language>, cross-lingual, mcq, detect and identify (both from
    the perturbation runs). A recorded row whose item is not among `items` is counted and named in `left_out`.
    """
    root = folder / "recorded" if (folder / "recorded").is_dir() else folder
    if not root.is_dir():
        raise DataError(f"{folder}: expected a folder with recorded/ in it")
    wanted = set(models)
    known = {
        (row["source_id"], row["language"], row["format"]): row["item_id"]
        for row in items.select("source_id", "language", "format", "item_id").iter_rows(named=True)
    }
    responses: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    left_out: list[str] = []
    for path in sorted(root.glob("*/*.jsonl*")):
        run = _FILE.fullmatch(path.name)
        if run is None:
            left_out.append(f"{path.name}: the name is not MODEL-LANGUAGE.jsonl.gz")
            continue
        if wanted and run["model"] not in wanted:
            continue
        missing = 0
        for line, row in read_rows(path):
            cells = list(_cells(row, path, line, run, known))
            missing += not cells
            for response, cell in cells:
                responses.append(response)
                links.append(cell)
        if missing:
            left_out.append(f"{path.parent.name}/{path.name}: {missing} rows answer items that are not in this study")
    if wanted:
        found = {link["model"] for link in links}
        for name in sorted(wanted - found):
            raise DataError(f"{root}: no recorded run of model {name!r}{nearest(name, _models_below(root))}")
    return Recorded(schema.RESPONSES.from_rows(responses), schema.LINKS.from_rows(links), tuple(left_out))


def _files(folder: Path, languages: Iterable[str]) -> list[Path]:
    if not folder.is_dir():
        raise DataError(
            f"{folder}: there is no such folder; expected MathMist's layout: corpus/, mcq/, perturbed/, recorded/"
        )
    paths = {path.name.split(".")[0].split("-")[0]: path for path in sorted(folder.glob("*.jsonl*"))}
    wanted = list(languages) or sorted(paths)
    for code in wanted:
        if code not in paths:
            raise DataError(f"{folder}: no file for language {code!r}{nearest(code, paths)}")
    return [paths[code] for code in wanted]


def _items(path: Path, part: Part) -> Iterator[dict[str, Any]]:
    for line, row in read_rows(path):
        try:
            yield _item(row, part)
        except KeyError as error:
            raise DataError(f"{path}:{line}: field {error} is missing") from None


def _item(row: Mapping[str, Any], part: Part) -> dict[str, Any]:
    language = str(row["lang"])
    variant = {"language": language}
    extra: dict[str, Any] = {key: row[key] for key in ("chapter", "example", "language_label") if key in row}
    facts: dict[str, Any] = {"format": "open", "solution": row["solution"]}
    target = row["exact_answer"]
    if part == "mcq":
        variant["format"] = "mcq"
        letter = str(row["correct_letter"])
        options = [_LETTER.sub("", str(choice), count=1) for choice in row["choices"]]
        facts |= {"format": "mcq", "options": options}
        extra |= {"correct_letter": letter, "exact_answer": target, "shown_options": row["choices"]}
        target = letter
    elif part == "perturbed":
        variant |= {"format": "solution", "perturbation": f"strategy-{row['strategy']}"}
        facts |= {
            "format": "solution",
            "solution": row["wrong_solution"],
            "perturbation": f"strategy-{row['strategy']}",
        }
        extra |= {
            "true_solution": row["solution"],
            "exact_answer": target,
            "error_description": row.get("error_description"),
            "erroneous_part": row.get("erroneous_part"),
            "faulty": True,
        }
        target = "yes"
    source_id = str(row["id"])
    return {
        "source_id": source_id,
        "item_id": digest.item_id(source_id, variant),
        "variant": digest.canonical_json(variant).decode(),
        "language": language,
        "question": row["question"],
        "target": target,
        "answer_type": answer_type(row["answer_type"]),
        "meta": digest.canonical_json(extra).decode(),
        "provenance": digest.canonical_json({"source": SOURCE, "licence": LICENCE, "part": part}).decode(),
        **facts,
    }


def answer_type(label: object) -> str:
    """Numerical, Symbolic or Proof from a label with stray blanks or in another case."""
    word = str(label).strip().lower()
    if word not in ANSWER_TYPES:
        raise DataError(f"answer type {label!r}{nearest(word, ANSWER_TYPES)}")
    return ANSWER_TYPES[word]


Cell = tuple[dict[str, Any], dict[str, Any]]


def _cells(
    row: Mapping[str, Any], path: Path, line: int, run: re.Match[str], known: Mapping[tuple[str, str, str], str]
) -> Iterator[Cell]:
    setting = path.parent.name
    language = run["question"] or run["language"]
    form = {"mcq": "mcq", "perturbation": "solution"}.get(setting, "open")
    if "id" not in row:
        raise DataError(f"{path}:{line}: field 'id' is missing")
    item = known.get((str(row["id"]), language, form))
    if item is None:
        return
    for condition, text, recorded in _readings(row, setting, run["cot"]):
        key = digest.digest(
            {
                "source": SOURCE,
                "model": run["model"],
                "setting": f"{setting}/{condition}",
                "id": row["id"],
                "language": language,
                "replicate": 0,
            }
        )
        detail: dict[str, Any] = {"recorded": recorded}
        extracted = row.get("extracted")
        if text is None and isinstance(extracted, list):
            detail["extracted"] = [str(entry) for entry in extracted]
        yield (
            {
                "request_id": key,
                "status": "ok",
                "text": text,
                "attempts": 0,
                "detail": digest.canonical_json(detail).decode(),
                "origin": "imported",
                "model_reported": run["model"],
            },
            {"item_id": item, "condition": condition, "model": run["model"], "replicate": 0, "request_id": key},
        )


def _readings(
    row: Mapping[str, Any], setting: str, cot: str | None
) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """(condition, text, recorded decision) of a recorded row: one, or two for a perturbation run."""
    text = row.get("generated")
    judged = {"decision": row.get("decision"), "judge": row.get("judge"), "confidence": row.get("judge_confidence")}
    judged |= {"reason": row.get("judge_reason")}
    if setting == "perturbation":
        shown = row.get("error_text") or row.get("no_error_text")
        secondary = row.get("secondary_decision")
        yield "detect", shown, {**judged, "secondary_decision": secondary, "answer": row.get("decision")}
        yield "identify", shown, {**judged, "secondary_decision": secondary, "answer": row.get("decision")}
    elif setting == "mcq":
        credit = row.get("is_correct")
        recorded = {"decision": None if credit is None else str(credit).lower(), "answer": row.get("predicted_letter")}
        yield "mcq", text, recorded
    else:
        condition = {"code-switch": f"code-switch-{cot}", "cross-lingual-150": "cross-lingual"}.get(setting, setting)
        extracted = row.get("extracted") or []
        recorded = {**judged, "answer": str(extracted[0]) if extracted else None}
        yield condition, text, recorded


def _models_below(root: Path) -> set[str]:
    return {run["model"] for path in root.glob("*/*.jsonl*") if (run := _FILE.fullmatch(path.name))}
