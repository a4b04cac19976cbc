"""The pictures of growing costs: logarithmic axes, readable names, valid SVG."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from release import growth

SERIES = {
    "level": [(1e3, 5.0), (1e4, 5.0), (1e6, 5.0)],
    "grows": [(1e3, 1.0), (1e4, 10.0), (1e6, 1000.0)],
    "nearly level": [(1e3, 5.0), (1e6, 5.1)],
}


def lines(svg: str) -> list[list[tuple[float, float]]]:
    found = re.findall(r'<polyline points="([^"]+)"', svg)
    return [
        [(float(x), float(y)) for x, y in (place.split(",") for place in points.split())]
        for points in found
    ]


def test_a_cost_that_does_not_grow_is_level_and_one_that_grows_is_straight() -> None:
    level, grows, _ = lines(growth.chart("Costs", "seconds", SERIES))

    assert len({y for _, y in level}) == 1
    (x1, y1), (x2, y2), (x3, y3) = grows
    assert abs((y2 - y1) / (x2 - x1) - (y3 - y2) / (x3 - x2)) < 0.02
    assert y3 < y2 < y1


def test_names_stand_apart_and_tell_the_last_value() -> None:
    svg = growth.chart("Costs <now>", "seconds", SERIES)
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    places = {x.text or "": float(x.attrib["y"]) for x in texts}

    assert "Costs <now>: seconds, by passages" in places
    named = sorted(y for text, y in places.items() if text.endswith(")"))
    assert len(named) == 3
    assert all(b - a >= 12.9 for a, b in pairwise(named))
    assert "grows (1e+03)" in places


def test_what_was_measured_is_drawn() -> None:
    for text in growth.pictures().values():
        drawn = lines(text)
        assert len(drawn) >= 4
        assert all(len(points) >= 3 for points in drawn)
