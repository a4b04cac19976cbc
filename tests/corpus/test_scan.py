"""The scan: ids, ignore files, links, odd names and things that are no files."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from ragcli.corpus.scan import OUTER_LINK, Scan, part_of, scan
from ragcli.corpus.scan_limit import limit_to
from ragcli.errors import InputError


def write(path: Path, content: str = "text") -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return path


def ids(found: Scan) -> list[str]:
    """Return the ids of the sources."""
    return [source.id for source in found.sources]


def reasons(found: Scan) -> dict[str, str]:
    """Return the reasons for what was skipped, by id."""
    return {skip.id: skip.reason for skip in found.skipped}


def test_ids_are_relative_and_sorted(tmp_path: Path) -> None:
    """Ids are POSIX paths below the folder, in order; size and time are the file's."""
    for name in ("b.md", "a/z.txt", "a.txt", "a/b/c.md", "Z.md"):
        write(tmp_path / name, name)
    found = scan([tmp_path])
    assert ids(found) == ["Z.md", "a.txt", "a/b/c.md", "a/z.txt", "b.md"]
    assert found.roots == (str(tmp_path),)
    source = found.sources[3]
    info = Path(source.path).stat()
    assert (source.size, source.mtime_ns) == (len("a/z.txt"), info.st_mtime_ns)


def test_result_hangs_not_on_where_the_folder_lies(tmp_path: Path) -> None:
    """What stands above the root, ignore files included, has no say."""
    write(tmp_path / ".gitignore", "*")
    for place in ("one", "two/.hidden"):
        write(tmp_path / place / "sub" / "a.md")
    assert ids(scan([tmp_path / "one"])) == ids(scan([tmp_path / "two/.hidden"])) == ["sub/a.md"]


def test_a_file_is_named_by_its_name(tmp_path: Path) -> None:
    """A path that is a file has its file name as id."""
    assert ids(scan([write(tmp_path / "deep" / "a.md")])) == ["a.md"]


def test_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roots become absolute, so that a later scan from another folder finds them."""
    write(tmp_path / "docs" / "a.md")
    monkeypatch.chdir(tmp_path / "docs")
    found = scan(["."])
    assert (ids(found), found.roots) == (["a.md"], (str(tmp_path / "docs"),))


def test_further_roots_are_prefixed(tmp_path: Path) -> None:
    """The first root's ids are bare, those of further folders carry its name."""
    write(tmp_path / "one" / "a.md")
    write(tmp_path / "two" / "a.md")
    single = write(tmp_path / "b.md")
    assert ids(scan([tmp_path / "one", tmp_path / "two", single])) == ["a.md", "b.md", "two/a.md"]


def test_two_files_with_one_id(tmp_path: Path) -> None:
    """Two files that would share an id are an error that names both."""
    paths = [write(tmp_path / name / "a.md") for name in ("one", "two")]
    with pytest.raises(InputError) as caught:
        scan(paths)
    assert str(paths[0]) in caught.value.message
    assert str(paths[1]) in caught.value.message


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes exist on Linux only")
def test_names_that_are_shown_alike(tmp_path: Path) -> None:
    """A folder that somebody sends cannot end the run by two such names; one file is read."""
    write(tmp_path / "caf\\xe9.txt")
    write(tmp_path / os.fsdecode(b"caf\xe9.txt"))
    write(tmp_path / "other.txt")
    found = scan([tmp_path])
    assert ids(found) == ["caf\\xe9.txt", "other.txt"]
    assert "shown in the same way" in reasons(found)["caf\\xe9.txt"]
    Path(found.sources[0].path).unlink()
    again = scan([tmp_path])
    assert ids(again) == ids(found) and not again.skipped


def test_roots_that_overlap(tmp_path: Path) -> None:
    """A folder named besides the one that holds it is read once."""
    write(tmp_path / "in" / "a.md")
    found = scan([tmp_path, tmp_path / "in", tmp_path / "in" / "a.md"])
    assert ids(found) == ["in/a.md"]
    assert reasons(found) == {"in": "the same folder as in", "a.md": "the same file as in/a.md"}


def test_missing_path(tmp_path: Path) -> None:
    """A path that is not there is an error with a hint."""
    with pytest.raises(InputError, match="No such file") as caught:
        scan([tmp_path / "nowhere"])
    assert caught.value.hint


