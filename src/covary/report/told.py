"""Figures whose marks tell their exact figures: every mark drawn from a row carries a title, and the series that it belongs to.

A title is what a browser shows under the pointer, so that a figure speaks without any script; the page's script reads the
same titles (keys, toggles of series). The title goes through the drawing as the mark's description, between separators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast
from xml.etree import ElementTree

Spec = dict[str, Any]
SPOKEN = frozenset({"point", "rule", "bar", "rect", "circle", "square", "tick"})
TIP, DESCRIPTION = "tip", "told"
GEOMETRY = frozenset({"start", "end", "middle", "from", "to", "text", TIP})
"""Fields of rows that only place a mark."""
SEPARATOR = "\u2063"
SVG = "{http://www.w3.org/2000/svg}"
ElementTree.register_namespace("", SVG[1:-1])


class Series(NamedTuple):
    """A series of a figure that can be hidden, with its colour."""

    name: str
    colour: str


def tip(name: str, value: float, low: float | None, high: float | None, n: int | None, unit: str = "%") -> str:
    """What a mark says: its name, its value with two decimals, its interval and the number of source items."""
    ends = "" if low is None or high is None else f"95 % interval {low:.2f} to {high:.2f}"
    items = "" if n is None else f"{n:,} source items"
    beside = "; ".join(part for part in (ends, items) if part)
    return f"{name}: {value:.2f} {unit}" + (f" ({beside})" if beside else "")


def describe(spec: Spec) -> Spec:
    """A specification whose marks carry their rows' tips; rows without one tell all their fields. A figure whose data don't stand at
    the top (boxes and arrows) stays as it is."""
    rows = cast("list[Mapping[str, Any]]", spec.get("data", {}).get("values") or [])
    if not rows:
        return spec
    field = _series_field(spec)
    told = [{**row, DESCRIPTION: _description(row, field)} for row in rows]
    return {**_described(spec), "data": {"values": told}}


def title(svg: str) -> str:
    """Drawn SVG with titles in place of descriptions, series named on marks, and no other spoken part."""
    root = ElementTree.fromstring(svg)
    colours: dict[str, str] = {}
    for element in root.iter():
        spoken = element.attrib.pop("aria-label", "")
        for name in [name for name in element.attrib if name == "role" or name.startswith("aria-")]:
            del element.attrib[name]
        if spoken.startswith(SEPARATOR):
            _, series, text = spoken.split(SEPARATOR, 2)
            element.set("class", "told")
            ElementTree.SubElement(element, f"{SVG}title").text = text
            if series:
                element.set("data-series", series)
                colours.setdefault(_colour(element), series)
    for group in root.iter(f"{SVG}g"):
        if "role-mark" in group.get("class", "").split():
            for element in group:
                if "data-series" not in element.attrib and _colour(element) in colours:
                    element.set("data-series", colours[_colour(element)])
    return ElementTree.tostring(root, encoding="unicode")


def series(svg: str) -> list[Series]:
    """The series of a titled figure, in the order of its marks; none where there is but one."""
    found: dict[str, str] = {}
    for element in ElementTree.fromstring(svg).iter():
        name = element.get("data-series")
        if name and _colour(element) != "none":
            found.setdefault(name, _colour(element))
    return [Series(name, colour) for name, colour in found.items()] if len(found) > 1 else []


def _described(spec: Spec, inherited: Spec | None = None) -> Spec:
    own: Spec = spec.get("encoding", {})
    encoding: Spec = {**(inherited or {}), **own}
    inner: Spec = {
        name: [_described(part, encoding) for part in cast("Sequence[Spec]", spec[name])]
        for name in ("layer", "hconcat", "vconcat", "concat")
        if name in spec
    }
    if "spec" in spec:
        inner["spec"] = _described(spec["spec"], encoding)
    if _kind(spec) in SPOKEN and _of_rows(encoding):
        inner["encoding"] = {**own, "description": {"field": DESCRIPTION}}
    return {**spec, **inner}


def _kind(spec: Spec) -> str:
    mark: Any = spec.get("mark", "")
    return str(cast("Spec", mark).get("type") if isinstance(mark, dict) else mark)


def _of_rows(encoding: Spec) -> bool:
    """Whether marks stand for rows: some channel shows a field, and none sums several rows up."""
    channels = [cast("Spec", channel) for channel in encoding.values() if isinstance(channel, dict)]
    return any("field" in channel for channel in channels) and not any("aggregate" in channel for channel in channels)


def _series_field(spec: Spec) -> str | None:
    """The field that colours tell apart, in the first part of a specification that has one."""
    for channel in ("color", "fill"):
        found = spec.get("encoding", {}).get(channel, {})
        if "field" in found:
            return str(found["field"])
    parts = [*spec.get("layer", ()), *([spec["spec"]] if "spec" in spec else ())]
    return next((field for part in parts if (field := _series_field(part))), None)


def _description(row: Mapping[str, Any], field: str | None) -> str:
    series = str(row.get(field) or "") if field else ""
    text = row.get(TIP) or "; ".join(
        f"{name.replace('_', ' ')}: {value:.2f}" if isinstance(value, float) else f"{name.replace('_', ' ')}: {value}"
        for name, value in row.items()
        if value is not None and value != "" and name not in GEOMETRY
    )
    return SEPARATOR + series.replace(SEPARATOR, "") + SEPARATOR + str(text)


def _colour(element: ElementTree.Element) -> str:
    fill = element.get("fill", "none")
    return fill if fill != "none" else element.get("stroke", "none")
