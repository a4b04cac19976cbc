"""Every format is recognised by its content; every bad line is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragcli.errors import InputError
from ragcli.evaluate.cases import Case, GoldEvidence, sample
from ragcli.evaluate.datasets import load


def write(path: Path, *lines: object) -> Path:
    """Write JSON Lines."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_own_lines_with_everything(tmp_path: Path) -> None:
    """All fields of our own format arrive where they belong."""
    record = {
        "id": 7,
        "question": " Who? ",
        "answer": ["Ann", "Anna"],
        "evidence": ["a.txt", {"doc": "b.txt", "quote": "it was Ann"}],
        "type": "bridge",
        "source": "a.txt",
    }
    [case] = load(write(tmp_path / "mine.jsonl", record)).cases
    assert case == Case(
        id="7",
        question="Who?",
        answers=("Ann", "Anna"),
        evidence=(GoldEvidence("a.txt"), GoldEvidence("b.txt", quote="it was Ann")),
        type="bridge",
        source="a.txt",
    )


def test_question_alone_is_enough(tmp_path: Path) -> None:
    """A record may hold a question only; its id comes from the question, not from its place."""
    first = load(write(tmp_path / "a.jsonl", {"question": "Who?"}, {"question": "Why?"}))
    second = load(write(tmp_path / "b.jsonl", "", {"question": "Why?"}, {"question": "Who?"}))
    assert set(first.cases) == set(second.cases)
    assert first.cases[0].answerable


def test_the_same_question_twice_without_ids(tmp_path: Path) -> None:
    """Repeated questions get ids of their own."""
    cases = load(write(tmp_path / "a.jsonl", *[{"question": "Who?"}] * 3)).cases
    assert len({case.id for case in cases}) == 3


@pytest.mark.parametrize("extra", [{"answer": None}, {"answerable": False}])
def test_unanswerable(tmp_path: Path, extra: dict[str, object]) -> None:
    """An answer of null says that there is none, as "answerable": false does."""
    [case] = load(write(tmp_path / "a.jsonl", {"question": "Who?", **extra})).cases
    assert not case.answerable


