"""What a query is built of, as far as that tells which rows of tables a row of its result is from.

SQLite tells the columns of a result, not the rows behind them. So the query is asked again with
the numbers of rows as further columns, and the answers are compared: where they differ, nothing is
told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragcli.errors import InputError

_TOKEN = re.compile(
    r"(?P<gap>\s++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)|(?P<text>'[^']*+'?)"
    r"|(?P<name>\"[^\"]*+\"?|`[^`]*+`?|\[[^\]]*+\]?|[^\W\d]\w*+)|(?P<sign>\d++|.)",
    re.DOTALL,
)
"""What is not closed ends with the query, so that none of it is looked at twice."""
LONGEST_QUERY = 10_000
_ALL = frozenset(("count", "sum", "total", "avg", "group_concat", "string_agg"))
_ENDS = frozenset(("min", "max"))
"""Aggregates with one argument: the least and the greatest belong to one row."""
_AFTER_TABLES = frozenset("where group having order limit window".split())
_AFTER_NAME = _AFTER_TABLES | frozenset(
    "on using join left right full inner cross natural outer indexed not".split()
)
_QUERIES = frozenset(("select", "with", "values"))
_COMPOUND = frozenset(("union", "intersect", "except"))


@dataclass(frozen=True, slots=True)
class QueryShape:
    """``end``: where the columns of the outermost SELECT end. ``sources``: (name, alias) of its
    tables; a query in brackets has the name "". ``joins``: it puts rows together; ``ends``: only
    to take the least or the greatest."""

    end: int
    sources: tuple[tuple[str, str], ...]
    joins: bool
    ends: bool

    def traced(self, query: str) -> str:
        """The query with further columns: the row of the least or the greatest, then of each
        table the row, or a list of rows."""
        rows = [f"{_quoted(alias)}.rowid" for _, alias in self.sources]
        kept = [f"json_group_array({row})" for row in rows] if self.joins else rows
        first = rows if self.ends else ["NULL"] * len(rows)
        return f"{query[: self.end]}, {', '.join((*first, *kept))} {query[self.end :]}"


@dataclass(frozen=True, slots=True)
class _SqlWord:
    """A token; ``depth``: the brackets around it, ``inner``: whether one of them is a query."""

    text: str
    named: bool
    at: int
    depth: int
    inner: bool

    @property
    def key(self) -> str:
        """What it means as a keyword."""
        return self.text.casefold() if self.named else self.text


def check_select(query: str) -> None:
    """Raises InputError for what is no SELECT, or too long."""
    if len(query) > LONGEST_QUERY:
        raise InputError(f"the query has {len(query):,} characters", f"at most {LONGEST_QUERY:,}")
    first = next(iter(_words(query)), None)
    if first is None or first.key not in _QUERIES or "\0" in query:
        raise InputError("only SELECT can be asked of tables", 'such as: SELECT * FROM "towns.csv"')


def names_in_quotes(query: str) -> set[str]:
    """The names that a query writes in double quotes."""
    return {_bare(word) for word in _words(query) if word.text.startswith('"')}


def texts_in(query: str) -> set[str]:
    """The texts that a query writes."""
    return {word.text[1:-1] for word in _words(query) if word.text.startswith("'")}


def shape_of(query: str) -> QueryShape | None:
    """The shape of a query; None where the rows behind its result cannot be told."""
    words = _words(query)
    outer = [word for word in words if not word.depth]
    keys = [word.key for word in outer]
    if keys.count("select") != 1 or "from" not in keys or _COMPOUND.intersection(keys):
        return None
    begin, end = keys.index("select"), keys.index("from")
    if end < begin or keys[begin + 1] == "distinct":
        return None
    sources = tuple(_sources(outer[end + 1 :]))
    first, last = words.index(outer[begin]), words.index(outer[end])
    joined = list(_aggregates(words[first:last]))
    joins = "group" in keys or bool(joined)
    ends = len(joined) == 1 and joined[0] in _ENDS
    return QueryShape(outer[end].at, sources, joins, ends) if sources else None


def _words(query: str) -> list[_SqlWord]:
    """The tokens of a query without what is between them."""
    found: list[_SqlWord] = []
    inner = [False]
    for token in _TOKEN.finditer(query):
        if token["gap"]:
            continue
        named, text = bool(token["name"]), token[0]
        if found and found[-1].text == "(":
            inner.append(inner[-1] or text.casefold() in _QUERIES)
        if text == ")" and len(inner) > 1:
            inner.pop()
        found.append(_SqlWord(text, named, token.start(), len(inner) - 1, inner[-1]))
    return found


def _aggregates(words: Sequence[_SqlWord]) -> Iterator[str]:
    """The aggregates that the columns of a result call; those of inner queries and over windows
    are left out."""
    for at, (word, after) in enumerate(pairwise(words)):
        name = word.key
        if word.inner or after.text != "(" or name not in _ALL | _ENDS:
            continue
        inside = [n for n in range(at + 2, len(words)) if words[n].depth <= word.depth]
        end = inside[0] if inside else len(words)
        several = any(w.text == "," and w.depth == word.depth + 1 for w in words[at + 2 : end])
        behind = [w.key for w in words[end : end + 2]]
        if (name in _ALL or not several) and not {"over", "filter"}.intersection(behind):
            yield name


def _sources(words: Sequence[_SqlWord]) -> Iterator[tuple[str, str]]:
    """(name, alias) of the tables after FROM."""
    keys = [word.key for word in words]
    begins = [0, *(at + 1 for at, key in enumerate(keys) if key in (",", "join"))]
    ends = next((at for at, key in enumerate(keys) if key in _AFTER_TABLES), len(keys))
    for at in begins:
        if at >= ends:
            return
        name = words[at]
        behind = at + 1 + (at + 1 < len(keys) and keys[at + 1] == "as")
        alias = words[behind] if behind < len(words) else None
        has_alias = alias is not None and alias.named and alias.key not in _AFTER_NAME
        yield _bare(name), _bare(alias) if alias and has_alias else _bare(name)


def _bare(word: _SqlWord) -> str:
    """A name without its quotes; "" for what is no name."""
    if not word.named:
        return ""
    return word.text[1:-1] if word.text[0] in '"`[' else word.text


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
