"""Questions with known answers, and contexts that can and cannot answer them: for ``answers.py``.

Contexts are made without a retriever: the gold passages beside three others, random ones or
those that share most words with the question (``beside`` and ``near``); and four without the
gold ones: random, nearest, and nearest of another corpus (``random``, ``wrong``, ``foreign``).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ragcli.evaluate.text_metrics import squad_normalise
from ragcli.retrieve.context import fit
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words
from ragcli.types import Context, Hit

WINDOW = 900
"""Characters of a passage of a long text, up to the end of the sentence."""

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
Passage = tuple[str, str, str]
"""Document, title, text."""

Asked = tuple[str, list[str], list[int]]
"""Question, accepted answers, indices of the gold passages."""


@dataclass(frozen=True)
class Case:
    """One question: its right passages beside others, and contexts that cannot answer it."""

    name: str
    tune: bool
    question: str
    answers: list[str]
    contexts: dict[str, Context]


@dataclass(frozen=True)
class Stated:
    """A sentence about a book, passages that hold it, and one about something else there."""

    statement: str
    other: str
    context: Context


class Corpus:
    """Passages, and which of them share most words with a question."""

    def __init__(self, passages: list[Passage]) -> None:
        self.passages = passages
        self.words = [Counter(content_words(f"{title} {text}")) for _, title, text in passages]
        self.holding = Counter(word for words in self.words for word in words)

    def score(self, question: str, index: int) -> float:
        """Return BM25 (k1 1.2, b 0) of a passage."""
        words = self.words[index]
        return sum(
            math.log(len(self.words) / self.holding[word]) * words[word] * 2.2 / (words[word] + 1.2)
            for word in set(content_words(question))
            if word in words
        )

    def nearest(self, question: str, but: Sequence[int], count: int) -> list[int]:
        """Return the ``count`` passages that share most with the question, none of ``but``."""
        left_out = set(but)
        others = [index for index in range(len(self.words)) if index not in left_out]
        return self.ranked(question, others)[:count]

    def ranked(self, question: str, indices: Sequence[int]) -> list[int]:
        """Put passages in order, those sharing most with the question first."""
        return sorted(indices, key=lambda index: (-self.score(question, index), index))

    def random(self, but: list[int], count: int, seed: str) -> list[int]:
        """Return ``count`` passages picked by ``seed``, none of ``but``."""
        others = [index for index in range(len(self.passages)) if index not in but]
        return random.Random(seed).sample(others, count)

    def context(self, question: str, indices: list[int]) -> Context:
        """Make a context of passages, those sharing most words with the question first."""
        ranked = self.ranked(question, indices)
        hits = [hit(self.passages[index], rank) for rank, index in enumerate(ranked, 1)]
        return fit(hits, 10**9, len)


def hit(passage: Passage, rank: int) -> Hit:
    """Make a passage a hit of its own document."""
    doc, title, text = passage
    return Hit(doc, doc, title, 0, len(text), 1, 1 + text.count("\n"), text, 1 / rank, rank)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines() if line]


def windows(name: str, text: str) -> Iterator[Passage]:
    """Cut a long text into passages on sentence ends."""
    start = 0
    spans = sentences(text)
    for (_, end), following in zip(spans, [*spans[1:], (len(text), len(text))], strict=True):
        if end - start >= WINDOW or following[0] == len(text):
            yield f"{name}:{start}", "", text[start:end]
            start = following[0]


def load(data: Path) -> list[Case]:
    """Return all cases of the four sets, with their contexts."""
    hotpot, musique = (records(data / name) for name in ("hotpotqa-100", "musique-100"))
    sets = {
        "hotpotqa": (hotpot, gold_records(hotpot, data / "hotpotqa-100"), musique),
        "musique": (musique, gold_records(musique, data / "musique-100"), hotpot),
    }
    books = texts(sorted((data / "novels").glob("*.txt")), data / "novels")
    sets["novels"] = (books, gold_novels(books, data / "novels"), hotpot)
    sample = texts(sorted(p for p in SAMPLE.rglob("*") if p.suffix in (".md", ".txt")), SAMPLE)
    sets["sample"] = (sample, gold_sample(sample, SAMPLE), musique)
    return [
        case(name, number, corpus, foreign, asked)
        for name, (corpus, golds, foreign) in sets.items()
        for number, asked in enumerate(golds)
    ]


def load_stated(data: Path) -> list[Stated]:
    """Return the novels' answers that are sentences, with the four passages nearest to them."""
    books = texts(sorted((data / "novels").glob("*.txt")), data / "novels")
    asked = [
        record
        for record in read_lines(data / "novels" / "questions.jsonl")
        if record["type"] == "Fact Retrieval" and len(record["answer"].split()) >= 5
    ]
    stated = []
    for record in asked:
        inside = [i for i, p in enumerate(books.passages) if p[0].startswith(record["source"])]
        question, answer = record["question"], record["answer"]
        near = books.ranked(f"{question} {answer}", inside)[:4]
        others = [o["answer"] for o in asked if o["source"] == record["source"] and o != record]
        other = random.Random(question).choice(others)
        stated.append(Stated(answer, other, books.context(question, near)))
    return stated


