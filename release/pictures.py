"""Draw docs/pictures/ as SVG: how each retrieval mode gets from a question to passages, and how
costs grow (``growth.py``).

    python -m release.pictures

The pictures contain no links and no fonts, so pages that show them work without a network.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from release import growth

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _LINE = 150, 52, 42, 16, 15
_FILL = {"question": "#dbe7ff", "hits": "#d9f2df", "store": "#fff3d1", "step": "#f4f4f6"}


@dataclass(frozen=True)
class Box:
    """A box: its name for arrows, its kind (a colour), and its lines of text."""

    name: str
    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """Columns of boxes from left to right, and the arrows between them."""

    columns: tuple[tuple[Box, ...], ...]
    arrows: tuple[tuple[str, str], ...]


def _box(spec: str) -> Box:
    """A box from ``name:kind:first line/second line``."""
    name, kind, text = spec.split(":")
    return Box(name, kind, tuple(text.split("/")))


def _picture(columns: list[str], arrows: str) -> Picture:
    """Each column is boxes separated by ``;``; arrows are ``a>b`` separated by blanks."""
    boxes = tuple(tuple(map(_box, column.split(";"))) for column in columns)
    pairs = [arrow.split(">") for arrow in arrows.split()]
    return Picture(boxes, tuple((a, b) for a, b in pairs))


_Q = "q:question:question"
_H = "h:hits:passages,/best first"

PICTURES = {
    "index": _picture(
        [
            "f:question:folder",
            "t:step:text with/exact offsets",
            "c:step:chunks of/1200 tokens;p:step:passages of/200 tokens",
            "n:step:names and nouns;s:step:sentences;v:step:vectors;w:step:words",
            "g:store:entity graph;tr:store:summary tree;ix:store:vector index;wx:store:word index",
        ],
        "f>t t>c t>p c>n c>s p>v p>w n>g s>tr v>ix w>wx",
    ),
    "naive": _picture(
        [_Q, "v:step:vector of/the question", "i:store:vectors of/all passages", _H],
        "q>v v>i i>h",
    ),
    "bm25": _picture(
        [_Q, "v:step:words of/the question", "i:store:word index/(FTS5)", _H], "q>v v>i i>h"
    ),
    "dense-bm25": _picture(
        [_Q, "v:store:vectors;w:store:word index", "r:step:reciprocal/rank fusion", _H],
        "q>v q>w v>r w>r r>h",
    ),
    "walk": _picture(
        [
            _Q,
            "n:step:names in/the question;v:step:similar passages/and words",
            "p:store:PageRank over/passages and names",
            _H,
        ],
        "q>n q>v n>p v>p p>h",
    ),
    "auto": _picture(
        [
            _Q,
            "d:step:about all/documents?",
            "t:store:largest parts of/the summary tree;w:store:walk",
            "p:step:one passage/of each;c:step:best compared by/one fitted score",
            _H,
        ],
        "q>d d>t d>w t>p w>c p>h c>h",
    ),
    "e2": _picture(
        [
            _Q,
            "n:step:entities of/the question",
            "c:store:chunks that share/close entities;t:store:collapsed tree/(if none is close)",
            _H,
        ],
        "q>n n>c n>t c>h t>h",
    ),
    "raptor": _picture(
        [
            _Q,
            "v:step:vector of/the question",
            "t:store:passages and/summaries, ranked",
            "b:step:a summary leads to/its best passages",
            _H,
        ],
        "q>v v>t t>b b>h",
    ),
    "light": _picture(
        [
            _Q,
            "l:step:names/(local);g:step:topics/(global)",
            "e:store:entities and/their neighbours;r:store:relations and/their entities",
            "p:step:passages they/refer to",
            _H,
        ],
        "q>l q>g l>e g>r e>p r>p p>h",
    ),
    "lean": _picture(
        [
            _Q,
            "s:step:similar entities",
            "a:store:up the hierarchy/to the common/ancestor;"
            "w:store:words, walk, and/entities per chunk",
            "f:step:facts",
            _H,
        ],
        "q>s s>a s>w a>f f>h w>h",
    ),
}


def svg(picture: Picture) -> str:
    """A picture as an SVG document."""
    rows = max(map(len, picture.columns))
    height = rows * (_HEIGHT + _GAP_Y) + _GAP_Y
    width = len(picture.columns) * (_WIDTH + _GAP_X) - _GAP_X + 4
    places: dict[str, tuple[float, float]] = {}
    parts: list[str] = []
    for x, column in enumerate(picture.columns):
        free = height - len(column) * _HEIGHT
        for y, box in enumerate(column):
            gap = free / (len(column) + 1)
            at = (2.0 + x * (_WIDTH + _GAP_X), gap * (y + 1) + y * _HEIGHT)
            places[box.name] = at
            parts += _drawn(box, *at)
    lines = [_arrow(places[a], places[b]) for a, b in picture.arrows]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="sans-serif" font-size="13">'
    )
    marker = (
        '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker></defs>'
    )
    return "\n".join([head, marker, *lines, *parts, "</svg>"]) + "\n"


def _drawn(box: Box, x: float, y: float) -> list[str]:
    frame = (
        f'<rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" '
        f'fill="{_FILL[box.kind]}" stroke="#6b7280"/>'
    )
    first = y + _HEIGHT / 2 - (len(box.lines) - 1) * _LINE / 2 + 4.5
    texts = [
        f'<text x="{x + _WIDTH / 2:g}" y="{first + i * _LINE:g}" text-anchor="middle" '
        f'fill="#1f2937">{escape(line)}</text>'
        for i, line in enumerate(box.lines)
    ]
    return [frame, *texts]


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    x1, y1 = start[0] + _WIDTH, start[1] + _HEIGHT / 2
    x2, y2 = end[0] - 2, end[1] + _HEIGHT / 2
    if end[0] == start[0]:
        x1, y1, x2, y2 = start[0] + _WIDTH / 2, start[1] + _HEIGHT, x1 - _WIDTH / 2, end[1] - 2
    middle = (x1 + x2) / 2
    path = f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}"
    return f'<path d="{path}" fill="none" stroke="#6b7280" marker-end="url(#to)"/>'


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    return {f"{name}.svg": svg(picture) for name, picture in PICTURES.items()} | growth.pictures()


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
