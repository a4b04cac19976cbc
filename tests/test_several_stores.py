"""Several stores asked at once: one ranking, one answer, and every id leads to its own store."""

from __future__ import annotations

import json
import shutil
import sqlite3
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run

import ragcli
from ragcli.api import Store, Stores
from ragcli.asking.several import names_of
from ragcli.config import MODES, Settings
from ragcli.errors import InputError, StoreVersion
from ragcli.retrieve.several import fits_of, store_weights
from ragcli.serve.call import Call
from ragcli.serve.protocol import NoResource
from ragcli.serve.resources import WHOLE, Resources
from ragcli.serve.served import Served
from ragcli.serve.tools import Tools
from ragcli.types import Scope

SETTINGS = Settings(workers=1, answer="extractive", llm="none")
HARBOUR = {
    "pump.md": "---\nauthor: Ada\n---\n# Pump\nThe pump of the harbour was repaired by Ilse Brandt"
    " in 1987. It cost 4,200 crowns.\n",
    "same.md": "# Boats\nTen boats lie in the harbour of Skive. The harbour master is Tom Berg.\n",
    "crane.txt": "The crane lifts nine tons. Tom Berg bought it from a shipyard in Genoa.\n",
}
TOWER = {
    "same.md": "# Tower\nThe tower of Tarnby was built by Lorenz Abt in 1712. Its bell weighs two"
    " tons.\n",
    "law.txt": "The law of fishing was signed by Maria Holm on 3 May 1901. It forbids nets with"
    " meshes under four centimetres.\n",
}
QUESTIONS = {
    "Who repaired the pump of the harbour?": ("sa", "pump.md"),
    "Who signed the law of fishing?": ("sb", "law.txt"),
    "Who built the tower of Tarnby?": ("sb", "same.md"),
    "Who is the harbour master of Skive?": ("sa", "same.md"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders, a store of each, and one of both."""
    made = tmp_path_factory.mktemp("several")
    for name, texts in (("a", HARBOUR), ("b", TOWER)):
        (made / name).mkdir()
        for file, text in texts.items():
            (made / name / file).write_text(text)
    for name in ("a", "b"):
        ragcli.index(made / name, made / f"s{name}", settings=SETTINGS, hierarchy=True)
    ragcli.index([made / "a", made / "b"], made / "both", settings=SETTINGS, hierarchy=True)
    return made


@pytest.fixture(scope="module")
def stores(folder: Path) -> Any:
    with Stores.open([folder / "sa", folder / "sb"], SETTINGS) as opened:
        yield opened


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_mode_finds_the_document_of_the_right_store(
    stores: Stores, folder: Path, mode: str, question: str
) -> None:
    """First in the ranking, and with the text and the file of its own store."""
    store, doc = QUESTIONS[question]
    hits = stores.search(question, mode=mode)
    assert (Path(hits[0].store).name, hits[0].doc) == (store, doc)
    assert [hit.rank for hit in hits] == [*range(1, len(hits) + 1)]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    by_name = {str(one.path): one for one in stores.stores}
    for hit in hits:
        assert by_name[hit.store].text(hit.doc, hit.start, hit.end) == hit.text
        assert stores.file_of(hit) == folder / Path(hit.store).name[1] / hit.doc


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_cites_the_store(stores: Stores, question: str) -> None:
    """Both stores have a same.md; the quote is from the one that is named."""
    store, doc = QUESTIONS[question]
    answer = stores.ask(question)
    cited = answer.reply.citations[0]
    assert (Path(cited.store).name, cited.doc) == (store, doc)
    assert Path(cited.path).is_file() and Path(cited.path).name == doc
    assert answer.reply.short is not None and answer.reply.short.doc == doc
    by_name = {str(one.path): one for one in stores.stores}
    assert by_name[cited.store].text(doc, cited.start, cited.end) == cited.quote
    shown = answer.reply.passages
    assert (shown[0].store, shown[0].doc) == (cited.store, doc)
    assert all(by_name[p.store].text(p.doc, p.start, p.end) == p.text for p in shown)
    for place in answer.reply.also:
        assert by_name[place.store].text(place.doc, place.start, place.end) == place.quote
    assert [name for name, _ in answer.stores] == [str(one.path) for one in stores.stores]


def test_similarity_ranks_as_in_one_store_of_all(stores: Stores, folder: Path) -> None:
    """Cosines need no translation."""
    with Store.open(folder / "both", SETTINGS) as both:
        for question in QUESTIONS:
            one = both.search(question, mode="naive")
            several = stores.search(question, mode="naive")
            assert [hit.text for hit in several] == [hit.text for hit in one]
            assert np.allclose([h.score for h in several], [h.score for h in one], atol=1e-6)


def test_words_rank_as_in_one_store_of_all(stores: Stores, folder: Path) -> None:
    """A word that is rare in one store and common in the other counts as in both together."""
    with Store.open(folder / "both", SETTINGS) as both:
        for question in ("tons", "harbour crane", "tons of the tower"):
            one = [hit.text for hit in both.search(question, mode="bm25")]
            assert [hit.text for hit in stores.search(question, mode="bm25")][:2] == one[:2]


def test_a_store_that_does_not_fit_weighs_little() -> None:
    """So it does not crowd out the hits of the one that does."""
    fits = fits_of([np.array([0.9, 0.8]), np.array([0.3])], [np.array([4.0, 2.0]), np.array([0.0])])
    first, second = store_weights(fits)
    assert first == 1.0 and second < 0.01


def test_a_question_about_everything_hears_every_store(stores: Stores) -> None:
    """The first hits are of different stores."""
    hits = stores.search("Give me an overview of all the documents.", top_k=4)
    assert len({hit.store for hit in hits[:2]}) == 2


def test_a_word_that_one_store_has_is_no_typing_error(stores: Stores, folder: Path) -> None:
    """Only a word that is in none of them is read as another."""
    with Store.open(folder / "sb", SETTINGS) as alone:
        assert "read 'harbuor'" not in alone.ask("harbuor").reply.note
    assert "read 'harbuor' as 'harbour'" in stores.ask("Who is master of the harbuor?").reply.note
    assert "read" not in stores.ask("What is the weight of the crane in tons?").reply.note


def test_a_scope_is_that_of_each_store(stores: Stores) -> None:
    """A store in which it selects nothing is left out; selecting nothing at all is an error."""
    hits = stores.search("boats and towers", scope=Scope.of(types="md"))
    assert {(Path(hit.store).name, hit.doc) for hit in hits} == {
        *(("sa", "pump.md"), ("sa", "same.md"), ("sb", "same.md")),
    }
    only = stores.ask("Who repaired the pump?", scope=Scope.of(where=["author=Ada"]))
    assert {Path(hit.store).name for hit in only.hits} == {"sa"}
    assert stores.file_of(only.reply.citations[0]) is not None
    with pytest.raises(InputError, match="no document is of type pdf"):
        stores.search("boats", scope=Scope.of(types="pdf"))


def test_a_conversation_over_both(stores: Stores) -> None:
    """A follow-up gets a name that only the second store knows."""
    talk = stores.conversation()
    assert "Lorenz Abt" in talk.ask("Who built the tower of Tarnby?").reply.text
    follow_up = talk.ask("And what does its bell weigh?")
    assert "Tarnby" in follow_up.question and "two tons" in follow_up.reply.text
    talk.scope = Scope.of(where=["author=Ada"])
    assert {Path(hit.store).name for hit in talk.ask("What about the pump?").hits} == {"sa"}


def test_a_store_named_twice_is_one(folder: Path) -> None:
    """Also by another spelling of its path."""
    with Stores.open([folder / "sa", folder / "a" / ".." / "sa"], SETTINGS) as opened:
        assert len(opened.stores) == 1
        assert opened.search("pump")[0].store == str(folder / "sa")
    with pytest.raises(InputError, match="no store is named"):
        Stores.open([])


def test_another_embedder_is_told_with_the_store(folder: Path, tmp_path: Path) -> None:
    """Their vectors cannot be compared."""
    shutil.copytree(folder / "sb", tmp_path / "other")
    db = sqlite3.connect(tmp_path / "other" / "store.sqlite")
    ((text,),) = db.execute("SELECT value FROM meta WHERE key = 'fingerprint'")
    changed = json.dumps({**json.loads(text), "embedder": "another"})
    db.execute("UPDATE meta SET value = ? WHERE key = 'fingerprint'", (changed,))
    db.commit()
    db.close()
    with pytest.raises(StoreVersion, match=r"other were made by embedder another"):
        Stores.open([folder / "sa", tmp_path / "other"], SETTINGS)


def test_on_the_command_line(folder: Path, called: Run) -> None:
    """--store twice for ask and search; the page of a graph is of one store."""
    both = ("--store", "sa", "--store", "sb")
    asked = called("ask", "Who built the tower of Tarnby?", *both, "--json", cwd=folder)
    answer = json.loads(asked.stdout)
    assert answer["citations"][0]["store"] == "sb" and answer["citations"][0]["doc"] == "same.md"
    assert answer["stores"] == [{"store": "sa", "generation": 1}, {"store": "sb", "generation": 1}]
    shown = called("ask", "Who built the tower of Tarnby?", *both, cwd=folder).stdout
    assert "[1] b/same.md:2 in sb" in shown
    listed = called("search", "tons", *both, "-c", cwd=folder).stdout.split()
    assert listed[:2] in (["a/crane.txt:1", "b/same.md:1"], ["b/same.md:1", "a/crane.txt:1"])
    assert len(listed) == 5  # a line for each same.md
    lines = called("search", "tower of Tarnby", *both, cwd=folder).stdout.splitlines()
    assert lines[0].startswith("b/same.md:2: [sb] The tower of Tarnby")
    page = called("ask", "Who?", *both, "--html", "x.html", cwd=folder)
    assert page.returncode == 2 and "one store" in page.stderr


@pytest.fixture(scope="module")
def served(folder: Path) -> Served:
    return Served([folder / "sa", folder / "sb"])


def use(served: Served, tool: str, /, **arguments: object) -> Any:
    """The structure of a tool's result."""
    (found,) = [t for t in Tools(served, SETTINGS).all() if t.name == tool]
    return found.result(Call(), arguments)["structuredContent"]


def test_tools_over_both(served: Served) -> None:
    """Every id that a tool returns is one that every tool takes."""
    found = use(served, "search", query="Who built the tower of Tarnby?")
    first = found["hits"][0]
    assert (first["store"], first["doc"]) == ("sb", "sb:same.md")
    read = use(served, "get_document", doc=first["doc"], start=first["start"], end=first["end"])
    assert read["text"] == first["text"] and read["doc"] == "sb:same.md"
    (fetch,) = [t for t in Tools(served, SETTINGS).all() if t.name == "fetch"]
    fetched = fetch.run(Call(), id=found["results"][0]["id"])
    assert "Lorenz Abt" in fetched["text"] and fetched["metadata"]["doc"] == "sb:same.md"
    answer = use(served, "ask", question="Who repaired the pump of the harbour?")
    assert answer["citations"][0]["doc"] == "sa:pump.md" == answer["short"]["doc"]
    assert [one["store"] for one in answer["stores"]] == ["sa", "sb"]
    named = use(served, "neighbours", name="Tarnby")["entities"]
    assert {entity["store"] for entity in named} == {"sb"}
    status = use(served, "status")
    assert status["documents"] == 5 and [s["documents"] for s in status["stores"]] == [3, 2]


def test_the_list_of_both(served: Served) -> None:
    """In pages of two, and by a prefix of either kind."""
    ids, offset = [], 0
    while offset is not None:
        page = use(served, "list_documents", limit=2, offset=offset)
        assert page["total"] == 5
        ids += [document["doc"] for document in page["documents"]]
        offset = page["next_offset"]
    assert ids == ["sa:crane.txt", "sa:pump.md", "sa:same.md", "sb:law.txt", "sb:same.md"]
    assert use(served, "list_documents", prefix="sb:l")["total"] == 1
    assert use(served, "list_documents", prefix="sb")["total"] == 2
    assert use(served, "list_documents", prefix="nowhere")["total"] == 0


def test_resources_of_both(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages go on from one store to the next; every URI can be read; ids are completed."""
    monkeypatch.setattr("ragcli.serve.resources._PAGE", 2)
    shelf, uris, cursor = Resources(served), [], ""
    for _ in islice(range(9), 9):
        page, cursor = shelf.page(cursor)
        uris += [resource["uri"] for resource in page]
        if not cursor:
            break
    assert len(uris) == len(set(uris)) == 5
    assert "Lorenz Abt" in shelf.read("ragcli://document/sb%3Asame.md")[0]["text"]
    assert all(shelf.read(uri)[0]["text"] for uri in uris)
    assert shelf.completions(WHOLE, "doc", "sb:")["values"] == ["sb:law.txt", "sb:same.md"]
    with pytest.raises(NoResource):
        shelf.read("ragcli://document/sb%3Apump.md")


def test_names_of_stores_are_short_and_different() -> None:
    """A colon would end them."""
    folders = [Path("/a/work/.ragcli"), Path("/b/work/.ragcli"), Path("/c:d"), Path("/")]
    assert names_of(folders) == ["work", "work-2", "c_d", "store"]


LETTER = (
    "# Resin\n\nThe resin letter of the second tank.\n\n"
    + "The resin of the second tank had set too early, and the crew lost a day over it. " * 40
    + "\n\nYours sincerely,\n\nNina Voss\n"
)
TABLE = "# Crew of the pump house\n\n| Name | Bunk |\n|---|---|\n" + "".join(
    f"| Sailor number {n} of the pump house crew | {n + 100} |\n" for n in range(40)
)


def test_one_store_and_several_take_the_same_steps(folder: Path, tmp_path: Path) -> None:
    """What is read beside the hits, and the guard for other languages, as in a single store."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "letter.md").write_text(LETTER)
    (tmp_path / "c" / "crew.md").write_text(TABLE)
    ragcli.index(tmp_path / "c", tmp_path / "sc", settings=SETTINGS)
    questions = (
        "Who signed the resin letter?",
        "Which bunk has sailor number 31 of the pump house crew?",
        "Wer hat den Resin Letter untershrieben?",
    )
    with (
        Store.open(tmp_path / "sc", SETTINGS) as alone,
        Stores.open([tmp_path / "sc"], SETTINGS) as one,
        Stores.open([folder / "sb", tmp_path / "sc"], SETTINGS) as both,
    ):
        for question in questions:
            own, same, among = (x.ask(question) for x in (alone, one, both))
            assert same.reply.text == own.reply.text and same.reply.note == own.reply.note
            assert same.context_tokens == own.context_tokens
            assert [hit.text for hit in same.hits] == [hit.text for hit in own.hits]
            assert "read" not in among.reply.note
        assert "131" in both.ask(questions[1]).reply.text


def test_the_items_of_a_list_have_ids_that_clients_know(served: Served) -> None:
    """As the citations that they refer to."""
    store = served.folders["sa"]
    citation = {"n": 1, "doc": "pump.md", "store": str(store)}
    items = [{"text": "Ada", "doc": "pump.md", "n": 1}]
    found: dict[str, Any] = {"citations": [citation], "passages": [], "also": [], "stores": []}
    found["maps"] = []
    found["short"] = {"text": "Ada", "doc": "pump.md", "n": 1, "items": items}
    short = served.translated(found)["short"]
    assert short["doc"] == "sa:pump.md" == short["items"][0]["doc"]
