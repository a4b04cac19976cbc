"""The reader: where a passage answers a question, how sure that is, and whether it bears out a
claim. NumPy over weights of our own (MODEL_CARD.md) and the embedding model's vocabulary."""

from ragcli.models.reader.model import WEIGHTS, Answer, Judgement, Passage, Reader
from ragcli.models.reader.spans import Calibration, Ranked, Reading, Span, rank

__all__ = [
    "WEIGHTS",
    "Answer",
    "Calibration",
    "Judgement",
    "Passage",
    "Ranked",
    "Reader",
    "Reading",
    "Span",
    "rank",
]
