"""Asks every question of ``eval`` in every mode, from one open store, as ``ask`` answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.asking.ask import AskResult, answerer, ask_in
from ragcli.config import Settings
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.locate import llm_file
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, retrieve
from ragcli.search.search_index import SearchIndex
from ragcli.store.replies import Remembering, Replies
from ragcli.store.snapshot.documents import DocumentIdentity
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Event, Hit, Report
from ragcli.version import VERSION

MOST_PASSAGES = 1_000
"""Maximum length of a ranking, even if it covers few documents: one document may fill a store."""


class Asker:
    """Answers questions in any mode; ``asked`` counts them. Each question is encoded once.

    ``replies`` has those of a model that gives keywords: every ranking needs the same ones.
    """

    def __init__(
        self, index: SearchIndex, settings: Settings, helpers: Helpers, replies: Replies
    ) -> None:
        self.asked = 0
        self.others: dict[str, Callable[[AskedQuestion, bool], AskResult]] = {}
        """Modes that do not answer as ``ask`` does: (question, whether to answer) -> result."""
        self.last: AskResult | None = None
        """The last question, with the context of its answer."""
        self._index = index
        self._settings = settings
        self._helpers = helpers
        self._replies = replies

    def prepare(self, questions: Sequence[AskedQuestion], report: Report) -> None:
        """Encode each question once, so that the times of the modes exclude encoding."""
        encode = self._helpers.encode
        vectors: dict[str, NDArray[np.float32]] = {}
        for done, asked in enumerate(questions):
            report(Event("encode", done, len(questions)))
            vectors[asked.text] = encode([asked.text])
        report(Event("encode", len(questions), len(questions)))

        def remembered(texts: Sequence[str]) -> NDArray[np.float32]:
            known = vectors.get(texts[0]) if len(texts) == 1 else None
            return encode(texts) if known is None else known

        self._helpers = replace(self._helpers, encode=remembered)

    @property
    def helpers(self) -> Helpers:
        """The models of retrieval; after ``prepare`` they know the vectors of the questions."""
        return self._helpers

    def __call__(
        self, asked: AskedQuestion, mode: str, *, top_k: int, documents: int, answer: bool
    ) -> Answer:
        """Ask as a user would, then append longer rankings of the same mode to the user's hits.

        Reply, context, times and the first hits are those of ``ragcli ask``. The appended rankings
        have ``top_k`` passages, then twice as many, and so on, until the hits come from
        ``documents`` different documents. The lengths do not depend on ``documents``, so the first
        documents are the same for every number of documents.
        """
        self.asked += 1
        if mode in self.others:
            self.last = self.others[mode](asked, answer)
            return self.last.answer
        how = self._settings.answer if answer else "none"
        settings = replace(self._settings, mode=mode, answer=how)
        helpers = self._with_model(settings)
        self.last = ask_in(self._index, asked, settings, helpers)
        understood, hits = self.last.retrieval.question, self.last.answer.hits
        for size in list_lengths(top_k, documents):
            if size > settings.top_k:
                deeper = retrieve(self._index, understood, mode_called(mode), size, helpers).hits
                hits = _followed(hits, deeper)
                if len(deeper) < size or len({hit.doc for hit in hits}) >= documents:
                    break
        return replace(self.last.answer, hits=hits)

    def _with_model(self, settings: Settings) -> Helpers:
        """The helpers; with the answering model if the mode uses it for keywords, too."""
        _, llm = answerer(settings)
        if llm is None or llm.parameters < BIG_MODEL_PARAMETERS:
            return self._helpers
        return replace(self._helpers, model=Remembering(llm, self._replies))

    @cached_property
    def documents(self) -> list[DocumentIdentity]:
        """Every document, by id."""
        return self._index.snapshot.documents.identities()

    def digest(self, answers: bool, assisted: bool = False, scope: str = "") -> str:
        """SHA-256 over all inputs of answers: documents, models, settings, this program.

        ``assisted``: a language model also writes search texts. ``scope``: the documents searched,
        as options; "" for all.
        """
        s = self._settings
        written = assisted or (answers and s.answer != "extractive")
        parts = [
            [list(identity) for identity in self.documents],
            self._index.snapshot.fingerprint,
            [s.top_k, s.budget, s.answer, scope],
            _stamp(llm_file(s.llm)) if written else "",
            VERSION,
            program(),
        ]
        return sha256(orjson.dumps(parts)).hexdigest()


def list_lengths(first: int, documents: int) -> Iterator[int]:
    """Yield ``first``, twice it, and so on, up to MOST_PASSAGES (or three for each document).

    >>> list(list_lengths(30, 10))
    [30, 60, 120, 240, 480, 960]
    """
    size = first
    while size == first or size <= max(MOST_PASSAGES, 3 * documents):
        yield size
        size *= 2


def _followed(first: Sequence[Hit], deeper: Sequence[Hit]) -> tuple[Hit, ...]:
    """``first``, followed by the hits that are only in ``deeper``."""
    known = {(hit.chunk, hit.start) for hit in first}
    rest = [hit for hit in deeper if (hit.chunk, hit.start) not in known]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate([*first, *rest], 1))


def _stamp(file: Path | None) -> str:
    """Identify a model file by name, size and time; hashing gigabytes would take too long."""
    if file is None:
        return ""
    stat = file.stat()
    return f"{file.name} {stat.st_size} {stat.st_mtime_ns}"


def program() -> str:
    """SHA-256 of this package's source: a changed program may answer differently."""
    root = Path(__file__).parent.parent
    stamp = sha256()
    for path in sorted(root.rglob("*.py")):
        stamp.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return stamp.hexdigest()
