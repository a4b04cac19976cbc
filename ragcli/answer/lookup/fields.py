"""Questions that a label answers: "What is Joe's extension?", "Who signed the letter to Ann?".

A reader of sentences finds little in tables, forms and signatures (``text.labelled``). Their labels
say what each value is, so such a value is looked up: the question asks for its label, and all that
the question says besides stands in its row, or in the head of its document. A question of which
something is left over is not answered here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.answer.answer_kind import fits, has_no_short_answer, lacks_number
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.dates import MONTHS
from ragcli.text.identifiers import holds
from ragcli.text.labelled import SIGNED, LabelledField, LabelledRecord, records
from ragcli.text.words import content_words, fold
from ragcli.types import Part

ROW_SURE = 0.85
LINE_SURE = 0.75
"""Confidence of a value in a row that holds all of the question, and of one below a label."""

LESS_SURE = 0.2
"""How much less sure a value is of which the question says a word that is not told there."""

HEAD_CHARS = 600
"""Characters at the start of a document that say what it is about."""

MOST_ITEMS = 30

_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|how)\b", re.IGNORECASE)
_MAY = re.compile(r"(?<=[a-z\d,] )May\b")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_SEPARATOR = re.compile(r"\s*(?:[,;]|\n[ \t]*(?:[-*+•·–][ \t]+)?|(?:,\s*)?\band\b)\s*")
_BRACKETED = re.compile(r"\s*[(<\[][^)>\]]*[)>\]]\s*|^[\"“]|[\"”]$")
_SEVERAL = re.compile(
    r"\b(?:which|what)(?: [\w-]+){0,2} [a-z-]{3,}s (?:are|were|have|had|do|did|can|could|may|must"
    r"|will|come|came|belong|work|live|of|in|at|from|on)\b"
    r"|\bwho (?:are|were|attend|took part|participat|sent apolog|was (?:present|there|absent)"
    r"|came)|\b(?:list|name) (?:all|the)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(?:director|manager|officer|engineer|secretary|treasurer|chair(?:man|woman|person)?|head"
    r"|president|captain|clerk|advis[eo]r|assistant|editor|minister|mayor|professor|partner"
    r"|proprietor|owner|technician|inspector|foreman|supervisor|agent|representative|solicitor"
    r"|notary|spokes(?:man|woman|person)|chief|leader|founder|dean|rector|curator|warden)\b",
    re.IGNORECASE,
)

# What a question word asks for, by the stems of labels.
_KINDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), frozenset(content_words(labels)))
    for asked, labels in (
        (r"how much|costs?|price|fee|expensive|charged?", "price cost amount rate fee charge"),
        (r"when|what day|which day", "date"),
        (r"where", "place venue location address"),
        (r"how many", "count quantity number amount"),
        (r"how heavy|weighs?|weight", "weight"),
        (r"how old", "age"),
        (r"who|whom", "name"),
        (r"phone number|telephone number|telephone|phone", "phone telephone tel"),
    )
)
_NOUN_ASKED = re.compile(
    r"\b(?:which|what) (?!(?:is|are|was|were|did|does|do|has|have|had|can|could|may|must|will)\b)",
    re.IGNORECASE,
)
_MAIL_HEAD = frozenset(("date", "to", "cc", "subject", "message-id", "in-reply-to"))
_FIGURES = re.compile(r"[\w./-]*\d[\w./-]*[\w]")
_WROTE = re.compile(r"\b(?:signed|wrote|written|author|sent|sign|write|writer)\b", re.IGNORECASE)
_LETTERS = frozenset(content_words("letter mail e-mail email message note reply notice"))


# Words that choose one of several values: without them the question is another one.
_CHOOSING = frozenset(
    content_words(
        "default first second third last latest newest oldest next previous former original new old"
        " maximum minimum most least total average main other only"
    )
)

_BY_KIND = frozenset(("",))
"""Stands among the words that ask for a label if the question word does."""


@dataclass(frozen=True, slots=True)
class _LabelQuestion:
    """A question's words: stems that must be told (names, numbers), and the others.

    ``marks`` are its numbers with points and its codes, which must stand there as they are;
    ``noun`` is the stem of the word after "which" or "what", "" if a verb stands there.
    """

    text: str
    sure: frozenset[str]
    small: frozenset[str]
    marks: tuple[str, ...]
    noun: str
    several: bool

    @property
    def words(self) -> frozenset[str]:
        return self.sure | self.small


@dataclass(frozen=True, slots=True)
class _FieldMatch:
    """A field that a question asks for, how many of its words are not told there, and how many
    ask for the label."""

    part: Part
    field: LabelledField
    row: bool
    missing: int
    asked: int


def field_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The value of the label that a question asks for; None if there is none, or it is unclear."""
    if not _ASKING.search(question) or has_no_short_answer(question):
        return None
    asked = _read(question)
    heads, letters = _words_of(parts, HEAD_CHARS), _words_of(parts)
    matches = [
        match
        for part in parts
        for record in records(part.text)
        for match in _matches(
            asked, part, record, (letters if _is_signature(record) else heads)[part.doc]
        )
    ]
    if not matches:
        return None
    least = min(match.missing for match in matches)
    best = [match for match in matches if match.missing == least]
    rows = [match for match in best if match.row]
    best = rows or sorted(best, key=lambda match: (-_sent_by(asked, match), -match.asked))
    if asked.several and len(best) > 1 and best[0].row:
        return _listed([_value(asked, match) for match in best], best[0])
    values = {_text(match) for match in best}
    if len(values) > 1 and best[0].row:
        return None
    places = _items(best[0]) if asked.several else [_value(asked, best[0])]
    return _listed(places, best[0])


