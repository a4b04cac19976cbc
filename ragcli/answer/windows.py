"""What the reader is given for a question: passages, some led by a sentence of another one.

A reader reads one window at a time, so what two passages say together it sees only where both stand
in one window. A passage that another one mentions by its title is read below the sentence that
mentions it; and the sentences most about the question, of all passages, are one more window.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.rendered import Piece, Stretch, rendered
from ragcli.answer.view import View
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words, plain, stem
from ragcli.types import Part

READ_CHARS = 5000
"""Characters of passages that the reader is given for one question: about 1,200 tokens."""

PART_CHARS = 1200
"""Characters of one passage that are read: what fits one window of the reader."""

LEAD_CHARS = 300
"""Characters of the longest sentence that is put before a passage."""

DIGEST_CHARS = 1100
"""Characters of the window that holds the best sentences of all passages."""

DIGEST_TUNING = replace(TUNING, most=10, second=0.0, stop=0.0)


@dataclass(frozen=True, slots=True)
class TextToRead:
    """A text to read, put together from ``pieces``.

    ``kind`` is "passage", "led" (below a sentence of another passage) or "digest"; ``rank`` counts
    passages from 0, best first. ``of`` is the passage, without the sentence above it; it begins at
    ``begin``.
    """

    title: str
    text: str
    pieces: tuple[Piece, ...]
    kind: str
    rank: int
    of: Stretch
    begin: int = 0

    def place(self, start: int, end: int) -> Stretch | None:
        """Where a stretch of the text stands; None in a title or across two pieces."""
        for begin, piece in self.pieces:
            if begin <= start and end <= begin + piece.end - piece.start:
                first = piece.start + start - begin
                return Stretch(piece.part, first, first + end - start)
        return None

    def told(self, start: int, end: int) -> Stretch | None:
        """As ``place``; of words in the title of a passage below its sentence, where the passage
        has them: a reader that answers with a name may take it from there.
        """
        if (found := self.place(start, end)) or end > self.begin:
            return found
        at = self.of.text.find(self.text[start:end])
        first = self.of.start + at
        return Stretch(self.of.part, first, first + end - start) if at >= 0 else None


def windows(parts: Sequence[Part], view: View) -> list[TextToRead]:
    """The windows to read for the question of ``view``: best passages first, then the digest."""
    worth = _worth(view)
    found = []
    for rank, piece in enumerate(_excerpts(parts, worth)):
        lead = _lead(piece.part, parts, worth)
        found.append(_window(rank, piece, lead))
    if digest := _digest(view, parts):
        found.append(digest)
    return found


def reread(part: Part, rank: int, words: frozenset[str]) -> TextToRead:
    """A window of a part around the sentence with most of the words (stems)."""
    worth = {
        (part.n, part.start + start): float(len(words & stems(part.text[start:end])))
        for start, end in sentences(part.text)
    }
    start, end = _excerpt(part, worth, PART_CHARS)
    return _window(rank, Stretch(part, part.start + start, part.start + end), None)


def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(map(stem, content_words(text)))


def _window(rank: int, piece: Stretch, lead: Stretch | None) -> TextToRead:
    """A passage, below the sentence that mentions it if there is one."""
    text, pieces = rendered(piece)
    if lead is None:
        return TextToRead(above(piece.part, piece.start), text, pieces, "passage", rank, piece)
    front, led = rendered(lead)
    front += f" {piece.part.title}. "
    below = ((len(front) + at, stretch) for at, stretch in pieces)
    return TextToRead(lead.part.title, front + text, (*led, *below), "led", rank, piece, len(front))


def _lead(part: Part, parts: Sequence[Part], worth: dict[tuple[int, int], float]) -> Stretch | None:
    """The sentence of another document, most about the question, that mentions a part's title."""
    title = plain(re.sub(r"\([^()]*\)", "", part.title))
    if not title.strip():
        return None
    found: list[tuple[float, Stretch]] = []
    for other in parts:
        if other.doc == part.doc or title not in plain(other.text):
            continue
        for start, end in sentences(other.text):
            if end - start <= LEAD_CHARS and title in plain(other.text[start:end]):
                value = worth.get((other.n, other.start + start), 0.0)
                found.append((value, Stretch(other, other.start + start, other.start + end)))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _worth(view: View) -> dict[tuple[int, int], float]:
    """How much each sentence is about the question, by its part's number and its start."""
    values = (view.similarity + view.covers.sum(axis=1) + TUNING.mark * view.marked).tolist()
    return {
        (sentence.part.n, sentence.start): value
        for sentence, value in zip(view.sentences, values, strict=True)
    }


def _excerpts(parts: Sequence[Part], worth: dict[tuple[int, int], float]) -> list[Stretch]:
    """What is read of each part, best parts first."""
    found: list[Stretch] = []
    room = READ_CHARS
    for part in parts:
        start, end = _excerpt(part, worth, min(PART_CHARS, room))
        if start < end:
            found.append(Stretch(part, part.start + start, part.start + end))
            room -= end - start
        elif room < PART_CHARS:
            break
    return found


def _excerpt(part: Part, worth: dict[tuple[int, int], float], room: int) -> tuple[int, int]:
    """Whole sentences around the one most about the question, at most ``room`` characters.

    (0, 0) when not even that sentence fits.
    """
    if len(part.text) <= room:
        return 0, len(part.text)
    spans = sentences(part.text)
    if not spans:
        return 0, 0
    best = max(
        range(len(spans)), key=lambda i: (worth.get((part.n, part.start + spans[i][0]), -1.0), -i)
    )
    low = high = best
    if spans[best][1] - spans[best][0] > room:
        return 0, 0
    while True:
        start, end = spans[low][0], spans[high][1]
        # Backwards first: what a sentence refers to stands before it.
        if low > 0 and end - spans[low - 1][0] <= room and best - low <= high - best:
            low -= 1
        elif high + 1 < len(spans) and spans[high + 1][1] - start <= room:
            high += 1
        elif low > 0 and end - spans[low - 1][0] <= room:
            low -= 1
        else:
            return start, end


def above(part: Part, start: int) -> str:
    """The title of a part and the headings that stand above its text from ``start`` on."""
    heading = part.heading_at(start)
    for sentence in () if heading else candidates(part):
        if sentence.end > start:
            heading = sentence.heading
            break
    return ": ".join(dict.fromkeys(filter(None, (part.title, heading))))


def _digest(view: View, parts: Sequence[Part]) -> TextToRead | None:
    """The sentences most about a question as one window, a document's title before its first."""
    chosen = [view.sentences[i] for i in choose(view, DIGEST_TUNING)]
    chosen = [sentence for sentence in chosen if sentence.part in parts] or chosen
    text, before = "", -1
    pieces: list[Piece] = []
    for sentence in sorted(chosen, key=lambda s: (s.part.n, s.start)):
        place = _of(sentence)
        if len(text) + len(place.text) > DIGEST_CHARS:
            continue
        if text:
            text += f" {sentence.part.title}. " if _turns(sentence, before) else " "
        own, places = rendered(place)
        pieces += [(len(text) + at, stretch) for at, stretch in places]
        text, before = text + own, sentence.part.n
    if not pieces:
        return None
    first, last = pieces[0][1], pieces[-1][1]
    return TextToRead(first.part.title, text, tuple(pieces), "digest", len(parts), last)


def _turns(sentence: Sentence, before: int) -> bool:
    """Whether a sentence begins another part, and one with a title."""
    return sentence.part.n != before and bool(sentence.part.title)


def _of(sentence: Sentence) -> Stretch:
    return Stretch(sentence.part, sentence.start, sentence.end)
