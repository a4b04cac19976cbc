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
        begins = model.tokenize("a")
        self.blank = bool(begins) and model.piece(begins[0]).startswith(b" ")
        """Whether the vocabulary puts a blank before every text (SentencePiece)."""

    def head(self, system: str) -> list[int]:
        """Return the tokens before the user's text; they do not depend on it."""
        before, between, _ = self._pieces
        model = self._model
        begun = model.mark(model.lib.llama_vocab_bos(model.vocab))
        begin = not (begun and before.startswith(begun))
        tokens = model.tokenize(before, marks=True, begin=begin)
        tokens += self._tokens(system, continues=self._goes_on(before))
        return tokens + self._tokens(between, continues=bool(system), marks=True)

    def tail(self, user: str) -> list[int]:
        """Return the tokens of the user's text and of the template after it."""
        _, between, after = self._pieces
        tokens = self._tokens(user, continues=self._goes_on(between))
        return tokens + self._tokens(after, continues=bool(user), marks=True)

    def _goes_on(self, template: str) -> bool:
        """Return whether a part of the template ends with text, not with a mark."""
        last = self._model.tokenize(template, marks=True)[-1:]
        return bool(last and self._model.piece(last[0]))

    def _tokens(self, text: str, *, continues: bool, marks: bool = False) -> list[int]:
        """Return the tokens of ``text``; ``continues``: other text is before it.

        A vocabulary with blanks puts one at the beginning of a prompt and after a mark, and none
        where text follows text.
        """
        model = self._model
        alone = model.tokenize(text, marks=marks)
        if not (self.blank and continues and text):
            return alone
        # No token joins a line end with what follows, and after it comes no blank.
        lead, both = model.tokenize("\n"), model.tokenize(f"\n{text}", marks=marks)
        return both[len(lead) :] if both[: len(lead)] == lead else alone


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
