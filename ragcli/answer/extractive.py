"""Answer with the documents' own sentences: nothing is written, so nothing can be made up.

Most questions are answered by the sentences nearest to them (``extractive``). No sentence is near
to a question about the documents as a whole ("What are the main themes?"), so its answer is a
summary: sentences chosen by centrality and without repetition (``overview``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.answer.candidates import Sentence, all_candidates
from ragcli.answer.choose import TUNING, Tuning, choose, closeness
from ragcli.answer.cite import Quote, citations
from ragcli.answer.notes import nothing_about, searched
from ragcli.answer.view import Encode, look
from ragcli.graph.summary import SummarySettings, select
from ragcli.types import Context, Reply

OVERVIEW = SummarySettings(chars=1400, sentences=6, diversity=0.5, min_words=6)


def extractive(
    question: str,
    context: Context,
    *,
    encode: Encode,
    entities: Sequence[str] = (),
    tuning: Tuning = TUNING,
) -> Reply:
    """Answer ``question`` with sentences of ``context``, each cited; abstain when none is about it.

    The note lists names of the question that the context does not mention, even in an answer.

    ``encode`` maps m texts to (m, dim) float32 unit rows; at most ``tuning.pool + 1`` are given.
    ``entities`` are names the question is known to hold, however they are written there.
    """
    view = look(question, context, encode=encode, entities=entities, pool=tuning.pool)
    if not view.sentences:
        return _abstained(context, "no sentence to answer with was found")
    unnamed = nothing_about(view.missing)
    if closeness(view, tuning) < tuning.about:
        closest = f"the closest sentence has similarity {float(view.similarity.max()):.2f}"
        return _abstained(context, "; ".join(filter(None, (unnamed, closest))))
    reply = compose([view.sentences[index] for index in choose(view, tuning)])
    return replace(reply, note=unnamed)


def overview(context: Context) -> Reply:
    """Sum a context up with its own sentences, each cited; abstain when it holds none."""
    found = all_candidates(context)
    chosen = select([sentence.text for sentence in found], OVERVIEW)
    if not chosen:
        return _abstained(context, "no sentence to answer with was found")
    return compose([found[index] for index in sorted(chosen)])


def compose(chosen: Sequence[Sentence]) -> Reply:
    """Write the sentences out with their marks; neighbours in a passage share one citation.

    Passages stand in the order their first sentence was chosen, sentences of one passage in the
    document's order.
    """
    parts = list(dict.fromkeys(sentence.part.n for sentence in chosen))
    in_order = sorted(chosen, key=lambda s: (parts.index(s.part.n), s.order))
    runs: list[list[Sentence]] = []
    for sentence in in_order:
        last = runs[-1][-1] if runs else None
        if last and last.part.n == sentence.part.n and last.order + 1 == sentence.order:
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    text = " ".join(
        f"{' '.join(sentence.text for sentence in run)} [{n}]" for n, run in enumerate(runs, 1)
    )
    quotes = [Quote(run[0].part, run[0].start, run[-1].end) for run in runs]
    return Reply(text, citations(quotes), "extractive")


def _abstained(context: Context, why: str) -> Reply:
    return Reply("", (), "extractive", abstained=True, note=f"searched {searched(context)}; {why}")
