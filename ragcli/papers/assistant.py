"""The language model that writes search texts for the baselines of ``eval``."""

from __future__ import annotations

from ragcli.config import MODES
from ragcli.errors import InputError
from ragcli.models.completion import Prompt
from ragcli.retrieve.base import Helpers


def reply_to(prompt: Prompt, helpers: Helpers, mode: str) -> str:
    """What the assistant of ``eval`` writes. Raises InputError if there is none, as in ``ask``."""
    if helpers.assistant is None:
        raise for_eval_only(mode)
    ((_, reply),) = helpers.assistant.complete([prompt])
    return reply.text


def for_eval_only(mode: str) -> InputError:
    """The error for a baseline of ``eval`` in ``ask``."""
    return InputError(
        f"the retrieval mode {mode!r} is a baseline for ragcli eval only",
        f"measure it with: ragcli eval QUESTIONS --modes {mode}; "
        f"ask with one of: {', '.join(MODES)}",
    )
