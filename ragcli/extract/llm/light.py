"""Light extraction, after LightRAG: one call per chunk for all its entities and relations.

The reply consists of lines instead of JSON. A line needs half the tokens, and if a reply is cut
off, its complete lines can still be used.

    E | name | type | description
    R | source | target | keywords | description | strength
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from ragcli.extract.llm.grammar import PHRASE, literal
from ragcli.models.completion import Completion, Prompt
from ragcli.text.names import WordPlaces, name_words
from ragcli.text.sentences import sentences
from ragcli.text.support import DESCRIPTION_SUPPORT, SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS, one_line
from ragcli.types import EntityDescription, Findings, Relation

VERSION = "3"
MAX_LINES = 30
"""Most entities, and most relations, in a reply."""
MAX_TOKENS = 1600
_FRAME = 80  # tokens that a chat template may add
_LEAST = 200  # characters; halves of a text are not shorter

_SYSTEM = """\
You list the entities that a text names and how they are related. Write lines and nothing else.
First a line for each entity: E | name | type | description
Then a line for each pair of these entities that the text relates: \
R | source | target | keywords | description | strength
Names as the text spells them. Types: {types}. Descriptions are one short sentence with what the \
text says. Keywords are one to three general themes, with commas. Strength is 1 (loose) to 10 \
(close). End with a line of three dots.{wish}

