"""Readers of the corpora that have names only: Re-DocRED, CrossNER, wikigold, LitBank."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from training.english.sample import Name, Sample, join
from training.english.text import capitalised, is_demonym, plain, spacing
from training.english.treebanks import iob_names

_LITBANK = {"PER": "PERSON", "ORG": "ORG", "LOC": "LOC", "GPE": "LOC", "FAC": "LOC", "VEH": "MISC"}
_WIKIGOLD = {"PER": "PERSON", "ORG": "ORG", "LOC": "LOC", "MISC": "MISC"}
_REDOCRED = {"PER": "PERSON", "ORG": "ORG", "LOC": "LOC", "MISC": "MISC"}
# Wikidata properties that tell works and events among Re-DocRED's MISC: as head, as tail.
_WORK_NUMBERS = (50, 57, 58, 86, 123, 161, 162, 175, 264, 272, 364, 449, 495, 577, 674)
_WORK_HEAD = {f"P{number}" for number in _WORK_NUMBERS}
_WORK_TAIL = {"P800", "P1441"}
_EVENT_HEAD = {"P580", "P582", "P585", "P710", "P1346"}
_EVENT_TAIL = {"P607", "P1344", "P793"}
_CROSSNER = {
    kind: label
    for label, kinds in {
        "PERSON": "person politician scientist writer musicalartist researcher",
        "ORG": "organisation politicalparty band university",
        "LOC": "location country",
        "EVENT": "event election conference",
        "WORK": "book poem magazine song album academicjournal",
        "MISC": "misc award product programlang astronomicalobject",
    }.items()
    for kind in kinds.split()
}
CROSSNER_DOMAINS = ("ai", "literature", "music", "politics", "science")
_SENTENCES_A_SAMPLE = 6


def _sample(
    source: str, words: list[str], names: list[Name], unknown: set[int] | None = None
) -> Sample:
    """One sentence without tags as a sample, with blanks as in print."""
    printed = [plain(word) for word in words]
    return Sample(
        source,
        tuple(printed),
        spacing(printed),
        tuple(i == 0 for i in range(len(words))),
        names=tuple(names),
        unknown=frozenset(unknown or ()),
    )


def _groups(samples: list[Sample], size: int = _SENTENCES_A_SAMPLE) -> Iterator[Sample]:
    """Consecutive sentences joined, ``size`` at a time."""
    for at in range(0, len(samples), size):
        yield join(samples[at : at + size], "")


def read_redocred(path: Path) -> Iterator[Sample]:
    """Wikipedia paragraphs with typed mentions; times and numbers are not names."""
    for document in json.loads(path.read_text(encoding="utf-8")):
        names: list[list[Name]] = [[] for _ in document["sents"]]
        for entity, kind in zip(document["vertexSet"], _redocred_kinds(document), strict=True):
            for mention in entity:
                label = kind.get(mention["type"])
                if label:
                    start, end = mention["pos"]
                    words = document["sents"][mention["sent_id"]][start:end]
                    if len(words) == 1 and label in {"LOC", "MISC"} and is_demonym(words[0]):
                        label = "MISC"
                    names[mention["sent_id"]].append(Name(start, end, label))
        sentences = [
            _sample("re_docred", words, _disjoint(spans, len(words)))
            for words, spans in zip(document["sents"], names, strict=True)
            if words
        ]
        yield join(sentences, "")


def _redocred_kinds(document: dict[str, Any]) -> list[dict[str, str]]:
    """For each entity the label of its mentions by type; MISC is split by its relations."""
    votes: list[Counter[str]] = [Counter() for _ in document["vertexSet"]]
    for relation in document.get("labels", []):
        head, tail, kind = relation["h"], relation["t"], relation["r"]
        votes[head].update(["WORK"] * (kind in _WORK_HEAD) + ["EVENT"] * (kind in _EVENT_HEAD))
        votes[tail].update(["WORK"] * (kind in _WORK_TAIL) + ["EVENT"] * (kind in _EVENT_TAIL))
    return [
        {**_REDOCRED, "MISC": min(vote, key=lambda k: (-vote[k], k)) if vote else "MISC"}
        for vote in votes
    ]


def _disjoint(names: list[Name], length: int) -> list[Name]:
    """Names in order, each once, the longer one where two overlap."""
    kept: list[Name] = []
    for name in sorted(set(names), key=lambda n: (n.start - n.end, n.start, n.label)):
        inside = 0 <= name.start < name.end <= length
        if inside and all(name.end <= o.start or o.end <= name.start for o in kept):
            kept.append(name)
    return sorted(kept, key=lambda n: n.start)


def _columns(path: Path, separator: str) -> Iterator[list[tuple[str, str]]]:
    """Blocks of (word, tag) between blank lines."""
    for filled, lines in groupby(path.read_text(encoding="utf-8").split("\n"), key=bool):
        if filled:
            cells = [line.rsplit(separator, 1) for line in lines]
            yield [(cell[0], cell[1].strip()) for cell in cells if len(cell) == 2]


def read_crossner(path: Path) -> Iterator[Sample]:
    """Sentences of one CrossNER file; types out of our scheme are unknown, not outside."""
    for block in _columns(path, "\t"):
        words, tags = [word for word, _ in block], [tag for _, tag in block]
        if words:
            unknown = {i for i, tag in enumerate(tags) if tag != "O" and tag[2:] not in _CROSSNER}
            yield _sample("crossner", words, iob_names(tags, _CROSSNER), unknown)


def read_wikigold(path: Path) -> Iterator[list[Sample]]:
    """Wikipedia articles with names, each as a list of a few sentences at a time."""
    article: list[Sample] = []
    for block in [*_columns(path, " "), [("-DOCSTART-", "O")]]:
        if block[:1] == [("-DOCSTART-", "O")]:
            if article:
                yield list(_groups(article))
            article = []
            continue
        words, tags = [word for word, _ in block], [tag for _, tag in block]
        article.append(_sample("wikigold", words, iob_names(tags, _WIKIGOLD)))


def litbank_titles(folder: Path) -> list[str]:
    """The excerpts' names in order of the alphabet; the split goes by their place in it."""
    return sorted(path.stem for path in folder.glob("*.ann"))


