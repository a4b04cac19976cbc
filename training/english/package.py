"""Puts the trained parts, the lemma tables and nothing else into one small folder."""

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import spacy
from spacy.lang.norm_exceptions import BASE_NORMS
from spacy.language import Language
from spacy.lookups import Lookups, load_lookups
from spacy.symbols import IDS

from ragcli.models.light_english.lexicon import FILE as LEXICON

_LEMMA_TABLES = ["lemma_rules", "lemma_exc", "lemma_index"]
# The tables know nouns, verbs, adjectives and adverbs; auxiliaries are few enough to list.
_AUXILIARIES = {
    "be": "am are is was were been being be 'm 're ’m ’re 's ’s",
    "have": "have has had having 've ’ve 'd ’d",
    "do": "do does did done doing",
    "will": "will wo 'll ’ll",
    "can": "can ca",
}
META = {
    "name": "ragcli_english",
    "version": "1.0.0",
    "description": "Small English pipeline: parts of speech, sentences, lemmas, names.",
    "license": "CC BY-SA 4.0",
    "spacy_version": ">=3.8.0,<3.9.0",
}


def package(tagging: Path, names: Path, target: Path) -> Language:
    """Write the pipeline to ``target`` (replaced) and return it as loaded from there."""
    nlp = spacy.load(tagging)
    nlp.add_pipe("ner", source=spacy.load(names))
    lemmatizer: Any = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    lemmatizer.initialize(lookups=lemma_tables())
    nlp.config["paths"] = dict.fromkeys(nlp.config["paths"])
    nlp.meta.update(META)
    for key in ("performance", "author", "email", "url"):
        nlp.meta.pop(key, None)
    kept = {name: target / name for name in ("MODEL_CARD.md", "scores.json")}
    texts = {path: path.read_bytes() for path in kept.values() if path.exists()}
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(target)
    _prune_strings(nlp, target)
    (target / LEXICON).write_bytes(lexicon())
    for path, content in texts.items():
        path.write_bytes(content)
    return spacy.load(target)


def lexicon() -> bytes:
    """What the NumPy reader must know of spaCy's own tables, as JSON."""
    tables = {"norms": BASE_NORMS, "symbols": IDS}
    return orjson.dumps(tables, option=orjson.OPT_SORT_KEYS)


def lemma_tables() -> Lookups:
    """The lemma tables of spacy-lookups-data, with auxiliaries added."""
    lookups = load_lookups("en", _LEMMA_TABLES)
    forms = {
        form: [lemma] for lemma, all_forms in _AUXILIARIES.items() for form in all_forms.split()
    }
    lookups.get_table("lemma_exc")["aux"] = forms
    return lookups


def _prune_strings(nlp: Language, target: Path) -> None:
    """Keep only the strings that the loaded pipeline must spell out: labels and features.

    Training fills the store with every word it met. Vectors and lemma tables go by hash.
    """
    words: set[str] = set()
    for name in nlp.pipe_names:
        for label in nlp.pipe_labels.get(name, []):
            words.update([label, *label.split("|")])
            words.update(part for item in label.split("|") for part in item.split("="))
    listing = json.dumps(sorted(words), ensure_ascii=False)
    (target / "vocab" / "strings.json").write_text(listing, encoding="utf-8")


def size_mb(folder: Path) -> float:
    """Megabytes (10^6 bytes) of all files below ``folder``."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
