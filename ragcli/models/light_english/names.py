"""Finds names with a greedy transition parser: begin, in, last, unit or out for each word.

The score of a move depends on the word, the first word of the open name, and the previous word. If
no name is open, it depends only on the word. So these scores are computed for all words at once,
and only words inside names are computed one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.models.light_english.tok2vec import parameters

Floats = NDArray[np.float32]
_BEGIN, _IN, _LAST, _UNIT, _OUT = range(1, 6)


class NameParser:
    """Finds names from the vectors of words."""

    def __init__(self, model: dict[str, Any], moves: dict[str, Any]) -> None:
        """``model`` and ``moves``: content of the component's files."""
        upper, reduce_ = parameters(model, "linear")
        lower = parameters(model, "precomputable_affine")[0]
        feats, hidden, pieces, width = lower["W"].shape
        self._reduce, self._upper = reduce_, upper
        # Piece by piece, as in tok2vec.Maxout.
        self._lower = lower["W"].transpose(3, 0, 2, 1).reshape(width, -1).copy()
        self._bias = lower["b"].T.reshape(-1).copy()
        self._none = lower["pad"][0].transpose(0, 2, 1).reshape(feats, -1).copy()
        self._feats, self._hidden, self._pieces = feats, hidden, pieces
        self._moves = _moves(orjson.loads(moves["moves"]))
        if len(self._moves) != len(upper["b"]):
            raise ValueError(f"{len(self._moves)} moves, {len(upper['b'])} scores")
        kinds = np.array([kind for kind, _ in self._moves])
        labelled = np.array([bool(label) for _, label in self._moves])
        self._outside = {
            _BEGIN: (kinds == _BEGIN) & labelled,
            _UNIT: (kinds == _UNIT) & labelled,
            _OUT: kinds == _OUT,
        }
        self._inside = {
            label: [self._moves.index((kind, label)) for kind in (_IN, _LAST)]
            for _, label in self._moves
            if label
        }

    def __call__(
        self, vectors: Floats, starts: NDArray[np.bool_], blank: NDArray[np.bool_]
    ) -> list[tuple[int, int, str]]:
        """Return names as (first word, end, label); the end is exclusive.

        ``vectors`` (T, d); ``starts`` and ``blank`` (T,) say which words start sentences and which
        are white space.
        """
        length = len(vectors)
        rows = vectors @ self._reduce["W"].T + self._reduce["b"]
        feats = (rows @ self._lower).reshape(length, self._feats, -1)
        feats[:, 0] += self._bias
        # A name must not cross the end of a sentence or of the text.
        ends = np.append(starts[1:], True)
        best = self._closed(feats, ends, blank)
        names: list[tuple[int, int, str]] = []
        behind = 0
        for at in np.flatnonzero(self._outside[_OUT][best] == 0).tolist():
            if at < behind:
                continue
            kind, label = self._moves[best[at]]
            behind = at + 1 if kind == _UNIT else self._end(feats, ends, at, label)
            names.append((at, behind, label))
        return names

    def _closed(
        self, feats: Floats, ends: NDArray[np.bool_], blank: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """Return the best move for each word if no name is open: (T,)."""
        scores = self._scores(feats[:, 0] + self._none[1] + self._none[2])
        valid = np.zeros(scores.shape, bool)
        valid[:, self._outside[_OUT]] = True
        valid |= ~blank[:, None] & self._outside[_UNIT]
        valid |= ~(blank | ends)[:, None] & self._outside[_BEGIN]
        best: NDArray[np.intp] = np.where(valid, scores, np.float32(-np.inf)).argmax(axis=1)
        return best

    def _end(self, feats: Floats, ends: NDArray[np.bool_], first: int, label: str) -> int:
        """Return the end (exclusive) of the name that begins at ``first``."""
        stay, last = self._inside[label]
        for at in range(first + 1, len(feats)):
            scores = self._scores((feats[at, 0] + feats[first, 1] + feats[at - 1, 2])[None])[0]
            if ends[at] or scores[last] > scores[stay]:
                return at + 1
        raise AssertionError("a name begins at the last word")

    def _scores(self, sums: Floats) -> Floats:
        """Return the scores of the moves (n, moves) for sums of features (n, P h)."""
        hidden = sums[:, : self._hidden]
        for piece in range(1, self._pieces):
            hidden = np.maximum(hidden, sums[:, piece * self._hidden : (piece + 1) * self._hidden])
        scores: Floats = hidden @ self._upper["W"].T + self._upper["b"]
        return scores


def _moves(labels: dict[str, dict[str, int]]) -> list[tuple[int, str]]:
    """Return all moves in the order of their scores: by kind, then by frequency of the label."""
    return [
        (int(kind), label)
        for kind, counts in sorted(labels.items())
        for _, label in sorted(((n, label) for label, n in counts.items()), reverse=True)
    ]
