"""Hybrid extraction: the English pipeline proposes entities and pairs, a model describes them.

Every entity and every pair has its own prompt with its most informative sentence. So prompts are
short and share their instructions, and a prompt is repeated only if its sentence changes. If a
reply cannot be used, the sentence replaces the description and the label is left out, so the
result is never worse than extraction without a model.

A large model *writes* descriptions in its own words, which are checked against the text. A smaller
model may only *copy*: the grammar allows only runs of the sentence's words, and the model is asked
only if the sentence contains an answer to copy (docs/adr/llm-extraction.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.extract.llm import grammar
from ragcli.extract.llm.propose import DEFINES, Candidate, Proposals, ProposedPair
from ragcli.models.completion import Completion, Prompt
from ragcli.text.support import DESCRIPTION_SUPPORT, SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS, content_words, one_line
from ragcli.types import EntityDescription, Findings, Relation

OTHER = "other"
VERSION = "4"

WRITES_FROM = 3_000_000_000
"""Models with fewer weights copy: writing takes them most of their time, and what they write freely
is often about the task."""

_DESCRIBE_TOKENS, _LABEL_TOKENS = 64, 24
_LONGEST_DEFINITION, _LONGEST_LABEL = 16, 5
# Up to _SHORT words between two names are a label as a whole. A label is searched for in up to
# _FAR words.
_SHORT, _FAR = 3, 15

# A run does not end with one of these words.
_OPEN = frozenset(
    "a an the and or but nor of to in on at by for from with as that which who whose this these "
    "those its his her their our my your is was are were be been has have had not no".split()
)
_ARTICLES = frozenset("a an the and or but nor that which who whose this these those & its".split())

_DESCRIBE = """\
Say in a few words what a thing is, only with what the sentence says.

Sentence: The mill at Orlen was bought by Pia Strand in 1921.
Pia Strand: the buyer of the mill at Orlen

Sentence: The Vega, a steamer of the Northern Line, sank off Cape Wend.
Vega: a steamer of the Northern Line"""

_RELATE = """\
Say how two things are related, only with what the sentence says: one to three keywords, then a \
short sentence.

Sentence: The mill at Orlen was bought by Pia Strand in 1921.
Pia Strand, mill at Orlen: ownership, purchase | Pia Strand bought the mill at Orlen in 1921.

Sentence: Doctor Halm, who heads the Kestrel Institute, left for Lima.
Doctor Halm, Kestrel Institute: leadership | Doctor Halm heads the Kestrel Institute."""

_LABEL = """\
You say how two things are related, in words of the sentence.

Sentence: The mill at Orlen was bought by Pia Strand in 1921.
mill at Orlen | was bought by | Pia Strand

Sentence: Doctor Halm, who heads the Kestrel Institute, left for Lima.
Doctor Halm | heads | Kestrel Institute

