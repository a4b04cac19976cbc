"""How much a sentence says of what documents are."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ragcli.mapping.leading import title_of
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.text.introducing import defines, is_of_itself
from ragcli.text.words import content_words

_HELD = 0.5
"""What a word that documents share is worth in a sentence."""

_MOST_HELD = 4
"""Words that count: a sentence with many is a list."""

_LATER = 0.2
"""What each sentence before another one takes from it."""

_DEFINES = re.compile(
    r"(?P<subject>\S+(?: \([^()]{1,40}\))?(?: \S+){0,5}?) (?:is|are|was|were) (?:an?|the|one)\b"
)
_UNLED = re.compile(r"\W*[A-Z]\w+ed (?:by|to|at|in|on|for|from) ")
"""Begins a line below a title: "Edited by Ann Lee.", "Presented to the board."."""

_ADDRESSES = re.compile(r"\b(?:you|your|[Pp]lease)\b|!")
_TALKS = re.compile(r"\b(?:I|me|my)\b|We\b")
_LEANS = re.compile(
    r"(?:It|They|He|She|These|Those|Its|Their|His|Her|But|And|Or|So|Also|Other|Yet|Thus|Then"
    r"|However|Therefore|Instead|Moreover)\b"
)
"""Begins a sentence that says nothing without the one before it."""

_POINTS = re.compile(r"This (?:is|was) ")
"""Begins a sentence that speaks of its text, or leans on one before it."""


def words_of(name: str) -> dict[str, float]:
    """The words of a name, with what each is worth in a sentence."""
    return dict.fromkeys((word for word in content_words(name) if not word.isdigit()), _HELD)


def shared_words(
    documents: Sequence[ShelvedDocument], name: str, about: Sequence[str]
) -> dict[str, float]:
    """The words that some documents share, with what each is worth in a sentence: those of their
    name and of several titles, and their terms."""
    titled = Counter(word for one in documents for word in {*content_words(title_of(one))})
    several = [word for word, count in titled.items() if count >= max(2, len(documents) / 3)]
    named = content_words(posixpath.basename(name.rstrip("/")))
    terms = map(content_words, about)
    weights = {word: _HELD / len(words) for words in terms for word in words}
    return weights | dict.fromkeys([*several, *named], _HELD)


def scores(texts: Sequence[str], shared: Mapping[str, float], alone: bool) -> list[float]:
    """How much each of the first sentences of a document says, in order; a later one counts less.

    ``shared`` are words with what they are worth; ``alone``: they are those of this document.
    """
    return [
        _score(text, shared, alone) - _LATER * n - 3 * bool(n and _POINTS.match(text))
        for n, text in enumerate(texts)
    ]


def is_definition(text: str) -> bool:
    """Whether a sentence says what something named by one word is."""
    return _defines(text, {}, alone=True) > 0


def _score(text: str, shared: Mapping[str, float], alone: bool) -> float:
    """How much a sentence says of what it should: a definition, words that are shared, nothing that
    depends on what is before it, no talk. ``alone``: it is about one document; of several, a
    sentence with a number reports an event of one of them."""
    held = sum(sorted(shared.get(word, 0) for word in {*content_words(text)})[-_MOST_HELD:])
    leaning = 2 * bool(_LEANS.match(text)) + 2 * bool(_TALKS.search(text))
    event = not alone and any(map(str.isdigit, text))
    talks = bool(_UNLED.match(text)) + 0.5 * bool(_ADDRESSES.search(text))
    return held + _defines(text, shared, alone) - leaning - talks - event


def _defines(text: str, shared: Mapping[str, float], alone: bool) -> float:
    """Whether a sentence says what something is: the thing named by one word, or by a word that is
    shared. That one document speaks of itself does not say what several are."""
    if defines(text) or is_of_itself(text):
        return 2 if alone else 0.5
    found = _DEFINES.match(text)
    if not found:
        return 0
    subject = content_words(found["subject"])
    first = found["subject"].split(" (")[0]
    named = alone and " " not in first and subject
    return 2 if named or shared.keys() & {*subject} else 0
