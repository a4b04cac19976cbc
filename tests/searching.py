"""A store opened for questions, with less to write: for tests of retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragcli.asking.ask import ask_in
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, Question, Retrieval, retrieve, understand
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot import Snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Hit


@dataclass(frozen=True)
class Search:
    """An index and the models to search it with."""

    index: SearchIndex
    helpers: Helpers

    @property
    def snapshot(self) -> Snapshot:
        return self.index.snapshot

    def understand(self, text: str) -> Question:
        return understand(self.snapshot, AskedQuestion(text), self.helpers.encode)

    def retrieve(self, question: Question, mode: str, k: int) -> Retrieval:
        return retrieve(self.index, question, mode_called(mode), k, self.helpers)

    def hits(self, question: Question, mode: str, k: int) -> list[Hit]:
        return list(self.retrieve(question, mode, k).hits)


@contextmanager
def searching(store: Path, settings: Settings) -> Iterator[Search]:
    """As ``open_index``."""
    with open_index(store, settings) as (index, helpers):
        yield Search(index, helpers)


def ask(store: Path, text: str, settings: Settings) -> Answer:
    """The answer to one question."""
    with searching(store, settings) as search:
        return ask_in(search.index, AskedQuestion(text), settings, search.helpers).answer
