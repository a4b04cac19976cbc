"""Loads a model's weights and vocabulary with llama.cpp."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from ragcli.errors import ModelError
from ragcli.models.llm.amx import amx_works, has_amx
from ragcli.models.llm.gguf import check_gguf
from ragcli.models.llm.llama_library import complaints, llama, why

_PIECE = 256  # initial buffer for a token's text, in bytes


class Model:
    """The weights, mapped from a GGUF file, and the vocabulary."""

    def __init__(
        self, path: Path, gpu_layers: int = 0, *, extra_buffers: bool | None = None
    ) -> None:
        """Load ``path``.

        ``extra_buffers``: weights may be rearranged for this processor's kernels; by default they
        are, unless those kernels crash. Raises ModelError when llama-cpp-python or the file is
        missing or damaged, when there is not enough memory, or when the model does not generate
        text.
        """
        self.gguf = check_gguf(path)
        self.lib: Any = llama()
        self.path = path
        complaints.clear()
        parameters = self.lib.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        if extra_buffers is None:
            extra_buffers = not has_amx() or amx_works()
        parameters.use_extra_bufts = extra_buffers
        self.pointer = self.lib.llama_model_load_from_file(str(path).encode(), parameters)
        if not self.pointer:
            hint = "copy the file again; a new kind of model may need a newer llama-cpp-python"
            raise ModelError(f"{path} cannot be loaded: {why('llama.cpp gives no reason')}", hint)
        if not self.lib.llama_model_has_decoder(self.pointer):
            self.close()
            raise ModelError(f"{path} does not generate text", "give a generative model")
        self.computes = (
            f"{self.lib.__version__} {self.lib.llama_print_system_info()} {extra_buffers}"
        )
        """What equal tokens must have in common to give equal bits, besides the model."""
        self.vocab = self.lib.llama_model_get_vocab(self.pointer)
        self.vocabulary = int(self.lib.llama_vocab_n_tokens(self.vocab))
        self.parameters = int(self.lib.llama_model_n_params(self.pointer))
        self.trained_context = int(self.lib.llama_model_n_ctx_train(self.pointer))
        # The state of recurrent layers cannot be reset to an earlier position.
        self.can_share = not (
            self.lib.llama_model_is_recurrent(self.pointer)
            or self.lib.llama_model_is_hybrid(self.pointer)
        )
        self._pieces: dict[int, bytes] = {}

    def close(self) -> None:
        """Free the weights; the object cannot be used afterwards."""
        if self.pointer:
            self.lib.llama_model_free(self.pointer)
            self.pointer = None

    def tokenize(self, text: str, *, marks: bool = False, begin: bool = False) -> list[int]:
        """Return token ids.

        ``marks``: parse the text of a special token like <|im_end|> as that token. ``begin``: put
        the start token first, if the model uses one.
        """
        data = text.encode()
        room = len(data) + 8
        while True:
            tokens = (self.lib.llama_token * room)()
            count = self.lib.llama_tokenize(self.vocab, data, len(data), tokens, room, begin, marks)
            if count >= 0:
                return list(tokens[:count])
            room = -count

    def piece(self, token: int) -> bytes:
        """Return a token's bytes, b"" for a special token. A character may span several tokens."""
        if token not in self._pieces:
            self._pieces[token] = self._piece(token, marks=False)
        return self._pieces[token]

    def mark(self, token: int) -> str:
        """Return the text of a special token, "" for none (a negative token)."""
        return self._piece(token, marks=True).decode(errors="replace") if token >= 0 else ""

    def _piece(self, token: int, *, marks: bool) -> bytes:
        room = _PIECE
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = self.lib.llama_token_to_piece(self.vocab, token, buffer, room, 0, marks)
            if count >= 0:
                return buffer.raw[:count]
            room = -count

    def ends(self, token: int) -> bool:
        """Return whether a token ends the reply."""
        return bool(self.lib.llama_vocab_is_eog(self.vocab, token))

    def kv_bytes(self, kv_bytes_per_value: float) -> float:
        """Return the approximate bytes of one token in the key-value cache."""
        lib, model = self.lib, self.pointer
        heads = max(1, int(lib.llama_model_n_head(model)))
        width = int(lib.llama_model_n_embd(model)) / heads
        values = 2 * width * int(lib.llama_model_n_head_kv(model))
        return values * int(lib.llama_model_n_layer(model)) * kv_bytes_per_value
