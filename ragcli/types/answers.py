"""Records of a question's results: hits, citations, the reply and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ragcli.types.blocks import Block

ShortKind = Literal["words", "list", "yes-no"]
MapKind = Literal["store", "folder", "document", "section"]


@dataclass(frozen=True, slots=True)
class Via:
    """Why a hit was found: the strategy, the hit's 1-based rank in its list, and a note."""

    strategy: str
    rank: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved span of a document: ``text == document.text[start:end]``.

    Scores are comparable only between hits of one question. ``rank`` is 1-based. ``page`` is the
    page on which the span begins, 1-based; None in a document without pages. ``headings`` are
    ``(offset, path)`` of the headings over it, the first as of ``start``. ``store`` is the folder
    of the store as it was given, if several stores were asked at once; otherwise "". ``path`` opens
    the file (see ``Citation``). ``lines`` are ``(offset, line)`` of the file's lines over it (see
    ``places.line_in``). ``blocks`` are those with a character in it; ``above`` are ``(offset,
    text)`` of what is outside of it and says what they are about (see ``blocks.abouts``).
    ``reply_to`` is the id of the mail that its document answers; "" if it is none, or not known.
    """

    chunk: str
    doc: str
    title: str
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    score: float
    rank: int
    via: tuple[Via, ...] = ()
    page: int | None = None
    headings: tuple[tuple[int, str], ...] = ()
    store: str = ""
    path: str = ""
    lines: tuple[tuple[int, int], ...] = ()
    blocks: tuple[Block, ...] = field(default=(), compare=False)
    above: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class ScanPlace:
    """Where a quote that was read from a picture is on its page, and how sure its words are.

    ``box``: left, top, right and bottom in thousandths of the page's width and height, from the
    upper left corner. ``confidence`` (0 to 1) is that of its least sure line.
    """

    box: tuple[int, int, int, int]
    confidence: float


@dataclass(frozen=True, slots=True)
class Citation:
    """An exact quotation from a document: ``quote == document.text[start:end]``.

    ``n`` is the number that the ``[n]`` marks of a reply refer to. ``path`` opens the file from the
    folder that one is in; if the file is not on this machine, it is the path in ``doc``, the
    document's id. ``page`` is the page on which
    the quote begins, 1-based; None in a document without pages. ``heading`` is the heading above
    the quote, "" if none is known: a date or a version may be only there. ``store`` is as in
    ``Hit``. ``scan``: the quote, as far as it is on ``page``, was read from a picture.
    """

    n: int
    doc: str
    path: str
    start: int
    end: int
    line_start: int
    line_end: int
    quote: str
    page: int | None = None
    heading: str = ""
    store: str = ""
    scan: ScanPlace | None = None


@dataclass(frozen=True, slots=True)
class ShortItem:
    """A part of a short answer: ``text == document.text[start:end]``; citation ``n`` holds it."""

    text: str
    doc: str
    start: int
    end: int
    n: int


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A few words that answer a question, and where they are.

    ``kind`` "words": ``text == document.text[start:end]``. "list": ``items`` are several such
    places, ``text`` joins their words with commas; today no answer is of this kind. "yes-no":
    ``text`` is "yes" or "no", ``items`` are where that was read. In the last two, ``doc``,
    ``start``, ``end`` and ``n`` are those of the first item. ``confidence`` is the probability (0
    to 1) that the answer is right; ``n`` is the citation that holds it.
    """

    text: str
    doc: str
    start: int
    end: int
    confidence: float
    n: int
    kind: ShortKind = "words"
    items: tuple[ShortItem, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageHead:
    """The line above a passage that says what it is about: ``text == document.text[start:end]``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage of a reply in its context: ``text == document.text[start:end]``.

    ``highlights`` are the ``(start, end)`` of the sentences in it that answer, offsets into the
    document. ``head`` is the head of a table, the word that is defined or the line that announces a
    list, where it is further above; else None. ``code`` are the spans of code in it, as
    highlights. ``goes_on``: its last paragraph, list or block of code is longer than what is shown.
    ``n`` is the number of the first citation in it.
    ``path``, ``page``, ``heading`` and ``store`` are as in ``Citation``.
    """

    n: int
    doc: str
    path: str
    start: int
    end: int
    line_start: int
    line_end: int
    heading: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    head: PassageHead | None = None
    page: int | None = None
    store: str = ""
    code: tuple[tuple[int, int], ...] = ()
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class MapPart:
    """A part of what a map shows: a folder, a file, a group of documents or a section.

    ``documents`` is 0 for a section. ``titles`` are those of some of its documents, ``terms`` the
    names and nouns that set it apart. Citation ``n`` of the reply says what it is; 0: none does.
    ``about`` is what the user says of a folder (``ragcli describe``).
    """

    name: str
    documents: int = 0
    titles: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    n: int = 0
    about: str = ""


@dataclass(frozen=True, slots=True)
class WholeMap:
    """What ``of`` (a folder, a document's id, the path of a heading; "": the store) holds.

    ``types`` are suffixes with the number of documents. ``since`` and ``until`` (ISO 8601 dates,
    or years) are those of fields and names if ``dated``, else of files. ``more`` counts the parts
    that are left out.
    ``dates`` and ``figures`` are quoted from a document. Citation ``n`` says what it is, as in
    ``MapPart``; so does ``about``. ``title`` is that of a document. ``store`` is as in ``Hit``.
    """

    of: str
    kind: MapKind
    documents: int
    types: tuple[tuple[str, int], ...] = ()
    since: str = ""
    until: str = ""
    dated: bool = False
    n: int = 0
    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    parts: tuple[MapPart, ...] = ()
    more: int = 0
    dates: tuple[Citation, ...] = ()
    figures: tuple[Citation, ...] = ()
    store: str = ""
    about: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """A span ``[start:end]`` of a document that was read for a question; ``answered`` is the logit
    (-10 to 10) that it answers."""

    doc: str
    start: int
    end: int
    answered: float


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of an answer with its citations.

    ``text`` contains ``[n]`` marks that refer to ``citations``; it is "" when the answerer
    abstained. ``note`` says why it abstained, what was left out, or which names were not found.
    Of an abstention, ``hint`` is the part of the note that helps people to ask again, and
    ``nearest`` the place nearest to the question, which does not answer it.
    ``written`` counts the distinct sentences of a model that make a claim; ``kept`` counts those
    of them that their quotes support. ``passages`` show the quotes of an extractive answer in
    their context; ``also`` are further places that are near to the question, best first.
    ``maps`` say what a store, a folder, a document or a section holds; ``text`` is then their
    sentences. ``read`` is what the reader read for an extractive answer.
    """

    text: str
    citations: tuple[Citation, ...]
    by: Literal["extractive", "llm", "none"]
    abstained: bool = False
    note: str = ""
    written: int = 0
    kept: int = 0
    short: ShortAnswer | None = None
    hint: str = ""
    nearest: Citation | None = None
    passages: tuple[ShownPassage, ...] = ()
    also: tuple[Citation, ...] = ()
    maps: tuple[WholeMap, ...] = ()
    read: tuple[ReadPlace, ...] = ()


Located = Citation | Hit | ShownPassage
"""What has a place in a file."""


def overlap(one: Located, other: Located) -> bool:
    """Whether both hold a character of one document."""
    there = (one.doc, one.store) == (other.doc, other.store)
    return there and one.start < other.end and other.start < one.end


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of ``ask``. ``facts`` are the texts that the graph added to the passages.

    ``stores`` are the folder and the generation of each store, if several were asked at once; then
    ``generation`` is that of the first. ``documents`` counts those that were asked.
    """

    question: str
    mode: str
    reply: Reply
    hits: tuple[Hit, ...]
    entities: tuple[str, ...]
    context_tokens: int
    timings_ms: dict[str, float]
    generation: int
    facts: tuple[str, ...] = ()
    stores: tuple[tuple[str, int], ...] = ()
    documents: int = 0
