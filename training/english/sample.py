"""The one record that readers make and that training and evaluation consume."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

LABELS = ("PERSON", "ORG", "LOC", "EVENT", "WORK", "MISC")


@dataclass(frozen=True, slots=True)
class Name:
    """A name over the tokens ``start`` (inclusive) to ``end`` (exclusive)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A paragraph or so of annotated text.

    ``words``, ``spaces`` (is the word followed by a blank) and ``starts`` (does it start
    a sentence) have one item per token. So have ``pos`` and ``feats``, or they are empty
    where the corpus has no tags. ``unknown`` are tokens whose name annotation is missing:
    training learns nothing from them, evaluation ignores predictions that touch them.
    """

    source: str
    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    starts: tuple[bool, ...]
    pos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    unknown: frozenset[int] = field(default_factory=frozenset)

    @property
    def text(self) -> str:
        """The running text: every word, with a blank where ``spaces`` says so."""
        pairs = zip(self.words, self.spaces, strict=True)
        return "".join(word + " " * space for word, space in pairs)

    def offsets(self) -> list[tuple[int, int]]:
        """Character offsets (start, end) of every token in ``text``."""
        found, at = [], 0
        for word, space in zip(self.words, self.spaces, strict=True):
            found.append((at, at + len(word)))
            at += len(word) + space
        return found

    def sentences(self) -> Iterator[range]:
        """Token ranges of the sentences."""
        marks = [i for i, start in enumerate(self.starts) if start or i == 0]
        yield from (range(a, b) for a, b in zip(marks, [*marks[1:], len(self.words)], strict=True))

    def doc(self, vocab: Vocab, *, sentences: bool = True, names: bool = True) -> Doc:
        """The sample as a spaCy document, the form in which spaCy's trainer reads it."""
        doc = Doc(
            vocab,
            words=list(self.words),
            spaces=list(self.spaces),
            pos=list(self.pos) or None,
            morphs=list(self.feats) or None,
            sent_starts=list(self.starts) if sentences else None,
        )
        if names:
            doc.set_ents(
                [Span(doc, n.start, n.end, label=n.label) for n in self.names],
                missing=[doc[i : i + 1] for i in sorted(self.unknown)],
                default="outside",
            )
        return doc


def join(samples: list[Sample], separator: str = "\n\n") -> Sample:
    """One sample from several, parted by a whitespace token such as a blank line."""
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool] = []
    pos: list[str] = []
    feats: list[str] = []
    names: list[Name] = []
    unknown: set[int] = set()
    for number, sample in enumerate(samples):
        if number and separator:
            spaces[-1] = False
            words.append(separator)
            spaces.append(False)
            starts.append(False)
            pos += ["SPACE"] * bool(sample.pos)
            feats += [""] * bool(sample.pos)
        shift = len(words)
        words += sample.words
        spaces += sample.spaces
        starts += sample.starts
        pos += sample.pos
        feats += sample.feats
        names += [replace(n, start=n.start + shift, end=n.end + shift) for n in sample.names]
        unknown |= {i + shift for i in sample.unknown}
    return Sample(
        samples[0].source,
        tuple(words),
        tuple(spaces),
        tuple(starts),
        tuple(pos),
        tuple(feats),
        tuple(names),
        frozenset(unknown),
    )