def test_hidden_and_stores_are_left_out(tmp_path: Path) -> None:
    """Hidden names and stores, under any name, are not entered; named paths are."""
    write(tmp_path / ".hidden" / "a.md")
    write(tmp_path / ".b.md")
    write(tmp_path / ".ragcli" / "store.sqlite")
    for name in ("store.sqlite", "lock", "c.md"):
        write(tmp_path / "mystore" / name)
    assert reasons(scan([tmp_path])) == {"mystore": "a ragcli store"}
    assert ids(scan([tmp_path])) == []
    assert ids(scan([tmp_path / ".hidden", tmp_path / ".b.md"])) == [".b.md", "a.md"]
    assert ids(scan([tmp_path / ".ragcli"])) == []


def test_ignore_files(tmp_path: Path) -> None:
    """Anchors, folders, negation and nested files mean what they mean to git."""
    write(tmp_path / ".gitignore", "*.log\n!keep.log\n/top.md\nbuild/\n/data/*\n!/data/in/\n# no\n")
    write(tmp_path / "sub" / ".gitignore", "!extra.log\n/local.md\n")
    for name in ("x.log", "keep.log", "top.md", "sub/top.md", "build/a.md", "sub/build/keep.log"):
        write(tmp_path / name)
    for name in ("data/a.md", "data/in/b.md", "sub/extra.log", "sub/local.md", "sub/x/local.md"):
        write(tmp_path / name)
    expected = ["data/in/b.md", "keep.log", "sub/extra.log", "sub/top.md", "sub/x/local.md"]
    assert ids(scan([tmp_path])) == expected


def test_a_folder_that_is_kept_decides_nothing_about_its_files(tmp_path: Path) -> None:
    """ "Nothing but Markdown": "!*/" opens the folders, and their other files stay ignored."""
    write(tmp_path / ".gitignore", "*\n!*/\n!*.md\n")
    for name in ("a.md", "a.env", "conf/secret.env", "conf/b.md"):
        write(tmp_path / name)
    assert ids(scan([tmp_path])) == ["a.md", "conf/b.md"]
    assert ids(scan([tmp_path], exclude=["*", "!*/", "!b.md"])) == ["conf/b.md"]
    assert ids(scan([tmp_path], include=["conf/", "!b.md"])) == []


def test_own_ignore_file_overrules_gits(tmp_path: Path) -> None:
    """``.ragcliignore`` can bring back what ``.gitignore`` leaves out, and the reverse."""
    write(tmp_path / ".gitignore", "*.log\n")
    write(tmp_path / ".ragcliignore", "!a.log\nb.md\n")
    for name in ("a.log", "b.log", "b.md"):
        write(tmp_path / name)
    assert ids(scan([tmp_path])) == ["a.log"]


def test_named_paths_are_never_ignored(tmp_path: Path) -> None:
    """A file or folder that the user names is taken, whatever stands in ignore files."""
    write(tmp_path / ".gitignore", "*\n")
    write(tmp_path / "out" / "a.md")
    assert ids(scan([tmp_path / "out"], exclude=["*.txt"])) == ["a.md"]
    assert ids(scan([tmp_path / "out" / "a.md"], exclude=["*.md"])) == ["a.md"]


def test_odd_ignore_files(tmp_path: Path) -> None:
    """A bad pattern, a mark, a folder or a pipe in place of an ignore file does no harm."""
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*.log\r\n!\n\\\n")
    (tmp_path / "sub" / ".gitignore").mkdir(parents=True)
    os.mkfifo(tmp_path / "sub" / ".ragcliignore")
    for name in ("a.log", "a.md", "sub/b.md"):
        write(tmp_path / name)
    assert ids(scan([tmp_path])) == ["a.md", "sub/b.md"]


def test_include_and_exclude(tmp_path: Path) -> None:
    """Patterns match the path below the root; excluded folders are not entered."""
    for name in ("a.md", "b.txt", "drafts/c.md", "sub/d.md"):
        write(tmp_path / name)
    assert ids(scan([tmp_path], include=["*.md"])) == ["a.md", "drafts/c.md", "sub/d.md"]
    assert ids(scan([tmp_path], exclude=["drafts/"])) == ["a.md", "b.txt", "sub/d.md"]
    assert ids(scan([tmp_path], include=["*.md"], exclude=["/sub"])) == ["a.md", "drafts/c.md"]
    with pytest.raises(InputError, match="pattern"):
        scan([tmp_path], include=["!"])


