"""The English pipeline in NumPy: every decision is spaCy's own, on real text and on odd text."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import srsly
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.strings import hash_string  # type: ignore[attr-defined]
from thinc.api import NumpyOps

from ragcli.errors import ModelError
from ragcli.models.english_pipeline import load_pipeline, reader, spacy_reading
from ragcli.models.light_english import LightEnglish
from ragcli.models.light_english.hashes import row_hashes, string_hash
from ragcli.models.light_english.lexicon import FILE, shape
from ragcli.models.light_english.msgpack import unpack
from ragcli.models.light_english.word_table import WordTable
from ragcli.models.locate import ENGLISH
from ragcli.models.pipeline_output import Named
from ragcli.text.markup import blank_noise
from training.english.package import lexicon

ROOT = Path(__file__).parents[2]
TEXTS = [
    path.read_text(encoding="utf-8", errors="ignore")[:20_000]
    for folder in ("sample_corpus", "docs")
    for path in sorted((ROOT / folder).rglob("*.*"))
]
# Pieces that the tokenizer's rules treat in ways of their own.
ODD = (
    *("don't", "Let's", "we’ve", "10a.m.", "Ph.D.", "U.S.", "w/o", "and/or", "°C.", "20°C", ":-)"),
    *("(hello)", "“Quoted,”", "well-known", "a.b.c", "3.5km", "$5", "US$5.", "http://a.de/x?y=1"),
    *(
        "e.g.,",
        "...",
        "…",
        "O'Neil's",
        "agent",
        "mark",
        "case",
        "MAYOR",
        "x" * 120,
        "ß",
        "İ",
        "naïve",
    ),
    *(
        "\n",
        "\n\n",
        "\t",
        "  ",
        " ",
        "\u00a0",
        "\u200b",
        "日本語",
        "😀",
        "co-op",
        "rock'n'roll",
        "'s",
        "’",
    ),
    *("." * 70, "😀" * 40, "don't" + "😀" * 40, "(" * 40 + "20°C." + ")" * 40, "x" * 40 + "'s."),
)


@pytest.fixture(scope="module")
def light() -> LightEnglish:
    return LightEnglish(ENGLISH)


@pytest.fixture(scope="module")
def nlp() -> Language:
    return load_pipeline(ENGLISH)


def words_of(nlp: Language, text: str) -> list[tuple[int, str]]:
    return [(token.idx, token.text) for token in nlp.make_doc(text)]


def test_a_sentence_by_hand(light: LightEnglish) -> None:
    """Names with label and place, the other nouns with their lemma."""
    reading = light("Ada Lovelace wrote two letters to the mice of London.")
    assert reading.names == (Named(0, 12, "PERSON"), Named(46, 52, "LOC"))
    assert [(n.text, n.lemma) for n in reading.nouns] == [("letters", "letter"), ("mice", "mouse")]
    assert light("") == ((), ()) and light("\n") == ((), ())


def test_real_text_is_read_as_spacy_reads_it(light: LightEnglish, nlp: Language) -> None:
    """Words, names, labels, nouns and lemmas of the sample corpus and the documentation."""
    seen = 0
    for text in map(blank_noise, TEXTS):
        assert [(w.start, w.text) for w in light._tokenize(text)] == words_of(nlp, text)
        reading = light(text)
        assert reading == spacy_reading(nlp, text)
        seen += len(reading.names) + len(reading.nouns)
    assert seen > 5_000


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(ODD) | st.text(max_size=6), max_size=12), st.sampled_from((" ", ""))
)
def test_odd_text_is_read_as_spacy_reads_it(parts: list[str], between: str) -> None:
    """Special cases, affixes, signs, blanks and other scripts, in any order."""
    text = between.join(parts).encode("utf-8", "ignore").decode()
    light, nlp = LOADED
    doc = nlp(text)
    expected = [(token.idx, token.text, token.norm) for token in doc]
    key = light._lexicon.key
    found = [
        (w.start, w.text, key(w.norm or light._lexicon._norms.get(w.text) or w.text.lower()))
        for w in light._tokenize(text)
    ]
    assert found == expected
    assert light(text) == spacy_reading(nlp, text)


LOADED = (LightEnglish(ENGLISH), load_pipeline(ENGLISH))


class Counted:
    """A pattern that counts the characters that it is applied to."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.characters = pattern, 0

    def __getattr__(self, name: str) -> Callable[[str], Any]:
        def apply(text: str) -> Any:
            self.characters += len(text)
            return getattr(self.pattern, name)(text)

        return apply


