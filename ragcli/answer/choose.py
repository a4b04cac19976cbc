"""Which sentences answer a question: chosen together, by arithmetic on a ``View``.

The first sentence is the one most about the question. Each further one is judged by what it adds:
words of the question that are not yet covered, and a bridge to a chosen sentence (a name that the
question does not mention, shared by two passages). So the second passage of a two-hop question is
found, although it shares few words with the question.
The figures behind every constant are in docs/adr/extractive-answers.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragcli.answer.view import Floats, View


@dataclass(frozen=True, slots=True)
class Tuning:
    """The weights of what a sentence is judged by, on the scale of a cosine (0 to 1).

    ``words``: share of the question's words (by idf) in the sentence, its title and lead.
    ``mark``: share of the question's identifiers (versions, options, codes) that it, its path,
    title or lead holds: of two near-twins, the one of the version that is asked about.
    ``place``, ``rank``: priors for the head of a passage and for the best passage.
    For sentences after the first: ``new``: share of the question's words it is first to cover;
    ``title``: a chosen sentence names its document; ``name``: it shares a name with a chosen
    sentence of another passage; ``repeat``: similarity to a chosen sentence, taken off.
    ``same``: the similarity from which a sentence says nothing that a chosen one does not say.
    ``second``, ``stop``: the share of the first sentence's worth that the second and each later
    one must reach; at most ``most`` are taken.
    ``about``: the ``closeness`` below which the question is not answered, ``about_words``,
    ``about_names`` and ``about_missed`` the weights in it.
    ``pool``: how many sentences are embedded at most.
    """

    words: float = 0.4
    mark: float = 0.3
    place: float = 0.05
    rank: float = 0.05
    new: float = 0.5
    title: float = 0.4
    name: float = 0.2
    repeat: float = 0.2
    same: float = 0.95
    second: float = 0.5
    stop: float = 0.75
    most: int = 4
    about: float = 0.6
    about_words: float = 0.3
    about_names: float = 0.2
    about_missed: float = 0.2
    pool: int = 24


TUNING = Tuning()


def closeness(view: View, tuning: Tuning = TUNING) -> float:
    """Return how much the context is about the question (-0.2 to 1.5); below ``about``, abstain.

    It is the value of the nearest sentence by similarity and words, plus the share of the
    question's names in the sentences, less the share that the context does not mention: passages
    on a similar topic are near, too, although they are about other people and places.
    """
    nearest = (view.similarity + tuning.about_words * view.covers.sum(axis=1)).max()
    return float(nearest + tuning.about_names * view.named - tuning.about_missed * view.missed)


def choose(view: View, tuning: Tuning = TUNING, first: int | None = None) -> list[int]:
    """Return the indices of the sentences to show, in the order they were chosen.

    Greedy: each step takes the sentence that adds most to what is already chosen, until the
    best one left adds too little. ``first`` is the index of the sentence to begin with, if it is
    known which one answers.
    """
    alone = _alone(view, tuning)
    first = int(alone.argmax()) if first is None else first
    chosen = [first]
    while len(chosen) < min(tuning.most, len(view.sentences)):
        gain = alone + _adds(view, chosen, tuning)
        gain[view.between[chosen].max(axis=0) >= tuning.same] = -np.inf
        gain[chosen] = -np.inf
        best = int(gain.argmax())
        if gain[best] == -np.inf:
            break
        share = tuning.second if len(chosen) == 1 else tuning.stop
        if gain[best] < share * float(alone.max()):
            break
        chosen.append(best)
    return chosen


def _alone(view: View, tuning: Tuning) -> Floats:
    """Return (n,): what each sentence is worth by itself."""
    place = np.array([1 / (1 + s.order) for s in view.sentences], dtype=np.float32)
    rank = np.array([1 / s.part.n for s in view.sentences], dtype=np.float32)
    coverage = view.covers.sum(axis=1)
    return np.asarray(
        view.similarity
        + tuning.words * coverage
        + tuning.mark * view.marked
        + tuning.place * place
        + tuning.rank * rank,
        dtype=np.float32,
    )


def _adds(view: View, chosen: list[int], tuning: Tuning) -> Floats:
    """Return (n,): what each sentence gains or loses beside the chosen ones."""
    covered = view.covers[chosen].any(axis=0)
    new = view.covers[:, ~covered].sum(axis=1)
    return np.asarray(
        tuning.new * new
        + tuning.title * view.titles[chosen].any(axis=0)
        + tuning.name * view.names[chosen].any(axis=0)
        - tuning.repeat * view.between[chosen].max(axis=0),
        dtype=np.float32,
    )
