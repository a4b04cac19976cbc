"""Splits text into words like spaCy's tokenizer, with the rules in a pipeline's own file.

The algorithm is spaCy's (https://spacy.io/usage/linguistic-features#how-tokenizer-works). Cut at
spaces. Remove affixes from each piece until it is a special case or has none. Cut at infixes. At
the end, join special cases that were cut as affixes. The result for a piece depends only on the
piece and is cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_PIECE = re.compile(r"\s+|\S+")
# spaCy's numbers of the attributes of a special case's words.
_ORTH, _NORM = 65, 67
_REMEMBERED = 100_000
_WINDOW = 32
"""Characters at an end of a piece in which its affix is looked for; an affix that nearly fills them
is looked for in twice as many. So the work grows with the piece and not with its square."""
_MARGIN = 16
"""Characters beside an affix that its rule may look at."""
_LONGEST_URL = 2000
"""The rule for addresses takes time that grows with the square of the piece."""


class Word(NamedTuple):
    """A word, its offset, and its norm if a special case sets one."""

    start: int
    text: str
    norm: str


Special = tuple[tuple[str, str], ...]


class Tokenizer:
    """Cuts texts into words exactly as the pipeline's spaCy tokenizer does."""

    def __init__(self, rules: dict[str, Any]) -> None:
        """``rules``: the content of the pipeline's file ``tokenizer``."""
        if rules.get("token_match") or not rules["faster_heuristics"]:
            raise ValueError("token_match and slow heuristics are not supported")
        self._prefix = re.compile(rules["prefix_search"])
        self._suffix = re.compile(rules["suffix_search"])
        self._infix = re.compile(rules["infix_finditer"])
        self._url = re.compile(rules["url_match"])
        self._specials: dict[str, Special] = {
            text: tuple((word[_ORTH], word.get(_NORM, "")) for word in words)
            for text, words in rules["exceptions"].items()
        }
        self._longest_special = max(map(len, self._specials), default=0)
        self._known: dict[str, Special] = {}
        self._cut_specials = self._sequences()

    def __call__(self, text: str) -> list[Word]:
        """Return the words of ``text`` in order; white space beyond single spaces is a word too."""
        words = self._words(text)
        return self._rejoined(text, words) if words else words

    def _words(self, text: str) -> list[Word]:
        words: list[Word] = []
        end = 0
        for piece in _PIECE.findall(text):
            at, end = end, end + len(piece)
            if at and piece[0] == " ":  # belongs to the previous word
                at, piece = at + 1, piece[1:]
                if not piece:
                    continue
            for form, norm in self._known.get(piece) or self._piece(piece):
                words.append(Word(at, form, norm))
                at += len(form)
        return words

    def _piece(self, piece: str) -> Special:
        found = self._specials.get(piece) or tuple(self._cut(piece, self._specials))
        if len(self._known) < _REMEMBERED:
            self._known[piece] = found
        return found

    def _cut(self, piece: str, specials: dict[str, Special]) -> Iterator[tuple[str, str]]:
        before: list[str] = []
        after: list[str] = []
        rest = self._stripped(piece, specials, before, after)
        yield from ((form, "") for form in before)
        if rest in specials:
            yield from specials[rest]
        elif rest:
            is_url = len(rest) <= _LONGEST_URL and self._url.match(rest)
            parts = [rest] if is_url else self._parts(rest)
            yield from ((form, "") for form in parts)
        yield from ((form, "") for form in reversed(after))

    def _stripped(
        self, piece: str, specials: dict[str, Special], before: list[str], after: list[str]
    ) -> str:
        """Return a piece without its affixes; append these to ``before`` and ``after``."""

        def is_special(start: int, end: int) -> bool:
            return end - start <= self._longest_special and piece[start:end] in specials

        start, end = 0, len(piece)
        while start < end and not is_special(start, end):
            body = start + self._prefix_length(piece, start, end)
            if body > start and is_special(body, end):
                before.append(piece[start:body])
                return piece[body:end]
            rest = end - self._suffix_length(piece, body, end)
            if rest < end and is_special(start, rest):
                after.append(piece[rest:end])
                return piece[start:rest]
            if body > start:
                before.append(piece[start:body])
            if rest < end:
                after.append(piece[rest:end])
            if (body, rest) == (start, end):
                break
            start, end = body, rest
        return piece[start:end]

    def _prefix_length(self, piece: str, start: int, end: int) -> int:
        """The length of the prefix of ``piece[start:end]``, which is looked for at its start."""
        for width in _widths(end - start):
            match = self._prefix.search(piece[start : start + width])
            length = match.end() - match.start() if match else 0
            if length + _MARGIN <= width:
                return length
        return length

    def _suffix_length(self, piece: str, start: int, end: int) -> int:
        """The length of the suffix of ``piece[start:end]``, which is looked for at its end."""
        for width in _widths(end - start):
            match = self._suffix.search(piece[end - width : end])
            length = match.end() - match.start() if match else 0
            if length + _MARGIN <= width:
                return length
        return length

    def _parts(self, rest: str) -> list[str]:
        """Cut at infixes, which become words themselves; ignore an infix at the start."""
        parts: list[str] = []
        start = 0
        for match in self._infix.finditer(rest):
            if match.start() == 0:
                continue
            parts += [rest[start : match.start()], match.group()]
            start = match.end()
        return [part for part in (*parts, rest[start:]) if part]

    def _sequences(self) -> dict[str, list[tuple[str, ...]]]:
        """Return the special cases that affix rules cut, as lists of words, by their first word."""
        found: dict[str, list[tuple[str, ...]]] = {}
        rules = (self._prefix, self._infix, self._suffix)
        for text in sorted(self._specials):
            if " " in text or any(r.search(text) for r in rules):
                forms = tuple(w.text for p in _PIECE.findall(text) for w in self._plain(p))
                found.setdefault(forms[0], []).append(forms)
        return found

    def _plain(self, piece: str) -> list[Word]:
        return [Word(0, form, norm) for form, norm in self._cut(piece, {})]

    def _rejoined(self, text: str, words: list[Word]) -> list[Word]:
        """Join words that were cut from a special case again; the longest case first."""
        begun = [at for at, word in enumerate(words) if word.text in self._cut_specials]
        matches = [
            (len(forms), at)
            for at in begun
            for forms in self._cut_specials[words[at].text]
            if tuple(w.text for w in words[at : at + len(forms)]) == forms
        ]
        chosen: dict[int, int] = {}
        taken: set[int] = set()
        for length, at in sorted(matches, key=lambda m: (-m[0], m[1])):
            if at not in taken and at + length - 1 not in taken:
                chosen[at] = length
            taken.update(range(at, at + length))
        return list(self._replaced(text, words, chosen)) if chosen else words

    def _replaced(self, text: str, words: Sequence[Word], chosen: dict[int, int]) -> Iterator[Word]:
        at = 0
        while at < len(words):
            length = chosen.get(at, 1)
            first, last = words[at], words[at + length - 1]
            special = None
            if at in chosen:
                special = self._specials.get(text[first.start : last.start + len(last.text)])
            if special is None:
                yield from words[at : at + length]
            else:
                start = first.start
                for form, norm in special:
                    yield Word(start, form, norm)
                    start += len(form)
            at += length


def _widths(length: int) -> Iterator[int]:
    """Yield growing widths of a window in a text of ``length`` characters; the last is all."""
    width = _WINDOW
    while width < length:
        yield width
        width *= 2
    yield length
