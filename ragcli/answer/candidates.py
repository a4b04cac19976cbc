"""The sentences of a context that may be shown as an answer, with the data to judge them by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.answer.laid import RowPlace, code_spans, items_at, row_at
from ragcli.text.list_terms import inner_span, without_marks
from ragcli.text.markup import (
    is_heading,
    is_list_item,
    is_short,
    without_bullet,
    without_page_lines,
)
from ragcli.text.names import names_in
from ragcli.text.sentences import sentences
from ragcli.text.spans import Span
from ragcli.text.words import content_words, one_line, plain
from ragcli.types import Context, Part

_NO_WORDS = re.compile(r"[\W_]*\Z")
_SEALED = re.compile(
    r"-----(?:BEGIN|END) [A-Z ]+-----"
    r"|(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]{40})(?=\S*[A-Z])(?=\S*[g-z])[A-Za-z0-9+/]+={0,2}(?: |\Z)"
)
"""Begins signatures, keys and certificates, as in signed mail; a hash of a file has no capitals."""
_DIRECTIVE = re.compile(r"\.\. (?:_[^\n]{1,80}:|[\w:-]+::(?: \S{0,80})?)\Z")
"""A line of reStructuredText that says nothing by itself: a target, the beginning of a block."""
_FENCE = re.compile(r"(?:```|~~~)")
_BOLD_LEAD = re.compile(r"(\*\*|__)(?P<lead>[^*_]+)\1[.:]?\Z")
_NUMBERING = re.compile(r"(?:[A-Z]\.|(?<![\d.]))[\d.]++\s|(?<!#)#++\s*+(?:\d++\.)+\s")
_FEWEST_WORDS = 3
"""Words of a line that ends with a colon and is more than a label."""
_CLOSING = "*_\"'”’») 」』）"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a part: ``part.text[start - part.start : end - part.start]``.

    ``start`` and ``end`` are offsets into the document. ``order`` counts from 0 in the part.
    ``text`` is on one line, without its list marker: what is shown. ``lead`` are the headings,
    table head, question or "as follows:" above it, which say what it is about; ``heading`` is the
    path of headings alone ("Guide > Roads"), with the terms of list items ("Guide > max_size"), and
    ``asked`` the question alone, "" where there is none. ``words`` are content
    words of the sentence, ``about`` those of its title and lead as well; ``names`` are plain (see
    ``words.plain``). ``code``: it is in a block of code.
    """

    part: Part
    order: int
    start: int
    end: int
    text: str
    lead: str
    heading: str
    asked: str
    words: frozenset[str]
    about: frozenset[str]
    names: frozenset[str]
    code: bool = False


def candidates(part: Part) -> Iterator[Sentence]:
    """Yield the sentences of a part that state something.

    Headings, table heads and rules, code fences, questions and lines that end with a colon and say
    nothing besides ("Example:") answer nothing, so they are not yielded. They become the lead of
    the sentences below them. Signatures, keys and certificates are left out, too. A sentence that
    ends with a colon is yielded, and is the lead of what it announces.
    A heading with a number ("## 2.1.0 (2024-03-02)") states something and is yielded as well.
    """
    return (sentence for sentence, _ in _in_lists(part))


def _in_lists(part: Part) -> Iterator[tuple[Sentence, _Lead]]:
    """The candidates with what is above each; the next step changes that."""
    lead, before, in_code = _Lead(), 0, False
    code = code_spans(part)
    for order, (start, end) in enumerate(sentences(part.text)):
        text = one_line(without_page_lines(part.text[start:end]))
        paragraph = "\n\n" in part.text[before:start]
        before = end
        at = part.start + start
        path = part.heading_at(at)
        was_code, in_code = in_code, any(a <= at < b for a, b in code)
        if was_code and not in_code:
            lead.above = ""
        if in_code:
            if not _states_nothing(text):
                yield _sentence(part, order, (start, end), text, lead, code=True), lead
            continue
        lead.takes_items(part, at)
        titled = bool(path) and plain(text) == plain(path.rpartition(" > ")[2])
        if _states_nothing(text):
            continue
        row = row_at(part, at)
        lead.head = _head_of(part, row) if row else ""
        if not lead.takes(text, paragraph, path, titled, row) or (titled and _dated(text)):
            yield _sentence(part, order, (start, end), text, lead), lead


def _head_of(part: Part, place: RowPlace) -> str:
    """The head of a table above a row that does not name its cells itself."""
    head = place.table.first("head")
    return one_line(part.words_of(head)) if head and place.row.of("cell") else ""


def _states_nothing(text: str) -> bool:
    """Return whether a line is a fence, a rule, a directive, a signature or a key."""
    return any(mark.match(text) for mark in (_FENCE, _NO_WORDS, _DIRECTIVE, _SEALED))


