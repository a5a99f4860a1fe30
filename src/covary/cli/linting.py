"""`covary lint`: the rules over a study's items, MathMist's folder or a file of items; findings for people or programs."""

from __future__ import annotations
