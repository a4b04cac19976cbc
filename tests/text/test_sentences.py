"""Sentence spans: worked examples, properties, hostile input, and gold sentences."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.sentences import MAX_CHARS, sentences


def split(text: str) -> list[str]:
    """Return the sentences themselves."""
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One stop.", "Two stops!", "Three?", "Four"],
        ["Mr. Smith met Dr. Jones.", "They left."],
        ["He met J. R. Smith in St. Ives.", "It rained."],
        ["She lives in the U.S.", "The house is old."],
        ["The U.S. Army came."],
        ["See No. 5 and Fig. 3 on p. 12.", "They differ."],
        ["No.", "I will not."],
        ["It cost 3.5 million, i.e. a lot.", "He paid."],
        ["Well... perhaps not.", "Or so… he said.", "Then he left..."],
        ['"Stop!" cried he.', "Nobody did."],
        ['"Stop!" Elizabeth said.', "“Why?” I asked."],
        ["“Is it late?” she asked.", "“It is.”", "They went."],
        ["He said: 'It is late.'", "(It was not.)", "They went [home]."],
        ["Bells rang etc.", "The end."],
        ["At 5 p.m. Monday it closed.", "We left at 6 p.m.", "The bell rang."],
        ["Henry I. was king."],
        ["It was found.[12]", "Others [3] doubt it. [4] [5]", "He did not."],
        ["1. First things come first.", "IV. The siege of the town.", "2.1. The fleet."],
        ["[George W.] Bush won."],
        ["Good place. :)", "Go there."],
        ["i went there.", "it was good.", "Is it?"],
        ["wikiHow grows.", "eHow does not."],
        ["Oh! how it rained.", "What? said they."],
    ],
)
def test_splits_as_a_reader_would(expected: list[str]) -> None:
    """Stops after abbreviations, numbers and inside speech end nothing; others do."""
    assert split(" ".join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a wrapped\nline goes\non. Next\none", ["a wrapped\nline goes\non.", "Next\none"]),
        ("no stop\n\nnew paragraph", ["no stop", "new paragraph"]),
        ("no stop\n \t\nnew paragraph", ["no stop", "new paragraph"]),
        ("Mr.\n\nSmith", ["Mr.", "Smith"]),
        ("# Title\nText\n## Sub\nMore", ["# Title", "Text", "## Sub", "More"]),
        ("Title\n=====\nText", ["Title", "=====", "Text"]),
        (
            "List:\n- one\n- two\n  goes on\n* three",
            ["List:", "- one", "- two\n  goes on", "* three"],
        ),
        ("1. one\n2. two\n(a) three", ["1. one", "2. two", "(a) three"]),
        ("| a | b |\n|---|---|\n| c. | d |\nend", ["| a | b |", "|---|---|", "| c. | d |", "end"]),
        ("```\nx = 1\ny = 2\n```\nend", ["```", "x = 1\ny = 2", "```", "end"]),
        ("今天很好。明天呢？好", ["今天很好。", "明天呢？", "好"]),
        ("  \n lead and trail \n ", ["lead and trail"]),
        (
            "Intro\n" + "long line " * 30 + "\nAfter",
            ["Intro", ("long line " * 30).strip(), "After"],
        ),
        ("", []),
        (" \n\t\n ", []),
    ],
)
def test_layout_ends_a_sentence(text: str, expected: list[str]) -> None:
    """Blank lines, headings, items, rows and fences end a sentence; wrapped lines do not."""
    assert split(text) == expected


def test_text_without_stops_is_cut() -> None:
    """No span is longer than the limit: it is cut at a line break, a space, or anywhere."""
    lines = split("word word word word word word\n" * 250)
    assert all(len(line) <= MAX_CHARS and line.endswith("word") for line in lines)
    assert all(line.count("\n") > 25 for line in lines[:-1])
    assert [len(piece) for piece in split("x" * (2 * MAX_CHARS + 1))] == [MAX_CHARS, MAX_CHARS, 1]


PARTS = st.sampled_from(
    [
        *("word ", "Word", ". ", ".", "! ", "?", "\n", "\n\n", "- ", "# ", "Mr. ", '"', "”", "("),
        *(
            ")",
            " ",
            "5",
            "... ",
            "|",
            "```\n",
            "é",
            "。",
            "\u3000",
            "\u2028",
            "===\n",
            "[1]",
            ":) ",
        ),
    ]
)


@given(st.one_of(st.text(), st.lists(PARTS).map("".join)))
def test_spans_are_exact(text: str) -> None:
    """Spans are ordered, apart, trimmed, bounded, and hold every character but whitespace."""
    spans = sentences(text)
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert end - start <= MAX_CHARS
        last = end
    assert not text[last:].strip()


@given(st.lists(PARTS, max_size=30).map("".join), st.lists(PARTS, max_size=30).map("".join))
def test_paragraphs_are_apart(one: str, two: str) -> None:
    """What stands in one paragraph has no say in where another's sentences end."""
    one, two = one.strip("\n") + "x", "x" + two
    shift = len(one) + 2
    after = [(start - shift, end - shift) for start, end in sentences(f"{one}\n\n{two}")]
    assert [span for span in after if span[0] >= 0] == sentences(two)