def _dated(heading: str) -> bool:
    """Return whether a heading has a number besides the one that numbers it."""
    return any(map(str.isdigit, _NUMBERING.sub("", heading))) and not is_question(heading)


@dataclass(slots=True)
class _Lead:
    """The lines above the current sentence that say what it is about.

    ``heading`` holds until the next one, ``head`` (of a table) as long as rows follow, ``above``
    (a question, "as follows:" or "**Finding.**") to the end of its paragraph or of the list it
    opens.
    """

    heading: str = ""
    head: str = ""
    above: str = ""
    opened: bool = False
    path: str = ""
    items: tuple[str, ...] = ()
    own: bool = False

    def takes_items(self, part: Part, at: int) -> None:
        """Take in the items of lists around a sentence; ``own``: it begins the innermost."""
        found = [(item, item.first("label")) for item in items_at(part, at)]
        terms = (part.words_of(label) for _, label in found if label)
        self.items = tuple(without_marks(term[slice(*inner_span(term))]) for term in terms if term)
        self.own = bool(found) and found[-1][1] is not None and found[-1][0].start == at

    def takes(
        self, text: str, paragraph: bool, path: str, titled: bool, row: RowPlace | None
    ) -> bool:
        """Take in one line; tell whether it is no more than a lead itself.

        ``paragraph``: an empty line is before it. ``path``: the headings that the document
        has over it. ``titled``: it is the last of them. ``row``: it is in a table.
        """
        if path and path != self.path:
            self.path, self.heading, self.above = path, path, ""
        if titled or is_heading(text):
            self.heading, self.above = path or text.lstrip("# "), ""
            return True
        if paragraph and not self.opened and not is_list_item(text):
            self.above = ""
        if (bold := _BOLD_LEAD.match(text)) and is_short(text) and not is_question(text):
            self.above, self.opened = bold["lead"], False
            return True
        self.opened = not row and text.rstrip(_CLOSING).endswith(("?", ":", "？", "："))
        if self.opened:
            self.above = text
        label = self.opened and len(text.split()) < _FEWEST_WORDS
        return (row is not None and row.is_head) or is_question(text) or label

    @property
    def asked(self) -> str:
        """The question that the text below answers, "" when none was asked."""
        return next(filter(is_question, (self.above, self.heading)), "")

    @property
    def path_of_terms(self) -> str:
        """The headings, then the terms of the list items that the sentence is in."""
        return " > ".join(filter(None, (self.heading, *self.items)))

    @property
    def over(self) -> str:
        """The same without the term that the sentence itself begins with."""
        items = self.items[:-1] if self.own else self.items
        return " > ".join(filter(None, (self.heading, *items)))

    def __str__(self) -> str:
        return " ".join(filter(None, (self.path_of_terms, self.head, self.above)))


def all_candidates(context: Context) -> list[Sentence]:
    """Return the candidates of all parts in the context's order, then those behind its facts."""
    parts = (*context.parts, *context.behind)
    return [sentence for part in parts for sentence in candidates(part)]


def sentence_at(part: Part, start: int, end: int) -> Sentence:
    """Return the sentence that holds ``start`` to ``end``, offsets into the document.

    A heading or a row of a table is one, too, and so are neighbours that the stretch runs across.
    """
    for sentence in candidates(part):
        if sentence.start <= start and end <= sentence.end:
            return sentence
    spans = sentences(part.text)
    touched = [
        (order, span)
        for order, span in enumerate(spans)
        if span[0] < end - part.start and start - part.start < span[1]
    ]
    order = touched[0][0] if touched else 0
    first = min([start - part.start, *(span[0] for _, span in touched)])
    last = max([end - part.start, *(span[1] for _, span in touched)])
    lead = _Lead(heading=part.heading_at(part.start + first))
    return _sentence(part, order, (first, last), one_line(part.text[first:last]), lead)


def heading_over(part: Part, offset: int) -> str:
    """Return the heading above the character at document ``offset``, "" if the part has none."""
    for sentence, lead in _in_lists(part):
        if sentence.end > offset:
            inside = sentence.start <= offset
            return lead.over if inside else part.heading_at(offset) or sentence.heading
    return part.heading_at(offset)


def is_question(text: str) -> bool:
    """Tell whether a line asks: by its mark, inside closing quotes or emphasis too."""
    return text.rstrip(_CLOSING).endswith(("?", "？", "؟"))


def _sentence(
    part: Part, order: int, span: Span, text: str, lead: _Lead, *, code: bool = False
) -> Sentence:
    words = frozenset(content_words(text))
    return Sentence(
        part=part,
        order=order,
        start=part.start + span[0],
        end=part.start + span[1],
        text=text if code else without_bullet(text),
        lead=str(lead),
        heading=lead.path_of_terms,
        asked=lead.asked,
        words=words,
        about=words.union(content_words(part.title), content_words(str(lead))),
        names=frozenset(plain(name) for name in names_in(text)),
        code=code,
    )
