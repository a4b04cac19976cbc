"""Names for text whose proper nouns are tagged but not typed (EWT's training part).

People marked the proper nouns, nobody the names. A run of proper nouns that is a name elsewhere
in the training text takes the label it mostly has there; else a first recogniser's prediction
counts where it is exactly such a run. Every other proper noun stays unknown, so that a wrong
guess teaches nothing. What lies outside proper nouns is known to be no name, and that is the
greater part of what web text teaches a recogniser.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from spacy.language import Language
from spacy.tokens import Doc

from training.english.sample import Name, Sample

_AGREEMENT = 0.8
_TITLES = frozenset(
    {"President", "Mr.", "Mr", "Mrs.", "Mrs", "Ms.", "Ms", "Dr.", "Dr", "Senator", "Sen."}
    | {"Prime", "Minister", "General", "Gen.", "Governor", "Gov.", "Secretary", "King", "Queen"}
)


def gazetteer(samples: list[Sample]) -> dict[str, str]:
    """Name -> label, for names that have the same label most of the time."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for name in sample.names:
            counts[" ".join(sample.words[name.start : name.end])][name.label] += 1
    best = {text: max(c, key=lambda k: (c[k], k)) for text, c in counts.items()}
    return {t: k for t, k in best.items() if counts[t][k] >= _AGREEMENT * counts[t].total()}


def label(nlp: Language, samples: list[Sample], known: dict[str, str]) -> list[Sample]:
    """The samples with names where the tags agree with ``known`` or with the recogniser."""
    docs = (Doc(nlp.vocab, words=list(s.words), spaces=list(s.spaces)) for s in samples)
    return [_agreed(s, doc, known) for s, doc in zip(samples, nlp.pipe(docs), strict=True)]


def _agreed(sample: Sample, doc: Doc, known: dict[str, str]) -> Sample:
    """One sample with its runs of unknown tokens labelled where that is safe."""
    predicted = {(ent.start, ent.end): ent.label_ for ent in doc.ents}
    names = []
    for start, end in _runs(sample):
        text = " ".join(sample.words[start:end])
        found = known.get(text) or predicted.get((start, end))
        if found:
            names.append(Name(start, end, found))
    covered = {i for name in names for i in range(name.start, name.end)}
    return replace(sample, names=tuple(names), unknown=sample.unknown - covered)


def _runs(sample: Sample) -> Iterator[tuple[int, int]]:
    """Runs of unknown tokens inside a sentence, without titles before a name."""
    for sentence in sample.sentences():
        start = None
        for i in [*sentence, sentence.stop]:
            if i in sample.unknown and i != sentence.stop:
                start = i if start is None else start
            elif start is not None:
                while start < i - 1 and sample.words[start] in _TITLES:
                    start += 1
                yield start, i
                start = None
