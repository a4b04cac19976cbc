"""Plots as inline SVG: strings of markup, no library. Colours come from the page's style sheet.

Each plot is 440 units wide and scales with its column. Modes differ by colour and by shape, so
that the plots read without colour; every mark has a title that names it with its figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 440, 46, 14, 30, 46
# Above a plot of rows; the others need TOP, for the y axis' name.
_HEAD = 4

_SHAPES = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z",  # circle
    "M-4.5,-4.5H4.5V4.5H-4.5Z",  # square
    "M0,-6L5.6,4.4H-5.6Z",  # triangle
    "M0,-6.2L6.2,0L0,6.2L-6.2,0Z",  # diamond
    "M0,6L5.6,-4.4H-5.6Z",  # triangle, point down
    "M-2,-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",  # plus
)


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


def symbol(series: int, x: float = 0.0, y: float = 0.0, title: str = "") -> str:
    """Draw the mark of a series (0-based) at a position."""
    shown = f"<title>{escape(title)}</title>" if title else ""
    path = _SHAPES[series % len(_SHAPES)]
    at = f"translate({x:.1f},{y:.1f})"
    return f'<path class="c{series % 8}" d="{path}" transform="{at}">{shown}</path>'


def legend_symbol(series: int) -> str:
    """Draw the mark of a series alone, as large as a letter."""
    return f'<svg class="key" viewBox="-8 -8 16 16" aria-hidden="true">{symbol(series)}</svg>'


def scatter(title: str, x_label: str, y_label: str, marks: Sequence[Mark], y_high: float) -> str:
    """Plot one mark for each series, with its interval upright; the x axis begins at 0."""
    height = 300
    x = _axis(0, max(mark.x for mark in marks) or 1, LEFT, WIDTH - RIGHT)
    y = _axis(0, y_high, height - BOTTOM, TOP)
    body = [_grid(x, y, height, x_label, y_label)]
    for series, mark in enumerate(marks):
        across = x.place(mark.x)
        if mark.interval:
            low, high = (y.place(bound) for bound in mark.interval)
            path = f"M{across:.1f},{low:.1f}V{high:.1f}M{across - 4:.1f},{low:.1f}h8"
            body.append(
                f'<path class="line c{series % 8}" d="{path}M{across - 4:.1f},{high:.1f}h8"/>'
            )
        body.append(symbol(series, across, y.place(mark.y), mark.title))
    return _svg(title, height, body)


def lines(title: str, x_label: str, y_label: str, series: Sequence[Sequence[Mark]]) -> str:
    """Plot one line for each series over the same x values; y runs from 0 to 1."""
    height = 300
    values = sorted({mark.x for marks in series for mark in marks})
    pad = 12
    low, high = (values[0], values[-1]) if len(values) > 1 else (values[0] - 1, values[0] + 1)
    x = Axis(low, high, LEFT + pad, WIDTH - RIGHT - pad, tuple(values))
    y = _axis(0, 1, height - BOTTOM, TOP)
    body = [_grid(x, y, height, x_label, y_label)]
    for number, marks in enumerate(series):
        points = " ".join(f"{x.place(mark.x):.1f},{y.place(mark.y):.1f}" for mark in marks)
        body.append(f'<polyline class="line c{number % 8}" points="{points}"/>')
        body += [symbol(number, x.place(m.x), y.place(m.y), m.title) for m in marks]
    return _svg(title, height, body)


def dots(title: str, x_label: str, rows: Mapping[str, Sequence[Mark | None]]) -> str:
    """Plot a row for each name with one mark for each series (None: no figure); x from 0 to 1.

    The marks of a row stand below each other, so equal figures do not hide one another.
    """
    count = max(len(marks) for marks in rows.values())
    step, head = 13, 22
    row_height = head + step * count + 6
    height = _HEAD + row_height * len(rows) + BOTTOM
    x = _axis(0, 1, 14, WIDTH - RIGHT)
    body = [_x_grid(x, height, x_label)]
    for place, (name, marks) in enumerate(rows.items()):
        top = _HEAD + place * row_height
        body.append(f'<text class="name" x="14" y="{top + 12}">{escape(_short(name))}</text>')
        for series, mark in enumerate(marks):
            if mark is not None:
                middle = top + head + step * series + 2
                across = f"M14,{middle}H{x.place(mark.x):.1f}"
                body.append(f'<path class="line thin c{series % 8}" d="{across}"/>')
                body.append(symbol(series, x.place(mark.x), middle, mark.title))
    return _svg(title, height, body)


def _axis(low: float, high: float, start: float, end: float) -> Axis:
    """Build an axis that ends on a round tick: steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    power = 10.0 ** floor(log10(span / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 5)
    ticks = tuple(low + n * step for n in range(ceil(span / step - 1e-9) + 1))
    return Axis(low, ticks[-1], start, end, ticks)


def _grid(x: Axis, y: Axis, height: int, x_label: str, y_label: str) -> str:
    rules = "".join(
        f'<path class="rule" d="M{LEFT},{y.place(tick):.1f}H{WIDTH - RIGHT}"/>'
        f'<text x="{LEFT - 7}" y="{y.place(tick) + 4:.1f}" text-anchor="end">{_tick(tick)}</text>'
        for tick in y.ticks
    )
    ticks = "".join(_x_tick(x, tick, height) for tick in x.ticks)
    return f'{rules}{ticks}<text x="0" y="14">{escape(y_label)}</text>{_x_label(x_label, height)}'


def _x_grid(x: Axis, height: int, label: str) -> str:
    rules = "".join(
        f'<path class="rule" d="M{x.place(tick):.1f},{_HEAD}V{height - BOTTOM}"/>'
        for tick in x.ticks
    )
    ticks = "".join(_x_tick(x, tick, height) for tick in x.ticks)
    return f"{rules}{ticks}{_x_label(label, height)}"


def _x_tick(x: Axis, tick: float, height: int) -> str:
    # The last label of a plot that fills its width would be cut at the edge.
    anchor = "end" if x.place(tick) > WIDTH - RIGHT - 6 else "middle"
    return (
        f'<text x="{x.place(tick):.1f}" y="{height - BOTTOM + 17}" text-anchor="{anchor}">'
        f"{_tick(tick)}</text>"
    )


def _x_label(label: str, height: int) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">{escape(label)}</text>'


def _tick(value: float) -> str:
    return f"{value:,.10g}"


def _short(name: str) -> str:
    return name if len(name) <= 48 else name[:47] + "…"


def _svg(title: str, height: int, body: Sequence[str]) -> str:
    shown = escape(title)
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{shown}">'
        f"{''.join(body)}</svg>"
    )
