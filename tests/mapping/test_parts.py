"""The parts of the map of a folder, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import ragcli
from ragcli.asking.folder_notes import FILE
from ragcli.asking.layout import laid_out
from ragcli.types import Reply, WholeMap


def mapped(folder: Path, files: dict[str, str], name: str = "") -> tuple[Reply, WholeMap]:
    """The map of files in a folder, and the reply that holds it."""
    for path, text in files.items():
        file = folder / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    ragcli.index(folder / "docs", folder / "store")
    with ragcli.Store.open(folder / "store") as opened:
        reply = opened.map(name)
    (found,) = reply.maps
    return reply, found


def said(reply: Reply, n: int) -> str:
    return next((one.quote for one in reply.citations if one.n == n), "")


def test_what_leads_a_project_and_what_each_has_are_no_parts(tmp_path: Path) -> None:
    """The folder that holds nearly all is shown by what stands in it."""
    files = {
        "README.md": "# Boats\n\nThe boats of Skive are built of oak.\n",
        "LICENSE.md": "# Licence\n\nAnybody may copy these pages as they like.\n",
        "docs/oak/one.md": "# Oak\n\nThe oak is felled in winter.\n",
        "docs/oak/two.md": "# Bark\n\nThe bark is sold to tanners.\n",
        "docs/sail/one.md": "# Sail\n\nThe sail is sewn of hemp.\n",
    }
    reply, found = mapped(tmp_path, files)
    assert said(reply, found.n) == "The boats of Skive are built of oak."
    assert [(part.name, part.documents) for part in found.parts] == [
        ("docs/oak/", 2),
        ("docs/sail/", 1),
    ]
    assert (found.documents, found.more) == (5, 2)


def test_minutes_are_shown_by_years(tmp_path: Path) -> None:
    """If nearly all have a year and there are too many to show each."""
    files = {
        f"minutes/{year}-{month:02}-01.md": f"# Board\n\nIn month {month} the board met in Skive.\n"
        for year in (2019, 2020, 2021)
        for month in range(1, 6)
    }
    _, found = mapped(tmp_path, files, "minutes")
    years = [(part.name, part.documents) for part in found.parts]
    assert years == [("minutes/ 2019", 5), ("minutes/ 2020", 5), ("minutes/ 2021", 5)]


def test_a_folder_of_data_is_what_its_readme_says_of_itself(tmp_path: Path) -> None:
    """A sentence that names a title, in capitals and without a stop; no names of its cells."""
    told = "This folder contains the data of [How Boats Are Built in Skive](https://a.org/b)"
    rows = "".join(f"Ann Lee,{n},Skive\n" for n in range(9))
    files = {
        "oak/README.md": f"# Oak\n\n{told}\n\nHeader | Definition\n---|---\n`name` | Who\n",
        "oak/boats.csv": f"name,boats,place\n{rows}",
        "hemp/README.md": "# Hemp\n\nThis directory holds the prices of hemp since 1900.\n",
        "hemp/prices.csv": "year,price\n1900,3\n1901,4\n",
    }
    reply, found = mapped(tmp_path, files)
    sentences = {part.name: said(reply, part.n) for part in found.parts}
    assert sentences == {
        "oak/": told,
        "hemp/": "This directory holds the prices of hemp since 1900.",
    }
    assert "Ann Lee" not in found.parts[1].terms


def test_what_the_user_says_of_folders_is_shown(tmp_path: Path) -> None:
    """Of all documents, and of each part; an empty description is none."""
    files = {
        "oak/one.md": "# Oak\n\nThe oak is felled in winter.\n",
        "oak/two.md": "# Bark\n\nThe bark is sold to tanners.\n",
        "sail/one.md": "# Sail\n\nThe sail is sewn of hemp.\n",
    }
    for folder, about in (("", "All about boats."), ("oak", "The wood of boats."), ("sail", " ")):
        file = tmp_path / "docs" / folder / FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(about, encoding="utf-8")
    reply, found = mapped(tmp_path, files)
    assert found.about == "All about boats."
    assert [part.about for part in found.parts] == ["The wood of boats.", ""]
    shown = ["".join(piece.text for piece in row.pieces) for row in laid_out(reply)]
    assert "described: The wood of boats." in shown


def test_headings_that_documents_share_are_no_terms(tmp_path: Path) -> None:
    """They are parts of a form."""
    text = "# {0}\n\n## Key Points\n\n{0} are sewn. {0} are sold. Key Points. Key Points.\n"
    files = {f"{name}.md": text.format(name) for name in ("Sails", "Ropes", "Nets")}
    _, found = mapped(tmp_path, files)
    named = {*found.people, *found.terms, *(term for part in found.parts for term in part.terms)}
    assert "Key Points" not in named


def test_the_title_of_a_leading_file_means_its_folder(tmp_path: Path) -> None:
    """And a month in words the file that has it in figures."""
    files = {
        "README.md": "# Handbook of Skive\n\nThis handbook tells how boats are built.\n",
        "minutes/2021-02-board.md": "# Board meeting\n\nThe board met in the hall.\n",
        "minutes/2021-03-board.md": "# Board\n\nThe board met in the harbour.\n",
    }
    _, found = mapped(tmp_path, files, "the handbook")
    assert (found.kind, found.documents) == ("store", 3)
    with ragcli.Store.open(tmp_path / "store") as opened:
        (month,) = opened.ask("Summarise the board meeting of February 2021").reply.maps
        (alone,) = opened.map("README.md").maps
    assert month.of == "minutes/2021-02-board.md"
    assert (alone.kind, alone.title) == ("document", "Handbook of Skive")


def test_a_section_of_a_list_has_its_first_item(tmp_path: Path) -> None:
    """A section of nothing else has its place only."""
    text = (
        "# Rules\n\nThe rules of Skive are few.\n\n## Fine\n\n- sing at work\n- whistle\n\n"
        "## Sums\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    reply, found = mapped(
        tmp_path, {"rules.md": text, "other.md": "# Other\n\nNothing is here.\n"}, "rules.md"
    )
    assert [said(reply, part.n) for part in found.parts] == ["- sing at work", "## Sums"]
    shown = ["".join(piece.text for piece in row.pieces) for row in laid_out(reply)]
    assert "sing at work  [2] " in shown and "## Sums" not in " ".join(shown)
