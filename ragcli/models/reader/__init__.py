"""The reader: finds answers in passages, and judges whether a passage supports a claim.

In: a question or a claim, and passages. Out: spans and verdicts with their logits. It runs in
NumPy, over its own weights (MODEL_CARD.md) and the vocabulary of the embedding model. It may not
choose the answer: ``answer.score`` does.
"""

from ragcli.models.reader.model import WEIGHTS, Judgement, Passage, Reader, ReaderAnswer
from ragcli.models.reader.spans import Calibration, Ranked, RankedSpan, WindowReading, rank

__all__ = [
    "WEIGHTS",
    "Calibration",
    "Judgement",
    "Passage",
    "Ranked",
    "RankedSpan",
    "Reader",
    "ReaderAnswer",
    "WindowReading",
    "rank",
]