def _listed(places: Sequence[Stretch], match: _FieldMatch) -> LookedUp:
    sure = (ROW_SURE if match.row else LINE_SURE) - LESS_SURE * match.missing
    return LookedUp(tuple(places[:MOST_ITEMS]), sure, listed=len(places) > 1)


def _read(question: str) -> _LabelQuestion:
    """Take a question's words apart: those with capitals or digits must be told."""
    others = question.split()[1:]
    capital = [word for word in others if any(c.isupper() or c.isdigit() for c in word)]
    sure = set(content_words(" ".join(capital)))
    if _MAY.search(question):
        sure.add("may")
    small = set(content_words(question)) - sure
    noun = _NOUN_ASKED.search(question)
    return _LabelQuestion(
        question,
        frozenset(sure),
        frozenset(small),
        tuple(fold(mark) for mark in _FIGURES.findall(question) if not mark.isdigit()),
        (content_words(question[noun.end() :]) or [""])[0] if noun else "",
        _SEVERAL.search(question) is not None,
    )


def _is_signature(record: LabelledRecord) -> bool:
    """Whether a record is the name below a letter, which signs all of it."""
    return record.fields[0].label == SIGNED


def _words_of(parts: Sequence[Part], chars: int = sys.maxsize) -> dict[str, frozenset[str]]:
    """The words of each document's path, title and first characters, as far as its parts have
    them."""
    found: dict[str, set[str]] = {}
    for part in parts:
        said = f"{part.doc} {part.title} "
        if part.start < chars:
            said += part.text[: chars - part.start]
        found.setdefault(part.doc, set()).update(_told(said))
    return {doc: frozenset(words) for doc, words in found.items()}


def _told(text: str) -> set[str]:
    """The stems of a text's words; months of dates in figures too."""
    months = " ".join(
        f"{date[1]} {MONTHS[int(date[2]) - 1]} {date[3] or ''}"
        for date in _ISO_DATE.finditer(text)
        if 1 <= int(date[2]) <= len(MONTHS)
    )
    words = set(content_words(re.sub(r"[_/.]", " ", f"{text} {months}")))
    if re.search(r"\bmay\b", fold(f"{text} {months}")):
        words.add("may")
    words.update(str(int(word)) for word in list(words) if word.isdigit())
    return words


def _matches(
    asked: _LabelQuestion, part: Part, record: LabelledRecord, head: frozenset[str]
) -> Iterator[_FieldMatch]:
    """The fields of a record that a question asks for."""
    mail = part.text.startswith("From:") and not record.row
    for field in record.fields:
        used = None if mail and fold(field.label) in _MAIL_HEAD else _used(asked, field.label)
        value = part.text[field.start : field.end]
        first = _SEPARATOR.split(value)[0] if asked.several else value
        if used is None or not fits(asked.text, first) or lacks_number(asked.text, first):
            continue
        missing = _missing(asked, used, part, record, field, head)
        if missing is not None:
            yield _FieldMatch(part, field, record.row, missing, len(used))


