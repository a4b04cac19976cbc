"""Makes a query of what a question asks of a table, where each of its words names something there.

A word names a column (all words of its head are in the question), a cell (the question holds it as
a whole), or what the table is about (its document, the heading above it). One word that names
nothing, or several things, and there is no query: it may be what the question is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.search.tables.read import TableContent
from ragcli.text.asked_table import Bound, TableIntent
from ragcli.text.words import content_words, plain, stem
from ragcli.types.tables import TableColumn

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])|[_/.#-]")
_LONGEST_CELL = 80


class UnclearColumnsError(Exception):
    """The question does not say, in words of the table, what to compute."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """A column, by its place, whose value compares with ``value``."""

    column: int
    sign: str
    value: str | float

    def sql(self, columns: Sequence[TableColumn]) -> str:
        value = f"{self.value:.12g}" if isinstance(self.value, float) else _text(self.value)
        return f"{_name(columns[self.column])} {self.sign} {value}"


def planned(intent: TableIntent, content: TableContent, table: str, about: str) -> str | None:
    """The query for a table, given by its id, that is ``about`` some words; None without one."""
    try:
        return _Plan(intent, content, about).query(table)
    except UnclearColumnsError:
        return None


class _Plan:
    """The words of a question as columns and conditions."""

    def __init__(self, intent: TableIntent, content: TableContent, about: str) -> None:
        self._intent = intent
        self._content = content
        self._stems = [stem(word) for word in intent.stems]
        self._left = Counter(self._stems)
        self._heads = [_stems(_BRACKETS.sub(" ", column.head)) for column in content.columns]
        self._conditions = list(self._cells())
        named = list(self._named())
        self._wanted = stem(intent.wanted)
        left = set(+self._left)
        if left - set(_stems(about)) or self._wanted in left:
            raise UnclearColumnsError
        held = {condition.column for condition in self._conditions}
        kinds = [(n, content.columns[n].kind) for n in named]
        self._numbers = [n for n, kind in kinds if kind == "number"]
        self._nouns = [n for n, kind in kinds if kind != "number" and n not in held]
        for bound in intent.bounds:
            self._conditions.append(self._bounded(bound))

    def query(self, table: str) -> str:
        """The query. Raises UnclearColumnsError where the question does not tell which."""
        source = '"' + table.replace('"', '""') + '"'
        where = " AND ".join(one.sql(self._content.columns) for one in self._conditions)
        chosen = f"FROM {source}{f' WHERE {where}' if where else ''}"
        aggregate, measure = self._measured()
        if measure is None:
            return f"SELECT count(*) {chosen}"
        column = _name(self._content.columns[measure])
        if aggregate not in ("max", "min"):
            return f"SELECT {aggregate}({column}) {chosen}"
        shown = ", ".join([*(_name(self._content.columns[n]) for n in self._nouns), column])
        joint = "AND" if where else "WHERE"
        return f"SELECT {shown} {chosen} {joint} {column} = (SELECT {aggregate}({column}) {chosen})"

    def _measured(self) -> tuple[str, int | None]:
        """The aggregate and its column; None counts rows."""
        aggregate = self._intent.aggregate
        if aggregate in ("max", "min") and not self._numbers:
            dates = [n for n in self._nouns if self._content.columns[n].kind == "date"]
            self._nouns = [n for n in self._nouns if n not in dates]
            self._numbers = dates
        most_nouns = {"count": 1, "max": 1, "min": 1}.get(aggregate, 0)
        if len(self._numbers) > 1 or len(self._nouns) > most_nouns:
            raise UnclearColumnsError
        if aggregate == "count":
            return self._counted()
        if not self._numbers or (self._wanted and aggregate in ("max", "min") and not self._nouns):
            raise UnclearColumnsError
        return aggregate, self._numbers[0]

    def _counted(self) -> tuple[str, int | None]:
        """A sum, if what is counted is a column of numbers; else rows of what it names, within
        bounds: a table seldom lists all that there are."""
        if self._numbers and self._wanted in self._heads[self._numbers[0]]:
            return "sum", self._numbers[0]
        bounded = bool(self._intent.bounds)
        if self._numbers or not (self._nouns and bounded) or self._repeats(self._nouns[0]):
            raise UnclearColumnsError
        return "count", None

    def _repeats(self, column: int) -> bool:
        """Whether rows are not what the column names: two of them have the same value."""
        values = [value for value in self._content.values[column] if value is not None]
        return len(set(values)) < len(self._content.spans)

    def _cells(self) -> Iterator[_Condition]:
        """The cells that the question names; the longest, where one holds another."""
        text = plain(self._intent.words)
        found: dict[str, set[tuple[int, str]]] = {}
        for column, values in enumerate(self._content.values):
            if self._content.columns[column].kind != "text":
                continue
            for value in {v for v in values if isinstance(v, str) and len(v) <= _LONGEST_CELL}:
                if (words := plain(value)) in text and content_words(value):
                    found.setdefault(words, set()).add((column, value))
        longest = [w for w in found if not any(w != other and w in other for other in found)]
        columns = [column for words in longest for column, _ in found[words]]
        if len(set(columns)) < len(columns) or any(len(found[words]) > 1 for words in longest):
            raise UnclearColumnsError
        for words in longest:
            ((column, value),) = found[words]
            self._left -= Counter(_stems(value))
            yield _Condition(column, "=", value)

    def _named(self) -> Iterator[int]:
        """The columns that the question names, in its order."""
        heads = self._heads
        found = [n for n, words in enumerate(heads) if words and set(words) <= set(self._stems)]
        found = [n for n in found if not any(set(heads[n]) < set(heads[m]) for m in found)]
        if len({frozenset(heads[n]) for n in found}) < len(found):
            raise UnclearColumnsError
        for n in sorted(found, key=lambda n: min(map(self._stems.index, heads[n]))):
            for word in heads[n]:
                self._left[word] = 0
            yield n

    def _bounded(self, bound: Bound) -> _Condition:
        """The condition of a number: of the column named for it, or the only one that has it."""
        measured = 0 if self._intent.aggregate == "count" else 1
        if bound.sign != "=":
            if len(self._numbers) != measured + 1:
                raise UnclearColumnsError
            return _Condition(self._numbers.pop(), bound.sign, bound.number)
        kinds = [column.kind for column in self._content.columns]
        holding = [
            n
            for n, values in enumerate(self._content.values)
            if kinds[n] == "number" and bound.number in values
        ]
        holding = [n for n in self._numbers if n in holding] or holding
        if len(holding) != 1:
            raise UnclearColumnsError
        self._numbers = [n for n in self._numbers if n != holding[0]]
        return _Condition(holding[0], "=", bound.number)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in content_words(_JOINT.sub(" ", text))]


def _name(column: TableColumn) -> str:
    return f'"{column.name}"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
