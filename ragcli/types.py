"""Frozen records shared by every room of the house, and the protocols between them.

Offsets count characters (Python ``str`` indices) of a document's *normalised text* (see
``corpus.read``); lines are 1-based and count in the original file. Ids are stable across
machines: they come from paths and content, never from a counter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["ok", "failed"]
EntityKind = Literal["name", "noun"]
NodeKind = Literal["document", "folder", "aggregate"]


@dataclass(frozen=True, slots=True)
class Event:
    """Progress of one stage: ``done`` of ``total`` units (``total`` 0 when unknown)."""

    stage: str
    done: int
    total: int
    note: str = ""


Report = Callable[[Event], None]


def silent(_event: Event) -> None:
    """Report nothing: the default for callers that do not follow progress."""


@dataclass(frozen=True, slots=True)
class Source:
    """One readable thing found by the scan: a file, or a file holding many records.

    ``path`` is where to open it; ``id`` is POSIX style and relative to the indexed root.
    """

    id: str
    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that the scan or a reader left out, and why (one sentence, no final stop).

    ``unreadable``: something may well be there, it just cannot be looked at now.
    """

    id: str
    reason: str
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One readable document.

    ``id``: POSIX path below the indexed root; a JSON Lines record is ``file.jsonl#_id``.
    ``sha256`` is over ``title`` and ``text`` for records and over the file's bytes for files.
    ``title`` comes from the content only ("" when it has none), so a rename never changes it.
    ``line_starts[i]`` is the offset in ``text`` at which line ``first_line + i`` begins.
    ``headings`` are ``(offset, level, title)`` in order of offset.
    """

    id: str
    sha256: str
    title: str
    text: str
    line_starts: tuple[int, ...] = (0,)
    first_line: int = 1
    headings: tuple[tuple[int, int, str], ...] = ()
    protected: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of about 200 tokens on sentence boundaries: what is embedded and searched.

    ``start``/``end`` are offsets into the document's text.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document of at most about 1200 tokens; ``document.text[start:end] == text``.

    Neighbouring chunks overlap. ``owned`` (``start <= owned < end``) is where the text begins
    that no earlier chunk holds: the owned parts ``[owned, end)`` tile the document, so counting
    in them counts nothing twice. ``heading`` is the path of headings above, joined by " > ";
    ``page`` the one it begins on, None in a document without pages.
    """

    id: str
    doc: str
    ordinal: int
    start: int
    end: int
    owned: int
    line_start: int
    line_end: int
    heading: str
    text: str
    tokens: int
    passages: tuple[Passage, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a name or noun: offsets count from the start of the extracted text.

    ``label`` is PERSON, ORG, LOC, EVENT, WORK, MISC, or "" for a common noun;
    ``lemma`` is the lower-cased lemma for nouns and the surface for names;
    ``sentence`` is the ordinal of its sentence inside the extracted text.
    """

    start: int
    end: int
    text: str
    lemma: str
    label: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A described relation between two named entities, as a language model gives it.

    ``weight`` is its strength, 1 to 10; ``keywords`` are themes it belongs to.
    """

    source: str
    target: str
    keywords: tuple[str, ...]
    description: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Described:
    """An entity as a language model describes it; ``name`` as it stands in the text."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a language model found in the owned text of one chunk. ``by`` names model and prompt.

    ``problem``: why nothing was found ("" when something was, or there was nothing to find).
    ``dropped``: (reason, number) of what the model said and the text does not bear out.
    ``placed``: they were recorded for a place in a document, not for its text wherever it stands.
    """

    entities: tuple[Described, ...] = ()
    relations: tuple[Relation, ...] = ()
    by: str = ""
    problem: str = ""
    dropped: tuple[tuple[str, int], ...] = ()
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """The mentions that an extractor found in one stretch of text. ``by`` names the extractor."""

    mentions: tuple[Mention, ...]
    by: str = "spacy"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one document adds to the graph, as counts that can be added and taken away again.

    ``names``: (entity key, surface, label, whether the surface is the key's own spelling) -> count;
    ``aliases``: (alias key, entity key) pairs; ``edges``: (a, b) with a < b -> (weight, sentences),
    described relations weighing in but standing in no sentence of their own;
    ``chunks``: per chunk ordinal, entity key -> mentions inside that chunk, overlap included;
    ``passages``: the same per passage, in order, names and capitalised runs only; ``titles``: keys
    of the names in the document's title, which belong to each of its passages; ``descriptions``
    and ``statements``: (chunk ordinal, what a language model says there, of keys for names).
    """

    names: dict[tuple[str, str, str, bool], int]
    aliases: frozenset[tuple[str, str]]
    edges: dict[tuple[str, str], tuple[int, int]]
    chunks: tuple[dict[str, int], ...]
    passages: tuple[dict[str, int], ...] = ()
    titles: tuple[str, ...] = ()
    descriptions: tuple[tuple[int, Described], ...] = ()
    statements: tuple[tuple[int, Relation], ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing under its many spellings.

    ``key`` is the normalised name that all spellings share; ``mentions`` and ``documents`` count.
    """

    id: str
    key: str
    name: str
    label: str
    kind: EntityKind
    mentions: int
    documents: int
    aliases: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the summary tree or of the hierarchy. ``children`` are node or chunk ids.

    ``doc`` is the document or folder it stands for; ``by`` tells what wrote ``text``.
    """

    id: str
    level: int
    kind: NodeKind
    doc: str
    title: str
    text: str
    children: tuple[str, ...]
    by: str = "extractive"


@dataclass(frozen=True, slots=True)
class Via:
    """Why a hit is there: the strategy, its rank in that strategy's list (1-based), and words."""

    strategy: str
    rank: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved stretch of text: ``text == document.text[start:end]``.

    ``score`` compares hits of one question only; ``rank`` is 1-based; ``page`` as in a Citation.
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


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote true to the character: ``quote == document.text[start:end]``.

    ``page`` is where it begins, 1-based; None in a document without pages.
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


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answerer gives: ``text`` carries ``[n]`` marks for ``citations``; abstained when "".

    ``note``: why it abstained, what was left out, names nothing was found about. Of ``written``
    sentences of a model that claim something, each counted once, its quotes bear ``kept`` out.
    """

    text: str
    citations: tuple[Citation, ...]
    by: Literal["extractive", "llm", "none"]
    abstained: bool = False
    note: str = ""
    written: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """All that ``ask`` returns. ``facts``: what the graph added to the passages, in words."""

    question: str
    mode: str
    reply: Reply
    hits: tuple[Hit, ...]
    entities: tuple[str, ...]
    context_tokens: int
    timings_ms: dict[str, float]
    generation: int
    notes: tuple[str, ...] = field(default=())
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What a run of ``index`` did: documents by kind of change, then what the store holds.

    ``stages`` are seconds and may overlap. ``unmatched``: (line, reason) of recorded extractions
    that belong to no chunk. A language model has read ``described`` chunks; ``waiting`` ones and
    ``waiting_profiles`` not yet; ``problems``: (reason, chunks) of those with nothing found.
    """

    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    failed: tuple[tuple[str, str], ...]
    skipped: tuple[Skipped, ...]
    documents: int
    chunks: int
    entities: int
    relations: int
    words: int
    seconds: float
    generation: int
    stages: dict[str, float]
    llm_calls: int = 0
    llm_tokens: int = 0
    unmatched: tuple[tuple[int, str], ...] = ()
    described: int = 0
    waiting: int = 0
    waiting_profiles: int = 0
    problems: tuple[tuple[str, int], ...] = ()
