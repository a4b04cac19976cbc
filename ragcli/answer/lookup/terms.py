"""Questions about the terms of a list: options, settings, variables, and what is told below them.

"Which option prints ...?" wants the term above the sentence that is about the question. "What does
-x do?" wants the first sentence below the term. A reader that looks for words inside sentences
finds neither; the layout of the document does (docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from ragcli.answer.candidates import Sentence, candidates, sentence_at, term_place
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.view import View
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.text.markup import unmarked, without_emphasis
from ragcli.text.spans import Span
from ragcli.text.words import content_words, plain
from ragcli.types import Part

_KINDS = (
    r"options?|flags?|switch(?:es)?|parameters?|arguments?|settings?|(?:environment )?variables?"
    r"|keywords?|directives?|attributes?|keys?|subcommands?"
    r"|bits?|(?:exit |status |error )?codes?|exit status(?:es)?|levels?|errors?|exceptions?"
)
_ASKS_TERM = re.compile(
    rf"\s*(?:(?:with|by|under|through) )?(?:which|what)"
    rf"(?: (?:is|are) the(?= (?:{_KINDS}) (?:that|to|for|which)\b)"
    rf"|(?! (?:is|are|does|do|was|did)\b))"
    rf"(?: [\w.+-]+){{0,3}}? (?P<kind>{_KINDS})\b",
    re.IGNORECASE,
)
_OPTION = re.compile(r"option|flag|switch", re.IGNORECASE)
_NUMBERED = re.compile(r"bit|code|exit|level|error|exception", re.IGNORECASE)
_VARIABLE = re.compile(r"environment", re.IGNORECASE)
_VARIABLE_NAME = re.compile(r"\$?[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?:=.*)?|\$?[A-Z][A-Z\d]{2,}")
_CODE_NAME = re.compile(r"[A-Z][A-Z\d_]{2,}|[A-Za-z][\w.]*(?:Error|Exception|Warning)")
_NUMBER_ASKED = re.compile(
    r"\b(?:status|codes?|values?|levels?|bits?|signals?|errors?|types?|priority|modes?)"
    r" (?P<number>\d+)\b",
    re.IGNORECASE,
)
"""A number that names one of several: "exit status 5"."""
_NAME_ASKED = re.compile(
    r"\s*what (?:does|do) (?:the )?[`'\"]?(?P<name>[a-z][A-Za-z\d]+(?:[-_.:][A-Za-z\d]+)*)[`'\"]?"
    r"(?: (?:option|setting|directive|parameter|property|field|key|command|flag))?"
    r" (?:do|mean|set|control|stand for|specify|return|tell)\b"
)
"""A name in small letters that is asked for, whether it looks like an identifier or not."""
_CAPITALS = re.compile(r"(?<![\w.-])[A-Z][A-Z\d]{2,}(?![\w.-])")
"""A word in capitals, which may be a signal, a keyword or a level of a log."""
_DASHED = re.compile(r"(?<![\w-])-{1,2}\w")
_ASKS_MEANING = re.compile(
    r"\s*what (?:does|do|is|are)\b[^?]*?"
    r"(?P<verb>\b(?:do|mean|for|good for|control|set|stand for)\b)?\s*\??\s*\Z",
    re.IGNORECASE,
)
_SAYS_KIND = frozenset(content_words("option flag switch parameter setting variable keyword mean"))
_CELL = re.compile(r"[^\s|](?:[^|]*[^\s|])?")
_LETTER = re.compile(r"[^\W\d_]")
_CODE_WORD = re.compile(r"[a-z][a-z\d_.-]{2,}")
_HEADING_MARKS = re.compile(r"\A[#=]{1,6}(?=\s)|\s[#=]+\s*\Z|:{2,4}\s*\Z")
_PLAIN_NAME = re.compile(
    r"\s*:(?:\s*<[^<>]*>)?\Z|(?<=\w)\s+(?:Directive|Option|Setting|Property|Method|Function)\Z"
)
"""What follows the name in a heading: "num-threads: <number>", "MaxSize Directive"."""
_NAMES = re.compile(r"[\s,|/]+")
_INLINE = re.compile(
    r"(?:[-*•|>]\s+)*(?P<term>[`*\"]*[^\s|].{0,60}?)\s*(?:\s(?:[–—-]|&[mn]dash;)\s|:\s|\s\||\s{2,})\s*(?P<meaning>\S)"
)
"""A line that begins with a term: "`--in GLOB` – only ...", "-v, --verbose   say more"."""
_TYPE = re.compile(
    r"[*_`]*(?:\s|[-–—:,|]|`[^`\n]*`|\{[^{}\n]*\}|\([^()\n]*\)|<[^<>\n]*>|(?:\*\*)?Default:?(?:\*\*)?:?(?=\s*`))*"
)
"""What stands between the name of a parameter and what it is: type, "(optional)", default."""
_MARKUP = "`*\"'"
MOST_ABOUT_CAPITALS = 1
"""Other words of a question for a word in capitals: "the HUP signal", not "the HUP night light"."""

_FEW = 2
"""Words of the longest name of a variable or a code."""
_PLACEHOLDER = re.compile(r"<[^>]*>|\[[^\]]*\]|[A-Z][A-Z_-]*|\S")
_LABELLED = re.compile(
    r"\W*(?:default|type|syntax|context|status|module|override|compatibility|required|added in"
    r"|since)\b[^:\n]{0,12}:",
    re.IGNORECASE,
)
"""What stands beside a definition: no meaning."""
_MOST_WORDS = 8
"""Words of the longest term: a longer heading says more than a name."""

_SPELLED_OUT = 0.2
"""What the words of a term are worth if the question has all of them."""

LEAST_WORTH = 0.95
"""Similarity plus coverage of the sentence below a term, from which the term is an answer."""
_MIDDLE, _STEEP = 1.1, 4.0
"""Of 32 terms found for such questions, 24 were right: nearly all above 1.2, one in two at 1.1."""

MEANING_SURE = 0.75
"""Confidence of a definition that stands below the very term that was asked for."""

LONGEST_MEANING = 220
"""Characters of a first sentence that is shown as a short answer."""


def term_answer(question: str, parts: Sequence[Part], view: View) -> LookedUp | None:
    """The term that a question asks for, or what is told below the term that it names; or None."""
    if asked := _ASKS_TERM.match(question):
        dashed = _OPTION.search(asked["kind"]) is not None
        variable = _VARIABLE.search(question) is not None
        single = bool(identifiers_in(question))
        kind = _Kind(dashed, variable, single, asked["kind"])
        return _term(question, view, kind)
    if (number := _NUMBER_ASKED.search(question)) and _ASKS_MEANING.match(question):
        about = content_words(question.replace(number["number"], " "))
        return _meaning(number["number"], about, parts, exactly=True)
    marks = identifiers_in(question)
    most_about = len(question)
    if not marks:
        marks, most_about = _CAPITALS.findall(question), MOST_ABOUT_CAPITALS
    if not marks and (name := _NAME_ASKED.match(question)):
        return _meaning(name["name"], [], parts, exactly=True)
    if len(marks) == 1 and (meaning := _ASKS_MEANING.match(question)):
        about = [
            word
            for word in content_words(question.replace(marks[0], " "))
            if word not in _SAYS_KIND
        ]
        if (meaning["verb"] or not about) and len(about) <= most_about:
            return _meaning(marks[0], about, parts)
    return None


@dataclass(frozen=True, slots=True)
class _Definition:
    """A term and what a sentence tells of it: offsets into the document.

    ``terms`` are its spellings; ``place`` is None if it does not stand in the sentence's part.
    """

    terms: tuple[str, ...]
    place: tuple[int, int] | None
    told: tuple[int, int]


def _definition(sentence: Sentence, mark: str = "") -> _Definition | None:
    """The term that a sentence begins with, or that stands above it; None if there is none.

    What a sentence begins with is a term if it is an identifier or ``mark``.
    """
    raw = sentence.part.text[sentence.start - sentence.part.start :][
        : sentence.end - sentence.start
    ]
    raw = unmarked(raw)
    term = term_place(sentence)
    if term and sentence.start <= term[0] < sentence.end:
        return _item(sentence, term, raw)
    if mark and (row := _row(sentence, raw, mark)):
        return row
    if found := _INLINE.match(raw):
        name = found["term"].strip(_MARKUP)
        first = (name.split() or [""])[0]
        if _DASHED.match(first) or identifiers_in(first) or (mark and _names([first], mark)):
            start = sentence.start + raw.index(name)
            told = _longest_cell(raw, found.start("meaning"))
            here = (start, start + len(name))
            return _Definition((name,), here, (sentence.start + told[0], sentence.start + told[1]))
    heading = sentence.heading.rpartition(" > ")[2]
    above = sentence.lead.removeprefix(sentence.heading).strip()
    terms = tuple(one for one in (heading, above) if 0 < len(one.split()) <= _MOST_WORDS)
    if not terms or plain(sentence.text) == plain(heading):
        return None
    told = sentence.start, sentence.end
    if term:
        return _Definition(terms, term, told)
    place = _heading_of(sentence) if heading in terms else None
    return _Definition(terms, _name_in(place) if place else None, told)


def _row(sentence: Sentence, raw: str, mark: str) -> _Definition | None:
    """What a row of a table tells of its cell ``mark``: its longest other cell."""
    cells = list(_CELL.finditer(raw)) if raw.lstrip().startswith("|") else []
    names = [cell for cell in cells if cell[0].strip(_MARKUP) == mark]
    if len(names) != 1 or len(cells) < 2:
        return None
    told = max((cell for cell in cells if cell is not names[0]), key=lambda cell: len(cell[0]))
    at = sentence.start
    return _Definition((mark,), None, (at + told.start(), at + told.end()))


def _cell_of_kind(sentence: Sentence, kind: _Kind) -> _Definition | None:
    """The cell of a row whose column is of the kind asked for: "UND_ERR" below "Error Codes"."""
    raw = sentence.part.text[sentence.start - sentence.part.start :][
        : sentence.end - sentence.start
    ]
    cells = list(_CELL.finditer(raw)) if raw.lstrip().startswith("|") else []
    head = [cell[0] for cell in _CELL.finditer(sentence.lead.partition("|")[2])]
    if len(head) != len(cells) or not cells:
        return None
    asked = set(content_words(kind.words))
    shares = [len(asked.intersection(content_words(title))) for title in head]
    if not max(shares) or shares.count(max(shares)) > 1:
        return None
    cell = cells[shares.index(max(shares))]
    term = cell[0].strip(_MARKUP)
    start = sentence.start + cell.start() + cell[0].index(term)
    return _Definition((term,), (start, start + len(term)), (sentence.start, sentence.end))


def _item(sentence: Sentence, term: Span, raw: str) -> _Definition | None:
    """The term that an item of a list begins with; what it is told after its type and default.

    ``raw`` is the sentence as it stands in the document.
    """
    after = term[1] - sentence.start
    note = _TYPE.match(raw, after)
    told = note.end() if note else after
    if told >= len(raw):
        return None
    name = sentence.heading.rpartition(" > ")[2]
    return _Definition((name,), term, (sentence.start + told, sentence.end))


def _name_in(heading: Sentence) -> tuple[int, int]:
    """Where the name stands in a heading: without "###" before it and "::" after it."""
    part = heading.part
    raw = part.text[heading.start - part.start : heading.end - part.start]
    shown = _HEADING_MARKS.sub(lambda mark: " " * len(mark[0]), without_emphasis(raw))
    name = _PLAIN_NAME.sub("", shown.strip())
    start = heading.start + len(shown) - len(shown.lstrip())
    return (start, start + len(name)) if name else (heading.start, heading.end)


def _longest_cell(raw: str, start: int) -> tuple[int, int]:
    """Where the meaning stands that begins at ``start``: in a row of a table its longest cell."""
    if not raw.lstrip().startswith("|"):
        return start, len(raw)
    cells = list(_CELL.finditer(raw[start:]))
    longest = max(cells, key=lambda cell: cell.end() - cell.start())
    return start + longest.start(), start + longest.end()


def _heading_of(sentence: Sentence) -> Sentence | None:
    """The heading above a sentence as it stands in its part; None if it stands before the part."""
    part = sentence.part
    above = [(at, path) for at, path in part.headings if at <= sentence.start]
    # A part made of several passages has the heading again where the next of them begins.
    for at, path in reversed(above):
        if path != above[-1][1] or at < part.start:
            break
        place = sentence_at(part, at, at + 1)
        if plain(place.text) == plain(path.rpartition(" > ")[2]):
            return place
    return None


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is asked for: a term with a dash, if there is one; an environment variable; or any
    single word, where the question names what it is a setting of."""

    dashed: bool
    variable: bool
    single: bool
    words: str = ""

    @property
    def numbered(self) -> bool:
        """Whether a code or the number of something is asked for."""
        return _NUMBERED.search(self.words) is not None

    def fits(self, term: str) -> bool:
        """Whether a term is of the kind; a version is the term of no setting."""
        first = _name_of(term)
        if self.variable:
            return _VARIABLE_NAME.fullmatch(first) is not None and len(term.split()) <= _FEW
        if self.numbered:
            number = any(map(str.isdigit, term)) and len(term.split()) <= _FEW
            return number or _CODE_NAME.fullmatch(first) is not None
        named = any(map(_LETTER.search, identifiers_in(term)))
        only = len(term.split()) == 1 or _PLACEHOLDER.fullmatch(term.split(maxsplit=1)[1])
        return bool(
            named or (self.single and " " not in term) or (only and _CODE_WORD.fullmatch(first))
        )