@pytest.mark.parametrize(
    "text",
    [
        *("." * 300_000 + "x", '."' * 150_000, "." + '"' * 300_000 + "x", "\n" * 300_000),
        *("Mr. " * 75_000, "1. " * 100_000, "." + "[a" * 150_000, ". [1]" * 60_000, " " * 300_000),
    ],
    ids=lambda text: repr(text[:4]),
)
def test_odd_text_takes_no_longer(text: str) -> None:
    """No input makes the patterns slow: time stays about linear in length."""
    begin = time.process_time()
    sentences(text)
    assert time.process_time() - begin < 5


def gold(path: Path) -> list[tuple[str, set[int]]]:
    """Return the documents of a CoNLL-U file with the offsets at which their sentences end."""
    documents: list[tuple[str, set[int]]] = []
    for block in path.read_text("utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        if any(line.startswith("# newdoc") for line in lines) or not documents:
            documents.append(("", set()))
        text, ends = documents[-1]
        if any(line.startswith("# newpar") for line in lines) and text:
            text = text.rstrip() + "\n\n"
        covered = 0
        for columns in (line.split("\t") for line in lines if not line.startswith("#")):
            first, _, last = columns[0].partition("-")
            if "." in first or int(first) <= covered:
                continue
            covered = int(last or first)
            text += columns[1] + ("" if "SpaceAfter=No" in columns[9] else " ")
        ends.add(len(text.rstrip()))
        documents[-1] = (text, ends)
    return documents


def boundary_f1(paths: list[Path]) -> float:
    """Return the F1 of sentence ends, exact to the character."""
    hits = found = expected = 0
    for path in paths:
        for text, ends in gold(path):
            ours = {end for _, end in sentences(text)}
            hits, found, expected = hits + len(ours & ends), found + len(ours), expected + len(ends)
    return 2 * hits / (found + expected)


@pytest.mark.parametrize(
    ("pattern", "floor"),
    [
        ("ewt/en_ewt-ud-test.conllu", 0.91),  # mail and chat, much of it without any stops
        ("gum/GUM_news_*.conllu", 0.97),
        ("gum/GUM_academic_*.conllu", 0.97),
        ("gum/GUM_voyage_*.conllu", 0.985),
    ],
)
def test_agrees_with_gold_sentences(pattern: str, floor: float) -> None:
    """The splitter stays as good on annotated text as it was measured to be."""
    if "RAGCLI_DATA" not in os.environ:
        pytest.skip("RAGCLI_DATA names no folder with annotated text")
    paths = sorted(Path(os.environ["RAGCLI_DATA"], "nlp-training").glob(pattern))
    if not paths:
        pytest.skip(f"no {pattern} below RAGCLI_DATA")
    assert boundary_f1(paths) >= floor
