"""Makes prompts with the model's own chat template, split at the system and the user text."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from ragcli.errors import ModelError
from ragcli.models.llm.model import Model

# Placeholders for the texts while the template is filled in; no template contains these.
_SYSTEM, _USER = "\ue000system\ue000", "\ue000user\ue000"
# Some templates contain the date. It is always this one, so that equal prompts stay equal.
_DATE = datetime(2024, 7, 26)

# Says which text a training run learns from; Jinja does not know it.
_FOR_TRAINING = re.compile(r"\{%-?\s*(?:end)?generation\s*-?%\}")


class Template:
    """Makes prompts as token ids. Special tokens in the system or user text stay plain text."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._pieces = _pieces(model)

    def head(self, system: str) -> list[int]:
        """Return the tokens before the user's text; they do not depend on it."""
        before, between, _ = self._pieces
        model = self._model
        begun = model.mark(model.lib.llama_vocab_bos(model.vocab))
        begin = not (begun and before.startswith(begun))
        tokens = model.tokenize(before, marks=True, begin=begin)
        return tokens + model.tokenize(system) + model.tokenize(between, marks=True)

    def tail(self, user: str) -> list[int]:
        """Return the tokens of the user's text and of the template after it."""
        return self._model.tokenize(user) + self._model.tokenize(self._pieces[2], marks=True)


def _pieces(model: Model) -> tuple[str, str, str]:
    """Return the template before the system text, between system and user text, and after it."""
    template = model.gguf.meta.get("tokenizer.chat_template")
    if not template:
        return "", "\n\n", "\n\n"
    from jinja2 import TemplateError
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    template = _FOR_TRAINING.sub("", template)
    vocab, lib = model.vocab, model.lib
    marks = [model.mark(of(vocab)) for of in (lib.llama_vocab_eos, lib.llama_vocab_bos)]
    both = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}]
    merged = [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}]
    reason = ""
    for messages in (both, merged):  # a template without a system role fails or drops it
        try:
            formatter: Any = Jinja2ChatFormatter(template, marks[0], marks[1])
            formatter.strftime_now = _DATE.strftime
            return _cut(_fill(formatter, messages))
        except (ValueError, TypeError, TemplateError) as error:
            reason = str(error)
    raise ModelError(
        f"the chat template of {model.path.name} cannot be used: {reason}", "use another model"
    )


def _fill(formatter: Any, messages: list[dict[str, str]]) -> str:
    """Return the prompt. Thinking is disabled by all names that templates use for it."""
    return str(formatter(messages=messages, enable_thinking=False, thinking=False).prompt)


def _cut(prompt: str) -> tuple[str, str, str]:
    """Split a prompt; raise ValueError unless it contains each text once, the system's first."""
    before, system, rest = prompt.partition(_SYSTEM)
    between, user, after = rest.partition(_USER)
    if not system or not user or _SYSTEM in rest or _USER in after:
        raise ValueError("it omits the text or contains it twice")
    return before, between, after
