"""Rooms: floor plans, views and cutaways with rulers of two scales, and garages with cars in them."""

from __future__ import annotations

import math
from collections.abc import Callable

from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.digits import figure, stroked
from covary.build.pictures.drawing.gauges import Face, Scale, column, rule
from covary.build.pictures.drawing.svg import (
    Point,
    circle,
    ellipse,
    line,
    path,
    polar,
    polygon,
    rect,
)
from covary.build.pictures.spec import PictureSpec

FOOT = 0.3048
FACE = Face("#fffdf5", "#22252b", "#b23a2e")
FLOORS = ("#e6cfa8", "#d9c2a0", "#cfd6d2", "#e0d3c4", "#c9b391", "#dcd6c8")


def draw(spec: PictureSpec) -> str:
    """The scene of one room size."""
    return _SCENES[spec.scene](spec)


def _feet(number: float) -> float:
    return number * FOOT


def _rulers_of(metres: float, per_metre: float) -> tuple[Scale, Scale]:
    """Two scales for a wall: metres up to its length, feet up to the same."""
    whole = math.ceil(metres - 1e-9)
    step = 2 if per_metre > 85 else 5
    feet = math.floor(whole / FOOT / step) * step
    return Scale(0, whole, 1, 10 if per_metre > 85 else 2), Scale(0, feet, step, step, _feet)


def _flat_ruler(x: float, y: float, metres: float, per_metre: float) -> str:
    upper, lower = _rulers_of(metres, per_metre)
    return rule(x, y, upper.high * per_metre, 96, upper, lower, 20, FACE, FACE.ground)


def _upright_ruler(x: float, bottom: float, metres: float, per_metre: float) -> str:
    left, right = _rulers_of(metres, per_metre)
    top = bottom - left.high * per_metre
    return rect(x - 58, top - 14, 116, bottom - top + 28, FACE.ground) + column(
        x, top, bottom, left, right, 4, 20, FACE
    )


def _sheet(spec: PictureSpec) -> str:
    """What the plan is drawn on."""
    kind = int(spec.number("palette")) % 3
    if kind == 0:
        return s.planks(s.palette(spec).wood) + rect(20, 14, 984, 740, "#f7f4ea", 6)
    if kind == 1:
        return s.everywhere("#2f4f74") + "".join(
            line(-160, k, 1190, k, "#ffffff18", 2) + line(k, -160, k, 930, "#ffffff18", 2)
            for k in range(-160, 1190, 32)
        )
    return s.everywhere("#e9ece6")


def _fit(width: float, depth: float) -> tuple[float, float, float]:
    """Pixels per metre, and the room's left edge and lower edge, with space for the rulers."""
    whole, deep = math.ceil(width), math.ceil(depth)
    per_metre = min(740 / whole, 560 / deep)
    left = 190 + (790 - whole * per_metre) / 2
    return per_metre, left, 630.0


def _plan(spec: PictureSpec) -> str:
    width, depth = spec.number("width"), spec.number("depth")
    m, left, low = _fit(width, depth)
    top = low - depth * m
    floor = FLOORS[int(spec.number("palette"))]
    room = rect(left, top, width * m, depth * m, floor, stroke="#3a3a3a", line=12) + _door_gap(
        left + width * m * 0.62, top, m
    )
    inside = _furniture(spec.word("room"), left, top, width, depth, m, s.palette(spec).accent, width)
    return s.tilted(
        _sheet(spec) + room + inside + _flat_ruler(left, low + 16, width, m) + _upright_ruler(left - 76, low, depth, m),
        spec.number("angle") * 0.3,
    )


def _door_gap(x: float, top: float, m: float) -> str:
    """A door in the far wall, 0.9 m wide, opening inwards."""
    w = 0.9 * m
    return (
        line(x, top, x + w, top, "#f7f4ea", 13)
        + line(x, top, x, top + w, "#3a3a3a", 5)
        + path(f"M{x:.1f} {top + w:.1f}A{w:.1f} {w:.1f} 0 0 0 {x + w:.1f} {top:.1f}", stroke="#3a3a3a", width=2)
    )


