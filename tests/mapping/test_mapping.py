"""The map of a store, a folder, a document and a section."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ragcli
from ragcli.answer import AnswerModels
from ragcli.asking.answer_json import map_reply_json, maps_of
from ragcli.asking.layout import laid_out
from ragcli.asking.maps import told
from ragcli.errors import InputError
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Reply, Scope

NOTICE = "Copyright 2020 Ann Lee. You may copy it under the terms of the licence of the guild."
FILES = {
    "boats/README.md": f"# Boats\n\n{NOTICE}\n\nThe boats of Skive are built of oak by two"
    " families.\n\n## Build\n\n```sh\nmake boat --all. This is the code of it.\n```\n",
    "boats/keel.md": "# Keel\n\nThe keel is laid in March.\n\n## Weight\n\nIt weighs 840 kilograms"
    " on 3 May 2021.\n\n## Price\n\n| year | crowns |\n| --- | --- |\n| 2020 | 300 |\n",
    "letters/one.txt": "Dear Tom,\n\nThe winter market was held in the old hall of Skive.\n",
    "letters/two.txt": "Dear Ann,\n\nThe spring market was held in the new hall of Skive.\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("map")
    for name, text in FILES.items():
        file = folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    ragcli.index(folder / "docs", folder / "store")
    return folder / "store"


class Teller:
    """A language model that writes one text."""

    parameters, context = 10**9, 4096

    def __init__(self, text: str) -> None:
        self.text = text

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(self, _system: str, _user: str, _max_tokens: int) -> Iterator[str]:
        yield self.text


def mapped(store: Path, name: str = "", scope: Scope | None = None) -> Reply:
    with ragcli.Store.open(store) as opened:
        return opened.map(name, scope=scope)


def test_a_store_has_its_folders(store: Path) -> None:
    """Each with its titles and the sentence of its leading file: no code, no notice of rights."""
    (found,) = (reply := mapped(store)).maps
    assert (found.kind, found.documents, found.types) == ("store", 4, (("md", 2), ("txt", 2)))
    assert [(part.name, part.documents) for part in found.parts] == [("boats/", 2), ("letters/", 2)]
    said = {one.n: one.quote for one in reply.citations}
    assert said[found.parts[0].n] == "The boats of Skive are built of oak by two families."
    assert "Keel" in found.parts[0].titles


def test_quotes_stand_in_their_documents(store: Path) -> None:
    """To the character, those of dates and figures too."""
    with ragcli.Store.open(store) as opened:
        for name in ("", "boats", "keel", "letters"):
            reply = opened.map(name)
            (found,) = reply.maps
            assert reply.citations
            for one in (*reply.citations, *found.dates, *found.figures):
                assert opened.text(one.doc, one.start, one.end) == one.quote != ""


@pytest.mark.parametrize(
    ("name", "kind", "of"),
    [
        ("letters", "folder", "letters"),
        ("boats/", "folder", "boats"),
        ("keel", "document", "boats/keel.md"),
        ("boats/keel.md", "document", "boats/keel.md"),
        ("leters", "folder", "letters"),
        ("the price", "section", "Keel > Price"),
    ],
)
def test_what_is_meant(store: Path, name: str, kind: str, of: str) -> None:
    """By path, title or heading, with a typing error, too."""
    (found,) = mapped(store, name).maps
    assert (found.kind, found.of) == (kind, of)


def test_a_document_has_its_sections_dates_and_figures(store: Path) -> None:
    """A section of a table has its heading for a sentence."""
    (found,) = (reply := mapped(store, "keel")).maps
    said = {one.n: one.quote for one in reply.citations}
    assert [part.name for part in found.parts] == ["Weight", "Price"]
    assert said[found.n] == "The keel is laid in March."
    assert said[found.parts[1].n] == "## Price"
    assert [one.quote for one in found.dates] == ["3 May 2021"]


def test_nothing_of_that_name(store: Path) -> None:
    with pytest.raises(InputError, match="no folder, document or section is called 'zeppelin'"):
        mapped(store, "zeppelin")


def test_a_scope_is_a_map_of_its_documents(store: Path) -> None:
    (found,) = mapped(store, "", Scope.of("letters")).maps
    assert found.documents == 2 and {part.documents for part in found.parts} == {1}


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("What is this folder about?", ""),
        ("What are the main themes of these texts?", ""),
        ("Summarise the keel", "boats/keel.md"),
        ("Give me an overview of boats", "boats"),
    ],
)
def test_questions_about_a_whole_get_its_map(store: Path, question: str, of: str) -> None:
    """The text of the reply holds its sentences with their marks."""
    with ragcli.Store.open(store) as opened:
        reply = opened.ask(question).reply
    (found,) = reply.maps
    assert found.of == of and "[1]" in reply.text and not reply.abstained


def test_other_questions_get_none(store: Path) -> None:
    """Also where they ask for a summary of what no place is called."""
    with ragcli.Store.open(store) as opened:
        for question in ("When is the keel laid?", "Summarise the zeppelin flights"):
            assert not opened.ask(question).reply.maps


def test_a_conversation_knows_what_it_is_about(store: Path) -> None:
    with ragcli.Store.open(store) as opened:
        talk = opened.conversation()
        assert talk.ask("When is the keel laid?").reply.citations[0].doc == "boats/keel.md"
        (found,) = talk.ask("Summarise it").reply.maps
    assert found.of == "boats/keel.md"


def test_json_holds_all_that_is_shown(store: Path) -> None:
    for name in ("", "keel"):
        reply = mapped(store, name)
        again = maps_of(map_reply_json(reply))
        assert [*laid_out(again)] == [*laid_out(reply)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The boats of Skive are built of oak [1].", True),
        ("The zeppelins of Patagonia burn coal [1].", False),
    ],
)
def test_a_language_model_tells_what_the_map_bears_out(store: Path, said: str, kept: bool) -> None:
    """Else the map is shown."""
    reply = mapped(store)
    models = AnswerModels(encode=np.array, llm=Teller(said))
    shown = told(reply, AskedQuestion("What is this about?"), models, lambda _text: None)
    assert (shown.by, bool(shown.maps)) == (("llm", False) if kept else ("extractive", True))
    assert shown.citations[0].quote.startswith("The boats") or not kept


def test_many_documents_of_one_folder_are_grouped(tmp_path: Path) -> None:
    """By what they are about."""
    docs = tmp_path / "docs"
    docs.mkdir()
    kinds = ("bread is baked of flour in an oven", "ships sail over the sea to a harbour")
    for n in range(20):
        text = f"The {('baker', 'sailor')[n % 2]} number {n} says that {kinds[n % 2]}."
        (docs / f"{n:02}.md").write_text(text, encoding="utf-8")
    ragcli.index(docs, tmp_path / "store")
    (found,) = (reply := mapped(tmp_path / "store")).maps
    assert sum(part.documents for part in found.parts) == 20
    assert 2 <= len(found.parts) <= 4
    said = {one.n: one.quote for one in reply.citations}
    assert any("baker" in said.get(part.n, "") for part in found.parts)
    assert any("sailor" in said.get(part.n, "") for part in found.parts)