def case(name: str, number: int, corpus: Corpus, foreign: Corpus, asked: Asked) -> Case:
    """Make the contexts of one question."""
    question, answers, gold = asked
    near = corpus.nearest(question, gold, 4)
    chosen = {
        "beside": gold + corpus.random(gold, 3, question),
        "near": gold + near[:3],
        "random": corpus.random(gold, 4, question),
        "wrong": near,
    }
    contexts = {key: corpus.context(question, indices) for key, indices in chosen.items()}
    contexts["foreign"] = foreign.context(question, foreign.nearest(question, [], 4))
    return Case(name, number % 2 == 0, question, answers, contexts)


def records(folder: Path) -> Corpus:
    """Read a corpus of JSON Lines records, one passage each."""
    lines = read_lines(folder / "corpus.jsonl")
    return Corpus([(f"corpus.jsonl#{r['_id']}", r["title"], r["text"]) for r in lines])


def texts(paths: list[Path], root: Path) -> Corpus:
    """Read text files as windows."""
    passages: list[Passage] = []
    for path in paths:
        raw = path.read_bytes()
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("cp1252")
        passages += windows(path.relative_to(root).as_posix(), text.replace("\r\n", "\n"))
    return Corpus(passages)


def gold_records(corpus: Corpus, folder: Path) -> Iterator[Asked]:
    """Yield the questions on records; those with yes or no for an answer are left out."""
    at = {doc: index for index, (doc, _, _) in enumerate(corpus.passages)}
    for record in read_lines(folder / "questions.jsonl"):
        gold = [at[doc] for doc in record["evidence"]]
        answers = as_list(record["answer"])
        if any(holds(corpus.passages[index][2], answers) for index in gold):
            yield record["question"], answers, gold


def gold_novels(corpus: Corpus, folder: Path) -> Iterator[Asked]:
    """Yield the questions whose short answer stands in their book.

    The set names no passage: taken for gold is the one that holds the answer and shares most
    words with the question.
    """
    for record in read_lines(folder / "questions.jsonl"):
        answers = as_list(record["answer"])
        if record["type"] != "Fact Retrieval" or len(answers[0].split()) > 6:
            continue
        holding = [
            index
            for index, (doc, _, text) in enumerate(corpus.passages)
            if doc.startswith(f"{record['source']}:") and holds(text, answers)
        ]
        if holding:
            yield record["question"], answers, corpus.ranked(record["question"], holding)[:1]


def gold_sample(corpus: Corpus, root: Path) -> Iterator[Asked]:
    """Yield the sample corpus's questions whose quotes lie each inside one window."""
    for record in read_lines(root / "questions.jsonl"):
        gold: list[int] = []
        for evidence in record["evidence"]:
            gold += [
                index
                for index, (doc, _, text) in enumerate(corpus.passages)
                if doc.startswith(f"{evidence['doc']}:") and evidence["quote"] in text
            ][:1]
        answers = as_list(record["answer"])
        if any(holds(corpus.passages[index][2], answers) for index in gold):
            yield record["question"], answers, gold


def as_list(value: str | list[str]) -> list[str]:
    """Return the accepted answers as a list."""
    return value if isinstance(value, list) else [value]


def holds(text: str, answers: list[str]) -> bool:
    """Tell whether the normalised text holds one of the answers, as whole words."""
    return any(f" {squad_normalise(answer)} " in f" {squad_normalise(text)} " for answer in answers)
