"""``python -m training.english``: from the corpora to the pipeline in the package.

The corpora are looked for in the folder ``nlp-training`` below ``$RAGCLI_DATA``; see README.md.
"""

import json
import os
import sys
from pathlib import Path

import spacy

from training.english import corpora as parts
from training.english import prepare, silver, vectors
from training.english.card import write_card
from training.english.evaluate import evaluate
from training.english.package import package, size_mb
from training.english.train import train_part

_ROOT = Path(__file__).parents[2]
BUILD = _ROOT / "build" / "english"
TARGET = _ROOT / "ragcli" / "models" / "english"
TAGGING_STEPS = 1500
FIRST_NAME_STEPS = 6000
NAME_STEPS = 13_000


def main() -> int:
    """The straight line; every step's name says what it does."""
    data = find_data()
    if data is None:
        return 2
    corpora = parts.load(data)
    vectors.write_vectors(corpora.tag_train + corpora.name_train, BUILD / "vectors")
    prepare.prepare_tagging(corpora, BUILD)
    tagging = train_part("tagging", BUILD, steps=TAGGING_STEPS)
    prepare.prepare_names(corpora, corpora.silver, BUILD)
    first = train_part("names", BUILD, steps=FIRST_NAME_STEPS, name="names_first")
    known = silver.gazetteer(corpora.name_train)
    labelled = silver.label(spacy.load(first), corpora.silver, known)
    prepare.prepare_names(corpora, labelled, BUILD)
    names = train_part("names", BUILD, steps=NAME_STEPS)
    finish(tagging, names, corpora)
    return 0


def finish(tagging: Path, names: Path, corpora: parts.Corpora) -> None:
    """Pack the trained parts into the package, score them and write the model card."""
    nlp = package(tagging, names, TARGET)
    scores = evaluate(nlp, corpora) | {"size_mb": round(size_mb(TARGET), 1)}
    (TARGET / "scores.json").write_text(json.dumps(scores, indent=2) + "\n", encoding="utf-8")
    write_card(scores, TARGET / "MODEL_CARD.md")
    print((TARGET / "MODEL_CARD.md").read_text(encoding="utf-8").partition("## Scores")[2])


def find_data() -> Path | None:
    """The folder of corpora, or nothing (and a message) where the environment names none."""
    root = os.environ.get("RAGCLI_DATA")
    if not root:
        message = "RAGCLI_DATA is not set: name the folder that holds nlp-training/"
    elif not (folder := Path(root) / "nlp-training").is_dir():
        message = f"no folder {folder}: RAGCLI_DATA must name the folder that holds nlp-training/"
    else:
        return folder
    print(f"{message} (training/english/README.md lists the corpora)", file=sys.stderr)
    return None


if __name__ == "__main__":
    raise SystemExit(main())
