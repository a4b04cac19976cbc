"""Scores of a pipeline on the held-out parts; all spans are compared by character offsets."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Token

from training.english.corpora import Corpora
from training.english.sample import LABELS, Sample

Span = tuple[int, int]
_NOUNS = frozenset({"NOUN", "PROPN"})


@dataclass(slots=True)
class Tally:
    """Counts of true positives, predictions and gold items."""

    hits: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, predicted: set[Any], gold: set[Any]) -> None:
        """Count two sets of comparable items."""
        self.hits += len(predicted & gold)
        self.predicted += len(predicted)
        self.gold += len(gold)

    def scores(self) -> dict[str, float]:
        """Precision, recall and F1 in percent."""
        p = self.hits / self.predicted if self.predicted else 0.0
        r = self.hits / self.gold if self.gold else 0.0
        f = 2 * p * r / (p + r) if p + r else 0.0
        return {"p": round(100 * p, 1), "r": round(100 * r, 1), "f": round(100 * f, 1)}


@dataclass(slots=True)
class TagTally:
    """Words tagged right, words, and the tally of tokens that are NOUN or PROPN."""

    right: int = 0
    total: int = 0
    nouns: Tally = field(default_factory=Tally)

    def add(self, found: dict[Span, str], gold: dict[Span, str]) -> None:
        """Count one document's tags by token offsets."""
        self.right += sum(found.get(span) == pos for span, pos in gold.items())
        self.total += len(gold)
        nouns = [{span for span, pos in tags.items() if pos in _NOUNS} for tags in (found, gold)]
        self.nouns.add(*nouns)


@dataclass(slots=True)
class NameTally:
    """Tallies of names: by boundary alone, with label, per label; strict knows no unknown."""

    strict: Tally = field(default_factory=Tally)
    boundary: Tally = field(default_factory=Tally)
    typed: Tally = field(default_factory=Tally)
    by_label: dict[str, Tally] = field(default_factory=lambda: {x: Tally() for x in LABELS})


def score_tags(nlp: Language, samples: list[Sample]) -> dict[str, float]:
    """UPOS accuracy, F of nouns, sentence F: on raw text, and on the corpus's own tokens.

    A word counts as right when the pipeline has a token of the same offsets with the same
    UPOS. ``noun_f`` compares the sets of tokens that are NOUN or PROPN (either will do);
    ``sentence_f`` compares sentences by both ends.
    """
    sentences = Tally()
    raw, given = TagTally(), TagTally()
    for sample, doc, same in zip(
        samples, _pipe(nlp, samples), _pipe_given(nlp, samples), strict=True
    ):
        spans = sample.offsets()
        gold = {s: p for s, p in zip(spans, sample.pos, strict=True) if p != "SPACE"}
        raw.add({_span(token): token.pos_ for token in doc if not token.is_space}, gold)
        given.add({_span(token): token.pos_ for token in same if not token.is_space}, gold)
        sentences.add(
            {(s.start_char, s.end_char) for s in doc.sents},
            {(spans[r[0]][0], spans[r[-1]][1]) for r in sample.sentences()},
        )
    return {
        "upos": round(100 * raw.right / raw.total, 1),
        "upos_gold_tokens": round(100 * given.right / given.total, 1),
        "noun_f": raw.nouns.scores()["f"],
        "noun_f_gold_tokens": given.nouns.scores()["f"],
        "sentence_f": sentences.scores()["f"],
    }


def score_names(nlp: Language, samples: list[Sample]) -> NameTally:
    """Tallies of names; a wrong prediction that touches an unknown token is left out."""
    tally = NameTally()
    for sample, doc in zip(samples, _pipe(nlp, samples), strict=True):
        spans = sample.offsets()
        gold = {(spans[n.start][0], spans[n.end - 1][1], n.label) for n in sample.names}
        exact = {(start, end) for start, end, _ in gold}
        blurred = [spans[i] for i in sample.unknown]
        every = {(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents}
        found = {
            (start, end, label)
            for start, end, label in every
            if (start, end) in exact or not any(a < end and start < b for a, b in blurred)
        }
        tally.strict.add({item[:2] for item in every}, exact)
        tally.boundary.add({item[:2] for item in found}, exact)
        tally.typed.add(found, gold)
        for label, part in tally.by_label.items():
            part.add({i for i in found if i[2] == label}, {i for i in gold if i[2] == label})
    return tally


def evaluate(nlp: Language, corpora: Corpora) -> dict[str, object]:
    """All scores: {"tags": {corpus: ...}, "names": {corpus: ...}, "labels": ..., "speed": ...}."""
    tags = {name: score_tags(nlp, samples) for name, samples in corpora.tag_tests.items()}
    tallies = {name: score_names(nlp, samples) for name, samples in corpora.tests.items()}
    names = {
        name: {
            "names": t.boundary.gold,
            "boundary": t.boundary.scores(),
            "typed": t.typed.scores(),
            "strict": t.strict.scores(),
        }
        for name, t in tallies.items()
    }
    labels = {}
    for label in LABELS:
        whole = Tally()
        for tally in tallies.values():
            part = tally.by_label[label]
            whole.hits += part.hits
            whole.predicted += part.predicted
            whole.gold += part.gold
        labels[label] = whole.scores() | {"names": whole.gold}
    return {"tags": tags, "names": names, "labels": labels, "speed": speed(nlp, corpora)}


def speed(nlp: Language, corpora: Corpora) -> int:
    """Words a second of processor time, the whole pipeline on one thread, best of three runs."""
    samples = corpora.tests["Re-DocRED"][:100]
    words = sum(len(sample.words) for sample in samples)
    best = 0.0
    for _ in range(3):
        began = time.process_time()
        list(nlp.pipe([sample.text for sample in samples]))
        best = max(best, words / (time.process_time() - began))
    return round(best)


def confusions(nlp: Language, samples: list[Sample], most: int = 12) -> list[tuple[str, str, int]]:
    """(gold label, predicted label, count) of names found with the right ends and wrong type."""
    pairs: Counter[tuple[str, str]] = Counter()
    for sample, doc in zip(samples, _pipe(nlp, samples), strict=True):
        spans = sample.offsets()
        gold = {(spans[n.start][0], spans[n.end - 1][1]): n.label for n in sample.names}
        for ent in doc.ents:
            label = gold.get((ent.start_char, ent.end_char))
            if label and label != ent.label_:
                pairs[label, ent.label_] += 1
    return [(*pair, count) for pair, count in pairs.most_common(most)]


def _pipe(nlp: Language, samples: list[Sample]) -> list[Doc]:
    """The samples' texts through the pipeline."""
    return list(nlp.pipe(sample.text for sample in samples))


def _pipe_given(nlp: Language, samples: list[Sample]) -> list[Doc]:
    """The samples through the pipeline with the corpus's own tokens."""
    docs = (Doc(nlp.vocab, words=list(s.words), spaces=list(s.spaces)) for s in samples)
    return list(nlp.pipe(docs))


def _span(token: Token) -> Span:
    """Character offsets of a token."""
    return token.idx, token.idx + len(token)
