"""Names the files that may answer a question and are not in the store, when nothing else does."""

from __future__ import annotations

import re

from ragcli.store.snapshot import Snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.words import content_words

_MOST_NAMED = 3
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


def unread_note(asked: AskedQuestion, snapshot: Snapshot) -> str:
    """Name the unread files whose name and folders have at least half of a question's words, most
    words first; "" if there are none. An empty file answers nothing."""
    from ragcli.corpus.read.decode import EMPTY  # an answer does not wait for the file readers

    words = set(asked.words)
    fits = []
    for path, reason in snapshot.documents.unread():
        shared = len(words.intersection(content_words(_BETWEEN_WORDS.sub(" ", path))))
        if shared and 2 * shared >= len(words) and reason != EMPTY:
            fits.append((-shared, path, reason))
    named = [f"{path} ({reason})" for _, path, reason in sorted(fits)[:_MOST_NAMED]]
    return f"not read, though the name fits: {', '.join(named)}" if named else ""
