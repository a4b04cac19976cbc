"""The reader: where a passage answers a question, how sure that is, and whether it supports a
claim. NumPy over weights of our own (MODEL_CARD.md) and the embedding model's vocabulary."""

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
