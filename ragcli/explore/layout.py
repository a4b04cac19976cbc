"""The layout: circles nested inside the circle of their parent. Pure and deterministic.

Children are placed along a spiral, largest first, each at the first position where it overlaps no
earlier circle. Their parent is the circle around them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Circle = tuple[float, float, float]

_GAP = 1.12
_STEP = 0.25
# More children than this are arranged like sunflower seeds: testing positions takes quadratic time.
_MANY = 150
_GOLDEN = math.pi * (3 - math.sqrt(5))


def pack(children: Mapping[int, Sequence[int]], sizes: Mapping[int, float]) -> dict[int, Circle]:
    """Node -> (x, y, radius) for all nodes below -1, the root, whose circle is around (0, 0).

    ``children``: node -> the nodes inside it; a node without children has its radius in ``sizes``.
    """
    placed: dict[int, list[tuple[int, Circle]]] = {}
    radius: dict[int, float] = {}
    for node in _bottom_up(children):
        below = children.get(node, ())
        if below:
            order = sorted(below, key=lambda child: (-radius[child], child))
            circles = _set_out([radius[child] * _GAP for child in order])
            placed[node] = list(zip(order, circles, strict=True))
            radius[node] = max(math.hypot(x, y) + r for x, y, r in circles) * 1.05
        else:
            radius[node] = sizes[node]
    out: dict[int, Circle] = {}
    waiting = [(-1, 0.0, 0.0)]
    while waiting:
        node, x, y = waiting.pop()
        out[node] = (x, y, radius[node])
        waiting += [(child, x + dx, y + dy) for child, (dx, dy, _) in placed.get(node, ())]
    return out


def _bottom_up(children: Mapping[int, Sequence[int]]) -> list[int]:
    order = [-1]
    for node in order:
        order.extend(children.get(node, ()))
    return order[::-1]


def _set_out(radii: Sequence[float]) -> list[Circle]:
    """Non-overlapping circles for radii in descending order, the first in the middle."""
    if len(radii) > _MANY:
        spread = 2.0 * radii[0]
        return [
            (
                math.sqrt(i) * spread * math.cos(i * _GOLDEN),
                math.sqrt(i) * spread * math.sin(i * _GOLDEN),
                r,
            )
            for i, r in enumerate(radii)
        ]
    placed: list[Circle] = []
    for r in radii:
        turn = 0
        while True:
            away = _STEP * r * math.sqrt(turn)
            x, y = away * math.cos(turn * _GOLDEN), away * math.sin(turn * _GOLDEN)
            if all(math.hypot(x - a, y - b) >= r + c for a, b, c in placed):
                break
            turn += 1
        placed.append((x, y, r))
    return placed
