"""HyDE (Gao et al. 2022): search with a passage that a language model makes up for the question.

What it says may be wrong: it is only to look like the passages that do answer. The vector searched
with is the mean of its own and the question's (the paper's equation 8 with one passage, as replies
are not sampled here).
"""

from __future__ import annotations

import numpy as np

from ragcli.models.completion import Prompt
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Half a passage of the store: longer ones of small models repeat themselves.
MAX_TOKENS = 100

SYSTEM = """\
You write one short passage, three sentences at most, that could stand in a document and answers \
the question you are given. State names, dates and facts as if you knew them. Write the passage \
and nothing else."""


def hyde_prompt(question: str) -> Prompt:
    """What the language model is asked."""
    return Prompt(SYSTEM, f"Question: {question.strip()}", MAX_TOKENS)


def hyde(index: SearchIndex, question: Question, k: int, helpers: Helpers, reply: str) -> Ranking:
    """The k passages nearest to the question and the passage in ``reply`` together.

    An empty reply leaves the question alone.
    """
    vector = question.vector
    if passage := " ".join(reply.split()):
        mean = vector + helpers.encode([passage])[0]
        vector = np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
    nearest = index.passages.search(vector, k)
    finds = [Found(None, row, score, f"similarity {score:.2f}") for row, score in nearest]
    return Ranking(finds)