def _used(asked: _LabelQuestion, label: str) -> frozenset[str] | None:
    """The words of a question that ask for a label; None if it is not asked for."""
    if label in (SIGNED, "From"):
        wrote = _WROTE.search(asked.text)
        about = bool(asked.small & _LETTERS) or label == SIGNED
        return frozenset(content_words(wrote[0])) if wrote and about else None
    long = " ".join(word for word in label.split() if len(word) > len("GBP"))
    core = content_words(long) or content_words(label)
    if not core:
        return None
    used = {one for word in core for one in asked.words if _same(word, one)}
    lacking = [word for word in core if not any(_same(word, one) for one in used)]
    if not lacking:
        wanted = not asked.noun or asked.noun in used
        return frozenset(used) if wanted and used & asked.small else None
    for pattern, labels in _KINDS:
        if labels.issuperset(lacking) and (found := pattern.findall(asked.text)):
            return frozenset(used.union(content_words(" ".join(found)), _BY_KIND))
    return None


def _same(one: str, other: str) -> bool:
    """Whether two stems are of the same word: "attend" and "attendanc", "keep" and "keeper"."""
    shorter, longer = sorted((one, other), key=len)
    end = longer.removeprefix(shorter)
    return one == other or (
        end != longer and (len(shorter) >= 5 or (len(shorter) >= 3 and end in ("er", "or")))
    )


def _missing(
    asked: _LabelQuestion,
    used: frozenset[str],
    part: Part,
    record: LabelledRecord,
    field: LabelledField,
    head: frozenset[str],
) -> int | None:
    """How many small words of a question are not told beside a field; None if too many are not."""
    others = [one for one in record.fields if one is not field]
    beside = " ".join(part.text[one.start : one.end] for one in others)
    values = _told(beside)
    raw = fold(f"{beside} {part.doc} {part.title} {'' if record.row else part.text[:HEAD_CHARS]}")
    if not all(holds(raw, mark) for mark in asked.marks):
        return None
    labels = set(content_words(" ".join(one.label for one in record.fields)))
    told = values | labels | head if record.row else set(head)
    if not record.row and field.start >= HEAD_CHARS:
        told |= _told(part.heading_at(part.start + field.start))
    sure, small = asked.sure - used, asked.small - used

    def lacks(words: frozenset[str]) -> list[str]:
        return [word for word in words if not any(_same(word, one) for one in told)]

    if lacks(sure) or not (sure or small):
        return None
    about = [word for word in sure | small if any(_same(word, one) for one in values)]
    if record.row and not about:
        return None
    if lacks(small & _CHOOSING):
        return None
    lacking = len(lacks(small))
    if field.label == SIGNED:  # a letter need not call itself one; another thing has to be told
        return 0 if _LETTERS.issuperset(lacks(small)) else None
    most = 0 if used >= _BY_KIND else 1
    return lacking if lacking <= most and lacking < len(sure | small) else None


def _sent_by(asked: _LabelQuestion, match: _FieldMatch) -> int:
    """How many names of a question stand in the first line of a letter: that of who sends it."""
    if match.field.label != SIGNED or " to " in asked.text:
        return 0
    first = match.part.text.lstrip().partition("\n")[0] if match.part.start == 0 else ""
    return len(asked.sure.intersection(content_words(first)))


def _text(match: _FieldMatch) -> str:
    return match.part.text[match.field.start : match.field.end]


def _value(asked: _LabelQuestion, match: _FieldMatch) -> Stretch:
    """The value of a field; of a person with a role, the person."""
    start, end = match.field.start, match.field.end
    text = _text(match)
    if fold(asked.text).startswith(("who", "by whom")):
        cut = re.search(r"\s*(?:[(<]|,\s+(?=[^,]*$))", text)
        if cut and (text[cut.end() - 1] in "(<" or _ROLE.search(text[cut.end() :])):
            end = start + cut.start()
    return _stretch(match.part, start, end)


def _items(match: _FieldMatch) -> list[Stretch]:
    """The items of a value that is a list."""
    text, begin = _text(match), 0
    places: list[Stretch] = []
    breaks = "\n" in text
    for cut in [*_SEPARATOR.finditer(text), None]:
        if cut and breaks and "\n" not in cut[0]:
            continue
        end = cut.start() if cut else len(text)
        piece = text[begin:end]
        if places and piece[:1].isdigit():  # an address
            break
        kept = _BRACKETED.search(piece)
        stop = kept.start() if kept and kept.start() else len(piece)
        if breaks and (role := piece.find(", ")) > 0:
            stop = min(stop, role)
        if piece[:stop].strip() and not (places and _ROLE.search(piece) and not breaks):
            first = match.field.start + begin
            places.append(_stretch(match.part, first, first + stop))
        begin = cut.end() if cut else end
    return places


def _stretch(part: Part, start: int, end: int) -> Stretch:
    """A stretch of a part's text, by offsets into the text."""
    while end > start and part.text[end - 1].isspace():
        end -= 1
    return Stretch(part, part.start + start, part.start + end)