def read_litbank(folder: Path, title: str) -> Iterator[Sample]:
    """One novel's excerpt with its proper names, a few sentences at a time."""
    text = (folder / f"{title}.txt").read_text(encoding="utf-8")
    sentences = [line.split(" ") for line in text.rstrip("\n").split("\n")]
    names: list[list[Name]] = [[] for _ in sentences]
    for line in (folder / f"{title}.ann").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0] != "MENTION" or cells[-1] != "PROP" or cells[-2] not in _LITBANK:
            continue
        row, start, last_row, last = map(int, cells[2:6])
        if row == last_row and (name := _capital_run(sentences[row], start, last + 1)):
            names[row].append(Name(*name, _LITBANK[cells[-2]]))
    samples = []
    for words, found in zip(sentences, names, strict=True):
        spans = _disjoint(found, len(words))
        samples.append(_sample("litbank", words, spans, _litbank_unknown(words, spans)))
    yield from _groups(samples)


def _capital_run(words: list[str], start: int, end: int) -> tuple[int, int] | None:
    """A mention cut to its first run of capitalised words, "of the" and the like inside it."""
    while start < end and not words[start][:1].isupper():
        start += 1
    stop = start
    for i in range(start, end):
        if words[i][:1].isupper():
            stop = i + 1
        elif not re.fullmatch(r"of|the|de|la|le|van|von|du|d'|'s|-|and|&", words[i]):
            break
    return (start, stop) if stop > start else None


def _litbank_unknown(words: list[str], names: list[Name]) -> set[int]:
    """Capitalised words inside a sentence that no annotated mention covers."""
    covered = {i for name in names for i in range(name.start, name.end)}
    fresh = True
    unknown = set()
    for i, word in enumerate(words):
        if word[:1].isalpha():
            if i not in covered and capitalised(word) and not fresh:
                unknown.add(i)
            fresh = False
        elif word in {"''", "``", '"', "'", ":", "--", "!", "?", "."}:
            fresh = True
    return unknown
