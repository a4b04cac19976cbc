"""Clothes for plain treebank text: what documents look like that people index.

Curly quotes, hard-wrapped lines, Markdown headings, bullets and emphasis, and sentences in
capitals. Every function takes a sample and a random generator and keeps its annotation.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from training.english.sample import Name, Sample, join

_LINE = 72
_SHORT = 12
# An item of a rebuilt sample: the word, the blank after it, and the token it comes from.
Item = tuple[str, bool, int | None]


def dress(sample: Sample, rng: Random, *, lower: bool = False) -> Sample:
    """The sample after some of the changes; ``lower`` allows sentences without capitals."""
    if rng.random() < 0.35:
        sample = curl(sample)
    if rng.random() < 0.15:
        sample = recase(sample, rng, lower=lower)
    if rng.random() < 0.15:
        sample = emphasise(sample, rng)
    roll = rng.random()
    if roll < 0.12:
        sample = wrap(sample)
    elif roll < 0.30:
        sample = mark(sample, rng)
    return sample


def stack(samples: list[Sample], rng: Random, most: int = 4) -> list[Sample]:
    """Neighbouring samples joined by blank lines or line ends, 1 to ``most`` at a time."""
    stacked, at = [], 0
    while at < len(samples):
        size = rng.randint(1, most)
        group = [s for s in samples[at : at + size] if s.source == samples[at].source]
        stacked.append(join(group, rng.choice(["\n\n", "\n\n", "\n", ""])))
        at += len(group)
    return stacked


def rebuild(sample: Sample, items: list[Item]) -> Sample:
    """The sample with its tokens replaced by ``items``; new tokens lie outside names.

    A new token inside a name stays in it, and one put before a sentence starts it.
    """
    place = {origin: i for i, (_, _, origin) in enumerate(items) if origin is not None}
    starts = [origin is not None and sample.starts[origin] for _, _, origin in items]
    for i in range(1, len(items)):
        sign, _, origin = items[i - 1]
        free = i == 1 or items[i - 2][1] or items[i - 2][0].isspace()
        if starts[i] and origin is None and free and not sign.isspace():
            starts[i - 1], starts[i] = True, False
    pos = [
        ("SPACE" if word.isspace() else "PUNCT") if o is None else sample.pos[o]
        for word, _, o in items
        if sample.pos
    ]
    feats = ["" if o is None else sample.feats[o] for _, _, o in items if sample.feats]
    return Sample(
        sample.source,
        tuple(word for word, _, _ in items),
        tuple(space for _, space, _ in items),
        tuple(starts),
        tuple(pos),
        tuple(feats),
        tuple(Name(place[n.start], place[n.end - 1] + 1, n.label) for n in sample.names),
        frozenset(place[i] for i in sample.unknown),
    )


def curl(sample: Sample) -> Sample:
    """Straight quotes made typographic ones."""
    words, opened = [], False
    for word in sample.words:
        if word == '"':
            word, opened = ("”" if opened else "“"), not opened
        words.append(word.replace("'", "’"))
    return replace(sample, words=tuple(words))


def recase(sample: Sample, rng: Random, *, lower: bool) -> Sample:
    """One sentence in capitals, or a short one in title case, or (if allowed) in lower case."""
    sentence = rng.choice(list(sample.sentences()))
    styles: list[Callable[[str], str]] = [str.upper]
    if len(sentence) <= _SHORT:
        styles.append(lambda word: word[:1].upper() + word[1:] if len(word) > 3 else word)
    if lower:
        styles.append(str.lower)
    style = rng.choice(styles)
    words = list(sample.words)
    for i in sentence:
        changed = style(words[i])
        words[i] = changed if len(changed) == len(words[i]) else words[i]
    return replace(sample, words=tuple(words))


def emphasise(sample: Sample, rng: Random) -> Sample:
    """Markdown emphasis around one name, or around one word where there is no name."""
    if sample.names:
        name = rng.choice(sample.names)
        first, last = name.start, name.end - 1
    else:
        first = last = rng.randrange(len(sample.words))
    if not sample.words[first].isalnum() or not sample.words[last].isalnum():
        return sample
    sign = rng.choice(["**", "*", "_", "`"])
    if sign == "_" and not sample.spaces[last]:
        return sample
    items: list[Item] = []
    for i, (word, space) in enumerate(zip(sample.words, sample.spaces, strict=True)):
        if i == first:
            items.append((sign, False, None))
        items.append((word, space and i != last, i))
        if i == last:
            items.append((sign, space, None))
    return rebuild(sample, items)


def wrap(sample: Sample) -> Sample:
    """Lines broken near column 72, as in plain-text books and mails."""
    items: list[Item] = []
    column = 0
    for i, (word, space) in enumerate(zip(sample.words, sample.spaces, strict=True)):
        column += len(word) + space
        cut = space and column > _LINE and i + 1 < len(sample.words)
        items.append((word, space and not cut, i))
        if cut:
            items.append(("\n", False, None))
            column = 0
    return rebuild(sample, items)


def mark(sample: Sample, rng: Random) -> Sample:
    """A heading sign before a short title, else a list sign or a quote sign."""
    first = next(sample.sentences())
    title = len(first) <= _SHORT and sample.words[first[-1]][-1:].isalnum()
    sign = rng.choice(["#", "##", "###"] if title else ["-", "*", ">", "-"])
    items: list[Item] = [(sign, True, None)]
    items += [(w, s, i) for i, (w, s) in enumerate(zip(sample.words, sample.spaces, strict=True))]
    return rebuild(sample, items)
