"""spaCy pipelines of other languages: named in the settings, checked, used for their documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragcli.config import Settings, changed, load, pipelines_of
from ragcli.errors import ConfigError, ModelError, StoreVersion
from ragcli.extract.codec import unpack
from ragcli.extract.pool import ExtractorPool
from ragcli.models.locate import ENGLISH
from ragcli.models.model_set import ModelSet

GERMAN = "Der Turm von Rauhfels ist hoch. Er wurde von der Firma Grewe und Sohn gebaut."


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """A German pipeline of rules alone: a name with its label, a noun with its lemma."""
    import spacy

    pipeline = spacy.blank("de")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": "Firma Grewe und Sohn"}])  # type: ignore[attr-defined]
    tagger = pipeline.add_pipe("attribute_ruler")
    tagger.add([[{"ORTH": "Turm"}]], {"POS": "NOUN", "LEMMA": "turm"})  # type: ignore[attr-defined]
    pipeline.to_disk(tmp_path / "german")
    return tmp_path / "german"


def test_documents_of_a_language_are_read_by_its_pipeline(german: Path) -> None:
    """Names with the pipeline's labels and boundaries; sentences are counted as everywhere."""
    with ExtractorPool(str(ENGLISH), 1, pipelines=(("de", str(german)),)) as pool:
        (found,) = pool.submit([GERMAN])()
    mentions = unpack(found, GERMAN).mentions
    assert [(m.text, m.label, m.lemma, m.sentence) for m in mentions] == [
        ("Turm", "", "turm", 0),
        ("Firma Grewe und Sohn", "ORG", "Firma Grewe und Sohn", 1),
    ]


def test_workers_know_the_pipelines(german: Path) -> None:
    """Other processes give the same result."""
    texts = [f"{GERMAN} Nummer {n}." for n in range(4)]
    pipelines = (("de", str(german)),)
    with ExtractorPool(str(ENGLISH), 1, pipelines=pipelines) as pool:
        here = pool.submit(texts)()
    with ExtractorPool(str(ENGLISH), 2, pipelines=pipelines) as pool:
        pool._chars = 10**6
        assert pool.submit(texts)() == here


def test_a_pipeline_is_part_of_what_made_a_store(german: Path) -> None:
    """Another one, or none, would mix two readings of the same language."""
    with_ = ModelSet(Settings(languages=f"de={german}")).prints()
    without = ModelSet(Settings()).prints()
    assert with_["extractor"].startswith(without["extractor"])
    assert with_ != without


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"lang": "fr"}, "language fr, expected de"),
        ({"requirements": ["no-such-package-at-all>=1"]}, "needs the package no-such-package-at"),
    ],
)
def test_what_cannot_load_is_told_before_any_work(
    german: Path, meta: dict[str, object], message: str
) -> None:
    """When the models are chosen, not at the first German text."""
    file = german / "meta.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | meta))
    with pytest.raises(ModelError, match=message):
        ModelSet(Settings(languages=f"de={german}"))


def test_a_missing_package_is_named() -> None:
    """With what can be done about it."""
    with pytest.raises(ModelError, match="no spaCy pipeline called de_core_news_none") as caught:
        ModelSet(Settings(languages="de=de_core_news_none"))
    assert "folder of a pipeline" in caught.value.hint


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder: its settings may name models."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def test_the_table_in_the_file_and_the_variable(home: Path) -> None:
    """Both name pipelines by the code of the language; errors name line and code."""
    file = home / "ragcli.toml"
    file.write_text('top_k = 3\n\n[languages]\nfr = "/models/f"\nde = "de_core_news_sm"\n')
    found = load({}, {}, home)
    assert found.settings.languages == "de=de_core_news_sm; fr=/models/f"
    assert found.origin["languages"] == str(file)
    assert pipelines_of(found.settings.languages) == {"de": "de_core_news_sm", "fr": "/models/f"}
    variable = load({}, {"RAGCLI_LANGUAGES": "ja = j"}, home)
    assert variable.settings.languages == "ja=j"
    assert changed(found.settings).languages == found.settings.languages


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('xx = "a"', "language 'xx'"),
        ('en = "a"', "cannot have en"),
        ("de = 3", "cannot name 3 for de"),
        ('de = ""', "cannot name '' for de"),
        ('de = "a;b"', "cannot name 'a;b' for de"),
    ],
)
def test_wrong_tables(home: Path, table: str, message: str) -> None:
    """The line of the table, and what is wrong in it."""
    (home / "ragcli.toml").write_text(f"[languages]\n{table}\n")
    with pytest.raises(ConfigError, match="line 1: languages") as caught:
        load({}, {}, home)
    assert message in caught.value.message


@pytest.mark.parametrize("value", ["de", "=x", 3])
def test_wrong_texts(value: object) -> None:
    """A pair needs both sides."""
    with pytest.raises(ConfigError):
        changed(Settings(), languages=value)


def test_a_store_is_not_continued_with_another_pipeline(german: Path, tmp_path: Path) -> None:
    """The error names the setting that changed."""
    import ragcli

    text = tmp_path / "turm.txt"
    text.write_text(GERMAN)
    store = tmp_path / "store"
    ragcli.index([text], store, settings=Settings(languages=f"de={german}", workers=1))
    with ragcli.Store.open(store) as opened:
        assert (
            "Firma Grewe und Sohn"
            in opened.ask("Wer baute den Turm der Firma Grewe und Sohn?").entities
        )
    with pytest.raises(StoreVersion, match="extractor"):
        ragcli.index([text], store, settings=Settings(workers=1))