def _spells(asked: set[str], sentence: Sentence) -> bool:
    """Whether all words that a term is made of are asked for: "save-exact" by "saves the exact"."""
    name = _name_of(sentence.heading.rpartition(" > ")[2])
    pieces = content_words(re.sub(r"[-_.]|(?<=[a-z])(?=[A-Z])", " ", name))
    return len(pieces) > 1 and asked.issuperset(pieces)


def _name_of(term: str) -> str:
    """The first word of a term without marks."""
    return (term.split() or [""])[0].strip(_MARKUP).rstrip(":")


def _term(question: str, view: View, kind: _Kind) -> LookedUp | None:
    """The term of the sentence that is most about the question.

    Where an option is asked for, one with a dash counts first, then one without.
    """
    asked = set(content_words(question))
    worth = [
        value + _SPELLED_OUT * _spells(asked, sentence)
        for value, sentence in zip(
            (view.similarity + view.covers.sum(axis=1)).tolist(), view.sentences, strict=True
        )
    ]
    ranked = sorted(zip(worth, view.sentences, strict=True), key=lambda pair: -pair[0])
    without_dash: LookedUp | None = None
    for value, sentence in ranked:
        if value < LEAST_WORTH:
            break
        found = _cell_of_kind(sentence, kind) or _definition(sentence)
        if found is None or found.place is None:
            continue
        term = found.terms[0]
        sure = 1 / (1 + exp(-_STEEP * (value - _MIDDLE)))
        answer = LookedUp((Stretch(sentence.part, *found.place),), sure)
        if kind.dashed and _DASHED.search(term):
            return answer
        if kind.fits(term):
            if not kind.dashed:
                return answer
            without_dash = without_dash or answer
    return without_dash


