"""HyDE (Gao et al. 2022): search with a hypothetical passage written by a language model.

The passage may be wrong, because it only needs to resemble passages that answer the question. The
query vector is the mean of its vector and the question's (the paper's equation 8 with one passage,
since replies are not sampled here).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ragcli.models.completion import Prompt
from ragcli.papers.assistant import reply_to
from ragcli.papers.plain import naive
from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion

# Half a passage of the store: longer ones of small models repeat themselves.
MAX_TOKENS = 100

SYSTEM = """\
You write one short passage, three sentences at most, that could stand in a document and answers \
the question you are given. State names, dates and facts as if you knew them. Write the passage \
and nothing else."""


def hyde_prompt(asked: AskedQuestion) -> Prompt:
    """The prompt for the language model."""
    return Prompt(SYSTEM, f"Question: {asked.text.strip()}", MAX_TOKENS)


def hyde(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages nearest to the mean of the question and the passage that the assistant writes.

    If its reply is empty, only the question is used.
    """
    vector = question.vector
    reply = reply_to(hyde_prompt(question.asked), helpers, "hyde")
    if passage := " ".join(reply.split()):
        mean = vector + (helpers.encode_passages or helpers.encode)([passage])[0]
        vector = np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
    return naive(index, replace(question, vector=vector), k, helpers)