@pytest.mark.parametrize("unit", ["😀", "'s", ".", "…", "(", "a:", "www.", "x😀", "5km/"])
def test_the_work_grows_with_a_piece_without_blanks(unit: str) -> None:
    """Not with its square: 300 KB of emoji took a minute and a half."""
    work = []
    for size in (3_000, 12_000):
        tokenize = LightEnglish(ENGLISH)._tokenize
        rules = [Counted(getattr(tokenize, f"_{n}")) for n in ("prefix", "suffix", "infix", "url")]
        tokenize._prefix, tokenize._suffix, tokenize._infix, tokenize._url = cast("Any", rules)
        text = unit * (size // len(unit))
        assert "".join(word.text for word in tokenize(text)) == text
        work.append(sum(rule.characters for rule in rules))
    assert work[1] < 5 * work[0]


def test_a_fresh_reader_and_a_used_one_agree(light: LightEnglish) -> None:
    """What is remembered of one text does not change another."""
    fresh = LightEnglish(ENGLISH)
    assert [fresh(t) for t in reversed(TEXTS[:6])] == [light(t) for t in reversed(TEXTS[:6])]


def test_words_are_the_same_with_and_without_memory() -> None:
    """To the bit, whatever was read before, and also when the memory is full and begins anew."""
    folder = LightEnglish(ENGLISH)
    remembering = WordTable(folder._lexicon, (folder._shared, folder._names), most=40)
    for text in [*TEXTS[:6], "Ada.", *TEXTS[5::-1]]:
        words = folder._tokenize(text)
        fresh = WordTable(folder._lexicon, (folder._shared, folder._names))(words)
        for expected, found in zip(fresh, remembering(words), strict=True):
            assert found.shape == (len(words), 96)
            np.testing.assert_array_equal(found, expected)


@given(st.text(max_size=40))
def test_strings_hash_as_in_spacy(text: str) -> None:
    """MurmurHash64A over UTF-8, of every length."""
    text = text.encode("utf-8", "ignore").decode()
    if text:
        assert string_hash(text) == hash_string(text)


def test_rows_hash_as_in_thinc() -> None:
    """Keys over the whole range, several seeds."""
    keys = np.random.default_rng(1).integers(0, 2**64, 1000, np.uint64)
    keys = np.concatenate((keys, np.array([0, 1, 2**64 - 1], np.uint64)))
    for seed in (8, 9, 10, 11):
        assert np.array_equal(row_hashes(keys, seed), NumpyOps().hash(keys, seed))


def test_shapes_by_hand() -> None:
    """Capitals, small letters and digits; runs of the same sign are cut at four."""
    assert shape("Lovelace") == "Xxxxx"
    assert shape("B2B-1999999") == "XdX-dddd"


LEAVES: st.SearchStrategy[object] = st.one_of(
    *(st.none(), st.booleans(), st.text(), st.binary(), st.integers(-(2**63), 2**64 - 1)),
    st.floats(width=64, allow_nan=False),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=3), inner),
    max_leaves=30,
)


@given(VALUES)
def test_messagepack_is_read_back(value: object) -> None:
    """Whatever srsly, spaCy's own library, writes."""
    assert unpack(srsly.msgpack_dumps(value)) == srsly.msgpack_loads(srsly.msgpack_dumps(value))


def test_long_messagepack_is_read_back() -> None:
    """Lengths that need one, two and four bytes; an array; what is cut off is refused."""
    for length in (20, 40, 300, 70_000):
        value = {"s": "ä" * length, "l": ["w"] * length, "b": b"x" * length}
        value["m"] = {f"k{i}": i for i in range(length)}  # type: ignore[assignment]
        assert unpack(srsly.msgpack_dumps(value)) == value
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    packed = srsly.msgpack_dumps({"a": array})
    assert np.array_equal(unpack(packed)["a"], array)
    for bad in (packed[:-1], packed + b"\0", b"\xc1"):
        with pytest.raises(ValueError):
            unpack(bad)


def test_the_lexicon_is_what_spacy_knows() -> None:
    """The file beside the pipeline holds the installed spaCy's own tables."""
    assert (ENGLISH / FILE).read_bytes() == lexicon()


def test_a_damaged_pipeline_is_named(tmp_path: Path) -> None:
    """A cut-off file and a missing one: ModelError with the folder's name."""
    folder = tmp_path / "english"
    shutil.copytree(ENGLISH, folder)
    model = folder / "ner" / "model"
    model.write_bytes(model.read_bytes()[:-100])
    with pytest.raises(ModelError, match="cannot be loaded"):
        LightEnglish(folder)
    model.unlink()
    with pytest.raises(ModelError, match="ner/model"):
        LightEnglish(folder)


def test_the_built_in_pipeline_needs_no_spacy(tmp_path: Path) -> None:
    """Reading with it imports neither spaCy nor thinc; another folder is read by spaCy."""
    code = (
        "import sys\n"
        "from ragcli.extract.pool import ExtractorPool\n"
        "from ragcli.models.locate import ENGLISH\n"
        "with ExtractorPool(str(ENGLISH), 2) as pool:\n"
        "    assert b'LOC' in pool.submit(['Ada lives in Rome.'])()[0]\n"
        "heavy = {'spacy', 'thinc', 'torch', 'multiprocessing'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shutil.copytree(ENGLISH, tmp_path / "copy")
    assert reader(tmp_path / "copy")("Ada lives in Rome.") == reader(ENGLISH)("Ada lives in Rome.")
