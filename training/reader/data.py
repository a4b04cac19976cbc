"""The examples: questions with their passages and answers, read from ``qa-training``."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum, log
from pathlib import Path

from ragcli.text.markup import unmarked, without_page_lines
from training.score.folder import QUESTIONS

Span = tuple[int, int]

ASKED = "questions"
"""The source of questions that people ask of their own folders: ``training/questions``."""

SHARES = {
    # clean, tight spans
    "squad1": 1.0,
    "squadshifts_newwiki": 1.4,
    "squadshifts_amazon": 0.9,
    "squadshifts_reddit": 0.9,
    # stories
    "fairytaleqa": 1.4,
    # several passages at once
    "derived_multi": 0.7,
    "hotpotqa_samples": 3.0,
    "timeqa": 2.0,
    "tatqa_text": 3.0,
    # as people type, experts, coreference, lists
    "nq": 2.0,
    "qed": 1.5,
    "bioasq": 1.2,
    "quoref_contrast": 1.0,
    "multispanqa": 1.5,
    # not answerable
    "derived_none": 0.8,
    # little of the rest
    "cuad": 0.2,
    "medquad": 0.25,
    "boolq": 1.0,
    "strategyqa": 0.4,
    "pubmedqa": 0.7,
    "tweetqa": 0.3,
    "qamr": 0.12,
    "nq_swap": 0.25,
    "selqa_sentences": 0.15,
    "friendsqa": 0.4,
    "ropes_contrast": 0.4,
    "molweni": 0.03,
}
"""How often one pass takes each example of a source; sources not named are left out."""

LATER_SHARES = SHARES | {
    "squadshifts_newwiki": 2.0,
    "derived_multi": 1.4,
    "hotpotqa_samples": 6.0,
    "timeqa": 3.0,
    "nq": 2.5,
    "qed": 2.0,
    "medquad": 0.4,
    "derived_none": 0.5,
    "qamr": 0.06,
    "tweetqa": 0.2,
    "boolq": 0.8,
    "cuad": 0.2,
}
"""The same for the second stage: more of several passages at once."""

OWN_SHARES = LATER_SHARES | {ASKED: 5.0, "hotpotqa_samples": 9.0, "derived_multi": 2.0}
"""The same for the third stage: questions over real folders are half of all, and of the rest more
have several passages."""

REAL_NONE = {"squad1": 6.0, "timeqa": 1.5, "cuad": 0.7}
"""How many times more often than the rest of its source a question that people or documents left
unanswered is taken in the second stage."""

SEARCHED = {"fairytaleqa", "hotpotqa_samples", "quoref_contrast", "bioasq", "tweetqa", "nq_swap"}
"""Sources whose offsets were found by search: any place of the answer in its passage counts."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A title and a text; ``answers`` are spans of the text."""

    title: str
    text: str
    answers: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its passages. ``kind`` is span, multi, yesno or none."""

    source: str
    question: str
    passages: tuple[Passage, ...]
    kind: str
    yesno: str
    answers: tuple[str, ...]
    supporting: tuple[int, ...]
    folder: str = ""
    """Of a question over a real folder, the folder and its field; other passages of it are near."""

    @property
    def pool(self) -> str:
        """What passages without the answer are taken from."""
        return self.folder or self.source


def find_data() -> Path | None:
    """The folder of examples, or nothing (and a message) where the environment names none."""
    root = os.environ.get("RAGCLI_DATA")
    if not root:
        message = "RAGCLI_DATA is not set: name the folder that holds qa-training/"
    elif not (folder := Path(root) / "qa-training").is_dir():
        message = f"no folder {folder}: RAGCLI_DATA must name the folder that holds qa-training/"
    else:
        return folder
    print(f"{message} (training/reader/README.md lists the data)", file=sys.stderr)
    return None


def load(folder: Path, source: str, part: str = "train") -> list[Example]:
    """The examples of one source, ``part`` train or dev; empty when it has no such part."""
    path = folder / f"{source}-{part}.jsonl.gz"
    if source == ASKED:
        path = QUESTIONS / f"{part}.jsonl.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [example_of(json.loads(line)) for line in file]


def example_of(row: dict) -> Example:
    own = "field" in row  # a question over a real folder; its source is the folder
    marked: dict[int, list[Span]] = defaultdict(list)
    for answer in row["answers"]:
        start = answer["start"]
        marked[answer["context"]].append((start, start + len(answer["text"])))
    texts = tuple(answer["text"] for answer in row["answers"])
    if (own or row["source"] in SEARCHED) and row["kind"] == "span":
        for context in list(marked):
            marked[context] += list(_places(row["contexts"][context]["text"], texts))
    passages = tuple(
        Passage(
            _above(c) if own else _title(c["title"]),
            readable(c["text"]) if own else c["text"],
            tuple(sorted(set(marked[at]))),
        )
        for at, c in enumerate(row["contexts"])
    )
    return Example(
        ASKED if own else row["source"],
        row["question"],
        passages,
        row["kind"],
        row.get("yesno", ""),
        texts,
        tuple(row.get("supporting") or ()),
        row["source"] if own else "",
    )


def readable(text: str) -> str:
    """A text as ``ask`` gives it to the reader, every character in its place."""
    return unmarked(without_page_lines(text))


def _above(context: dict) -> str:
    """The title and the headings above a passage, as ``ragcli.answer.windows.above`` has them."""
    return ": ".join(dict.fromkeys(filter(None, (context["title"], context["heading"]))))


def _title(title: str) -> str:
    """A title as one reads it; collections of posts and reviews have none."""
    return (
        ""
        if title.startswith(("Filtered_", "filtered_", "amazon", "Amazon_"))
        else title.replace("_", " ")
    )


def _places(text: str, answers: tuple[str, ...]) -> Iterator[Span]:
    for answer in set(answers):
        if len(answer.split()) <= 6:
            pattern = rf"(?<!\w){re.escape(answer)}(?!\w)"
            yield from (match.span() for match in re.finditer(pattern, text))


_WORD = re.compile(r"\w+")


def words(text: str) -> frozenset[str]:
    """Lower-case words without a plural s: enough to tell which passages are alike."""
    return frozenset(word.rstrip("s") for word in _WORD.findall(text.lower()))


@dataclass
class Pool:
    """All passages by title and by source, to take passages from that hold no answer."""

    examples: list[Example]
    by_title: dict[tuple[str, str], list[Passage]] = field(init=False)
    by_source: dict[str, list[Passage]] = field(init=False)

    def __post_init__(self) -> None:
        titles: dict[tuple[str, str], dict[str, Passage]] = defaultdict(dict)
        sources: dict[str, dict[str, Passage]] = defaultdict(dict)
        for example in self.examples:
            for passage in example.passages:
                bare = Passage(passage.title, passage.text)
                titles[example.pool, passage.title].setdefault(passage.text, bare)
                sources[example.pool].setdefault(passage.text, bare)
        self.by_title = {key: list(found.values()) for key, found in titles.items()}
        self.by_source = {key: list(found.values()) for key, found in sources.items()}

    @cached_property
    def rarity(self) -> dict[str, float]:
        """Inverse document frequency of every word."""
        count: dict[str, int] = defaultdict(int)
        passages = [p for found in self.by_source.values() for p in found]
        for passage in passages:
            for word in words(passage.text):
                count[word] += 1
        return {word: log(len(passages) / n) for word, n in count.items()}

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        return {p.text: words(p.text) for found in self.by_source.values() for p in found}

    def likeness(self, question: frozenset[str], passage: Passage) -> float:
        """Summed rarity of the question's words in the passage."""
        inside = question & (self._words.get(passage.text) or words(passage.text))
        # exact in any order: that of a set differs between processes, and ties must not
        return fsum(self.rarity.get(word, 0.0) for word in inside)