def test_choices_by_letter_and_by_text(tmp_path: Path) -> None:
    """A letter stands for a choice, unless it is itself one of them."""
    lines = [
        {"question": "1?", "choices": ["red", "blue"], "answer": "B"},
        {"question": "2?", "choices": ["red", "blue"], "answer": "red"},
        {"question": "3?", "choices": ["B", "A"], "answer": "A"},
    ]
    cases = load(write(tmp_path / "a.jsonl", *lines)).cases
    assert [case.answers for case in cases] == [("blue",), ("red",), ("A",)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"question": "Who?"', "a.jsonl:2: expected JSON"),
        ("[1]", "a.jsonl:2: expected a JSON object"),
        ('{"id": "x"}', 'a.jsonl:2: expected text in "question"'),
        ('{"question": "?", "answer": {"a": 1}}', 'a list of texts in "answer"'),
        ('{"question": "?", "evidence": [{"page": 1}]}', '{"doc", "title", "quote"}'),
        ('{"question": "?", "choices": ["a"], "answer": "z"}', 'one of "choices"'),
        ('{"question": "?", "answerable": "no"}', 'true or false in "answerable"'),
        ('{"question": "?", "id": "one"}', "an id of its own"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, expected: str) -> None:
    """The error names file and line and what was expected."""
    path = write(tmp_path / "a.jsonl", {"id": "one", "question": "First?"}, line)
    with pytest.raises(InputError) as caught:
        load(path)
    assert expected in caught.value.message
    assert f"{path}:2" in caught.value.message


def beir(folder: Path) -> Path:
    """Write a BEIR folder with two splits."""
    queries = [{"_id": q, "text": f"Query {q}?"} for q in ("q1", "q2", "q3")]
    write(folder / "queries.jsonl", *queries)
    (folder / "qrels").mkdir()
    head = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(head + "q1\td1\t2\nq1\td2\t1\nq2\td9\t0\n")
    (folder / "qrels" / "dev.tsv").write_text(head + "q3\td3\t1\n")
    return folder


def test_beir_keeps_grades_and_takes_the_test_split(tmp_path: Path) -> None:
    """Grades stay, zeros are dropped, queries of other splits stay away."""
    dataset = load(beir(tmp_path))
    assert dataset.name == tmp_path.name
    assert [case.id for case in dataset.cases] == ["q1", "q2"]
    assert dataset.cases[0].evidence == (GoldEvidence("d1", grade=2), GoldEvidence("d2", grade=1))
    assert dataset.cases[1].evidence == ()


def test_beir_split_by_its_file(tmp_path: Path) -> None:
    """Naming a qrels file chooses its split."""
    assert [case.id for case in load(beir(tmp_path) / "qrels" / "dev.tsv").cases] == ["q3"]


def test_bad_qrels_line_is_named(tmp_path: Path) -> None:
    """A grade that is no number is refused with file and line."""
    (beir(tmp_path) / "qrels" / "test.tsv").write_text("q1\td1\tgood\n")
    with pytest.raises(InputError, match=r"test\.tsv:1: expected query, document and whole grade"):
        load(tmp_path)


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """The operating system's reason reaches the user with the path."""
    (beir(tmp_path) / "qrels" / "test.tsv").unlink()
    (tmp_path / "qrels" / "test.tsv").mkdir()
    with pytest.raises(InputError, match=r"test\.tsv: cannot be read"):
        load(tmp_path)


def test_hotpot_in_both_layouts(tmp_path: Path) -> None:
    """Rows and columns mean the same; a sentence number past the end leaves the quote out."""
    rows = {
        "_id": "h",
        "question": "Who?",
        "answer": "Ann",
        "supporting_facts": [["T", 1], ["U", 9]],
        "context": [["T", ["Zero.", " One."]], ["U", ["Only."]]],
        "type": "bridge",
    }
    columns = {
        **rows,
        "supporting_facts": {"title": ["T", "U"], "sent_id": [1, 9]},
        "context": {"title": ["T", "U"], "sentences": [["Zero.", " One."], ["Only."]]},
    }
    (tmp_path / "rows.json").write_text(json.dumps([rows]))
    (tmp_path / "columns.json").write_text(json.dumps([columns]))
    [case] = load(tmp_path / "rows.json").cases
    assert case.evidence == (GoldEvidence(title="T", quote="One."), GoldEvidence(title="U"))
    assert load(tmp_path / "columns.json").cases == (case,)


def test_bad_item_of_a_list_is_numbered(tmp_path: Path) -> None:
    """In a JSON list there are no lines, so the item's number is named."""
    (tmp_path / "a.json").write_text('[{"question": "?", "supporting_facts": [["T"]]}]')
    with pytest.raises(InputError, match=r"a\.json\[0\]: expected \"supporting_facts\""):
        load(tmp_path / "a.json")


@pytest.mark.parametrize("as_list", [True, False])
def test_musique(tmp_path: Path, as_list: bool) -> None:
    """Supporting paragraphs are evidence, aliases are answers, the id tells the type."""
    record = {
        "id": "2hop__1_2",
        "question": "Who?",
        "answer": "Ann",
        "answer_aliases": ["Anna"],
        "answerable": True,
        "paragraphs": [
            {"title": "T", "paragraph_text": "Ann did.", "is_supporting": True},
            {"title": "U", "paragraph_text": "Bob.", "is_supporting": False},
        ],
    }
    path = tmp_path / "m.json"
    path.write_text(json.dumps([record]) if as_list else json.dumps(record) + "\n")
    [case] = load(path).cases
    assert case.answers == ("Ann", "Anna")
    assert case.evidence == (GoldEvidence(title="T", quote="Ann did."),)
    assert case.type == "2hop"


def test_csv(tmp_path: Path) -> None:
    """A column "question" makes a CSV file; evidence is split at semicolons."""
    path = tmp_path / "a.csv"
    path.write_text('question,answer,evidence\n"Who, then?",Ann,a.txt; b.txt\nWhy?,,\n')
    first, second = load(path).cases
    assert (first.question, first.answers) == ("Who, then?", ("Ann",))
    assert first.evidence == (GoldEvidence("a.txt"), GoldEvidence("b.txt"))
    assert (second.answers, second.evidence) == ((), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("query\nWho?\n", "a column"), ("question,answer\nWho?\n", "2 columns")],
)
def test_bad_csv(tmp_path: Path, text: str, expected: str) -> None:
    """A missing column is named with its line."""
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=rf"a\.csv:\d: expected {expected}"):
        load(tmp_path / "a.csv")


@pytest.mark.parametrize("make", ["missing", "empty", "folder", "latin"])
def test_nothing_to_read(tmp_path: Path, make: str) -> None:
    """No file, no question, a folder of something else, or another encoding: refused."""
    path = tmp_path / "a.csv"
    if make == "empty":
        path = tmp_path / "a.jsonl"
        path.write_text("\n")
    if make == "folder":
        path = tmp_path
    if make == "latin":
        path.write_bytes("question\nWo wächst es?\n".encode("latin-1"))
    with pytest.raises(InputError, match=str(path)):
        load(path)


def test_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    """Windows editors begin files with a mark; it is not part of the first line."""
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"question": "Who?"}\n')
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfquestion\nWho?\n")
    assert load(tmp_path / "a.jsonl").cases == load(tmp_path / "a.csv").cases


def test_sample_hangs_on_ids_only() -> None:
    """The same cases whatever their order; smaller samples are parts of larger ones."""
    cases = [Case(str(n), "?") for n in range(50)]
    ten, twenty = sample(cases, 10, 1), sample(cases, 20, 1)
    assert set(ten) == set(sample(cases[::-1], 10, 1))
    assert set(ten) < set(twenty)
    assert [c.id for c in ten] == sorted((c.id for c in ten), key=int)
    assert set(sample(cases, 10, 2)) != set(ten)
    assert len(sample(cases, 99)) == 50


def test_the_projects_own_questions_load() -> None:
    """The sample corpus' two question files are read, answerable and not."""
    folder = Path(__file__).parents[2] / "sample_corpus"
    if not folder.is_dir():
        pytest.skip("the sample corpus is not part of this checkout")
    questions = load(folder / "questions.jsonl").cases
    assert all(case.evidence and case.answers and case.answerable for case in questions)
    assert not any(case.answerable for case in load(folder / "unanswerable.jsonl").cases)
