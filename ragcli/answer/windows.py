"""What the reader is given for a question: excerpts of the passages, and the best sentences of all.

A reader reads one window at a time, so what two passages say together it sees only where both
appear in one window: the sentences most about the question, of all passages, are one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.laid import Stretch
from ragcli.answer.view import View
from ragcli.text.markup import unmarked, without_page_lines
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words, stem
from ragcli.types import Part

READ_CHARS = 5000
"""Characters of passages that the reader is given for one question: about 1,200 tokens."""

PART_CHARS = 1200
"""Characters of one passage that are read: what fits one window of the reader."""

DIGEST_CHARS = 1100
"""Characters of the window that holds the best sentences of all passages."""

DIGEST_TUNING = replace(TUNING, most=10, second=0.0, stop=0.0)


@dataclass(frozen=True, slots=True)
class TextToRead:
    """A text to read, put together from ``pieces``: (where it begins in ``text``, its place).

    ``rank`` counts passages from 0, best first. ``digest``: it holds sentences of several.
    """

    title: str
    text: str
    pieces: tuple[tuple[int, Stretch], ...]
    rank: int
    digest: bool = False

    @property
    def of(self) -> Stretch:
        """The passage of a window."""
        return self.pieces[-1][1]

    def place(self, start: int, end: int) -> Stretch | None:
        """Where a stretch of the text is from; None in a title or across two pieces."""
        for begin, piece in self.pieces:
            if begin <= start and end <= begin + piece.end - piece.start:
                first = piece.start + start - begin
                return Stretch(piece.part, first, first + end - start)
        return None


def windows(parts: Sequence[Part], view: View) -> list[TextToRead]:
    """The windows to read for the question of ``view``: best passages first, then the digest."""
    found = [_window(rank, piece) for rank, piece in enumerate(_excerpts(parts, _worth(view)))]
    digest = _digest(view, parts)
    return [*found, digest] if digest else found


def reread(part: Part, rank: int, words: frozenset[str]) -> TextToRead:
    """A window of a part around the sentence with most of the words (stems)."""
    worth = {
        (part.n, part.start + start): float(len(words & stems(part.text[start:end])))
        for start, end in sentences(part.text)
    }
    start, end = _excerpt(part, worth, PART_CHARS)
    return _window(rank, Stretch(part, part.start + start, part.start + end))


def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(map(stem, content_words(text)))


def _window(rank: int, piece: Stretch) -> TextToRead:
    return TextToRead(above(piece.part, piece.start), _readable(piece.text), ((0, piece),), rank)


def _readable(text: str) -> str:
    """A text without its marks, every other character in its place: what a reader is given."""
    return unmarked(without_page_lines(text))


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
        # Backwards first: what a sentence refers to is before it.
        if low > 0 and end - spans[low - 1][0] <= room and best - low <= high - best:
            low -= 1
        elif high + 1 < len(spans) and spans[high + 1][1] - start <= room:
            high += 1
        elif low > 0 and end - spans[low - 1][0] <= room:
            low -= 1
        else:
            return start, end


def above(part: Part, start: int) -> str:
    """The title of a part and the headings that are above its text from ``start`` on."""
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
    pieces: list[tuple[int, Stretch]] = []
    for sentence in sorted(chosen, key=lambda s: (s.part.n, s.start)):
        place = _of(sentence)
        if len(text) + len(place.text) > DIGEST_CHARS:
            continue
        if text:
            text += f" {sentence.part.title}. " if _turns(sentence, before) else " "
        pieces.append((len(text), place))
        text, before = text + _readable(place.text), sentence.part.n
    if not pieces:
        return None
    return TextToRead(pieces[0][1].part.title, text, tuple(pieces), len(parts), digest=True)


def _turns(sentence: Sentence, before: int) -> bool:
    """Whether a sentence begins another part, and one with a title."""
    return sentence.part.n != before and bool(sentence.part.title)


def _of(sentence: Sentence) -> Stretch:
    return Stretch(sentence.part, sentence.start, sentence.end)
