"""A reader that keeps what it made of a question's windows, so that features can be tried in a
second instead of an hour."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Judgement, Passage, Reader, WindowReading


class RememberingReader(Reader):
    """The reader, with what it made of the windows of each question kept beside a store."""

    def __init__(self, weights: Path, store: Path) -> None:
        """Load the weights: a folder, or a file."""
        super().__init__(embedder_folder(), weights)
        file = weights / "reader.safetensors" if weights.is_dir() else weights
        self._store, self._print = store, hashlib.md5(file.read_bytes()).hexdigest()[:8]
        self._read: dict[tuple[str, Passage], list[WindowReading]] = {}
        self._judged: dict[tuple[str, Passage], Judgement] = {}

    def beside(self, kind: str, name: str) -> Path:
        """The file of a question in a folder beside the store."""
        return self._store.with_name(f"{self._store.name}.{kind}") / f"{name}.pickle"

    @contextmanager
    def remembering(self, name: str) -> Iterator[None]:
        """Use what is kept for a question, and keep what is new."""
        file = self.beside(self._print, name)
        self._read, self._judged = pickle.loads(file.read_bytes()) if file.exists() else ({}, {})
        known = len(self._read), len(self._judged)
        yield
        if (len(self._read), len(self._judged)) != known:
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(pickle.dumps((self._read, self._judged)))

    def read(self, question: str, passages: Sequence[Passage]) -> list[WindowReading]:
        """As the reader's own."""
        new = [one for one in dict.fromkeys(passages) if (question, one) not in self._read]
        self._read |= {(question, one): [] for one in new}
        for reading in super().read(question, new) if new else ():
            self._read[question, new[reading.passage]].append(reading)
        return [
            replace(reading, passage=number)
            for number, one in enumerate(passages)
            for reading in self._read[question, one]
        ]

    def judge(
        self, pairs: Sequence[tuple[str, int]], passages: Sequence[Passage]
    ) -> list[Judgement]:
        """As the reader's own."""
        asked = [(claim, passages[at]) for claim, at in pairs]
        new = [one for one in dict.fromkeys(asked) if one not in self._judged]
        numbered = [(claim, at) for at, (claim, _) in enumerate(new)]
        found = super().judge(numbered, [passage for _, passage in new]) if new else []
        self._judged |= dict(zip(new, found, strict=True))
        return [self._judged[one] for one in asked]
