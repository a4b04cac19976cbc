"""Readers of the treebanks: EWT (tags), GUM (tags and names), Universal NER (names on EWT)."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from training.english.conllu import Row, Sentence, read_conllu
from training.english.sample import Name, Sample, join
from training.english.text import capitalised, is_date_word

# Genres of GUM whose texts are CC BY or CC BY-SA; the others forbid commercial use.
GUM_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
_GUM_LABELS = {
    "person": "PERSON",
    "organization": "ORG",
    "place": "LOC",
    "event": "EVENT",
    "object": "MISC",
    "abstract": "MISC",
    "animal": "MISC",
    "plant": "MISC",
    "substance": "MISC",
}
_UNER_LABELS = {"PER": "PERSON", "ORG": "ORG", "LOC": "LOC"}
_BRACKET = re.compile(r"\(([^()]+)|(\d+)?\)")
_INSIDE = {"of", "the", "for", "de", "von", "van", "la", "del", "&", "-", "–", "'s", "’s", "/", "."}
# A paragraph of more sentences than this is cut, so that training batches stay even.
_MOST_SENTENCES = 8


def _sample(source: str, sentence: Sentence, names: list[Name], unknown: set[int]) -> Sample:
    """A sentence with its tags and names as a sample."""
    rows = sentence.rows
    return Sample(
        source,
        tuple(row.form for row in rows),
        tuple(row.space for row in rows),
        tuple(i == 0 for i in range(len(rows))),
        tuple(row.upos for row in rows),
        tuple(row.feats for row in rows),
        tuple(names),
        frozenset(unknown),
    )


def _paragraphs(pairs: list[tuple[Sentence, Sample]]) -> Iterator[Sample]:
    """Sentences joined into their paragraphs."""
    group: list[Sample] = []
    for sentence, sample in pairs:
        if group and (sentence.paragraph or len(group) == _MOST_SENTENCES):
            yield join(group, "")
            group = []
        group.append(sample)
    if group:
        yield join(group, "")


def read_ewt(path: Path) -> Iterator[Sample]:
    """Paragraphs of EWT with tags. No name is annotated: proper nouns are unknown."""
    pairs = [
        (s, _sample("ewt", s, [], {i for i, row in enumerate(s.rows) if _nameish(s.rows, i)}))
        for s in read_conllu(path)
    ]
    yield from _paragraphs(pairs)


def _proper(row: Row) -> bool:
    """Is the word part of a proper name by its tag? Months and weekdays are left out."""
    return (row.upos == "PROPN" or row.xpos in {"NNP", "NNPS"}) and not is_date_word(row.form)


def _nameish(rows: list[Row], i: int) -> bool:
    """Might the word be (part of) a name: proper noun, or capitalised inside a sentence?"""
    row = rows[i]
    initial = i == 0 or not any(r.form[:1].isalpha() for r in rows[:i])
    if _proper(row) or (capitalised(row.form) and not initial):
        return True
    around = rows[max(0, i - 1) : i] + rows[i + 1 : i + 2]
    return row.form.lower() in _INSIDE and len(around) == 2 and all(map(_proper, around))


def read_gum(folder: Path, split: str) -> Iterator[Sample]:
    """Paragraphs of GUM's ``split`` ("train", "dev", "test"), open genres only."""
    held_out = _gum_splits(folder / "splits.md")
    for path in sorted(folder.glob("GUM_*.conllu")):
        genre = path.stem.split("_")[1]
        if genre not in GUM_GENRES or held_out.get(path.stem, "train") != split:
            continue
        sentences = list(read_conllu(path))
        names = _gum_names(sentences)
        pairs = []
        for sentence, found in zip(sentences, names, strict=True):
            covered = {i for name in found for i in range(name.start, name.end)}
            rows = sentence.rows
            unknown = {i for i in range(len(rows)) if i not in covered and _nameish(rows, i)}
            pairs.append((sentence, _sample("gum", sentence, found, unknown)))
        yield from _paragraphs(pairs)


def _gum_splits(path: Path) -> dict[str, str]:
    """Document -> "dev" or "test"; the corpus lists them, all others are training text."""
    found, split = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            split = line[3:].strip()
        elif line.strip().startswith("* "):
            found[line.strip()[2:]] = split
    return found


