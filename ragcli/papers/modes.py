"""All modes of the papers by name. A strategy with a prompt waits for what a language model writes.

``ragcli.papers.mode_called`` imports this table when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable

from ragcli.models.completion import Prompt
from ragcli.papers.decompose import decompose, decompose_prompt
from ragcli.papers.e2 import e2
from ragcli.papers.hyde import hyde, hyde_prompt
from ragcli.papers.lean import lean
from ragcli.papers.light import global_, hybrid, local, mix
from ragcli.papers.plain import bm25, dense_bm25, naive
from ragcli.papers.raptor import raptor
from ragcli.retrieve.base import Strategy
from ragcli.text.asked_question import AskedQuestion

PAPERS: dict[str, Strategy] = {
    "naive": naive,
    "bm25": bm25,
    "dense+bm25": dense_bm25,
    "e2": e2,
    "raptor": raptor,
    "local": local,
    "global": global_,
    "hybrid": hybrid,
    "mix": mix,
    "lean": lean,
    "hyde": hyde,
    "decompose": decompose,
}

# Baselines of eval only: the model takes longer than all other modes.
PROMPTS: dict[str, Callable[[AskedQuestion], Prompt]] = {
    "hyde": hyde_prompt,
    "decompose": decompose_prompt,
}
