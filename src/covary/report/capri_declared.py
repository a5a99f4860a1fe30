"""Tables that are declarations and no results: accepted units, conventions by country, models, levels of reasoning depth (the
paper's Tables 3, 4, 7 and 8)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from covary.culture.knowledge import COUNTRY_NAMES
from covary.culture.units import CONCEPTS, DIMENSION, SYSTEMS, accepted, unit_lexicon
from covary.prompts.requests import Model
from covary.report.capri_frame import CULTURES, Shown, Study
from covary.scoring.capri_paper import CURRENCY_FORMS, UNIT_FORMS

SHOWN_FORMS = 12
LEFT_OUT = "left out"
# The deepest level that a trace reaches counts; examples of ours.
DEPTHS = (
    ("L0", "no cue", "Nothing of the user's background is named: the trace reads the picture.", "The scale ends at 40."),
    ("L1", "cue named", "A cue is named (a name, a brand, a format, a currency), and nothing is made of it.",
     "The user mentions Rav-Kav, but the question is about the room."),
    ("L2", "cue → identity", "From where the user is, is stated as a finding, hedged or not.",
     "Someone who pays with Rav-Kav is probably Israeli."),
    ("L3", "identity → answer", "A causal word leads from that identity, or its country's convention, to the unit or word answered.",
     "The user is Israeli, so I give the size in square metres."),
)  # fmt: skip


def tables(study: Study, lines: Sequence[str] = ()) -> list[Shown]:
    """The four tables. `lines`: the lines of checkpoints that have scores."""
    found = [
        Shown(
            "capri-unit-forms",
            "What counts as an answer in a system or currency: the published forms (scorer capri-paper), and how many forms of "
            "all languages ours knows (scorer quantity), some of them named. Units composed of these (square, per) are read too.",
            unit_forms(),
        ),
        Shown("capri-conventions", "Unit system and currency that count as adapted, by country.", conventions()),
        Shown(
            "capri-depth-levels", "Levels of reasoning depth. A trace has the deepest that it reaches.", depth_levels()
        ),
    ]
    if study.models:
        caption = "Models of the study. Checkpoints of one line stand for one model in all other tables."
        found.append(Shown("capri-models", caption, models(study.models, lines)))
    return found


def unit_forms() -> pl.DataFrame:
    """One row per concept × system or currency: published forms, number of forms read, and some of them."""
    rows: list[dict[str, object]] = []
    for concept in CONCEPTS:
        published = CURRENCY_FORMS if concept == "price" else UNIT_FORMS[concept]
        senses = unit_lexicon(concept).senses
        for value in published if concept == "price" else SYSTEMS:
            own = sorted(
                form for form, sense in senses.items() if sense.value == value and sense.dimension == DIMENSION[concept]
            )
            latin = [form for form in own if form.isascii() and form.replace(" ", "").isalpha()][:SHOWN_FORMS]
            rows.append(
                {
                    "concept": concept,
                    "counts as": value,
                    "published forms": ", ".join(published[value]),
                    "forms read": len(own),
                    "some of them": ", ".join(latin),
                }
            )
    return pl.DataFrame(rows)


def conventions() -> pl.DataFrame:
    """One row per country: what is accepted for each concept by default; "left out" where practice is mixed."""
    return pl.DataFrame(
        [
            {
                "country": COUNTRY_NAMES[culture].removeprefix("the "),
                **{concept: ", ".join(sorted(accepted(culture, concept))) or LEFT_OUT for concept in CONCEPTS},
            }
            for culture in CULTURES
        ]
    )


def models(declared: Sequence[Model], lines: Sequence[str] = ()) -> pl.DataFrame:
    """One row per checkpoint, as declared; `answered`: whether its line has scores here."""
    return pl.DataFrame(
        [
            {
                "model": model.checkpoint_of or model.name,
                "checkpoint": model.served_name or model.name,
                "family": model.family,
                "parameters (billion)": model.parameters_b,
                "thinks": model.thinks or ("switch" if model.thinking_on or model.thinking_off else "never"),
                "takes": " and ".join("pictures" if kind == "image" else kind for kind in model.inputs),
                "developer": model.developer,
                "country": model.developer_country,
                "licence": model.licence,
                "answered here": (model.checkpoint_of or model.name) in lines,
            }
            for model in declared
            if model.role == "subject"
        ],
        schema_overrides={"parameters (billion)": pl.Float64()},
        infer_schema_length=None,
    )


def depth_levels() -> pl.DataFrame:
    """One row per level: name, definition, example."""
    return pl.DataFrame(DEPTHS, schema=["level", "name", "what it needs", "example"], orient="row")
