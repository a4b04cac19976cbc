"""From corpora to spaCy's binary files, plain and dressed, in ``build/english/``."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

from spacy.lang.en import English
from spacy.tokens import DocBin

from training.english.augment import dress, stack
from training.english.corpora import Corpora
from training.english.sample import Sample

_SEED = 20


def prepare_tagging(corpora: Corpora, build: Path) -> None:
    """Write ``tagging_train.spacy`` and ``tagging_dev.spacy``: tags and sentences."""
    rng = Random(_SEED)
    dressed = [dress(sample, rng, lower=True) for sample in corpora.tag_train]
    samples = stack(corpora.tag_train, rng) + stack(dressed, rng)
    rng.shuffle(samples)
    write(samples, build / "tagging_train.spacy", names=False)
    write(stack(corpora.tag_dev, rng), build / "tagging_dev.spacy", names=False)


def prepare_names(corpora: Corpora, silver: list[Sample], build: Path) -> None:
    """Write ``names_train.spacy`` and ``names_dev.spacy``; names only."""
    rng = Random(_SEED)
    plain = corpora.name_train + silver
    dressed = [dress(sample, rng) for sample in plain]
    samples = stack(plain, rng, 2) + stack(dressed, rng, 2)
    rng.shuffle(samples)
    write(samples, build / "names_train.spacy", sentences=False)
    write(corpora.name_dev, build / "names_dev.spacy", sentences=False)


def write(
    samples: Iterable[Sample], path: Path, *, sentences: bool = True, names: bool = True
) -> None:
    """Store samples as a DocBin, without tags where ``sentences`` is false."""
    vocab = English().vocab
    path.parent.mkdir(parents=True, exist_ok=True)
    docs = (sample.doc(vocab, sentences=sentences, names=names) for sample in samples)
    DocBin(docs=docs, store_user_data=False).to_disk(path)