def _meaning(
    mark: str, about: Sequence[str], parts: Sequence[Part], exactly: bool = False
) -> LookedUp | None:
    """What is told of the term ``mark``: the sentence most about the rest, the first if equally.

    ``exactly``: the term has to be spelled so.
    """
    best: tuple[float, Part, tuple[int, int]] | None = None
    for part in parts:
        for sentence in candidates(part):
            found = _definition(sentence, mark)
            if found is None or not _named_by(found.terms, sentence.heading, mark, exactly):
                continue
            if _LABELLED.match(sentence.text):
                continue
            said = set(content_words(f"{part.doc} {part.title} {sentence.lead} {sentence.text}"))
            share = sum(word in said for word in about) / len(about) if about else 1.0
            if best is None or share > best[0]:
                best = share, part, found.told
    if best is None or best[2][1] - best[2][0] > LONGEST_MEANING:
        return None
    share, part, told = best
    return LookedUp((Stretch(part, *told),), MEANING_SURE * (0.5 + 0.5 * share))


def _named_by(terms: Sequence[str], heading: str, mark: str, exactly: bool) -> bool:
    """Whether a term is ``mark``, or the last piece of it below the headings of the others:
    "refresh" below "progress" is "progress.refresh"."""
    if exactly:
        name = terms[0].strip(_MARKUP).rstrip(":") if terms else ""
        words = name.split()
        numbered = mark.isdigit() and len(words) <= _FEW and words[-1:] == [mark]
        return numbered or name == mark or (not mark.isdigit() and words[:1] == [mark])
    pieces = mark.split(".")
    titles = [title.strip(_MARKUP) for title in heading.split(" > ")[-len(pieces) :]]
    return _names(terms, mark) or (len(pieces) > 1 and titles == pieces)


def _names(terms: Sequence[str], mark: str) -> bool:
    """Whether a term is the identifier, maybe with what it takes: "-L, --lock", "-s SIZE"."""
    names = (name.strip(_MARKUP).rstrip(":") for term in terms for name in _NAMES.split(term))
    return any(holds(name, mark) for name in names if not name.startswith("["))
