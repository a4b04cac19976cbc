"""Draw how costs grow from a thousand to a million passages, as SVG, from ``growth.json``.

    python bench/million.py measure FOLDER --out release/growth.json
    python -m release.pictures

Both axes are logarithmic: a cost in proportion to the store has the slope of the dashed line, and a
cost that does not grow is level.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).resolve().parent / "growth.json"

Points = list[tuple[float, float]]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 190, 34, 40
_COLOURS = ("#2f6fde", "#c9432f", "#2f8f4e", "#8a4fc4", "#b8860b", "#4a4a4a")
_BETWEEN = 13
"""Pixels between two names beside the lines."""

_SERIES: Mapping[str, tuple[str, str, Mapping[str, Callable[[Any], float]]]] = {
    "growth-processes.svg": (
        "Whole processes",
        "seconds of processor time",
        {
            "ask, with an answer": lambda of: of["cold"]["ask, answer extractive"]["cpu"],
            "ask, retrieval only": lambda of: of["cold"]["ask, answer none"]["cpu"],
            "update, one added": lambda of: of["update"]["added"]["cpu"],
            "update, one removed": lambda of: of["update"]["removed"]["cpu"],
        },
    ),
    "growth-searches.svg": (
        "Searches in a process that is running",
        "milliseconds of processor time",
        {
            "auto, as a whole": lambda of: of["search"]["ms"]["auto"],
            "walk": lambda of: of["search"]["ms"]["walk"],
            "1,000 best by words": lambda of: of["search"]["ms"]["best by words"],
            "... if all are scored": lambda of: of["search"]["ms"]["best by words, all matches"],
            "ten nearest": lambda of: of["search"]["ms"]["ten nearest"],
        },
    ),
    "growth-bytes.svg": (
        "Memory and disk",
        "MiB",
        {
            "database": lambda of: of["disk"]["database"],
            "derived files": lambda of: of["disk"]["derived"],
            "memory of ask": lambda of: of["cold"]["ask, answer extractive"]["mib"],
            "memory of update": lambda of: of["update"]["added"]["mib"],
        },
    ),
}


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    found = {}
    for name, (title, unit, series) in _SERIES.items():
        lines = {
            label: [(float(size), value(of)) for size, of in sorted(figures.items(), key=_size)]
            for label, value in series.items()
        }
        found[name] = chart(title, unit, lines)
    return found


def _size(item: tuple[str, Any]) -> int:
    return int(item[0])


def chart(title: str, unit: str, series: Mapping[str, Points]) -> str:
    """Lines over logarithmic axes; all values are above 0."""
    every = [point for points in series.values() for point in points]
    xs = _decades([x for x, _ in every])
    ys = _decades([y for _, y in every])
    plane = _Plane(xs, ys)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        f' width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}, {escape(unit)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="18" font-size="13" fill="#222222">{escape(title)}: '
        f"{escape(unit)}, by passages</text>",
        *_grid(plane),
        _slope(plane),
    ]
    ends = []
    for colour, (label, points) in zip(_COLOURS, series.items(), strict=False):
        places = " ".join(f"{plane.x(x):.1f},{plane.y(y):.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts += [
            f'<circle cx="{plane.x(x):.1f}" cy="{plane.y(y):.1f}" r="3" fill="{colour}"/>'
            for x, y in points
        ]
        ends.append((plane.y(points[-1][1]), plane.x(points[-1][0]), label, colour, points[-1][1]))
    parts += _names(ends)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Plane:
    """Places of values on the picture; ``xs`` and ``ys`` are whole powers of ten, rising."""

    def __init__(self, xs: Sequence[int], ys: Sequence[int]) -> None:
        self.xs, self.ys = xs, ys

    def x(self, value: float) -> float:
        share = (math.log10(value) - self.xs[0]) / (self.xs[-1] - self.xs[0])
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (math.log10(value) - self.ys[0]) / (self.ys[-1] - self.ys[0])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _decades(values: Sequence[float]) -> list[int]:
    """The powers of ten around some values, at least two."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def _grid(plane: _Plane) -> list[str]:
    lines = []
    for power in plane.xs:
        x = plane.x(10**power)
        lines.append(_line(x, _TOP, x, _HEIGHT - _BOTTOM))
        lines.append(_label(x, _HEIGHT - _BOTTOM + 16, f"{10**power:,}", "middle"))
    for power in plane.ys:
        y = plane.y(10.0**power)
        lines.append(_line(_LEFT, y, _WIDTH - _RIGHT, y))
        lines.append(_label(_LEFT - 6, y + 4, f"{10.0**power:,g}", "end"))
    return lines


def _slope(plane: _Plane) -> str:
    """A dashed line of the slope of a cost in proportion to the store."""
    decades = min(len(plane.xs), len(plane.ys)) - 1
    x, y = 10.0 ** plane.xs[0], 10.0 ** plane.ys[0]
    return _line(
        plane.x(x),
        plane.y(y),
        plane.x(x * 10**decades),
        plane.y(y * 10**decades),
        ' stroke-dasharray="5 4"',
    )


def _names(ends: list[tuple[float, float, str, str, float]]) -> list[str]:
    """The names of the lines beside their ends, moved apart."""
    found, above = [], float("-inf")
    for y, x, label, colour, value in sorted(ends):
        above = max(y + 4, above + _BETWEEN)
        text = f"{label} ({value:,.3g})"
        found.append(f'<text x="{x + 8:.1f}" y="{above:.1f}" fill="{colour}">{escape(text)}</text>')
    return found


def _line(x1: float, y1: float, x2: float, y2: float, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#cccccc"{more}/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#555555" text-anchor="{anchor}">{text}</text>'