Sentence: The Vega, a steamer of the Northern Line, sank off Cape Wend.
Vega | sank off | Cape Wend"""


@dataclass(frozen=True, slots=True)
class Questions:
    """The prompts for a chunk; ``entities[i]`` and ``pairs[i]`` are positions in ``prompts``."""

    prompts: tuple[Prompt, ...]
    entities: tuple[int | None, ...]
    pairs: tuple[int | None, ...]


def questions(proposals: Proposals, parameters: int) -> Questions:
    """Return the prompts for a model with this number of parameters."""
    prompts: list[Prompt] = []

    def ask(prompt: Prompt | None) -> int | None:
        if prompt is None:
            return None
        prompts.append(prompt)
        return len(prompts) - 1

    writes = parameters >= WRITES_FROM
    entities = tuple(ask(_describe(e) if writes else _define(e)) for e in proposals.entities)
    pairs = tuple(ask(_relate(p) if writes else _label(p)) for p in proposals.pairs)
    return Questions(tuple(prompts), entities, pairs)


def _describe(e: Candidate) -> Prompt:
    user = f"Sentence: {e.sentence}\n{e.name}:"
    return Prompt(_DESCRIBE, user, _DESCRIBE_TOKENS, grammar.free(3, 160))


def _relate(p: ProposedPair) -> Prompt:
    rule = f'root ::= {grammar.PHRASE}{{2,60}} " | " {grammar.PHRASE}{{3,160}} "\\n"'
    user = f"Sentence: {p.sentence}\n{p.source}, {p.target}:"
    return Prompt(_RELATE, user, _DESCRIBE_TOKENS, rule)


def _define(e: Candidate) -> Prompt | None:
    """If the sentence defines the name, ask where the definition ends; else return None."""
    at = e.sentence.find(e.said)
    cue = DEFINES.match(e.sentence, at + len(e.said)) if at >= 0 else None
    # Before "is", the name must be the subject of the sentence.
    if cue is None or (at > len("the ") and cue.group().strip().isalpha()):
        return None
    words = e.sentence[cue.end() :].split()[:20]
    rule = _copy(words, _LONGEST_DEFINITION, [i == 0 for i in range(len(words))], _OPEN)
    user = f"Sentence: {e.sentence}\n{e.said}:"
    return Prompt(_DESCRIBE, user, _DESCRIBE_TOKENS, rule) if rule else None


def _label(p: ProposedPair) -> Prompt | None:
    """If enough words separate the names, ask which express the relation; else return None."""
    if not _is_one_clause(p) or not _SHORT < len(p.between) <= _FAR:
        return None
    starts = [
        bool(content_words(word, DESCRIPTION_WORDS)) and not word[0].isdigit() for word in p.between
    ]
    rule = _copy(p.between, _LONGEST_LABEL, starts, _ARTICLES)
    user = f"Sentence: {p.sentence}\n{p.said[0]} | ? | {p.said[1]}"
    return Prompt(_LABEL, user, _LABEL_TOKENS, rule) if rule else None


def _copy(
    words: Sequence[str], longest: int, starts: Sequence[bool], never_last: frozenset[str]
) -> str | None:
    ends = [word.strip(",;:.!?()").casefold() not in never_last for word in words]
    try:
        return grammar.copied(words, longest, starts, ends)
    except ValueError:
        return None


def findings(
    proposals: Proposals, asked: Questions, replies: Sequence[Completion], text: str, by: str
) -> Findings:
    """Return the chunk's findings; ``replies`` are in the order of ``asked.prompts``."""
    said = SourceText(text, DESCRIPTION_WORDS)
    dropped: Counter[str] = Counter()

    def reply(at: int | None) -> str:
        if at is None:
            return ""
        if replies[at].finish != "stop":
            dropped[f"reply cut: {replies[at].finish}"] += 1
            return ""
        return one_line(replies[at].text).strip(" |;:")

    entities = tuple(
        EntityDescription(e.name, e.type or OTHER, _checked(reply(at), said, dropped) or e.sentence)
        for e, at in zip(proposals.entities, asked.entities, strict=True)
    )
    found = []
    for p, at in zip(proposals.pairs, asked.pairs, strict=True):
        keywords, text_ = _related(p, reply(at), said, dropped)
        found.append(Relation(p.source, p.target, keywords, text_, min(10, 2 * p.sentences)))
    return Findings(entities, tuple(found), by, dropped=tuple(sorted(dropped.items())))


def _checked(description: str, said: SourceText, dropped: Counter[str]) -> str:
    if not description:
        return ""
    if support(description, said, "nothing") < DESCRIPTION_SUPPORT:
        dropped["description not in the text"] += 1
        return ""
    return description


def _related(
    p: ProposedPair, reply: str, said: SourceText, dropped: Counter[str]
) -> tuple[tuple[str, ...], str]:
    """Return keywords and description of a pair; by default, from the words between the names."""
    words, bar, text = reply.partition(" | ")
    if bar:
        keywords = tuple(dict.fromkeys(k for w in words.split(",") if (k := w.strip())))[:3]
        return keywords, _checked(text, said, dropped) or p.sentence
    if reply:
        return (reply,), p.sentence
    return (_plain(p.between) if _is_one_clause(p) else ()), p.sentence


def _is_one_clause(p: ProposedPair) -> bool:
    """Return whether words between two names may relate them: not in headings and table rows, which
    end without a full stop, across clauses, or where a bracket after the first name ends."""
    whole = p.sentence.rstrip("\"'”’»)]*_ ").endswith((".", "!", "?", "…"))
    if not whole or any(word[-1] in ";:.!?—–" for word in p.between):
        return False
    return ")" not in " ".join(p.between).lstrip(")")  # one that ends the first name is none


def _plain(between: Sequence[str]) -> tuple[str, ...]:
    """Return a few words between two names as their label, without articles and punctuation."""
    if len(between) > _SHORT:
        return ()
    words = [w for word in between if (w := word.strip(",;:.!?()")) and w not in _ARTICLES]
    label = " ".join(words)
    return (label,) if any(map(str.isalpha, label)) and not label.isupper() else ()
