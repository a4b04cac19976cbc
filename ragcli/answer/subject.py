"""Whether the document of an answer is about what a plain question names.

"How deep is Lac Corvane?" is answered where Lac Corvane is mentioned. A reader also finds "2.8
metres" in a report that knows no such lake. A question that describes what it asks about, or asks
for several things, may well be answered elsewhere than where its names stand; so only plain ones
are judged: a question word first, and few words beside names (docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragcli.answer.answer_kind import has_no_short_answer
from ragcli.answer.view import asked_names
from ragcli.answer.windows import Stretch
from ragcli.text.descriptions import innermost
from ragcli.text.identifiers import named_in
from ragcli.text.names import names_in
from ragcli.text.words import content_words
from ragcli.types import Context, Part

FEW_WORDS = 3
"""Content words of a plain question beside its names."""

_ASKS_FIRST = re.compile(
    r"\W*(?:(?:in|on|at|by|from|for|of|to|with|under|during|since|until) )?"
    r"(?:who|whom|whose|what|which|when|where|how)\b",
    re.IGNORECASE,
)


def strangers(question: str, places: Sequence[Stretch], context: Context) -> list[str]:
    """All names of a plain question, if none of them stands in the documents of an answer; else [].

    A name stands there if all its words do, in the text, the headings, the title or the path, or
    if its last word ends a name there ("Captain Weil" for "Anna Weil").
    """
    named = [name for name in (*asked_names(question), *named_in(question)) if content_words(name)]
    names = list(dict.fromkeys(named))
    if not names or not _is_plain(question, names):
        return []
    documents = {place.part.doc for place in places}
    parts = [*(place.part for place in places), *context.parts, *context.behind]
    text = _said(part for part in parts if part.doc in documents)
    said = set(content_words(text))
    ends = {words[-1] for name in names_in(text) if (words := content_words(name))}
    for name in names:
        words = content_words(name)
        if said.issuperset(words) or words[-1] in ends:
            return []
    return names


def _is_plain(question: str, names: Sequence[str]) -> bool:
    """Whether one passage about what a question names would answer it."""
    if not _ASKS_FIRST.match(question) or has_no_short_answer(question):
        return False
    beside = set(content_words(question)) - set(content_words(" ".join(names)))
    return len(beside) <= FEW_WORDS and innermost(question) is None


def _said(parts: Iterable[Part]) -> str:
    """What passages say, and what stands above them."""
    return "\n".join(
        "\n".join([part.doc, part.title, *dict(part.headings).values(), part.text])
        for part in dict.fromkeys(parts)
    )
