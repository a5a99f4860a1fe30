"""Scorers by name, built when a study names them: their modules load only then.

Factories take the study's policy for that scorer as keyword arguments, and workers that the edge makes.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from covary.errors import StudyError, nearest
from covary.scoring.case import Scorer

PLACES: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "mathematics": ("covary.scoring.mathematics", "Mathematics", {}),
    "mcq": ("covary.scoring.mcq", "MultipleChoice", {}),
    "detection": ("covary.scoring.detection", "Detection", {}),
    "identification": ("covary.scoring.identification", "Identification", {}),
    "language": ("covary.scoring.language", "LanguageComposition", {}),
    "trace": ("covary.scoring.trace", "Trace", {}),
    "sections": ("covary.scoring.sections", "Sections", {}),
    "judge": ("covary.scoring.judge", "Judged", {}),
    "quantity": ("covary.scoring.quantities", "Quantity", {}),
    "country": ("covary.scoring.countries", "Country", {}),
    "option": ("covary.scoring.options", "Option", {}),
    "depth": ("covary.scoring.depth", "Depth", {}),
    "plausibility": ("covary.scoring.plausibility", "Plausibility", {}),
    "capri-paper": ("covary.scoring.capri_paper", "CapriPaper", {}),
    "recorded": ("covary.scoring.recorded", "Recorded", {}),
    "recorded-identification": ("covary.scoring.recorded", "Recorded", {"field": "secondary_decision"}),
}
"""Name → (module, class, fixed policy)."""

IMPORTED_ONLY = frozenset({"recorded", "recorded-identification"})
"""Scorers that have something to say only of imported responses."""


def build(name: str, policy: Mapping[str, Any] | None = None, workers: Mapping[str, Any] | None = None) -> Scorer:
    """A scorer by name. Raises StudyError for an unknown name or a policy key that the scorer doesn't know."""
    made, fixed = _found(name)
    known = set(inspect.signature(made).parameters)
    for key in policy or {}:
        if key not in known:
            raise StudyError(f"scorer {name!r}: unknown policy {key!r}{nearest(key, known)}")
    usable = {key: worker for key, worker in (workers or {}).items() if key in known}
    return made(**{**usable, **fixed, **(policy or {})})


def version(name: str) -> int:
    """A scorer's version, without building it or starting what it works with."""
    return int(_found(name)[0].version)


def _found(name: str) -> tuple[Any, Mapping[str, Any]]:
    """The class of a scorer and its fixed policy."""
    if name not in PLACES:
        raise StudyError(f"unknown scorer {name!r}{nearest(name, PLACES)}")
    module, attribute, fixed = PLACES[name]
    return getattr(import_module(module), attribute), fixed
