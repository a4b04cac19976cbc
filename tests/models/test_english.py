"""The shipped English pipeline does its work on sentences that no corpus holds."""

import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language

import ragcli

FOLDER = Path(ragcli.__file__).parent / "models" / "english"

# Names as [name|LABEL]; after the bar the other nouns of the sentence, in order.
SENTENCES = [
    ("[Marta Okafor|PERSON] moved to [Lisbon|LOC] after her studies .", "studies"),
    ("The committee asked [Daniel Reyes|PERSON] to rewrite the report .", "committee report"),
    ("[Siemens|ORG] opened a new factory near [Leipzig|LOC] .", "factory"),
    ("Rain fell on the fields for three days .", "Rain fields days"),
    ("“ You are late , ” said [Mrs. Dalloway|PERSON] , and she closed the door .", "door"),
    ("The [European Parliament|ORG] rejected the proposal by a narrow majority .",
     "proposal majority"),
    ("[Ada Lovelace|PERSON] wrote notes on the machine of [Charles Babbage|PERSON] .",
     "notes machine"),
    ("Our cat sleeps in the kitchen and ignores the mice .", "cat kitchen mice"),
    ("[Toni Morrison|PERSON] published [Beloved|WORK] in 1987 .", ""),
    ("The [Battle of Hastings|EVENT] changed the language of [England|LOC] .", "language"),
    ("## A short history of [Iceland|LOC]", "history"),
    ("- Send the invoice to [Priya Natarajan|PERSON] before noon", "invoice noon"),
    ("[Lake Geneva|LOC] lies between [Switzerland|LOC] and [France|LOC] .", ""),
    ("The [University of Toronto|ORG] hired two hundred teachers last year .", "teachers year"),
    ("[Elizabeth|PERSON] could not forgive [Mr. Darcy|PERSON] for his pride .", "pride"),
    ("The old bridge over the [Danube|LOC] collapsed during the flood .", "bridge flood"),
    ("[Kofi Annan|PERSON] led the [United Nations|ORG] for ten years .", "years"),
    ("She plays the violin better than her brother .", "violin brother"),
    ("[Microsoft|ORG] bought [GitHub|ORG] for several billion dollars .", "dollars"),
    ("The trial of [Anna Sorel|PERSON] began in [Marseille|LOC] on Monday .", "trial Monday"),
    ("[Akira Kurosawa|PERSON] directed [Seven Samurai|WORK] .", ""),
    ("Nobody in the village remembered the name of the stranger .", "village name stranger"),
    ("The [World Health Organization|ORG] warned of a new virus .", "virus"),
    ("[Hamlet|PERSON] speaks to the ghost of his father .", "ghost father"),
    ("Engineers in [Nairobi|LOC] tested the pump with dirty water .", "Engineers pump water"),
    ("[Captain Ahab|PERSON] pursued the whale across the [Pacific Ocean|LOC] .", "whale"),
    ("The [Labour Party|ORG] lost four seats in [Scotland|LOC] .", "seats"),
    ("[Jean-Luc Moreau|PERSON] studied chemistry under [Marie Curie|PERSON] .", "chemistry"),
    ("The librarian put the broken chairs behind the shelves .", "librarian chairs shelves"),
    ("[Oxford University Press|ORG] printed the dictionary .", "dictionary"),
    ("A thief stole the painting from a museum in [Buenos Aires|LOC] .", "thief painting museum"),
    ("[NASA|ORG] launched the probe from [Florida|LOC] .", "probe"),
    ("When [Tom|PERSON] came home , his aunt was waiting at the gate .", "aunt gate"),
    ("[Nelson Mandela|PERSON] was born in [South Africa|LOC] in 1918 .", ""),
    ("The recipe needs two eggs , some flour and a little salt .", "recipe eggs flour salt"),
    ("[Deutsche Bank|ORG] moved its office from [London|LOC] to [Frankfurt|LOC] .", "office"),
    ("The [Second World War|EVENT] ended in 1945 .", ""),
    ("[Ingrid Halvorsen|PERSON] , a doctor from [Bergen|LOC] , wrote the letter .",
     "doctor letter"),
    ("The [Supreme Court|ORG] agreed with the workers .", "workers"),
    ("Snow covered the mountains of [Nepal|LOC] and the roads were closed .",
     "Snow mountains roads"),
]  # fmt: skip

LEMMAS = [
    ("The mice were hiding under the leaves .", "mice", "mouse"),
    ("The mice were hiding under the leaves .", "leaves", "leaf"),
    ("She bought three boxes of cherries .", "cherries", "cherry"),
    ("She bought three boxes of cherries .", "boxes", "box"),
    ("The children were running along the beaches .", "children", "child"),
    ("The children were running along the beaches .", "running", "run"),
    ("The children were running along the beaches .", "beaches", "beach"),
    ("He has written many letters to the newspapers .", "written", "write"),
    ("He has written many letters to the newspapers .", "newspapers", "newspaper"),
    ("Both theories explain the data .", "theories", "theory"),
    ("The women took their knives from the table .", "women", "woman"),
    ("The women took their knives from the table .", "took", "take"),
    ("The women took their knives from the table .", "knives", "knife"),
]

