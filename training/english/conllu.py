"""CoNLL-U files (universaldependencies.org/format.html), the parts that training needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_KEPT_FEATS = ("Degree", "Number", "Tense", "VerbForm")


@dataclass(frozen=True, slots=True)
class Row:
    """One word: its form, tags, reduced features, MISC column, and the blank after it."""

    form: str
    upos: str
    xpos: str
    feats: str
    misc: dict[str, str]
    space: bool


@dataclass(slots=True)
class Sentence:
    """One sentence; ``paragraph`` is true where it opens a paragraph or a document."""

    doc: str = ""
    sent_id: str = ""
    paragraph: bool = False
    rows: list[Row] = field(default_factory=list)


def read_conllu(path: Path) -> Iterator[Sentence]:
    """The sentences of a file, in order."""
    doc, paragraph = "", False
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = block.strip().split("\n")
        if lines == [""]:
            continue
        sentence = Sentence(rows=_rows([line for line in lines if not line.startswith("#")]))
        for line in lines:
            value = line.partition("=")[2].strip()
            if line.startswith("# newdoc"):
                doc, paragraph = value, True
            elif line.startswith("# newpar"):
                paragraph = True
            elif line.startswith("# sent_id"):
                sentence.sent_id = value
        sentence.doc, sentence.paragraph, paragraph = doc, paragraph, False
        yield sentence


def _rows(lines: list[str]) -> list[Row]:
    """The words of a sentence; contractions give their blanks, empty nodes are left out."""
    rows = []
    gap_until = 0
    no_space_at: int | None = None
    for line in lines:
        cells = line.split("\t")
        if "-" in cells[0]:
            gap_until = int(cells[0].partition("-")[2])
            no_space_at = gap_until if "SpaceAfter=No" in cells[9] else None
        elif "." not in cells[0]:
            rows.append(_row(cells, gap_until, no_space_at))
    return rows


def _row(cells: list[str], gap_until: int, no_space_at: int | None) -> Row:
    """One line's cells as a row; words inside a contraction have no blank between them."""
    misc = dict(part.partition("=")[::2] for part in cells[9].split("|")) if cells[9] != "_" else {}
    number = int(cells[0])
    space = misc.get("SpaceAfter") != "No"
    if number < gap_until or number == no_space_at:
        space = False
    return Row(cells[1], cells[3], cells[4], reduced_feats(cells[5]), misc, space)


def reduced_feats(feats: str) -> str:
    """Only the features that the rule lemmatizer asks for, in the order of the alphabet.

    >>> reduced_feats("Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin")
    'Number=Plur|Tense=Past|VerbForm=Fin'
    """
    parts = [part for part in feats.split("|") if part.partition("=")[0] in _KEPT_FEATS]
    return "|".join(sorted(parts))
