"""The Python API: ``Store`` reads; ``index``, ``update`` and ``merge`` write.

The command line uses it, too.

Functions import heavy modules when they are called, so importing ``ragcli.Store`` is fast.
"""

from __future__ import annotations

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from ragcli.config import Settings, changed
from ragcli.errors import InputError, StoreError
from ragcli.types import (
    Answer,
    Document,
    Hit,
    IndexResult,
    Located,
    Reply,
    Report,
    Scope,
    silent,
)
from ragcli.types.tables import StoredTable, TableResult

if TYPE_CHECKING:
    from typing import Self, Unpack

    from ragcli.asking.ask import AskResult
    from ragcli.asking.chat import Talk
    from ragcli.asking.folder_notes import FolderNote
    from ragcli.asking.several import NamedIndex
    from ragcli.asking.tables import TablesOf
    from ragcli.indexing.request import IndexRequest
    from ragcli.retrieve import Helpers
    from ragcli.search.search_index import SearchIndex

__all__ = [
    "Conversation",
    "IndexOptions",
    "Store",
    "Stores",
    "UpdateOptions",
    "as_path",
    "index",
    "index_request",
    "merge",
    "search_answer",
    "update",
    "update_request",
]

_log = logging.getLogger(__name__)

StrPath = str | os.PathLike[str]

TABLE_ROWS = 100
"""Rows of a table, or of a query over tables, that are given unless more are asked for."""

# Scopes that an open store remembers.
_SCOPES = 8

# One language model is loaded in a process and serves one thread at a time.
_GENERATING = threading.RLock()


class UpdateOptions(TypedDict, total=False):
    """Options of ``update`` besides paths and settings; ``ragcli update --help`` explains the
    options of the same name.

    ``mode``: how to extract (``""``: unchanged); ``minutes``: time limit for language model calls;
    ``extractions``: a file of recorded extractions; ``hierarchy``: cluster the entities (True),
    delete the clusters (False), leave this unchanged (None); ``hierarchy_by``: what names the
    clusters (``""``: unchanged); ``forget``: folders to remove from the store with their documents.
    """

    mode: str
    minutes: float | None
    extractions: StrPath | None
    hierarchy: bool | None
    hierarchy_by: str
    forget: Iterable[StrPath]


class IndexOptions(UpdateOptions, total=False):
    """``include``, ``exclude``: globs; ``rebuild``: build the store from scratch.

    ``shard``: "I/N" for the I-th of N parts of the documents, to be merged (``merge``).
    ``engine``: "local", or "ray" for the workers of a Ray cluster; ``address``: that cluster.
    """

    include: Iterable[str]
    exclude: Iterable[str]
    rebuild: bool
    shard: str
    engine: str
    address: str


def index(
    paths: StrPath | Iterable[StrPath],
    store: StrPath,
    *,
    settings: Settings | None = None,
    report: Report = silent,
    **options: Unpack[IndexOptions],
) -> IndexResult:
    """Build the store in the folder ``store`` from folders and files.

    If the store exists, add these paths to its roots and update it. A document that cannot be read
    raises no exception; ``failed`` of the result lists it. ``report`` receives the progress. Raises
    InputError (nothing to index), ConfigError, ModelError, StoreLocked (another writer),
    StoreVersion, StoreDamaged.

    >>> result = ragcli.index("docs", "store")
    >>> result.added, result.failed
    (1, ())
    """
    from ragcli.indexing.early_start import begun_models

    request = index_request(paths, store, **options)
    with closing(begun_models(request, _checked(settings))) as models:
        from ragcli.indexing.index import index_with

        return index_with(models, request, report)


def update(
    store: StrPath,
    paths: StrPath | Iterable[StrPath] = (),
    *,
    settings: Settings | None = None,
    report: Report = silent,
    **options: Unpack[UpdateOptions],
) -> IndexResult:
    """Update a store from the folders it is built from; only changed documents cost time.

    ``paths`` limit the update to files below them. Raises StoreMissing and the errors of ``index``.

    >>> ragcli.update("store").unchanged
    1
    """
    from ragcli.indexing.index import index as run

    return run(update_request(store, paths, **options), _checked(settings), report)


