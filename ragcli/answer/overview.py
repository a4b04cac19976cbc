"""An answer to a question about the whole: the sentences that say best what the passages say.

No sentence is *near* such a question ("What are the main themes?"), so nearness cannot choose;
sentences are chosen as for a summary, by centrality and without repetition.
"""

from __future__ import annotations

from ragcli.answer.candidates import all_candidates
from ragcli.answer.extractive import compose
from ragcli.answer.notes import searched
from ragcli.graph.summary import SummarySettings, select
from ragcli.types import Context, Reply

SETTINGS = SummarySettings(chars=1400, sentences=6, diversity=0.5, min_words=6)


def overview(context: Context) -> Reply:
    """Sum a context up with its own sentences, each cited; abstain when it holds none."""
    found = all_candidates(context)
    chosen = select([sentence.text for sentence in found], SETTINGS)
    if not chosen:
        note = f"searched {searched(context)}; no sentence to answer with was found"
        return Reply("", (), "extractive", abstained=True, note=note)
    return compose([found[index] for index in sorted(chosen)])
