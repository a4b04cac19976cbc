"""Chooses the next token: the most likely one, or the most likely one that a grammar allows."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.llm.llama_library import complaints, why
from ragcli.models.llm.model import Model

# llama.cpp's llama_token_data. Its grammar sets the logit of forbidden tokens to -inf.
_CANDIDATE = np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
_FEW = (64, 2048)  # numbers of tokens to try before the whole vocabulary
_KEPT = 8  # grammars to keep


class Follower:
    """The state of one reply in its grammar, made by ``Grammars.follow``."""

    def __init__(self, lib: Any, sampler: Any, all_ids: NDArray[np.int32]) -> None:
        self._lib = lib
        self._sampler = sampler
        self._all = all_ids

    def pick(self, logits: NDArray[np.float32]) -> int:
        """Return the allowed token with the largest logit (the first of equals) and accept it.

        The model's first choice is nearly always allowed, so it is tested alone first. Testing
        every token of a vocabulary of 150,000 takes longer than computing the logits. Raises
        ModelError when no token is allowed.
        """
        token = int(np.argmax(logits))
        if not self._allowed(np.array([token], np.int32), logits).size:
            token = self._second(logits)
        self.accept(token)
        return token

    def accept(self, token: int) -> None:
        """Go on after a token that was allowed."""
        self._lib.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        """Free its memory in llama.cpp."""
        if self._sampler is not None:
            self._lib.llama_sampler_free(self._sampler)
            self._sampler = None

    def _second(self, logits: NDArray[np.float32]) -> int:
        """Return the best allowed token: of the few best, of more, or of the whole vocabulary."""
        for few in (*(n for n in _FEW if n < logits.size), logits.size):
            best = np.argpartition(-logits, few)[:few] if few < logits.size else self._all
            allowed = self._allowed(np.sort(best).astype(np.int32), logits)
            if allowed.size:
                return int(allowed[np.argmax(logits[allowed])])
        raise ModelError("the grammar allows none of the model's tokens", "correct the grammar")

    def _allowed(self, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> NDArray[np.int32]:
        """Return those of the tokens that the grammar allows next."""
        candidates = np.zeros(tokens.size, _CANDIDATE)
        candidates["id"] = tokens
        candidates["logit"] = logits[tokens]
        pointer = candidates.ctypes.data_as(self._lib.llama_token_data_p)
        array = self._lib.llama_token_data_array(pointer, tokens.size, -1, False)
        self._lib.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return tokens[allowed]


class Grammars:
    """Grammars in llama.cpp, each parsed once.

    llama.cpp ends the whole process if a grammar uses a rule that it does not define. So prompts
    have no grammars but those that ragcli makes, which a test gives to llama.cpp.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._read: dict[str, Any] = {}
        self._all = np.arange(model.vocabulary, dtype=np.int32)

    def follow(self, grammar: str) -> Follower:
        """Return the state at the start of a reply. Raises ModelError for an invalid grammar."""
        lib = self._model.lib
        if grammar not in self._read:
            complaints.clear()
            read = lib.llama_sampler_init_grammar(self._model.vocab, grammar.encode(), b"root")
            if not read:
                raise ModelError(f"llama.cpp rejects the grammar: {why('')}", "correct the grammar")
            self._read[grammar] = read
            if len(self._read) > _KEPT:
                lib.llama_sampler_free(self._read.pop(next(iter(self._read))))
        return Follower(lib, lib.llama_sampler_clone(self._read[grammar]), self._all)

    def close(self) -> None:
        """Free all grammars."""
        for read in self._read.values():
            self._model.lib.llama_sampler_free(read)
        self._read.clear()


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the natural logarithms of the probabilities."""
    shifted = logits.astype(np.float64) - float(logits.max())
    return shifted - np.log(np.exp(shifted).sum())  # type: ignore[no-any-return]
