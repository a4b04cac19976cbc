"""The small parts that turn corpora into training text."""

from pathlib import Path
from random import Random

import pytest

from training.english import __main__ as line
from training.english.augment import dress, emphasise, mark, wrap
from training.english.conllu import read_conllu
from training.english.corpora import tidy
from training.english.namebooks import read_crossner, read_redocred
from training.english.sample import Name, Sample, join
from training.english.silver import _runs
from training.english.text import is_demonym, spacing
from training.english.treebanks import iob_names, read_gum

CONLLU = """# newdoc id = one
# sent_id = one-1
1\tWe\twe\tPRON\tPRP\tNumber=Plur\t0\troot\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres|VerbForm=Fin\t0\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t0\t_\t_\t_
4\tknow\tknow\tVERB\tVB\tVerbForm=Inf\t0\t_\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t0\t_\t_\t_
"""

GUM = """# newdoc id = GUM_news_test
# sent_id = GUM_news_test-1
1\tThe\tthe\tDET\tDT\t_\t0\t_\t_\tEntity=(1-organization-new-s-cf1-2,4-coref
2\tUniversity\tUniversity\tPROPN\tNNP\t_\t0\t_\t_\t_
3\tof\tof\tADP\tIN\t_\t0\t_\t_\t_
4\tPorto\tPorto\tPROPN\tNNP\t_\t0\t_\t_\tEntity=(2-place-new-s-cf2-1-coref)1)
5\thired\thire\tVERB\tVBD\t_\t0\t_\t_\t_
6\tRosa\tRosa\tPROPN\tNNP\t_\t0\t_\t_\tEntity=(3-person-new-s-cf3-1-coref)
7\ton\ton\tADP\tIN\t_\t0\t_\t_\t_
8\tMonday\tMonday\tPROPN\tNNP\t_\t0\t_\t_\tEntity=(4-time-new-s-cf4-1-coref)
"""


def sample(text: str, *names: Name, unknown: frozenset[int] = frozenset()) -> Sample:
    """A one-sentence sample from words parted by blanks."""
    words = tuple(text.split())
    starts = tuple(i == 0 for i in range(len(words)))
    return Sample("test", words, spacing(words), starts, names=names, unknown=unknown)


def named(one: Sample) -> list[tuple[str, str]]:
    """The names of a sample as (text, label)."""
    return [(" ".join(one.words[n.start : n.end]), n.label) for n in one.names]


def test_spacing_reads_like_print() -> None:
    """Clitics, brackets, quotes and dashes sit where a printer would put them."""
    text = 'He said " I do n\'t ( yet ) know the Paris - Lyon line . "'
    assert sample(text).text.strip() == 'He said "I don\'t (yet) know the Paris-Lyon line."'


def test_conllu_contractions_have_no_inner_blank(tmp_path: Path) -> None:
    """The blanks of a contraction come from its range line."""
    path = tmp_path / "one.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    (sentence,) = read_conllu(path)
    assert "".join(r.form + " " * r.space for r in sentence.rows) == "We don't know. "
    assert sentence.rows[1].feats == "Tense=Pres|VerbForm=Fin"


def test_gum_names_are_proper_and_outermost(tmp_path: Path) -> None:
    """An outer name wins over the one inside; articles and dates are left out."""
    (tmp_path / "GUM_news_test.conllu").write_text(GUM, encoding="utf-8")
    (tmp_path / "GUM_fiction_test.conllu").write_text(GUM, encoding="utf-8")
    (tmp_path / "splits.md").write_text("## dev\n\n  * GUM_news_other\n", encoding="utf-8")
    (one,) = read_gum(tmp_path, "train")
    assert named(one) == [("University of Porto", "ORG"), ("Rosa", "PERSON")]


