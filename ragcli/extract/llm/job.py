"""The extraction of a chunk as a generator: it yields prompts, gets replies, returns findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

from ragcli.extract.llm import hybrid, light
from ragcli.extract.llm.propose import propose
from ragcli.models.completion import Completion, Prompt
from ragcli.text.words import one_line
from ragcli.types import Extraction, Findings

Job: TypeAlias = Generator[list[Prompt], list[Completion], Findings]

HYBRID_BELOW = 3_000_000_000
"""Models with fewer weights use hybrid extraction by default."""

_GAP = re.compile(r"\s{100,}")  # blanked data: a model would read each space


@dataclass(frozen=True, slots=True)
class Method:
    """How to extract: ``hybrid`` or ``light``, and the model (see ``Completer``). ``wish`` is added
    to the instructions of ``light``."""

    mode: str
    types: tuple[str, ...]
    parameters: int
    context: int
    fingerprint: str
    count: Callable[[str], int]
    wish: str = ""

    @property
    def gleaning(self) -> int:
        """How often to ask for missed entities; a small model would only repeat itself."""
        return 1 if self.parameters >= HYBRID_BELOW else 0

    @property
    def by(self) -> str:
        """A text that names the model, the prompts and everything else that affects findings."""
        if self.mode == "hybrid":
            return f"hybrid.{hybrid.VERSION}.{self.fingerprint}"
        kinds = ",".join(self.types)
        asked = f"light.{light.VERSION}.{self.gleaning}.{kinds}.{self.fingerprint}"
        wish = one_line(self.wish)
        return f"{asked}.{blake2b(wish.encode(), digest_size=8).hexdigest()}" if wish else asked


def mode_for(parameters: int) -> str:
    """Return the extraction mode for a model with this number of weights."""
    return "hybrid" if parameters < HYBRID_BELOW else "light"


def job(method: Method, text: str, heading: str, extraction: Extraction) -> Job:
    """Return the generator for one chunk's owned text."""
    if method.mode == "light":
        asked = light.Asked(
            method.types, method.context, method.gleaning, method.count, method.wish
        )
        named = bool(propose(text, extraction).entities)
        return light.extract(_GAP.sub("\n\n", text), heading, asked, named, method.by)
    return _hybrid(method, text, extraction)


def _hybrid(method: Method, text: str, extraction: Extraction) -> Job:
    proposals = propose(text, extraction)
    asked = hybrid.questions(proposals, method.parameters)
    replies = (yield list(asked.prompts)) if asked.prompts else []
    return hybrid.findings(proposals, asked, replies, text, method.by)
