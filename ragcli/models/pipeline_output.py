"""The output of an English pipeline for one text: names and nouns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Named(NamedTuple):
    """A name that the pipeline found: characters ``start`` to ``end`` of the text."""

    start: int
    end: int
    label: str


class Noun(NamedTuple):
    """A noun or proper noun outside all names; ``lemma`` is "" if the pipeline has none."""

    start: int
    text: str
    lemma: str


class Reading(NamedTuple):
    """Names, and the nouns outside them, each in order of offset."""

    names: tuple[Named, ...]
    nouns: tuple[Noun, ...]


Read = Callable[[str], Reading]