def test_redocred_kinds_follow_relations(tmp_path: Path) -> None:
    """A MISC entity with a publication date is a work; times are dropped."""
    path = tmp_path / "docs.json"
    path.write_text(
        '[{"title": "t", "sents": [["Dune", "came", "out", "in", "1965"]],'
        ' "vertexSet": [[{"type": "MISC", "pos": [0, 1], "sent_id": 0}],'
        ' [{"type": "TIME", "pos": [4, 5], "sent_id": 0}]],'
        ' "labels": [{"r": "P577", "h": 0, "t": 1}]}]',
        encoding="utf-8",
    )
    (one,) = read_redocred(path)
    assert named(one) == [("Dune", "WORK")]


def test_crossner_foreign_types_are_unknown(tmp_path: Path) -> None:
    """A type outside the scheme is missing annotation, not text without names."""
    path = tmp_path / "train.txt"
    path.write_text("Bowie\tB-musicalartist\nplays\tO\nrock\tB-musicgenre\n", encoding="utf-8")
    (one,) = read_crossner(path)
    assert named(one) == [("Bowie", "PERSON")]
    assert one.unknown == {2}


def test_iob1_and_iob2_give_the_same_spans() -> None:
    """A name may open with I- (wikigold) or with B- (the others)."""
    kinds = {"PER": "PERSON"}
    assert iob_names(["I-PER", "I-PER", "O"], kinds) == iob_names(["B-PER", "I-PER", "O"], kinds)
    assert len(iob_names(["B-PER", "B-PER"], kinds)) == 2


def test_tidy_makes_one_convention() -> None:
    """Articles go, demonyms are MISC or unknown, wars are events."""
    one = tidy(
        sample(
            "the United States joined the Gulf War with British and Danish troops",
            Name(0, 3, "LOC"),
            Name(5, 7, "MISC"),
            Name(8, 9, "LOC"),
        )
    )
    assert named(one) == [("United States", "LOC"), ("Gulf War", "EVENT"), ("British", "MISC")]
    assert one.unknown == {10}
    assert not is_demonym("Caribbean")


def test_silver_runs_drop_titles() -> None:
    """A run of unknown tokens is taken without the title before it."""
    one = sample("yesterday President Vaclav Havel spoke", unknown=frozenset({1, 2, 3}))
    assert list(_runs(one)) == [(2, 4)]


@pytest.mark.parametrize("seed", range(40))
def test_dressing_keeps_names(seed: int) -> None:
    """Whatever is put on the text, its names keep their letters, case and quotes aside."""
    first = sample("O'Hara met Anna Sorel .", Name(0, 1, "PERSON"), Name(2, 4, "PERSON"))
    plain = join([first, sample("Then it rained in Lyon .", Name(4, 5, "LOC"))], "")
    dressed = dress(plain, Random(seed))
    texts = [text.replace("’", "'").replace("\n ", "").lower() for text, _ in named(dressed)]
    assert texts == ["o'hara", "anna sorel", "lyon"]
    assert sum(dressed.starts) == 2


def test_markdown_signs_lie_outside_names() -> None:
    """Emphasis surrounds the whole name, a list sign starts the sentence."""
    one = sample("Anna Sorel sang", Name(0, 2, "PERSON"))
    assert named(emphasise(one, Random(1))) == [("Anna Sorel", "PERSON")]
    assert mark(one, Random(1)).starts[:2] == (True, False)


def test_wrapped_lines_break_at_blanks() -> None:
    """A line end takes the place of a blank, also inside a name."""
    one = sample("word " * 14 + "Anna Sorel sang", Name(14, 16, "PERSON"))
    wrapped = wrap(one)
    assert wrapped.text.replace("\n", " ") == one.text
    assert wrapped.text[wrapped.offsets()[wrapped.names[0].start][0] :].startswith("Anna")


def test_missing_data_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without RAGCLI_DATA the program says what to set and ends with 2."""
    monkeypatch.delenv("RAGCLI_DATA", raising=False)
    assert line.main() == 2
    assert "RAGCLI_DATA is not set" in capsys.readouterr().err