def test_links_are_followed_once(tmp_path: Path) -> None:
    """A real file is listed once, under the name that is no link; loops end; none leads outside."""
    write(tmp_path / "docs" / "z.md")
    outside = write(tmp_path / "outside" / "o.md").parent
    docs = tmp_path / "docs"
    (docs / "a.md").symlink_to("z.md")
    (docs / "loop").symlink_to(".")
    (docs / "up").symlink_to("..")
    (docs / "self").symlink_to("self")
    (docs / "gone.md").symlink_to("nothing.md")
    (docs / "out1").symlink_to(outside)
    (docs / "out2").symlink_to(outside)
    (outside / "back").symlink_to(docs)
    (docs / "sub").symlink_to(outside / "o.md")
    found = scan([docs])
    assert ids(found) == ["z.md"]
    assert {name: reason.split(":")[0] for name, reason in reasons(found).items()} == {
        "a.md": "the same file as z.md",
        "loop": "the same folder as .",
        "up": OUTER_LINK,
        "self": "a broken link",
        "gone.md": "a broken link",
        "out1": OUTER_LINK,
        "out2": OUTER_LINK,
        "sub": OUTER_LINK,
    }
    asked = scan([docs, docs / "out1"])
    assert ids(asked) == ["out1/o.md", "z.md"]
    assert reasons(asked)["out2"] == "the same folder as out1"
    assert reasons(asked)["out1/back"] == "the same folder as ."


def test_links_and_ignore_files(tmp_path: Path) -> None:
    """An ignored link is not followed; a linked folder is ignored as a folder."""
    target = write(tmp_path / "docs" / ".hidden" / "a.md").parent
    write(tmp_path / "docs" / ".gitignore", "no*\nfolder/\n")
    for name in ("no", "folder", "yes"):
        (tmp_path / "docs" / name).symlink_to(target)
    (tmp_path / "docs" / "no.md").symlink_to(target / "a.md")
    assert ids(scan([tmp_path / "docs"])) == ["yes/a.md"]


def test_named_link(tmp_path: Path) -> None:
    """A link that the user names keeps its own name."""
    target = write(tmp_path / "target.txt")
    (tmp_path / "name.md").symlink_to(target)
    assert ids(scan([tmp_path / "name.md"])) == ["name.md"]


def test_what_is_no_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes, sockets and devices are skipped with the reason, in a folder and when named."""
    os.mkfifo(tmp_path / "pipe.txt")
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock.md")
        assert reasons(scan([tmp_path])) == {"pipe.txt": "a named pipe", "sock.md": "a socket"}
    assert reasons(scan([tmp_path / "pipe.txt"])) == {"pipe.txt": "a named pipe"}
    assert reasons(scan(["/dev/null"])) == {"null": "a device"}


def test_names_of_every_kind(tmp_path: Path) -> None:
    """Spaces, newlines, emoji and bytes that are not UTF-8 give ids for a line of UTF-8."""
    names = [
        b"a b.md",
        b"a\nb.md",
        "📚.md".encode(),
        b"caf\xe9.md",
        b"\xe9/d.md",
        b"back\\slash.md",
        b"red\x1b[31m.md",
        "line\u2028.md".encode(),
    ]
    (tmp_path / os.fsdecode(b"\xe9")).mkdir()
    for name in names:
        write(tmp_path / os.fsdecode(name))
    found = scan([tmp_path])
    expected = {"a b.md", "a\\nb.md", "📚.md", "caf\\xe9.md", "\\xe9/d.md", "back\\slash.md"}
    expected |= {"red\\x1b[31m.md", "line\\u2028.md"}
    assert set(ids(found)) == expected
    assert all(source.id.encode() and Path(source.path).read_text() for source in found.sources)


def test_ignore_pattern_that_is_not_utf8(tmp_path: Path) -> None:
    """Bytes in an ignore file match the same bytes in a name."""
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9*\n")
    write(tmp_path / os.fsdecode(b"caf\xe9.md"))
    write(tmp_path / "a.md")
    assert ids(scan([tmp_path])) == ["a.md"]


def test_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be listed is skipped with the system's reason."""
    write(tmp_path / "shut" / "a.md")
    write(tmp_path / "b.md")
    listed = os.listdir

    def refuse(folder: str) -> list[str]:
        if Path(folder).name == "shut":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(os, "listdir", refuse)
    found = scan([tmp_path])
    assert ids(found) == ["b.md"]
    assert reasons(found) == {"shut": "the folder cannot be read: Permission denied"}


