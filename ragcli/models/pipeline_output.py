"""What an English pipeline says of a text, whichever way it was computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Named(NamedTuple):
    """A name as the pipeline found it: characters ``start`` to ``end`` of the text."""

    start: int
    end: int
    label: str


class Noun(NamedTuple):
    """A noun or proper noun outside all names; ``lemma`` is "" where the pipeline has none."""

    start: int
    text: str
    lemma: str


class Reading(NamedTuple):
    """Names, and the nouns outside them, each in order of offset."""

    names: tuple[Named, ...]
    nouns: tuple[Noun, ...]


Read = Callable[[str], Reading]