def merge(
    shards: Iterable[StrPath],
    store: StrPath,
    *,
    roots: Iterable[StrPath] = (),
    partial: bool = False,
    hierarchy: bool = False,
    hierarchy_by: str = "",
    settings: Settings | None = None,
    report: Report = silent,
) -> IndexResult:
    """Make a new store of all shards of a folder (``index(..., shard="I/N")``).

    Its content is that of a store that was indexed at once; nothing is read or embedded again.
    ``roots``: the folders on this machine, if those of the shards are elsewhere; ``partial``: merge
    although some shards are missing; ``hierarchy``, ``hierarchy_by``: as for ``index``. Raises
    InputError (not the shards of one folder), StoreMissing, StoreVersion (different models or
    settings), StoreError (an unfinished shard), StoreDamaged, ModelError.

    >>> parts = [ragcli.index("docs", f"part{i}", shard=f"{i}/2") for i in (1, 2)]
    >>> ragcli.merge(["part1", "part2"], "merged").documents
    1
    """
    from ragcli.indexing.merge import MergeRequest
    from ragcli.indexing.merge import merge as run

    request = MergeRequest(
        _many(shards), as_path(store), _many(roots), partial, hierarchy, hierarchy_by
    )
    return run(request, _checked(settings), report)


def index_request(
    paths: StrPath | Iterable[StrPath], store: StrPath, **options: Unpack[IndexOptions]
) -> IndexRequest:
    """The arguments of ``index`` as a request for the layers below."""
    from ragcli.indexing.request import IndexRequest

    return IndexRequest(as_path(store), _many(paths), **_request_fields(options))


def update_request(
    store: StrPath, paths: StrPath | Iterable[StrPath], **options: Unpack[UpdateOptions]
) -> IndexRequest:
    """The arguments of ``update`` as a request. Raises StoreMissing if there is no store."""
    from ragcli.indexing.request import IndexRequest
    from ragcli.store.connection import FILE, missing_store

    where = as_path(store)
    if not (where / FILE).is_file():
        raise missing_store(where)
    return IndexRequest(where, only=_many(paths), **_request_fields(options))