def test_file_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is gone between listing and looking is skipped."""
    write(tmp_path / "a.md")
    monkeypatch.setattr(os, "listdir", lambda _: ["a.md", "gone.md"])
    found = scan([tmp_path])
    assert ids(found) == ["a.md"]
    assert reasons(found) == {"gone.md": "cannot be read: No such file or directory"}


def test_order_of_listing_has_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may list a folder in any order."""
    for name in ("b/a.md", "a/b.md", "c.md"):
        write(tmp_path / name)
    (tmp_path / "l1").symlink_to(write(tmp_path.parent / f"{tmp_path.name}-out" / "x.md").parent)
    (tmp_path / "l2").symlink_to(tmp_path.parent / f"{tmp_path.name}-out")
    straight = scan([tmp_path])
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: listed(folder)[::-1])
    assert scan([tmp_path]) == straight


def tree(top: Path) -> None:
    """Folders with rules at several depths, and names that are beginnings of each other."""
    for name in ("a.md", "sub/b.md", "sub/deep/c.md", "sub/deep/d.log", "sub2/e.md", "x/y/f.md"):
        write(top / name)
    write(top / ".gitignore", "*.log\nx/y/g.md\n")
    write(top / "sub" / ".gitignore", "!*.log\n/b.md\n")
    write(top / "x" / "y" / "g.md")


LIMITS = ("", "a.md", "sub", "sub/deep", "sub/deep/d.log", "sub/b.md", "x", "x/y", "gone", "s")


@pytest.mark.parametrize("at", LIMITS)
@pytest.mark.parametrize("link", ["", "sub/deep/link.md", "a-link", "x/y/up"])
def test_a_limited_scan_is_that_part_of_the_whole(tmp_path: Path, at: str, link: str) -> None:
    """Ignore files from above hold, links do what they do in the whole, roots may overlap."""
    top, other = tmp_path / "top", tmp_path / "other"
    tree(top)
    tree(other)
    if link:
        (top / link).symlink_to({"a-link": other, "x/y/up": top}.get(link, other / "a.md"))
    for roots in ([top], [other, top], [top, top / "sub"], [top / "sub", top]):
        limit = limit_to([top / at], [str(root) for root in roots])
        whole, part = scan(roots), scan(roots, limit=limit)
        assert part.sources == part_of(whole, limit).sources
        if not link:
            assert {s.id for s in part.skipped} <= {s.id for s in whole.skipped}


def test_a_limited_scan_opens_only_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a store of many folders only those on the way to the path and below it."""
    tree(tmp_path / "top")
    opened: list[str] = []
    listed = os.listdir

    def watched(folder: str) -> Any:
        opened.append(folder)
        return listed(folder)

    monkeypatch.setattr(os, "listdir", watched)
    top = tmp_path / "top"
    found = scan([top], limit=limit_to([top / "sub" / "deep"], [str(top)]))
    assert ids(found) == ["sub/deep/c.md", "sub/deep/d.log"]
    assert opened == [str(top), str(top / "sub"), str(top / "sub" / "deep")]


def test_limits_in_the_words_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dots, links to a root, and what has nothing to do with the store."""
    (tmp_path / "top" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "top")
    monkeypatch.chdir(tmp_path / "top")
    top = str(tmp_path / "top")
    assert limit_to(["../top/sub"], [top]).paths == (f"{top}/sub",)
    assert limit_to([tmp_path / "link" / "gone.md"], [top]).paths == (f"{top}/gone.md",)
    assert limit_to([tmp_path], [top]).covers(f"{top}/x")
    assert not limit_to(["su"], [top]).concerns(f"{top}/sub")
    with pytest.raises(InputError, match="not part of this store") as caught:
        limit_to(["/elsewhere"], [top])
    assert top in caught.value.hint