Text: The Vega, a steamer of the Northern Line, sank off Cape Wend in 1921.
E | Vega | artifact | A steamer of the Northern Line that sank in 1921.
E | Northern Line | organization | The line that the steamer Vega belonged to.
E | Cape Wend | location | The cape off which the Vega sank.
R | Vega | Northern Line | ownership | The Vega was a steamer of the Northern Line. | 8
R | Vega | Cape Wend | shipwreck | The Vega sank off Cape Wend in 1921. | 7
..."""
_MISSED = "Listed already: {names}. List only what was missed, or end at once."


@dataclass(frozen=True, slots=True)
class Asked:
    """The model's limits and the wanted types; ``count`` counts the tokens of a text. ``wish`` is
    added to the instructions."""

    types: tuple[str, ...]
    context: int
    gleaning: int
    count: Callable[[str], int]
    wish: str = ""

    @property
    def system(self) -> str:
        wish = f" {one_line(self.wish)}" if self.wish.strip() else ""
        return _SYSTEM.format(types=", ".join(self.types), wish=wish)


def grammar(types: Sequence[str], low: int) -> str:
    """Return a grammar for ``low`` to MAX_LINES entities, then relations, then the end."""
    kinds = " | ".join(literal(t) for t in types)
    return "\n".join(
        (
            f'root ::= entity{{{low},{MAX_LINES}}} relation{{0,{MAX_LINES}}} "...\\n"',
            'entity ::= "E | " name " | " type " | " text "\\n"',
            'relation ::= "R | " name " | " name " | " keys " | " text " | " ("10" | [1-9]) "\\n"',
            f"name ::= {PHRASE}{{1,80}}",
            f"keys ::= {PHRASE}{{1,80}}",
            f"text ::= {PHRASE}{{1,240}}",
            f"type ::= {kinds}",
        )
    )


def extract(
    text: str, heading: str, asked: Asked, named: bool, by: str
) -> Generator[list[Prompt], list[Completion], Findings]:
    """Extract from one text; ``named``: the text certainly contains a name.

    If no finding is supported by the text, the model is asked again about each half. If there is
    still none and ``named`` is true, the findings have a ``problem``.
    """
    found = yield from _pieces(list(_fitting(text, heading, asked)), heading, asked)
    entities, relations = found.checked(text)
    if not entities and len(text) > 2 * _LEAST:
        halves = [p for half in _halves(text) for p in _fitting(half, heading, asked)]
        found = (yield from _pieces(halves, heading, asked)).joined(found)
        entities, relations = found.checked(text)
    problem = ""
    if not entities and named:
        reasons = found.dropped.most_common(1)
        problem = reasons[0][0] if reasons else "the model listed nothing"
    dropped = tuple(sorted(found.dropped.items()))
    return Findings(entities, relations, by, problem, dropped)


class _ReplyLines:
    """The lines of replies, before they are checked against the text."""

    def __init__(self) -> None:
        self.lines: dict[tuple[str, ...], None] = {}
        self.dropped: Counter[str] = Counter()

    def take(self, reply: Completion) -> None:
        """Read the complete lines of a reply."""
        if reply.finish != "stop":
            self.dropped[f"reply cut: {reply.finish}"] += 1
        whole = reply.text if reply.finish == "stop" else reply.text.rpartition("\n")[0]
        for line in whole.splitlines():
            fields = tuple(one_line(f) for f in line.split("|"))
            if (len(fields), fields[0]) in ((4, "E"), (6, "R")) and all(fields):
                self.lines.setdefault(fields)
            elif line.strip(" ."):
                self.dropped["not a line of the format"] += 1

    def joined(self, other: _ReplyLines) -> _ReplyLines:
        self.dropped += other.dropped
        return self

    def names(self) -> list[str]:
        return list(dict.fromkeys(fields[1] for fields in self.lines if fields[0] == "E"))

    def checked(self, text: str) -> tuple[tuple[EntityDescription, ...], tuple[Relation, ...]]:
        """Return the entities and relations that the text supports.

        The end of a relation becomes an entity if no line describes it.
        """
        words, said = WordPlaces(text), SourceText(text, DESCRIPTION_WORDS)
        entities: dict[str, EntityDescription] = {}
        for fields in self.lines:
            if fields[0] == "E" and self._is_in_text(fields[1], words):
                stated = self._supported(fields[3], said) or _sentence_naming(text, fields[1:2])
                entities.setdefault(
                    _key(fields[1]), EntityDescription(fields[1], fields[2], stated)
                )
        relations: dict[tuple[str, str], Relation] = {}
        for fields in self.lines:
            if fields[0] == "R" and (made := self._relation(fields, text, words, said)):
                relations.setdefault((made.source, made.target), made)
                for name in (made.source, made.target):
                    entities.setdefault(
                        _key(name),
                        EntityDescription(name, "other", _sentence_naming(text, (name,))),
                    )
        return tuple(entities.values()), tuple(relations.values())

    def _relation(
        self, fields: tuple[str, ...], text: str, words: WordPlaces, said: SourceText
    ) -> Relation | None:
        _, source, target, keys, description, strength = fields
        if not (self._is_in_text(source, words) and self._is_in_text(target, words)):
            return None
        if _key(source) == _key(target):
            self.dropped["a thing related to itself"] += 1
            return None
        keywords = tuple(dict.fromkeys(k for key in keys.split(",") if (k := key.strip())))[:5]
        stated = self._supported(description, said)
        if not _names_all(stated, (source, target)):
            # Small models relate everything to one name, with words about the other alone.
            stated = _sentence_naming(text, (source, target))
        if not stated:
            self.dropped["no sentence names both"] += 1
            return None
        weight = min(max(int(strength), 1), 10) if strength.isdigit() else 1
        return Relation(source, target, keywords, stated, weight)

    def _is_in_text(self, name: str, words: WordPlaces) -> bool:
        if words.find(name):
            return True
        self.dropped["name not in the text"] += 1
        return False

    def _supported(self, description: str, said: SourceText) -> str:
        if support(description, said, "nothing") >= DESCRIPTION_SUPPORT:
            return description
        self.dropped["description not in the text"] += 1
        return ""


def _key(name: str) -> str:
    return name.casefold()


def _names_all(description: str, names: Sequence[str]) -> bool:
    """Whether a description mentions each name, or at least its last word."""
    words = WordPlaces(description)
    return all(words.find(name) or words.find(name_words(name)[-1]) for name in names)


def _sentence_naming(text: str, names: Sequence[str]) -> str:
    """Return the first sentence that contains all the names; "" if there is none."""
    for start, end in sentences(text):
        sentence = one_line(text[start:end])
        words = WordPlaces(sentence)
        if all(words.find(name) for name in names):
            return sentence
    return ""


def _pieces(
    pieces: Sequence[str], heading: str, asked: Asked
) -> Generator[list[Prompt], list[Completion], _ReplyLines]:
    """Ask about every piece, then ask for missed entities."""
    found = _ReplyLines()
    if not pieces:
        return found
    for reply in (yield [_prompt(p, heading, asked) for p in pieces]):
        found.take(reply)
    for _ in range(asked.gleaning):
        names = found.names()
        missed = _MISSED.format(names=", ".join(names)) if names else ""
        more = [p for p in pieces if missed and _fits(p, heading, asked, missed)]
        if not more:
            break
        for reply in (yield [_prompt(p, heading, asked, missed) for p in more]):
            found.take(reply)
    return found


def _prompt(text: str, heading: str, asked: Asked, missed: str = "") -> Prompt:
    user = _message(text, heading, missed)
    room = asked.context - asked.count(asked.system) - asked.count(user) - _FRAME
    low = 0 if missed else 1
    return Prompt(asked.system, user, min(MAX_TOKENS, room), grammar(asked.types, low))


def _message(text: str, heading: str, missed: str = "") -> str:
    above = f"{heading}\n" if heading else ""
    return f"Text: {above}{text.strip()}" + (f"\n\n{missed}" if missed else "")


def _fits(text: str, heading: str, asked: Asked, missed: str = "") -> bool:
    """Return whether there is room for a reply of a third of the text and at least 256 tokens."""
    taken = asked.count(_message(text, heading, missed))
    room = asked.context - asked.count(asked.system) - taken - _FRAME
    return room >= max(256, min(MAX_TOKENS, taken // 3))


def _fitting(text: str, heading: str, asked: Asked) -> Iterator[str]:
    """Yield the text, or pieces of it, halved until each fits the context with its reply."""
    if _fits(text, heading, asked):
        yield text
    elif len(text) > 2 * _LEAST:
        for half in _halves(text):
            yield from _fitting(half, heading, asked)


_GAP = re.compile(r"\s+")


def _halves(text: str) -> list[str]:
    """Return two parts, cut at the sentence end nearest to the middle, or else at a space."""
    middle = len(text) // 2
    ends = [end for _, end in sentences(text)][:-1] or [m.end() for m in _GAP.finditer(text)]
    cut = min((e for e in ends if 0 < e < len(text)), key=lambda e: abs(e - middle), default=middle)
    return [text[:cut], text[cut:]]