PARAGRAPHS = [
    ("The train was late. We waited for an hour. Nobody told us why.", 3),
    ("Dr. Meyer arrived at 5 p.m. with Mr. Stone. They left the next day.", 2),
    ("“Where is the key?” she asked. He did not answer.", 2),
    ("What a day! I lost my coat, and then it began to rain. Did you call?", 3),
    ("The U.S. company sold its shares. Prices fell by 3.5 percent in a week.", 2),
    ("The garden was large and\nquiet. Old trees stood by the\nwall. A dog slept there.", 3),
]


@pytest.fixture(scope="module")
def nlp() -> Language:
    """The pipeline as shipped in the package."""
    return spacy.load(FOLDER)


def read(marked: str) -> tuple[str, set[tuple[int, int, str]]]:
    """Running text and the names in it as (start, end, label), from the bracketed form."""
    marked = re.sub(r" ([.,?!”])", r"\1", marked.replace("“ ", "“"))
    text, names, at = "", set(), 0
    for match in re.finditer(r"\[([^|]+)\|(\w+)\]", marked):
        text += marked[at : match.start()]
        names.add((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        at = match.end()
    return text + marked[at:], names


def f1(found: set[Any], gold: set[Any]) -> float:
    """F1 of two sets."""
    return 2 * len(found & gold) / (len(found) + len(gold))


def test_folder_is_small() -> None:
    """The pipeline stays within 15 MB on disk."""
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
    assert size <= 15_000_000


def test_labels_are_the_six_of_the_scheme(nlp: Language) -> None:
    """The recogniser knows exactly the labels that extraction relies on."""
    assert set(nlp.pipe_labels["ner"]) == {"PERSON", "ORG", "LOC", "EVENT", "WORK", "MISC"}


def test_nouns_are_found(nlp: Language) -> None:
    """Nouns and proper nouns of the sample are tagged so, and little else is."""
    found: set[Any] = set()
    gold: set[Any] = set()
    for number, (marked, nouns) in enumerate(SENTENCES):
        text, names = read(marked)
        listed = nouns.split()
        for token in nlp(text):
            if any(a <= token.idx < b for a, b, _ in names):
                continue
            if token.pos_ in {"NOUN", "PROPN"}:
                found.add((number, token.text))
        gold.update((number, noun) for noun in listed)
    assert f1(found, gold) >= 0.93


def test_parts_of_speech(nlp: Language) -> None:
    """Function words, verbs and adjectives of a plain sentence get their universal tags."""
    text = "The old man slowly opened two heavy doors because she had asked him to wait."
    gold = "DET ADJ NOUN ADV VERB NUM ADJ NOUN SCONJ PRON AUX VERB PRON PART VERB PUNCT"
    pairs = zip((token.pos_ for token in nlp(text)), gold.split(), strict=True)
    assert sum(found == wanted for found, wanted in pairs) >= 15


def test_names_are_found(nlp: Language) -> None:
    """Name boundaries of the sample are found; most types are right too."""
    found: set[Any] = set()
    gold: set[Any] = set()
    for number, (marked, _) in enumerate(SENTENCES):
        text, names = read(marked)
        gold.update((number, *name) for name in names)
        found.update((number, e.start_char, e.end_char, e.label_) for e in nlp(text).ents)
    assert f1({item[:3] for item in found}, {item[:3] for item in gold}) >= 0.88
    assert f1(found, gold) >= 0.8


@pytest.mark.parametrize(("sentence", "word", "lemma"), LEMMAS)
def test_lemmas(nlp: Language, sentence: str, word: str, lemma: str) -> None:
    """Inflected nouns and verbs lead back to their dictionary form."""
    text, _ = read(sentence)
    assert next(token.lemma_ for token in nlp(text) if token.text == word) == lemma


def test_sentences_are_split(nlp: Language) -> None:
    """Abbreviations, quotes, numbers and hard-wrapped lines do not confuse the splitter."""
    right = sum(len(list(nlp(text).sents)) == count for text, count in PARAGRAPHS)
    assert right >= len(PARAGRAPHS) - 1


def test_headings_and_paragraphs(nlp: Language) -> None:
    """A blank line after a title ends its sentence."""
    doc = nlp("# The lighthouse\n\nMarta Okafor painted it white.\n\n- It stands on a cliff.")
    texts = [sentence.text.strip() for sentence in doc.sents]
    assert len(texts) == 3
    assert texts[1] == "Marta Okafor painted it white."


def test_names_in_markdown_and_capitals(nlp: Language) -> None:
    """Emphasis signs stay outside a name, and a name in capitals is still seen."""
    doc = nlp("We met **Daniel Reyes** in Lisbon.\n\nMAYOR OF LISBON THANKS MARTA OKAFOR\n")
    names = {entity.text for entity in doc.ents}
    assert {"Daniel Reyes", "Lisbon"} <= names
    assert any("MARTA" in name for name in names)
