"""The next token: the likeliest, or the likeliest that a grammar allows."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.llm.grammar import ROOT, check_grammar
from ragcli.models.llm.library import why
from ragcli.models.llm.model import Model

# llama.cpp's llama_token_data: what its grammar marks with -inf is not allowed.
_CANDIDATE = np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
_FEW = (64, 2048)  # tokens to try before the whole vocabulary
_KEPT = 8  # grammars


class Follower:
    """How far one reply has come in its grammar. Made by ``Grammars.follow``."""

    def __init__(self, lib: Any, sampler: Any, all_ids: NDArray[np.int32]) -> None:
        self._lib = lib
        self._sampler = sampler
        self._all = all_ids

    def pick(self, logits: NDArray[np.float32]) -> int:
        """The allowed token with the largest logit (the first of equals), and go on with it.

        The model's own choice is nearly always allowed, so it is tried alone; testing every
        token of a vocabulary of 150,000 takes longer than computing the logits. Raises
        ModelError when nothing is allowed.
        """
        token = int(np.argmax(logits))
        if not self._allowed(np.array([token], np.int32), logits).size:
            token = self._second(logits)
        self._lib.llama_sampler_accept(self._sampler, token)
        return token

    def close(self) -> None:
        """Free what llama.cpp holds for it."""
        if self._sampler is not None:
            self._lib.llama_sampler_free(self._sampler)
            self._sampler = None

    def _second(self, logits: NDArray[np.float32]) -> int:
        """The best allowed token: among the few best of all, or more, or the whole vocabulary."""
        for few in (*(n for n in _FEW if n < logits.size), logits.size):
            best = np.argpartition(-logits, few)[:few] if few < logits.size else self._all
            allowed = self._allowed(np.sort(best).astype(np.int32), logits)
            if allowed.size:
                return int(allowed[np.argmax(logits[allowed])])
        raise ModelError("the grammar allows none of the model's tokens", "mend the grammar")

    def _allowed(self, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> NDArray[np.int32]:
        """Those of the tokens that the grammar lets come next."""
        candidates = np.zeros(tokens.size, _CANDIDATE)
        candidates["id"] = tokens
        candidates["logit"] = logits[tokens]
        pointer = candidates.ctypes.data_as(self._lib.llama_token_data_p)
        array = self._lib.llama_token_data_array(pointer, tokens.size, -1, False)
        self._lib.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return tokens[allowed]


class Grammars:
    """Grammars as llama.cpp holds them, each read and checked once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._read: dict[str, Any] = {}
        self._all = np.arange(model.vocabulary, dtype=np.int32)

    def follow(self, grammar: str) -> Follower:
        """The beginning of a reply. Raises ModelError when the grammar cannot be followed."""
        lib = self._model.lib
        if grammar not in self._read:
            check_grammar(grammar)
            read = lib.llama_sampler_init_grammar(
                self._model.vocab, grammar.encode(), ROOT.encode()
            )
            if not read:
                raise ModelError(f"llama.cpp refuses the grammar: {why('')}", "mend the grammar")
            self._read[grammar] = read
            if len(self._read) > _KEPT:
                lib.llama_sampler_free(self._read.pop(next(iter(self._read))))
        return Follower(lib, lib.llama_sampler_clone(self._read[grammar]), self._all)

    def close(self) -> None:
        """Free them all."""
        for read in self._read.values():
            self._model.lib.llama_sampler_free(read)
        self._read.clear()


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Natural logarithms of the probabilities."""
    shifted = logits.astype(np.float64) - float(logits.max())
    return shifted - np.log(np.exp(shifted).sum())  # type: ignore[no-any-return]
