"""Readers of installed packages: the one of docs/how-to/readers.md, and such that break rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ragcli
from ragcli.corpus.read import is_plain, read, registry
from ragcli.corpus.read_pool import ReadPool
from ragcli.errors import ReadError
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot
from ragcli.types import ParsedDocument, Skipped, Source

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "readers.md"
GEMINI, PROJECT = re.findall(r"```(?:python|toml)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
SUFFIX, FUNCTION = re.findall(r'^(\w+) = "([\w:]+)"$', PROJECT, re.MULTILINE)[-1]
TEXT = "# Harbour\r\n\r\nThe ferry Aurora calls at Port Vale.\n=> gemini://vale The tide table\n"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a module, and what an installer writes about its package, into a folder of packages."""

    def put(
        code: str = GEMINI, version: str = "1.0", suffix: str = SUFFIX, name: str = "gemini-reader"
    ) -> Path:
        site = tmp_path / "site"
        module, function = FUNCTION.split(":")
        about = site / f"{name.replace('-', '_')}-1.dist-info"
        about.mkdir(parents=True, exist_ok=True)
        about.joinpath("METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        entry = f"[ragcli.readers]\n{suffix} = {module}_{len(code)}:{function}\n"
        about.joinpath("entry_points.txt").write_text(entry)
        site.joinpath(f"{module}_{len(code)}.py").write_text(code)
        monkeypatch.syspath_prepend(site)
        registry.added.cache_clear()
        return site

    yield put
    monkeypatch.undo()
    registry.added.cache_clear()


def source(folder: Path, name: str, content: str = TEXT) -> Source:
    path = folder / name
    path.write_bytes(content.encode())
    return Source(name, str(path), len(content), 0)


def test_the_reader_of_the_page(install: Install, tmp_path: Path) -> None:
    """Offsets, lines and headings are those that it gives, here and in a process of its own."""
    install()
    page = source(tmp_path, f"a.{SUFFIX.upper()}")
    (found,) = read(page)
    assert isinstance(found, ParsedDocument)
    assert found.text == "Harbour\n\nThe ferry Aurora calls at Port Vale.\nThe tide table\n"
    assert (found.title, found.headings) == ("Harbour", ((0, 1, "Harbour"),))
    assert found.line_starts == (0, 8, 9, 46, 61) and not is_plain(page)
    with ReadPool() as pool:
        ((_, documents),) = pool.each([page])
        assert list(documents) == [found]
    assert [each.reason for each in read(source(tmp_path, f"b.{SUFFIX}", ""))] == ["empty file"]  # type: ignore[union-attr]


def test_it_says_why_not(install: Install, tmp_path: Path) -> None:
    install()
    bad = source(tmp_path, f"a.{SUFFIX}")
    Path(bad.path).write_bytes(b"\xff\xfe# A")
    assert list(read(bad)) == [Skipped(bad.id, "not in UTF-8")]


RULES = {
    "FileText('a\\r\\nb')": "a text that is not normalised",
    "FileText('e\\u0301')": "a text that is not normalised",
    "FileText('a', headings=((2, 1, 'b'),))": "a place outside of the text",
    "FileText('a', protected=((1, 0),))": "a place outside of the text",
    "FileText('ab', line_starts=(0, 2, 1))": "places out of order",
    "FileText('a', blocks=(Block('list', 0, 1, (Block('item', 0, 3),)),))": "a place outside",
    "'text'": "has no attribute",
    "1 / 0": "ZeroDivisionError",
}


@pytest.mark.parametrize("made", RULES)
def test_one_that_breaks_a_rule(install: Install, tmp_path: Path, made: str) -> None:
    """It is a failure of the file, which says what is wrong."""
    install(f"from ragcli import Block, FileText\ndef read(content, path): return {made}\n")
    with pytest.raises(ReadError, match=re.escape(RULES[made])):
        list(read(source(tmp_path, f"a.{SUFFIX}")))


def test_the_rest_of_the_rules(install: Install, tmp_path: Path) -> None:
    """Pages are kept, a title is a line, and a package comes before a built-in reader."""
    code = "from ragcli import FileText\ndef read(*_): return FileText('a\\n\\n\\fb', 'x\\n y')\n"
    install(code, suffix="txt")
    (found,) = read(source(tmp_path, "a.txt"))
    assert isinstance(found, ParsedDocument)
    assert (found.text, found.title, found.line_starts) == ("a\n\n\fb", "x y", (0, 2, 3))


def test_of_two_packages_the_first_by_name(install: Install) -> None:
    install(name="beta")
    install(GEMINI + "\n", name="alpha")
    assert registry.added()[f".{SUFFIX}"].identity.startswith("alpha 1.0 ")


def test_the_current_folder_is_not_trusted(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a folder of documents, and ``python -m ragcli`` looks there for packages."""
    site = install()
    assert registry.identities()
    monkeypatch.chdir(site)
    monkeypatch.syspath_prepend("")
    registry.added.cache_clear()
    assert not registry.added()


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_an_update_ends_where_a_fresh_index_would(install: Install, tmp_path: Path) -> None:
    """After a reader has come, has another version, and is gone; in archives, too."""
    docs = tmp_path / "docs"
    docs.mkdir()
    source(docs, f"page.{SUFFIX}")
    docs.joinpath("mail.eml").write_text(
        "From: a@b.org\nSubject: Pages\nContent-Type: application/octet-stream\n"
        f'Content-Disposition: attachment; filename="inner.{SUFFIX}"\n\n# Inner\nA pier.\n'
    )

    def digest_of(store: Path) -> str:
        with open_snapshot(store) as snapshot:
            return digest(snapshot)["all"]

    def updated() -> str:
        ragcli.update(tmp_path / "store")
        fresh = tmp_path / f"fresh{len(list(tmp_path.iterdir()))}"
        ragcli.index([docs], fresh)
        assert digest_of(tmp_path / "store") == digest_of(fresh)
        return digest_of(fresh)

    ragcli.index([docs], tmp_path / "store")
    without = updated()
    install()
    first = updated()
    assert ragcli.update(tmp_path / "store").changed == 0
    install(version="1.1")
    second = updated()
    site = tmp_path / "site"
    for about in site.glob("*.dist-info/*"):
        about.unlink()
    registry.added.cache_clear()
    assert updated() == without and len({without, first, second}) == 3
