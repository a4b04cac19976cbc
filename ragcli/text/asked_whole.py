"""Questions about something as a whole: what they ask about, if they ask for no fact of it."""

from __future__ import annotations

import re

from ragcli.text.words import content_words, fold

_ASKS = re.compile(
    r"\b(?:summari[sz]e|summary|sum up|overview|outline"
    r"|(?:main|key|central) (?:themes?|topics?|subjects?|ideas?|points?)"
    r"|(?:themes?|topics?|subjects?) (?:of|in|across|covered))\b"
    r"|\bwhat(?:'s| is| are| does| do)\b[^?]{1,200}\b(?:about|cover|contain|deal with)\W*\Z",
    re.IGNORECASE,
)
_DOCUMENTS = re.compile(
    r"\b(?:(?:this|these|the(?: whole)?) (?:collection|corpus|documents|files|folder|archive|texts)"
    r"|all (?:the |of the |these )?(?:documents|files|texts))\b",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(r"\b(?:this|these) \w+", re.IGNORECASE)
_HYPHENED = re.compile(r"\b[^\W\d_]{1,20}(?:-[^\W\d_]{1,20})+\b")
"""A word like "how-to" is a name, although none of its parts is."""

_GENERAL = frozenset(
    content_words(
        "about all answer archive book brief briefly central collection contain content corpus"
        " cover deal describe discuss document explain"
        " file find folder found general give"
        " hold idea include inside key kind know learn look main mention mostly outline overall"
        " overview page please point read say section says short sort subject sum summarise"
        " summarize summary talk tell text theme topic treat type"
        " whole write written"
    )
)
"""Words that ask nothing in particular of documents: "What do these files talk about?"."""


def asked_as_whole(text: str) -> str | None:
    """What a question wants summed up: "" for all documents, None if it asks for something else.

    >>> asked_as_whole("Summarise the harbour guide"), asked_as_whole("Give me an overview.")
    ('harbour guide', '')
    >>> asked_as_whole("Who is Ann?") is None, asked_as_whole("Who deletes the files?") is None
    (True, True)
    """
    rest = named_words(text)
    if _ASKS.search(text) or (not rest and _DOCUMENTS.search(text)):
        return " ".join(rest)
    return None


def named_words(text: str) -> tuple[str, ...]:
    """The words of a text that say which document or folder it means.

    >>> named_words("What is the file guide/roads.md about?")
    ('guide', 'roads', 'md')
    """
    hyphened = (one for one in _HYPHENED.findall(fold(text)) if not content_words(one))
    return (*(word for word in content_words(text) if word not in _GENERAL), *hyphened)


def asks_for_whole(text: str) -> bool:
    """Whether a question is about all documents: it wants them summed up and names none.

    >>> asks_for_whole("What are the main themes of these letters?"), asks_for_whole("Who is Ann?")
    (True, False)
    """
    return asked_as_whole(text) is not None and not named_words(_POINTED_AT.sub(" ", text))