def _bed_top(x: float, y: float, m: float, accent: str, wide: float = 1.5) -> str:
    return (
        rect(x, y, wide * m, 2 * m, "#ffffff", 6, stroke="#6d5a45", line=4)
        + rect(x, y + 0.7 * m, wide * m, 1.3 * m, accent, 6)
        + "".join(
            rect(
                x + (0.08 + k * wide / 2) * m,
                y + 0.1 * m,
                (wide / 2 - 0.16) * m,
                0.4 * m,
                "#f2efe6",
                8,
                stroke="#c9c2b4",
                line=2,
            )
            for k in range(2)
        )
    )


def _furniture(
    kind: str, left: float, top: float, width: float, depth: float, m: float, accent: str, beside: float
) -> str:
    """What stands in a room: `beside` metres are free along the far wall."""
    right, low = left + width * m, top + depth * m
    if kind == "bed":
        stand = rect(left + 1.85 * m, top + 0.12 * m, 0.4 * m, 0.4 * m, "#8a6242", 3) if beside >= 2.3 else ""
        return (
            _bed_top(left + 0.25 * m, top + 0.1 * m, m, accent)
            + stand
            + rect(left + 0.3 * m, low - 0.65 * m, 1.4 * m, 0.55 * m, "#a9764a", 3, stroke="#6d4a30", line=3)
        )
    if kind == "kitchen":
        return (
            rect(left + 0.06 * m, top + 0.06 * m, 0.6 * m, (depth - 0.12) * m, "#b9b4a8", 3, stroke="#7d776a", line=3)
            + "".join(
                circle(left + (0.22 + 0.28 * (k % 2)) * m, top + (0.4 + 0.3 * (k // 2)) * m, 0.1 * m, "#3a3f44")
                for k in range(4)
            )
            + rect(left + 0.16 * m, low - 0.8 * m, 0.4 * m, 0.5 * m, "#dfe6ea", 6, stroke="#8a9096", line=3)
            + rect(right - 1.1 * m, low - 0.95 * m, 0.9 * m, 0.7 * m, "#a9764a", 6)
            + "".join(
                rect(right - (0.95 - 0.45 * k) * m, low - 1.25 * m, 0.35 * m, 0.25 * m, accent, 5) for k in range(2)
            )
        )
    if kind == "sofa":
        return (
            rect(left + 0.1 * m, low - 2.5 * m, 0.9 * m, 2.1 * m, accent, 12, stroke="#00000044", line=3)
            + rect(left + 1.35 * m, low - 1.9 * m, 0.6 * m, 1 * m, "#a9764a", 6)
            + rect(right - 0.5 * m, top + 1.4 * m, 0.4 * m, 1.8 * m, "#6d5a45", 4)
            + ellipse(left + 2.9 * m, low - 1.4 * m, 0.8 * m, 1.1 * m, "#c9a9a0", "#a87f74", 3)
            + o.top_tree(right - 0.5 * m, low - 0.5 * m, 0.3 * m)
        )
    if kind == "desk":
        return (
            rect(left + 0.1 * m, top + 0.6 * m, 0.7 * m, 1.4 * m, "#a9764a", 4, stroke="#6d4a30", line=3)
            + circle(left + 1.05 * m, top + 1.3 * m, 0.25 * m, accent, "#00000044", 3)
            + rect(left + 0.2 * m, top + 1.05 * m, 0.25 * m, 0.5 * m, "#2b2f35", 3)
            + rect(right - 0.4 * m, low - 1.5 * m, 0.32 * m, 1.3 * m, "#6d5a45", 3)
        )
    if kind == "class":
        return (
            "".join(
                rect(
                    left + (1 + 1.5 * i) * m,
                    top + (1.4 + 1.15 * j) * m,
                    1.1 * m,
                    0.5 * m,
                    "#c99a5f",
                    4,
                    stroke="#8a6242",
                    line=2,
                )
                + circle(left + (1.3 + 1.5 * i) * m, top + (2.1 + 1.15 * j) * m, 0.18 * m, accent)
                + circle(left + (1.8 + 1.5 * i) * m, top + (2.1 + 1.15 * j) * m, 0.18 * m, accent)
                for i in range(int((width - 1) / 1.5))
                for j in range(int((depth - 1.5) / 1.15))
            )
            + rect(left + 0.5 * m, top + 0.1 * m, 2.4 * m, 0.12 * m, "#2f5f45")
            + rect(left + 1 * m, top + 0.45 * m, 1.4 * m, 0.55 * m, "#8a6242", 4)
        )
    if kind == "dining":
        return (
            rect(left + 0.8 * m, low - 1.5 * m, 1.8 * m, 0.9 * m, "#a9764a", 6)
            + "".join(
                rect(left + (1 + 0.6 * k) * m, low - y * m, 0.4 * m, 0.3 * m, accent, 5)
                for k in range(3)
                for y in (1.85, 0.55)
            )
            + rect(left + 0.1 * m, top + 0.5 * m, 0.9 * m, 1.4 * m, accent, 12, stroke="#00000044", line=3)
        )
    if kind == "bench":
        return (
            rect(left + 0.1 * m, top + 0.4 * m, 0.7 * m, 2.4 * m, "#8a6242", 3, stroke="#5c3a20", line=3)
            + rect(left + 1.6 * m, low - 1.2 * m, 2 * m, 0.9 * m, "#b9b4a8", 4, stroke="#7d776a", line=3)
            + circle(left + 2.6 * m, low - 0.75 * m, 0.25 * m, accent)
        )
    return ""


def _corner_plan(spec: PictureSpec) -> str:
    width, depth = spec.number("width"), spec.number("depth")
    cut_width, cut_depth = spec.number("cut_width"), spec.number("cut_depth")
    m, left, low = _fit(width, depth)
    top, right = low - depth * m, left + width * m
    corners = [
        (left, low),
        (right, low),
        (right, top + cut_depth * m),
        (right - cut_width * m, top + cut_depth * m),
        (right - cut_width * m, top),
        (left, top),
    ]
    grid = "".join(
        line(left + k * m, top if k <= width - cut_width else top + cut_depth * m, left + k * m, low, "#00000030", 2)
        for k in range(1, int(width))
    )
    grid += "".join(
        line(left, low - k * m, right if k <= depth - cut_depth else right - cut_width * m, low - k * m, "#00000030", 2)
        for k in range(1, int(depth))
    )
    room = polygon(corners, FLOORS[int(spec.number("palette"))], "#3a3a3a", 12)
    inside = _furniture(spec.word("room"), left, top, width, depth, m, s.palette(spec).accent, width - cut_width)
    return s.tilted(
        _sheet(spec)
        + room
        + grid
        + inside
        + _flat_ruler(left, low + 16, width, m)
        + _upright_ruler(left - 76, low, depth, m),
        spec.number("angle") * 0.3,
    )


def _round_plan(spec: PictureSpec) -> str:
    width, c = spec.number("width"), s.palette(spec)
    m = 540 / width
    x, y, radius = 512.0, 310.0, 270.0
    kind = spec.word("room")
    room = circle(x, y, radius, FLOORS[int(spec.number("palette"))], "#3a3a3a", 12) + line(
        x - 0.45 * m, y - radius, x + 0.45 * m, y - radius, "#f7f4ea", 14
    )
    if kind == "table":
        room += (
            circle(x, y, 0.7 * m, "#a9764a")
            + "".join(circle(*polar(x, y, 1.05 * m, k * 60), 0.22 * m, c.accent) for k in range(6))
            + "".join(circle(*polar(x, y, radius, k * 45 + 22), 12, "#6d5a45") for k in range(8))
        )
    elif kind == "bed":
        room += _bed_top(x - 0.75 * m, y - 0.6 * m, m, c.accent)
    else:
        room += (
            "".join(
                polygon(
                    [
                        polar(x, y, radius - 12, k),
                        polar(x, y, radius - 12, k + 24),
                        polar(x, y, radius - 12 - 0.4 * m, k + 24),
                        polar(x, y, radius - 12 - 0.4 * m, k),
                    ],
                    "#8a6242",
                    "#5c3a20",
                    3,
                )
                for k in range(40, 320, 30)
            )
            + circle(x, y, 0.9 * m, c.accent)
            + "".join(
                rect(x + dx * m - 0.35 * m, y + dy * m - 0.35 * m, 0.7 * m, 0.7 * m, c.wood, 10)
                for dx, dy in ((-1.6, 0.2), (1.6, -0.2), (0.1, 1.6))
            )
        )
    guides = "".join(
        line(at, y, at, 640, "#1c1f24" if int(spec.number("palette")) % 3 != 1 else "#f7f4ea", 3, "3 9")
        for at in (x - radius, x + radius)
    )
    return s.tilted(_sheet(spec) + room + guides + _flat_ruler(x - radius, 630, width, m), spec.number("angle") * 0.3)


def _tiled_view(spec: PictureSpec) -> str:
    width, depth, c, kind = spec.number("width"), spec.number("depth"), s.palette(spec), spec.word("room")
    draw = s.look(spec)
    span = 820 if width > 3 else 640
    m = span / width
    left, front = 512 - span / 2, 630.0
    eye: Point = (512 + draw.integer(-90, 90), 205 + draw.integer(-20, 20))
    far = 5.0

    def floor(x: float, z: float, up: float = 0) -> Point:
        """Where a floor point (x to the right, z away, `up` above it; metres) is seen."""
        scale = far / (far + z)
        return eye[0] + (left + x * m - eye[0]) * scale, eye[1] + (front - up * m - eye[1]) * scale

    high = 2.7
    wall = polygon([floor(0, depth), floor(width, depth), floor(width, depth, high), floor(0, depth, high)], c.wall)
    sides = polygon([floor(0, -1.4), floor(0, depth), floor(0, depth, high), floor(0, -1.4, high)], c.pale) + polygon(
        [floor(width, -1.4), floor(width, depth), floor(width, depth, high), floor(width, -1.4, high)], c.pale
    )
    ceiling = polygon(
        [floor(0, -1.4, high), floor(0, depth, high), floor(width, depth, high), floor(width, -1.4, high)], "#fbfaf6"
    )
    tiles = "".join(
        polygon(
            [floor(i, j), floor(i + 1, j), floor(i + 1, j + 1), floor(i, j + 1)],
            c.wood if (i + j) % 2 else c.pale,
            "#00000066",
            2,
        )
        for i in range(int(width))
        for j in range(int(depth))
    )

    def on_wall(x: float, low: float, w: float, h: float, fill: str, edge: str) -> str:
        return polygon(
            [floor(x, depth, low), floor(x + w, depth, low), floor(x + w, depth, low + h), floor(x, depth, low + h)],
            fill,
            edge,
            5,
        )

    if kind == "windows":
        things = on_wall(0.5, 0.9, 1.1, 1.3, "#a9d5f0", "#ffffff") + on_wall(
            width - 1.6, 0.9, 1.1, 1.3, "#a9d5f0", "#ffffff"
        )
    elif kind == "door":
        things = on_wall(width / 2 - 0.45, 0, 0.9, 2.05, c.accent, "#4a3a2a")
    elif kind == "frames":
        things = "".join(
            on_wall(0.5 + k * (width - 1) / 3, 1.1, 1.1, 0.9, fill, "#4a3a2a")
            for k, fill in enumerate(("#d08a2e", "#2f7f86", "#b5523b"))
        )
    elif kind == "chest":
        things = on_wall(0.4, 0, 1.0, 0.55, c.accent, "#4a3a2a") + on_wall(
            width - 1.3, 1.0, 0.9, 1.1, "#a9d5f0", "#ffffff"
        )
    else:
        foot, head = floor(width - 1, depth - 0.5), floor(width - 1, depth - 0.5, 1.8)
        things = (
            on_wall(0.6, 0.9, 1.6, 1.4, "#f0b27a", "#ffffff")
            + line(foot[0] - 40, foot[1], *head, "#8a6242", 7)
            + line(foot[0] + 40, foot[1], *head, "#8a6242", 7)
            + rect(head[0] - 44, head[1] + 14, 88, 70, "#ffffff", stroke="#8a6242", line=3)
        )
    apron = polygon([(left, front), (left + span, front), (left + span + 60, 930), (left - 60, 930)], "#7d776a")
    ground_ = s.everywhere("#a39c8c")
    return s.tilted(
        ground_ + ceiling + sides + wall + things + tiles + apron + _flat_ruler(left, front + 14, width, m),
        spec.number("angle") * 0.2,
    )


def _cutaway(spec: PictureSpec) -> str:
    width, depth, c, kind = spec.number("width"), spec.number("depth"), s.palette(spec), spec.word("room")
    k = min(780 / ((width + depth) * 0.866), 400 / ((width + depth) * 0.5), 115)
    high = 2.3
    cx = 512 + (depth - width) * 0.866 * k / 2
    cy = 660 - (width + depth) * 0.5 * k

    def at(x: float, y: float, z: float = 0) -> Point:
        """Isometric place of a point: x along the right wall, y along the left one, z up; metres."""
        return cx + (x - y) * 0.866 * k, cy + (x + y) * 0.5 * k - z * k

    def box(x: float, y: float, w: float, d: float, h: float, fill: str) -> str:
        return (
            polygon([at(x, y + d), at(x + w, y + d), at(x + w, y + d, h), at(x, y + d, h)], fill, "#00000055", 2)
            + polygon([at(x + w, y), at(x + w, y + d), at(x + w, y + d, h), at(x + w, y, h)], fill, "#00000055", 2)
            + polygon([at(x + w, y), at(x + w, y + d), at(x + w, y + d, h), at(x + w, y, h)], "#00000033")
            + polygon([at(x, y, h), at(x + w, y, h), at(x + w, y + d, h), at(x, y + d, h)], fill, "#00000055", 2)
        )

    floor = polygon(
        [at(0, 0), at(width, 0), at(width, depth), at(0, depth)], FLOORS[int(spec.number("palette"))], "#00000055", 2
    )
    walls = polygon([at(0, 0), at(width, 0), at(width, 0, high), at(0, 0, high)], c.wall, "#00000044", 2) + polygon(
        [at(0, 0), at(0, depth), at(0, depth, high), at(0, 0, high)], c.pale, "#00000044", 2
    )
    glass = polygon(
        [at(width * 0.4, 0, 0.9), at(width * 0.7, 0, 0.9), at(width * 0.7, 0, 1.9), at(width * 0.4, 0, 1.9)],
        "#a9d5f0",
        "#ffffff",
        6,
    )
    door = polygon(
        [at(0, depth * 0.4), at(0, depth * 0.4 + 0.9), at(0, depth * 0.4 + 0.9, 2), at(0, depth * 0.4, 2)],
        c.accent,
        "#4a3a2a",
        3,
    )
    if kind == "bed":
        things = (
            box(width - 1.6, 0.05, 1.5, 2, 0.45, "#f7f4ea")
            + box(width - 1.6, 0.75, 1.5, 1.3, 0.5, c.accent)
            + box(0.3, 0.05, 0.6, 0.45, 0.6, c.wood)
        )
    elif kind == "desk":
        things = (
            box(width - 1.5, 0.05, 1.4, 0.7, 0.74, c.wood)
            + box(width - 1.1, 0.1, 0.55, 0.15, 1.15, "#2b2f35")
            + box(width - 1.1, 1, 0.45, 0.45, 0.45, c.accent)
        )
    elif kind == "sofa":
        things = (
            box(1.2, 0.05, 2.1, 0.85, 0.42, c.accent)
            + box(1.2, 0.05, 2.1, 0.22, 0.85, c.accent)
            + box(1.6, 1.4, 1.1, 0.6, 0.38, c.wood)
            + box(width - 0.9, 0.1, 0.7, 1.6, 1, "#6d4a30")
        )
    else:
        things = polygon(
            [at(0.6, 0, 0.3), at(width - 0.6, 0, 0.3), at(width - 0.6, 0, 2), at(0.6, 0, 2)], "#cfe3ec", "#8a6242", 5
        ) + polygon([at(0, 0.5, 1), at(0, depth - 0.5, 1), at(0, depth - 0.5, 1.08), at(0, 0.5, 1.08)], "#8a6242")
    lead = glass + door if kind != "mirror" else ""
    return s.tilted(
        s.everywhere("#e9e4d8" if spec.word("light") != "lamp" else "#a9a4b0")
        + floor
        + walls
        + lead
        + things
        + _edge_rulers(width, depth, at, k),
        0,
    )


def _edge_rulers(width: float, depth: float, at: Callable[[float, float], Point], k: float) -> str:
    """Two scales along the two front edges of a cutaway: metres next to the edge, feet further out."""
    far = 105 / k  # offsets below are in pixels of a room drawn at 105 pixels per metre
    parts = ""
    for length, front in ((width, True), (depth, False)):

        def place(along: float, out: float, front: bool = front) -> Point:
            return at(along, depth + out * far) if front else at(width + out * far, along)

        parts += line(*place(0, 0), *place(length, 0), FACE.ink, 5)
        for metre in range(int(length) + 1):
            x, y = place(metre, 0.3)
            parts += line(*place(metre, 0), *place(metre, 0.14), FACE.ink, 4)
            parts += stroked(figure(metre), x, y + 4, 23, FACE.ink, 1.4)
        parts += line(*place(0, 0.62), *place(length, 0.62), FACE.second_ink, 3)
        for foot in range(int(length / FOOT) + 1):
            x, y = place(foot * FOOT, 0.96)
            parts += line(
                *place(foot * FOOT, 0.62), *place(foot * FOOT, 0.76 if foot % 5 == 0 else 0.69), FACE.second_ink, 3
            )
            if foot % 5 == 0:
                parts += stroked(figure(foot), x, y + 2, 20, FACE.second_ink, 1.4)
    return parts


def _garage(spec: PictureSpec) -> str:
    width, depth, cars = spec.number("width"), spec.number("depth"), int(spec.number("cars"))
    m = min(900 / width, 640 / depth)
    left, top = 512 - width * m / 2, 384 - depth * m / 2
    paints = ("#b23a3a", "#3f6f9f", "#4d7a55")
    stains = "".join(
        ellipse(left + (0.3 + 0.2 * k) * width * m, top + depth * m * 0.8, 0.3 * m, 0.16 * m, "#00000022")
        for k in range(3)
    )
    floor = (
        s.everywhere("#7d8a6a")
        + rect(left, top + depth * m - 10, width * m, 400, "#8f8f8a")
        + rect(left, top, width * m, depth * m, "#c4c2bb", stroke="#4a4640", line=18)
    )
    gap = "".join(
        line(
            left + (k + 0.5) * width * m / cars - 1.2 * m,
            top + depth * m,
            left + (k + 0.5) * width * m / cars + 1.2 * m,
            top + depth * m,
            "#8a9096",
            18,
        )
        for k in range(cars)
    )
    parked = "".join(
        o.car_top(
            left + (k + 0.5) * width * m / cars, top + depth * m - 0.7 * m - 2.25 * m, 4.5 * m, 1.8 * m, paints[k]
        )
        for k in range(cars)
    )
    shelf = rect(left + 0.3 * m, top + 0.12 * m, (width - 0.6) * m, 0.45 * m, "#8a6242", 3) + "".join(
        rect(
            left + (0.45 + 0.62 * k) * m, top + 0.17 * m, 0.4 * m, 0.34 * m, ("#c0392b", "#2f6fae", "#e0a526")[k % 3], 3
        )
        for k in range(int((width - 0.8) / 0.62))
    )
    return s.tilted(floor + stains + shelf + parked + gap, spec.number("angle") * 0.6)


_SCENES = {
    "plan": _plan,
    "corner_plan": _corner_plan,
    "round_plan": _round_plan,
    "tiled_view": _tiled_view,
    "cutaway": _cutaway,
    "garage": _garage,
}
