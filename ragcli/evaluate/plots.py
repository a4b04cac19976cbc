"""Plots as shapes with coordinates; ``templates/plot.svg.j2`` draws them.

Each plot is 440 units wide and scales with its column. Modes differ by colour and by shape, so
the plots can be read without colour. Every mark has a title with its figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 440, 46, 14, 30, 46
# Space above a plot of rows; the other plots need TOP, for the name of the y axis.
_HEAD = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of one series: value on x and y, the y interval (or None), and its words."""

    x: float
    y: float
    title: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from values ``low..high`` to positions ``start..end``, with its ticks."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return the position of a value, in units of the drawing."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line along ``path`` (SVG path data); ``kind`` names its classes in the style sheet."""

    path: str
    kind: str = "rule"
    shape: str = "stroke"


@dataclass(frozen=True, slots=True)
class Label:
    """Text at a position; ``anchor`` is SVG's text-anchor."""

    words: str
    x: str
    y: str
    anchor: str = ""
    kind: str = ""
    shape: str = "label"


@dataclass(frozen=True, slots=True)
class Symbol:
    """The mark of a series (0-based) at a position."""

    series: int
    x: float
    y: float
    title: str
    shape: str = "symbol"


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing of WIDTH x ``height`` units, its shapes from the back to the front."""

    title: str
    height: int
    shapes: tuple[Stroke | Label | Symbol, ...]
    width: int = WIDTH


Shapes = list[Stroke | Label | Symbol]


def scatter(title: str, x_label: str, y_label: str, marks: Sequence[Mark], y_high: float) -> Plot:
    """Plot one mark for each series, with its interval upright; the x axis begins at 0."""
    height = 300
    x = _axis(0, max(mark.x for mark in marks) or 1, LEFT, WIDTH - RIGHT)
    y = _axis(0, y_high, height - BOTTOM, TOP)
    shapes = _grid(x, y, height, x_label, y_label)
    for series, mark in enumerate(marks):
        across = x.place(mark.x)
        if mark.interval:
            low, high = (y.place(bound) for bound in mark.interval)
            path = f"M{across:.1f},{low:.1f}V{high:.1f}M{across - 4:.1f},{low:.1f}h8"
            shapes.append(Stroke(f"{path}M{across - 4:.1f},{high:.1f}h8", f"line c{series % 8}"))
        shapes.append(Symbol(series, across, y.place(mark.y), mark.title))
    return Plot(title, height, tuple(shapes))


def lines(title: str, x_label: str, y_label: str, series: Sequence[Sequence[Mark]]) -> Plot:
    """Plot one line for each series over the same x values; y runs from 0 to 1."""
    height = 300
    values = sorted({mark.x for marks in series for mark in marks})
    pad = 12
    low, high = (values[0], values[-1]) if len(values) > 1 else (values[0] - 1, values[0] + 1)
    x = Axis(low, high, LEFT + pad, WIDTH - RIGHT - pad, tuple(values))
    y = _axis(0, 1, height - BOTTOM, TOP)
    shapes = _grid(x, y, height, x_label, y_label)
    for number, marks in enumerate(series):
        points = (f"{x.place(mark.x):.1f},{y.place(mark.y):.1f}" for mark in marks)
        if marks:
            shapes.append(Stroke("M" + "L".join(points), f"line c{number % 8}"))
        shapes += [Symbol(number, x.place(m.x), y.place(m.y), m.title) for m in marks]
    return Plot(title, height, tuple(shapes))


def dots(title: str, x_label: str, rows: Mapping[str, Sequence[Mark | None]]) -> Plot:
    """Plot a row for each name with one mark for each series (None: no figure); x from 0 to 1.

    The marks of a row are stacked vertically, so that equal values do not hide each other.
    """
    count = max(len(marks) for marks in rows.values())
    step, head = 13, 22
    row_height = head + step * count + 6
    height = _HEAD + row_height * len(rows) + BOTTOM
    x = _axis(0, 1, 14, WIDTH - RIGHT)
    shapes: Shapes = [Stroke(f"M{x.place(t):.1f},{_HEAD}V{height - BOTTOM}") for t in x.ticks]
    shapes += _x_labels(x, height, x_label)
    for place, (name, marks) in enumerate(rows.items()):
        top = _HEAD + place * row_height
        shapes.append(Label(_short(name), "14", f"{top + 12}", kind="name"))
        for series, mark in enumerate(marks):
            if mark is not None:
                middle = top + head + step * series + 2
                across = f"M14,{middle}H{x.place(mark.x):.1f}"
                shapes.append(Stroke(across, f"line thin c{series % 8}"))
                shapes.append(Symbol(series, x.place(mark.x), middle, mark.title))
    return Plot(title, height, tuple(shapes))


def _axis(low: float, high: float, start: float, end: float) -> Axis:
    """Build an axis that ends on a round tick: steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    power = 10.0 ** floor(log10(span / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 5)
    ticks = tuple(low + n * step for n in range(ceil(span / step - 1e-9) + 1))
    return Axis(low, ticks[-1], start, end, ticks)


def _grid(x: Axis, y: Axis, height: int, x_label: str, y_label: str) -> Shapes:
    shapes: Shapes = []
    for tick in y.ticks:
        shapes.append(Stroke(f"M{LEFT},{y.place(tick):.1f}H{WIDTH - RIGHT}"))
        shapes.append(Label(_tick(tick), f"{LEFT - 7}", f"{y.place(tick) + 4:.1f}", "end"))
    return [*shapes, Label(y_label, "0", "14"), *_x_labels(x, height, x_label)]


def _x_labels(x: Axis, height: int, label: str) -> list[Label]:
    ticks = [
        # Otherwise the edge would cut off the last label.
        Label(
            _tick(tick),
            f"{x.place(tick):.1f}",
            f"{height - BOTTOM + 17}",
            "end" if x.place(tick) > WIDTH - RIGHT - 6 else "middle",
        )
        for tick in x.ticks
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*ticks, Label(label, f"{middle:.0f}", f"{height - 6}", "middle")]


def _tick(value: float) -> str:
    return f"{value:,.10g}"


def _short(name: str) -> str:
    return name if len(name) <= 48 else name[:47] + "…"
