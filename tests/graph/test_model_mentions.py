"""What a language model found, joined with what the English pipeline found."""

from __future__ import annotations

from collections import Counter

from ragcli.graph.contribution import contribution
from ragcli.graph.cooccurrence import SCALE
from ragcli.graph.model_mentions import label_of
from ragcli.types import Chunk, EntityDescription, Extraction, Findings, Mention, Passage, Relation

TEXT = "Mara Linde sails the Aurora. Linde calls at Port Vale at high tide."


def chunk(text: str) -> Chunk:
    whole = (Passage(0, len(text)),)
    return Chunk("d@0", "d", 0, 0, len(text), 0, 1, 1, "", text, 20, whole)


def mention(surface: str, label: str, sentence: int) -> Mention:
    at = TEXT.index(surface)
    lemma = surface if label else surface.casefold()
    return Mention(at, at + len(surface), surface, lemma, label, sentence)


SPACY = Extraction(
    (mention("Mara Linde", "PERSON", 0), mention("Aurora", "ORG", 0), mention("tide", "", 1))
)
FOUND = Findings(
    (
        EntityDescription("mara linde", "person", "A captain."),
        EntityDescription("Aurora", "artifact", "A ferry."),
        EntityDescription("high tide", "concept", "When the harbour is deep."),
        EntityDescription("Rome", "location", "Not in the text."),
    ),
    (
        Relation("Mara Linde", "Aurora", ("command",), "Mara Linde sails the Aurora.", 8),
        Relation("Linde", "Port Vale", ("trade", "trade"), "She calls there.", 2),
        Relation("Mara Linde", "Linde", (), "The same person.", 9),
        Relation("Mara Linde", "Rome", (), "Not in the text.", 9),
    ),
)


def test_labels_come_from_types_and_capitals() -> None:
    """Only what is written with a capital is a name."""
    assert label_of("Organisation", "Acme") == "ORG"
    assert label_of("person", "captain") == ""
    assert label_of("quantity", "1,200 tons") == ""


def test_both_kinds_of_mentions_meet() -> None:
    """Spans of both count once; nouns are part of the model's names."""
    said = contribution([chunk(TEXT)], [SPACY], "", [FOUND])
    counts: Counter[tuple[str, str]] = Counter()
    for (key, _, label, _), n in said.names.items():
        counts[key, label] += n
    # An artifact has no label of its own, so the English pipeline's stands.
    assert counts["aurora", "ORG"] == 1
    assert counts["high tide", ""] == 1
    assert not any(key == "tide" for key, _ in counts)
    # "Mara Linde", and "Linde" as a part of her name.
    assert counts["mara linde", "PERSON"] == 2
    assert ("linde", "mara linde") in said.aliases


def test_the_models_type_corrects_a_label() -> None:
    """Where it tells one: the vessel is an organisation for the pipeline, a work for the model."""
    found = Findings((EntityDescription("Aurora", "work", ""),), ())
    said = contribution([chunk(TEXT)], [SPACY], "", [found])
    assert {label for key, _, label, _ in said.names if key == "aurora"} == {"WORK"}


def test_relations_add_to_the_sentences_they_come_from() -> None:
    """Strength in tenths on top of the co-occurrence; self loops and strangers are left out."""
    plain = contribution([chunk(TEXT)], [SPACY])
    said = contribution([chunk(TEXT)], [SPACY], "", [FOUND])
    pair = ("aurora", "mara linde")
    assert said.edges[pair][0] == plain.edges[pair][0] + SCALE * 8 // 10
    assert said.edges[pair][1] == plain.edges[pair][1] == 1
    assert {(r.source, r.target): r.keywords for _, r in said.statements} == {
        ("mara linde", "aurora"): ("command",),
        ("mara linde", "port vale"): ("trade",),
    }
    assert {d.name for _, d in said.descriptions} == {"mara linde", "aurora", "high tide"}


def test_a_relation_across_sentences_is_an_edge_without_sentences() -> None:
    """The pair stands in no sentence together; the description alone joins it."""
    found = Findings((), (Relation("Aurora", "Port Vale", (), "Calls at.", 10),))
    said = contribution([chunk(TEXT)], [SPACY], "", [found])
    assert said.edges["aurora", "port vale"] == (SCALE, 0)


def test_a_language_model_alone() -> None:
    """In light mode only its names count, no pipeline's and no runs, unless it failed."""
    found = Findings((EntityDescription("Aurora", "artifact", ""),), (), "light.model")
    said = contribution([chunk(TEXT)], [SPACY], "", [found])
    assert {key for key, *_ in said.names} == {"aurora"}
    assert said.passages == ({"aurora": 1},)
    failed = Findings((), (), "light.model", "the reply was cut")
    assert contribution([chunk(TEXT)], [SPACY], "", [failed]) == contribution(
        [chunk(TEXT)], [SPACY]
    )


def test_a_name_of_the_title_alone_is_known() -> None:
    """The model reads the title too; what it says of that name is kept."""
    found = Findings((EntityDescription("Harbour Log", "work", "A diary."),), ())
    said = contribution([chunk(TEXT)], [SPACY], "Harbour Log", [found])
    assert [d.name for _, d in said.descriptions] == ["harbour log"]