def _gum_names(sentences: list[Sentence]) -> list[list[Name]]:
    """Names of each sentence: mentions headed by a proper noun, cut to their proper nouns."""
    found = []
    for sentence in sentences:
        spans = [
            name
            for start, end, kind, head in _gum_mentions(sentence.rows)
            if kind in _GUM_LABELS
            and (name := _trim(sentence.rows, start, end, head, _GUM_LABELS[kind]))
        ]
        found.append(_outermost(spans))
    return found


def _gum_mentions(rows: list[Row]) -> Iterator[tuple[int, int, str, int]]:
    """(start, end, type, head) of the mentions bracketed in MISC; tokens of the sentence."""
    opened: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for i, row in enumerate(rows):
        last = ""
        for opening, closing in _BRACKET.findall(row.misc.get("Entity", "")):
            if opening:
                parts = opening.split("-", 6)
                last = parts[0]
                head = parts[5].split(",")[0] if len(parts) > 5 else "1"
                kind = parts[1] if len(parts) > 1 else ""
                opened[last].append((i, kind, i + int(head) - 1 if head.isdigit() else i))
            else:
                stack = opened[closing or last]
                if stack:
                    start, kind, at = stack.pop()
                    yield start, i + 1, kind, at


def _trim(rows: list[Row], start: int, end: int, head: int, label: str) -> Name | None:
    """The run of proper nouns around ``head`` inside a mention, or nothing."""
    if not start <= head < end or not _proper(rows[head]):
        return None

    def reach(at: int, step: int) -> int:
        while start <= at + step < end:
            ahead = at + step
            while start <= ahead < end and rows[ahead].form.lower() in _INSIDE:
                ahead += step
            if not (start <= ahead < end and _belongs(rows[ahead])):
                break
            at = ahead
        return at

    return Name(reach(head, -1), reach(head, 1) + 1, label)


def _belongs(row: Row) -> bool:
    """Can the word go on a name: a proper noun, or a number as in "Apollo 11"?"""
    return _proper(row) or (row.upos == "NUM" and row.form.isdigit() and len(row.form) < 4)


def _outermost(names: list[Name]) -> list[Name]:
    """Names without those that lie in, or overlap, a longer one; in order."""
    kept: list[Name] = []
    for name in sorted(names, key=lambda n: (n.start - n.end, n.start)):
        if all(name.end <= other.start or other.end <= name.start for other in kept):
            kept.append(name)
    return sorted(kept, key=lambda n: n.start)


def read_uner(path: Path, treebank: Path) -> Iterator[Sample]:
    """Paragraphs of Universal NER, with blanks and tags of the same sentences in EWT."""
    labels = dict(_iob2(path))
    pairs = []
    for sentence in read_conllu(treebank):
        marks = labels.get(sentence.sent_id)
        if marks is None or len(marks) != len(sentence.rows):
            continue
        names = iob_names(marks, _UNER_LABELS)
        covered = {i for name in names for i in range(name.start, name.end)}
        rows = sentence.rows
        unknown = {i for i in range(len(rows)) if i not in covered and _nameish(rows, i)}
        pairs.append((sentence, _sample("uner", sentence, names, unknown)))
    yield from _paragraphs(pairs)


def _iob2(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(sentence id, IOB2 tags) of a Universal NER file."""
    for filled, lines in groupby(path.read_text(encoding="utf-8").split("\n"), key=bool):
        block = list(lines)
        if filled:
            ids = [line.partition("=")[2].strip() for line in block if line.startswith("# sent_id")]
            rows = [line.split("\t") for line in block if not line.startswith("#")]
            if ids:
                yield ids[0], [row[2] if len(row) > 2 else "O" for row in rows]


def iob_names(tags: list[str], labels: dict[str, str]) -> list[Name]:
    """Spans of IOB1 or IOB2 tags whose type is in ``labels``; other types are left out.

    >>> iob_names(["B-PER", "I-PER", "O", "I-LOC"], {"PER": "PERSON", "LOC": "LOC"})
    [Name(start=0, end=2, label='PERSON'), Name(start=3, end=4, label='LOC')]
    """
    names, start, open_kind = [], 0, ""
    for i, tag in enumerate([*tags, "O"]):
        mark, _, kind = tag.partition("-")
        if open_kind and (mark != "I" or kind != open_kind):
            if open_kind in labels:
                names.append(Name(start, i, labels[open_kind]))
            open_kind = ""
        if mark in {"B", "I"} and not open_kind:
            start, open_kind = i, kind
    return names