class OpenStores(ABC):
    """What ``Store`` and ``Stores`` have in common: both are asked, searched and closed alike."""

    _settings: Settings
    _folders: Sequence[Path] = ()
    """The folders of several stores, which distinguish ids of tables; () for one store."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @abstractmethod
    def stores(self) -> tuple[Store, ...]:
        """The open stores, in the order of their folders; a ``Store`` has itself only."""

    @abstractmethod
    def close(self) -> None:
        """Close every store. A second call has no effect."""

    @abstractmethod
    def _searched(self, scope: Scope) -> AbstractContextManager[tuple[list[NamedIndex], Helpers]]:
        """The indexes in which a scope selects something, and helpers, for one thread at a time."""

    @abstractmethod
    def _timed(self, answer: Answer) -> Answer:
        """The answer; the times of the first one include the time to open the stores."""

    def ask(
        self,
        question: str,
        *,
        mode: str | None = None,
        answer: str | None = None,
        top_k: int | None = None,
        budget: int | None = None,
        scope: Scope | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """Answer a question and cite the sources with exact quotes.

        An argument that is given overrides the setting of the same name. ``scope`` limits the
        question to some documents. ``on_text`` receives a generated answer piece by piece.
        ``Answer.reply.abstained`` is true if the documents contain no answer. Raises InputError (an
        empty question, a scope without documents), StoreError (no hierarchy for the mode lean),
        ConfigError, ModelError, StoreDamaged.

        Of several stores, one in which ``scope`` selects nothing is left out, unless it selects
        nothing in any.
        """
        settings = changed(self._settings, mode=mode, answer=answer, top_k=top_k, budget=budget)
        with self._asked(question, settings, scope, on_text) as (_, asked):
            return self._timed(asked.answer)

    def search(
        self,
        query: str,
        *,
        mode: str | None = None,
        top_k: int | None = None,
        scope: Scope | None = None,
    ) -> tuple[Hit, ...]:
        """The passages for a query, best first. Raises the same errors as ``ask``.

        A passage must have a phrase in quotes and must not have a ``-word``; ``title:word`` and
        ``path:pattern`` limit the documents. Passages of a document that say the same are given
        once. The result is empty if no word of the query occurs and no passage is near to it.
        """
        return search_answer(self, query, mode=mode, top_k=top_k, scope=scope).hits

    def map(self, name: str = "", *, scope: Scope | None = None) -> Reply:
        """What the store, or the folder, document or section called ``name``, holds.

        ``maps`` of the reply have its parts, ``citations`` the sentences that introduce them; each
        of several stores that has something by this name gives a map.
        Raises InputError if nothing is called so, or for a scope without documents.
        """
        from ragcli.asking.ask import verified
        from ragcli.asking.maps import reply_of_map

        with self._searched(scope or Scope()) as (stores, _):
            reply = reply_of_map(stores, name)
            if reply is None:
                raise InputError(
                    f"no folder, document or section is called {name!r}",
                    "list the documents: ragcli inspect docs",
                )
            return verified(stores, reply)

    def tables(self, *, scope: Scope | None = None) -> tuple[StoredTable, ...]:
        """Every table of the documents, with its id. Raises InputError for a scope without
        documents.

        Ids from several stores begin with the name of the store's folder and a colon.
        """
        with self._tables(scope) as tables:
            return tuple(tables.listed())

    def table(
        self, name: str, *, rows: int = TABLE_ROWS, scope: Scope | None = None
    ) -> TableResult:
        """The columns and the first rows of a table, given by its id or its short name."""
        with self._tables(scope) as tables:
            return tables.show(name, rows)

    def query_tables(
        self, query: str, *, rows: int = TABLE_ROWS, scope: Scope | None = None
    ) -> TableResult:
        """The first rows of a SELECT over tables, which it names by their ids or short names.

        Each row has the rows of tables that it is made from, and citations. Raises InputError for
        another statement, a table or a column that does not exist, and a query that takes too
        long.
        """
        with self._tables(scope) as tables:
            return tables.query(query, rows)

    def conversation(self, *, scope: Scope | None = None) -> Conversation:
        """A conversation that resolves "it" and "he". Raises ConfigError, ModelError, InputError (a
        scope without documents)."""
        from ragcli.asking.chat import Talk

        scope, settings = scope or Scope(), self._settings
        with self._searched(scope) as (indexes, helpers), _model(settings):
            return Conversation(self, Talk(indexes, settings, helpers), settings, scope)

    @contextmanager
    def _asked(
        self,
        question: str,
        settings: Settings,
        scope: Scope | None,
        on_text: Callable[[str], None] | None = None,
    ) -> Iterator[tuple[SearchIndex, AskResult]]:
        """The open index of a scope, of the first of several stores, and the result."""
        from ragcli.asking.ask import ask_stores, ignore
        from ragcli.text.asked_question import AskedQuestion

        _not_empty(question)
        with self._searched(scope or Scope()) as (indexes, helpers), _model(settings):
            asked = AskedQuestion(question)
            result = ask_stores(indexes, asked, settings, helpers, on_text=on_text or ignore)
            yield indexes[0].index, result

    @contextmanager
    def _tables(self, scope: Scope | None) -> Iterator[TablesOf]:
        """The tables of the documents in a scope."""
        from ragcli.asking.several import names_of
        from ragcli.asking.tables import TablesOf

        names = dict(zip(map(str, self._folders), names_of(self._folders), strict=True))
        with self._searched(scope or Scope()) as (indexes, _):
            yield TablesOf(indexes, names)


class Store(OpenStores):
    """A store open for reading at one generation: the result of its last completed run.

    Later runs do not change what this handle returns; open the store again to see their result. An
    open handle keeps the files of its generation on disk, so close it, or use it as a context
    manager.

    Threads may share a handle; their calls run one after another. For concurrent calls, open one
    handle per thread. A language model answers one call at a time in the whole process.

    >>> with ragcli.Store.open("store") as store:
    ...     store.ask("Who designed the Analytical Engine?").reply.text
    'Charles Babbage designed the Analytical Engine. [1]'
    """

    def __init__(
        self, path: StrPath, settings: Settings | None = None, report: Report = silent
    ) -> None:
        """The same as ``Store.open``."""
        from ragcli.asking.opening import open_index
        from ragcli.stage_timer import StageTimer

        self._path = as_path(path)
        self._settings = _checked(settings)
        self._lock = threading.RLock()
        clock = StageTimer()
        with clock.stage("open"), ExitStack() as stack:
            index, helpers = stack.enter_context(open_index(self._path, self._settings, report))
            index.hold()
            self._stack = stack.pop_all()
        self._open: tuple[SearchIndex, Helpers] | None = index, helpers
        self._scopes: dict[Scope, SearchIndex] = {}
        _log.debug(
            "opened %s at generation %d in %.0f ms",
            self._path,
            index.snapshot.generation,
            1000 * clock.stages["open"],
        )
        # Reported with the first answer, since the caller waited for it, too.
        self._opening_ms = round(1000 * clock.stages["open"], 2)

    @classmethod
    def open(cls, path: StrPath, settings: Settings | None = None, report: Report = silent) -> Self:
        """Open the store in the folder ``path``.

        ``settings`` default to ``Settings()``; ``ragcli.load_settings()`` returns those of the
        command line. Raises StoreMissing (also before the first run has completed), StoreVersion
        (another format or embedder), StoreDamaged, ModelError, ConfigError.
        """
        return cls(path, settings, report)

    def __repr__(self) -> str:
        return f"<ragcli.Store {str(self._path)!r}{' (closed)' if self._open is None else ''}>"

    @property
    def stores(self) -> tuple[Store, ...]:
        """This store."""
        return (self,)

    @property
    def path(self) -> Path:
        """The folder of the store."""
        return self._path

    @property
    def generation(self) -> int:
        """The number of the run whose result this handle reads."""
        with self._opened() as (index, _):
            return index.snapshot.generation

    def close(self) -> None:
        """Close the store. A second call has no effect."""
        with self._lock:
            self._open = None
            self._scopes.clear()
            self._stack.close()

    def ask_and_draw(self, question: str, *, scope: Scope | None = None) -> tuple[Answer, str]:
        """Answer a question, and draw the retrieval as an HTML page that needs no network.

        The page shows the graph and marks where retrieval started and which nodes it visited.
        Raises the same errors as ``ask``.
        """
        from ragcli.asking.answer_graph import trace_of
        from ragcli.explore import gather, to_html

        with self._asked(question, self._settings, scope) as (index, asked):
            page = to_html(gather(index.snapshot, trace_of(asked)))
            return self._timed(asked.answer), page

    def documents(self) -> tuple[Document, ...]:
        """Every document, read or failed, by id."""
        from ragcli.store import listings

        with self._opened() as (index, _):
            return tuple(listings.documents(index.snapshot))

    def text(self, doc: str, start: int = 0, end: int | None = None) -> str:
        """``text[start:end]`` of a document; hits and citations use the same offsets.

        Raises InputError if the store has no such document.
        """
        from ragcli.store import listings

        with self._opened() as (index, _):
            listings.document(index.snapshot, doc)
            return index.snapshot.documents.text(doc, start, end if end is not None else 2**53)

    def file_of(self, doc: str | Located) -> Path | None:
        """The file that contains a document on this machine, None if it is not there.

        ``doc``: the document's id, or a hit or a citation of it. The file may have changed since it
        was indexed.
        """
        with self._opened() as (index, _):
            return index.snapshot.facts.file_of(doc if isinstance(doc, str) else doc.doc)

    def note_on(self, found: str | Located) -> FolderNote | None:
        """What the user says about the folder of a document (``ragcli describe``), or one above it;
        None for nothing.

        ``found``: the document's id, or a hit or a citation of it.
        """
        from ragcli.asking.folder_notes import note_of
        from ragcli.types.document_ids import path_of

        doc = found if isinstance(found, str) else found.doc
        file = self.file_of(doc)
        with self._opened() as (index, _):
            return note_of(path_of(doc), file, index.snapshot.facts.roots()) if file else None

    def stats(self) -> dict[str, Any]:
        """Counts, sizes and models: the object that ``ragcli inspect stats --json`` prints."""
        from ragcli.enriching.describing import described
        from ragcli.store import listings

        with self._opened() as (index, _):
            found = listings.counts(index.snapshot) | described(index.snapshot)
            return found | {"languages": listings.languages(index.snapshot)}

    @contextmanager
    def _searched(self, scope: Scope) -> Iterator[tuple[list[NamedIndex], Helpers]]:
        """The index of a scope as a list, and helpers, for one thread at a time."""
        from ragcli.asking.several import NamedIndex

        with self._opened() as (whole, helpers):
            yield [NamedIndex("", self._within(whole, scope))], helpers

    def _within(self, whole: SearchIndex, scope: Scope) -> SearchIndex:
        """The index of a scope; the last ones are kept, because a conversation stays in one."""
        if not scope:
            return whole
        from ragcli.search.scoped_index import within

        if scope not in self._scopes:
            if len(self._scopes) >= _SCOPES:
                self._scopes.pop(next(iter(self._scopes)))
            self._scopes[scope] = within(whole, scope)
        return self._scopes[scope]

    def _timed(self, answer: Answer) -> Answer:
        """The answer; the times of the first one include the time to open the store."""
        opening, self._opening_ms = self._opening_ms, 0.0
        times = answer.timings_ms
        total = round(times["total"] + opening, 2)
        return replace(answer, timings_ms={"open": opening, **times, "total": total})

    @contextmanager
    def _opened(self) -> Iterator[tuple[SearchIndex, Helpers]]:
        """The open index and helpers, for one thread at a time. StoreError after ``close``."""
        from ragcli.store.connection import FILE, as_store_errors

        with self._lock:
            if self._open is None:
                raise StoreError(f"the store {self._path} is closed", "open it again")
            with as_store_errors(self._path / FILE):
                yield self._open


class Stores(OpenStores):
    """Several stores open for reading, which are asked as one.

    Every store is searched in the same way. The hits are merged by scores that are comparable
    between stores, and one answer is made from them. ``Hit.store`` and ``Citation.store`` name
    the store. All stores must have been made with the same embedding model.

    >>> with ragcli.Stores.open(["work", "private"]) as stores:
    ...     stores.ask("Who repaired the pump?").reply.citations[0].store
    'work'
    """

    def __init__(
        self, paths: Iterable[StrPath], settings: Settings | None = None, report: Report = silent
    ) -> None:
        """The same as ``Stores.open``."""
        self._settings = _checked(settings)
        self._lock = threading.RLock()
        folders = _each_once(_many(paths))
        if not folders:
            raise InputError("no store is named", "name at least one folder of a store")
        with ExitStack() as stack:
            stores = [Store(folder, self._settings, report) for folder in folders]
            for store in stores:
                stack.enter_context(store)
            self._stack = stack.pop_all()
        self._stores, self._folders = tuple(stores), folders

    @classmethod
    def open(
        cls,
        paths: Iterable[StrPath],
        settings: Settings | None = None,
        report: Report = silent,
    ) -> Self:
        """Open the stores in some folders; a folder that is named twice is opened once.

        Raises the errors of ``Store.open``; StoreVersion names the store with another embedder.
        """
        return cls(paths, settings, report)

    @property
    def stores(self) -> tuple[Store, ...]:
        """The open stores, in the order of their folders; use them for documents and counts."""
        return self._stores

    def close(self) -> None:
        """Close every store. A second call has no effect."""
        with self._lock:
            self._stack.close()

    def file_of(self, found: Located) -> Path | None:
        """The file of a hit or a citation on this machine, None if it is not there."""
        return self._store_of(found).file_of(found.doc)

    def note_on(self, found: Located) -> FolderNote | None:
        """What the user says about the folder of a hit or a citation, as ``Store.note_on``."""
        return self._store_of(found).note_on(found)

    def _store_of(self, found: Located) -> Store:
        names = [str(store.path) for store in self._stores]
        return self._stores[names.index(found.store)]

    @contextmanager
    def _searched(self, scope: Scope) -> Iterator[tuple[list[NamedIndex], Helpers]]:
        """The indexes in which a scope selects something, and the helpers that all share."""
        from ragcli.asking.several import NamedIndex

        indexes: list[NamedIndex] = []
        refused: list[InputError] = []
        with self._lock, ExitStack() as stack:
            for store in self._stores:
                whole, helpers = stack.enter_context(store._opened())
                try:
                    indexes.append(NamedIndex(str(store.path), store._within(whole, scope)))
                except InputError as error:
                    refused.append(error)
            if not indexes:
                raise refused[0]
            yield indexes, helpers

    def _timed(self, answer: Answer) -> Answer:
        """The answer; the times of the first one include the time to open the stores."""
        for store in self._stores:
            answer = store._timed(answer)
        return answer


def search_answer(
    store: OpenStores,
    query: str,
    *,
    mode: str | None = None,
    top_k: int | None = None,
    scope: Scope | None = None,
) -> Answer:
    """The hits of ``Store.search`` in an answer without text, with the mode and the
    generation."""
    from ragcli.asking.searching import search_stores
    from ragcli.text.search_query import search_query

    _not_empty(query)
    wanted = search_query(query)
    if not wanted.text:
        raise InputError(f"the query has no word to look for: {query}", "add a word")
    settings = changed(store._settings, mode=mode, top_k=top_k)
    scope = scope or Scope()
    titles = [("title", f"*{title}*") for title in wanted.titles]
    within = replace(scope, paths=(*scope.paths, *wanted.paths), where=(*scope.where, *titles))
    with store._searched(within) as (stores, helpers):
        found = search_stores(stores, wanted, settings, helpers)
    return replace(found, question=query)


def _each_once(folders: Iterable[Path]) -> list[Path]:
    """The folders without those that are the same as an earlier one."""
    return list({folder.resolve(): folder for folder in reversed([*folders])}.values())[::-1]


class Conversation:
    """A sequence of questions; a follow-up gets the names that it refers to.

    It reads the generation of the store that created it. That store must stay open.
    """

    def __init__(self, store: OpenStores, talk: Talk, settings: Settings, scope: Scope) -> None:
        self._store = store
        self._talk = talk
        self._settings = settings
        self._scope = scope

    @property
    def mode(self) -> str:
        """How the next turns retrieve. Setting it raises ConfigError for an unknown mode."""
        return self._settings.mode

    @mode.setter
    def mode(self, mode: str) -> None:
        self._settings = self._talk.settings = changed(self._settings, mode=mode)

    @property
    def scope(self) -> Scope:
        """The documents that the next turns search. Setting it raises InputError if there are
        none."""
        return self._scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        with self._store._searched(scope) as (indexes, _):
            self._talk.stores = indexes
        self._scope = scope

    def remember(self, question: str, answer: str, quotes: Iterable[str]) -> None:
        """Continue after an earlier turn: its question, its answer, and the quotes in it."""
        from ragcli.text.asked_question import AskedQuestion

        with self._store._searched(self._scope):
            self._talk.remember(AskedQuestion(question), answer, quotes)

    def ask(self, text: str, *, on_text: Callable[[str], None] | None = None) -> Answer:
        """Answer a turn. ``Answer.question`` is the question with its references resolved.

        ``on_text`` receives a generated answer piece by piece.
        """
        from ragcli.asking.ask import ignore
        from ragcli.text.asked_question import AskedQuestion

        _not_empty(text)
        with self._store._searched(self._scope), _model(self._settings):
            answer = self._talk.ask(AskedQuestion(text), on_text or ignore)
            return self._store._timed(answer)


def as_path(given: StrPath) -> Path:
    """A path. Raises InputError for an empty one, which is often a variable without a value."""
    if not os.fspath(given):
        raise InputError("an empty path was given", "for the current folder write: .")
    return Path(given)


def _not_empty(question: str) -> None:
    if not question.strip():
        raise InputError("the question is empty")


def _many(paths: StrPath | Iterable[StrPath]) -> tuple[Path, ...]:
    """One path or several, as a tuple."""
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    return tuple(map(as_path, several))


def _checked(settings: Settings | None) -> Settings:
    return Settings() if settings is None else changed(settings)


def _request_fields(options: UpdateOptions | IndexOptions) -> dict[str, Any]:
    """Options as the fields of a request. Raises TypeError for an unknown option."""
    known = IndexOptions.__annotations__
    if unknown := [name for name in options if name not in known]:
        raise TypeError(f"unexpected option {unknown[0]!r}; known: {', '.join(known)}")
    fields: dict[str, Any] = dict(options)
    for name in ("include", "exclude"):
        if name in fields:
            fields[name] = _several(fields[name])
    if "forget" in fields:
        fields["forget"] = _many(fields["forget"])
    if fields.get("extractions") is not None:
        fields["extractions"] = as_path(fields["extractions"])
    return fields


def _several(globs: Iterable[str]) -> tuple[str, ...]:
    return (globs,) if isinstance(globs, str) else tuple(globs)


def _model(settings: Settings) -> AbstractContextManager[object]:
    """Hold the language model for this thread, if these settings may use one."""
    from ragcli.models.locate import llm_file

    asked = settings.answer in ("auto", "llm") or settings.follow_ups == "llm"
    return _GENERATING if asked and llm_file(settings.llm) is not None else nullcontext()
