"""Generate text with a local GGUF model: the one owner of llama.cpp.

``llama_cpp`` is an optional extra; it is imported when an ``Llm`` is made.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragcli.errors import ModelError
from ragcli.models.cpu import available_memory, cpu_flags, usable_cpus
from ragcli.models.locate import package_folder

# The end of a text that says the same (12 to 200 characters) three times over.
_LOOP = re.compile(r"(.{12,200}?)\1\1\Z", re.DOTALL)
_LOOP_WINDOW = 600

# llama.cpp calls back into Python for its log: the function must outlive every model.
_keep_alive: list[Any] = []
_complaints: deque[str] = deque(maxlen=3)
_LEVEL_ERROR = 4


def llama_installed() -> bool:
    """Whether llama-cpp-python is installed; nothing is imported."""
    return package_folder("llama_cpp") is not None


class Llm:
    """A language model on the processor: greedy, so the same prompt gives the same text.

    ``path``: its file; ``context``: tokens that prompt and reply may have together;
    ``parameters``: its number of weights. Not for use by several threads at once.
    """

    def __init__(self, path: Path, context: int = 4096, threads: int | None = None) -> None:
        """Load the model, mapped from its file.

        ``context`` is lowered to what the model was trained for; ``threads`` defaults to the
        usable processors. Raises ModelError when llama-cpp-python or the file is missing, the
        file is no GGUF or damaged, or memory is too small.
        """
        check_gguf(path)
        llama_cpp = _import_quietly()
        threads = threads or usable_cpus()
        _complaints.clear()
        try:
            with _amx_avoided(llama_cpp):
                self._llama = llama_cpp.Llama(
                    str(path),
                    n_ctx=context,
                    n_threads=threads,
                    n_threads_batch=threads,
                    seed=0,
                    verbose=False,
                )
        except (ValueError, RuntimeError, OSError) as error:
            reason = " ".join(_complaints).strip() or str(error)
            raise ModelError(
                f"{path} cannot be loaded: {reason}", "copy the file again, or lower the context"
            ) from error
        self.path = path
        self.parameters = int(llama_cpp.llama_model_n_params(self._llama.model))
        self.context = min(context, int(llama_cpp.llama_model_n_ctx_train(self._llama.model)))
        self._format = _formatter(self._llama)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by itself, without marks of the chat template."""
        return len(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def generate(
        self, system: str, user: str, max_tokens: int, stop: Sequence[str] = ()
    ) -> Iterator[str]:
        """Pieces of the reply as they come, at most ``max_tokens`` tokens.

        Ends early at a ``stop`` string (left out) or when the model says the same thing three
        times over. Raises ModelError when prompt and reply do not fit the context.
        """
        self._llama.reset()  # what it remembers of the last prompt would change the last bits
        tokens = self._llama.tokenize(
            self._prompt(system, user).encode(), add_bos=self._format is None, special=True
        )
        if len(tokens) + max_tokens > self.context:
            raise ModelError(
                f"the prompt has {len(tokens)} tokens and the reply may have {max_tokens}, "
                f"but the context holds {self.context}",
                "lower the budget, or set a larger context",
            )
        reply = ""
        for part in self._llama.create_completion(
            tokens, max_tokens=max_tokens, temperature=0.0, stop=list(stop), stream=True, seed=0
        ):
            piece: str = part["choices"][0]["text"]
            reply += piece
            if piece:
                yield piece
            if _LOOP.search(reply[-_LOOP_WINDOW:]):
                return

    def close(self) -> None:
        """Free the model's memory; the object cannot be used after."""
        self._llama.close()

    def _prompt(self, system: str, user: str) -> str:
        """The chat in the model's own template; plain paragraphs for a model without one."""
        # Documents are quoted in prompts: a mark like <|im_end|> in them must stay text.
        system, user = (text.replace("<|", "< |") for text in (system, user))
        if self._format is None:
            return f"{system}\n\n{user}\n\n"
        both = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        merged = [{"role": "user", "content": f"{system}\n\n{user}"}]
        try:
            return str(self._format(messages=both).prompt)
        except ValueError:  # a template that knows no system role says so this way
            return str(self._format(messages=merged).prompt)


def check_gguf(path: Path) -> None:
    """Raise ModelError unless ``path`` is a GGUF file that fits the free memory."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(
            f"no language model at {path}: {error.strerror}",
            'give the path of a GGUF file, or: pip install "ragcli[smollm2]"',
        ) from error
    if magic != b"GGUF":
        raise ModelError(
            f"{path} is no GGUF file: it begins with {magic!r}",
            "give a GGUF file; other formats must be converted first",
        )
    free = available_memory()
    if free is not None and size > free:
        raise ModelError(
            f"{path.name} needs {size / 2**30:.1f} GiB of memory, {free / 2**30:.1f} GiB are free",
            "use a smaller model or a smaller quantisation",
        )


def _import_quietly() -> Any:
    """The ``llama_cpp`` module with its log caught; errors are kept for messages."""
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:  # the last two: its library is broken
        raise ModelError(
            f"llama-cpp-python cannot be used: {error}", 'pip install "ragcli[llm]"'
        ) from error
    if not _keep_alive:
        _keep_alive.append(llama_cpp.llama_log_callback(_listen))
        llama_cpp.llama_log_set(_keep_alive[0], ctypes.c_void_p(0))
    return llama_cpp


def _listen(level: int, text: bytes, _data: Any) -> None:
    if level == _LEVEL_ERROR:
        _complaints.append(text.decode(errors="replace").strip())


@contextmanager
def _amx_avoided(llama_cpp: Any) -> Iterator[None]:
    """Load models inside without ggml's AMX kernels on a processor that has AMX.

    They crash the process at the first token (https://github.com/ggml-org/llama.cpp/issues/20824).
    The switch is a model parameter that ``Llama`` does not pass on, so its default is changed.
    """
    library = llama_cpp.llama_cpp
    usual = library.llama_model_default_params

    def plain_buffers() -> Any:
        parameters = usual()
        parameters.use_extra_bufts = False
        return parameters

    if "amx_int8" in cpu_flags():
        library.llama_model_default_params = plain_buffers
    try:
        yield
    finally:
        library.llama_model_default_params = usual


def _formatter(llama: Any) -> Any:
    """The GGUF's chat template as a function of ``messages``, None when it has none."""
    from llama_cpp import llama_chat_format

    template = llama.metadata.get("tokenizer.chat_template")
    if not template:
        return None
    marks = [
        llama.detokenize([token], special=True).decode(errors="replace") if token >= 0 else ""
        for token in (llama.token_eos(), llama.token_bos())
    ]
    return llama_chat_format.Jinja2ChatFormatter(template, eos_token=marks[0], bos_token=marks[1])
