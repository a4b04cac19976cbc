"""The models that an answer is made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.view import Encode
from ragcli.config import EXCERPT, MIN_CONFIDENCE

if TYPE_CHECKING:
    from ragcli.answer.generate import Writer
    from ragcli.models.reader import Reader


@dataclass(frozen=True, slots=True)
class AnswerModels:
    """What reads and writes for an answer.

    ``encode`` maps m questions to (m, dim) float32 unit rows, ``encode_passages`` passages (None:
    ``encode`` does). ``reader`` finds short answers and says
    how sure they are; an answer whose confidence is below ``min_confidence`` is withheld. ``llm``
    writes, and reads ``excerpt`` tokens of the best sentences; 0: whole passages.
    ``multilingual``: the embedder is not the default one, which knows English.
    """

    encode: Encode
    reader: Reader | None = None
    llm: Writer | None = None
    min_confidence: float = MIN_CONFIDENCE
    encode_passages: Encode | None = None
    multilingual: bool = False
    excerpt: int = EXCERPT
