"""Where sentences end in fourteen languages, and which language a text has, beside other libraries.

    python bench/sentences.py

Sentences: F1 of the ends that were marked by hand in tests/data/sentences.txt. Languages: how many
documents and questions in tests/data/languages are known. If the packages sentencex and py3langid
are installed, they are measured beside (no dependency: pip install --target and PYTHONPATH do).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import orjson

from ragcli.text.scripts import language_of, language_of_question
from ragcli.text.sentences import sentences

DATA = Path(__file__).parent.parent / "tests" / "data"
Ends = Callable[[str, str], set[int]]


def main() -> None:
    """Print two tables."""
    splitters: dict[str, Ends] = {"ragcli": lambda text, _: {end for _, end in sentences(text)}}
    if find_spec("sentencex"):
        splitters["sentencex"] = _sentencex
    print("sentences  " + "  ".join(splitters))
    totals = {name: [0, 0] for name in splitters}
    for language, texts in _marked().items():
        shown = []
        for name, splitter in splitters.items():
            counts = [_counts(splitter(text, language), ends) for text, ends in texts]
            right, all_ = (sum(column) for column in zip(*counts, strict=True))
            totals[name][0] += right
            totals[name][1] += all_
            shown.append(f"{right / all_:.2f}")
        print(f"{language:9}  " + "  ".join(shown))
    print("all        " + "  ".join(f"{right / all_:.2f}" for right, all_ in totals.values()))
    _languages()


def _counts(found: set[int], ends: set[int]) -> tuple[int, int]:
    return 2 * len(found & ends), len(found) + len(ends)


def _marked() -> dict[str, list[tuple[str, set[int]]]]:
    """Texts and the offsets at which their sentences end, by language."""
    found: dict[str, list[tuple[str, set[int]]]] = {}
    language = ""
    for line in (DATA / "sentences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language = line[2:]
            continue
        space = "" if language in ("zh", "ja") else " "
        ends, at = set(), 0
        for sentence in line.split(" | "):
            at += len(sentence)
            ends.add(at)
            at += len(space)
        found.setdefault(language, []).append((space.join(line.split(" | ")), ends))
    return found


def _sentencex(text: str, language: str) -> set[int]:
    ends, at = set(), 0
    for sentence in import_module("sentencex").segment(language, text):
        if words := sentence.strip():
            at = text.index(words, at) + len(words)
            ends.add(at)
    return ends


def _languages() -> None:
    """Print how many documents and questions of each language are known."""
    other = import_module("py3langid").classify if find_spec("py3langid") else None
    print("language  kind       ragcli" + ("  py3langid" if other else ""))
    for folder in sorted(path for path in (DATA / "languages").iterdir() if path.is_dir()):
        documents = [path.read_text(encoding="utf-8") for path in folder.glob("*.txt")]
        questions = [
            orjson.loads(line)["question"]
            for path in (DATA / "languages").glob(f"{folder.name}.*.jsonl")
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for kind, texts, known in (
            ("documents", documents, language_of),
            ("questions", questions, language_of_question),
        ):
            right = f"{sum(known(text) == folder.name for text in texts)}/{len(texts)}"
            line = f"{folder.name:8}  {kind}  {right:>6}"
            if other is not None:
                line += f"  {sum(other(text)[0] == folder.name for text in texts)}/{len(texts)}"
            print(line)


if __name__ == "__main__":
    main()
