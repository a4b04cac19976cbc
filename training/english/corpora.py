"""Which text trains, which selects the best step, and which is held out for the scores."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from training.english import namebooks, treebanks
from training.english.sample import Name, Sample
from training.english.text import is_demonym

# One sample in twelve of the training parts helps to choose the best step.
_DEV_EVERY = 12
_LONG_ENOUGH = 5
PARTS = ("train", "dev", "test")
_QUOTES = frozenset({'"', "“", "”", "'", "‘", "’"})
_EVENT_WORDS = frozenset(
    {"War", "Battle", "Olympics", "Cup", "Championship", "Championships", "Festival", "Games"}
    | {"Revolution", "Election", "Elections", "Conference", "Tournament", "Rebellion", "Siege"}
)


@dataclass(slots=True)
class Corpora:
    """Samples by role. ``tests`` and ``tag_tests`` go by the name shown in the score table.

    ``silver`` is treebank text without name annotation (proper nouns are unknown).
    """

    tag_train: list[Sample] = field(default_factory=list)
    tag_dev: list[Sample] = field(default_factory=list)
    name_train: list[Sample] = field(default_factory=list)
    name_dev: list[Sample] = field(default_factory=list)
    silver: list[Sample] = field(default_factory=list)
    tests: dict[str, list[Sample]] = field(default_factory=dict)
    tag_tests: dict[str, list[Sample]] = field(default_factory=dict)


def load(data: Path) -> Corpora:
    """Read every corpus under ``data`` and give each sample its role."""
    corpora = Corpora()
    ewt = {p: list(treebanks.read_ewt(data / f"ewt/en_ewt-ud-{p}.conllu")) for p in PARTS}
    gum = {p: [tidy(s) for s in treebanks.read_gum(data / "gum", p)] for p in PARTS}
    corpora.tag_tests = {"EWT": ewt["test"], "GUM": gum["test"]}
    corpora.tests = test_parts(data) | {"GUM": gum["test"]}
    parts = [*corpora.tests.values(), ewt["test"]]
    held_out = {_key(s, r) for part in parts for s in part for r in s.sentences()}

    def fresh(samples: Iterable[Sample]) -> list[Sample]:
        return [s for s in samples if not any(_key(s, r) in held_out for r in s.sentences())]

    corpora.silver = fresh(ewt["train"])
    corpora.tag_train = corpora.silver + fresh(gum["train"])
    corpora.tag_dev = ewt["dev"] + gum["dev"]
    pool = fresh([*gum["train"], *train_parts(data)])
    corpora.name_dev = [*gum["dev"], *pool[_DEV_EVERY // 2 :: _DEV_EVERY]]
    corpora.name_train = [s for i, s in enumerate(pool) if i % _DEV_EVERY != _DEV_EVERY // 2]
    return corpora


def _key(sample: Sample, sentence: range) -> str:
    """A sentence's letters, to find the same sentence in two corpora; "" when very short."""
    words = [sample.words[i].lower() for i in sentence]
    return " ".join(words) if len(words) > _LONG_ENOUGH else f"{id(sample)} {sentence.start}"


def train_parts(data: Path) -> Iterable[Sample]:
    """Training samples of the corpora with names, GUM aside."""
    yield from map(tidy, namebooks.read_redocred(data / "re_docred/dev_revised.json"))
    for domain in namebooks.CROSSNER_DOMAINS:
        for part in ("train", "dev"):
            yield from map(tidy, namebooks.read_crossner(data / f"crossner/{domain}/{part}.txt"))
    for article in _wikigold(data)[0]:
        yield from map(tidy, article)
    for title in _litbank(data)[0]:
        yield from map(tidy, namebooks.read_litbank(data / "litbank/coref/tsv", title))
    yield from map(tidy, _uner(data, "dev"))


def test_parts(data: Path) -> dict[str, list[Sample]]:
    """Held-out samples by corpus."""
    litbank = data / "litbank/coref/tsv"
    return {
        "Re-DocRED": [
            tidy(s) for s in namebooks.read_redocred(data / "re_docred/test_revised.json")
        ],
        "CrossNER": [
            tidy(sample)
            for domain in namebooks.CROSSNER_DOMAINS
            for sample in namebooks.read_crossner(data / f"crossner/{domain}/test.txt")
        ],
        "LitBank": [
            tidy(s) for title in _litbank(data)[1] for s in namebooks.read_litbank(litbank, title)
        ],
        "wikigold": [tidy(sample) for article in _wikigold(data)[1] for sample in article],
        "UNER": [tidy(sample) for sample in _uner(data, "test")],
    }


def _wikigold(data: Path) -> tuple[list[list[Sample]], list[list[Sample]]]:
    """Articles that train, and the last fifth, which is held out."""
    articles = list(namebooks.read_wikigold(data / "wikigold/wikigold.conll.txt"))
    cut = len(articles) * 4 // 5
    return articles[:cut], articles[cut:]


def _litbank(data: Path) -> tuple[list[str], list[str]]:
    """Novels that train, and every tenth by title, which is held out."""
    titles = namebooks.litbank_titles(data / "litbank/coref/tsv")
    return [t for i, t in enumerate(titles) if i % 10], titles[::10]


def _uner(data: Path, part: str) -> Iterable[Sample]:
    """One part of Universal NER with the blanks of the treebank below it."""
    yield from treebanks.read_uner(
        data / f"uner/en_ewt-ud-{part}.iob2", data / f"ewt/en_ewt-ud-{part}.conllu"
    )


def tidy(sample: Sample) -> Sample:
    """One convention for all corpora, in training and held-out text alike.

    A lower-case article is no part of a name; a span without any capital or digit, or an
    address, is no name but unknown; a single demonym is MISC where a corpus says LOC; an
    unlabelled demonym is unknown, since half of the corpora leave them out. MISC is EVENT
    where a word such as "War" says so, and WORK between quotation marks.
    """
    names: list[Name] = []
    unknown = set(sample.unknown)
    for name in sample.names:
        start = name.start + (sample.words[name.start] == "the" and name.end - name.start > 1)
        words = sample.words[start : name.end]
        if not any(c.isupper() or c.isdigit() for word in words for c in word) or "@" in words[0]:
            unknown.update(range(start, name.end))
            continue
        alone = len(words) == 1 and name.label == "LOC" and is_demonym(words[0])
        label = "MISC" if alone else name.label
        names.append(Name(start, name.end, _refined(sample, start, name.end, label)))
    covered = {i for name in names for i in range(name.start, name.end)}
    unknown |= {i for i, w in enumerate(sample.words) if i not in covered and is_demonym(w)}
    return replace(sample, names=tuple(names), unknown=frozenset(unknown - covered))


def _refined(sample: Sample, start: int, end: int, label: str) -> str:
    """The label of a name; corpora without EVENT and WORK put these under MISC."""
    if label != "MISC":
        return label
    if not _EVENT_WORDS.isdisjoint(sample.words[start:end]):
        return "EVENT"
    around = [*sample.words[max(0, start - 1) : start], *sample.words[end : end + 1]]
    return "WORK" if len(around) == 2 and all(word in _QUOTES for word in around) else "MISC"
