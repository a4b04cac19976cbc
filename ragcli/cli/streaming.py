"""Shows the answer of a language model on the terminal while it is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ragcli.config import Settings
from ragcli.text.readable import readable
from ragcli.text.terminal import harmless


class StreamedAnswer:
    """Writes sentences to stdout as they come, broken between words."""

    def __init__(self, columns: int, begin: Callable[[], None]) -> None:
        """``begin`` is called before the first sentence: what else is on the screen must go."""
        self.text = ""
        """All that came; nothing is left out or changed."""
        self._columns = columns
        self._begin = begin
        self._column = 0

    def __call__(self, piece: str) -> None:
        """Write a sentence, as ``on_text`` of ``ask`` gets it."""
        if not self.text:
            self._begin()
        self.text += piece
        for word in harmless(readable(piece)).split():
            if self._column and self._column + 1 + len(word) > self._columns:
                sys.stdout.write("\n")
                self._column = 0
            space = 1 if self._column else 0
            sys.stdout.write(" " * space + word)
            self._column += space + len(word)
        sys.stdout.flush()


def streamed(settings: Settings, begin: Callable[[], None]) -> StreamedAnswer | None:
    """What shows the answer as it comes; None if stdout is no terminal or no model answers.

    Raises ModelError for a model that cannot be loaded.
    """
    if settings.answer not in ("auto", "llm") or not sys.stdout.isatty():
        return None
    from ragcli.asking.ask import answerer

    if answerer(settings)[1] is None:
        return None
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        columns = 0
    return StreamedAnswer(columns or 80, begin)
