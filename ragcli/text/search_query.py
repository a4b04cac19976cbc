"""What a query asks for besides its words: phrases, words to leave out, titles and paths."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragcli.text.words import content_words, plain, stem

_TERM = re.compile(
    r"""(?<!\S)(?P<minus>-(?=["“]|[^\W\d_]{2}))?(?:(?P<field>title|path):(?=\S))?
    (?:["“](?P<phrase>[^\w"“”\n]*+\w[^"“”\n]*+)["”](?!\w)|(?P<word>\S+))""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query taken apart; ``text`` are the words to look for, those of phrases and titles too.

    Each of ``phrases`` must be in a passage, its words in any form side by side, and none of
    ``without`` may. ``titles`` must be in the title of a
    document; ``paths`` are patterns of which its path must match one.
    """

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def accepts(self, text: str) -> bool:
        """Whether a passage has the phrases and nothing that is to be left out."""
        said = _stems(text)
        return all(_stems(one) in said for one in self.phrases) and not any(
            _stems(one) in said for one in self.without
        )


def search_query(text: str) -> SearchQuery:
    """Take a query apart. A minus before one letter or another minus is that of an option.

    >>> search_query('radar "false alarm" -weather title:report path:logs/ -v')
    ... # doctest: +NORMALIZE_WHITESPACE
    SearchQuery(text='radar false alarm report -v', phrases=('false alarm',),
                without=('weather',), titles=('report',), paths=('logs/',))
    """
    words: list[str] = []
    phrases, without, titles, paths = list[str](), list[str](), list[str](), list[str]()
    for term in _TERM.finditer(text):
        said = term["phrase"] or term["word"]
        field = (term["field"] or "").casefold()
        if field == "path":
            paths.append(f"!{said}" if term["minus"] else said)
        elif term["minus"]:
            without.append(said)
        else:
            words.append(said)
            if field:
                titles.append(said)
            elif term["phrase"]:
                phrases.append(said)
    return SearchQuery(" ".join(words), *map(tuple, (phrases, without, titles, paths)))


def same_passages(one: str, other: str, least: float) -> bool:
    """Whether two texts share at least ``least`` of the content words of both.

    >>> same_passages("The pump leaks at night.", "The pump leaks at night!", 0.8)
    True
    """
    first, second = set(content_words(one)), set(content_words(other))
    return len(first & second) >= least * len(first | second)


def _stems(text: str) -> str:
    """The stems of a text's words, each between spaces."""
    return f" {' '.join(map(stem, plain(text).split()))} "
