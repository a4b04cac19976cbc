"""Headings of AsciiDoc and reStructuredText: titles, terms of lists, what directives describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.corpus.read import read
from ragcli.corpus.read.asciidoc import headings_in
from ragcli.types import ParsedDocument, Source

PAGE = """glow(1)
=======

NAME
----
glow - light lamps

OPTIONS
-------
-a::
--all::
	All lamps.
+
More on it.

*-c* _NUM_, *--count*::

    How many. Possible values:
+
--
*few*::
    Up to three.
--
+
Still about the count.

Plain text again, with std::vector and key:: value.

----
not_a_term::
  code
----

== Settings

lamp.colour::
	See <<lamps,the lamps>>.
"""


def titled(text: str) -> list[tuple[int, int, str]]:
    """Headings by the numbers of their lines."""
    return [(text.count("\n", 0, at) + 1, level, name) for at, level, name in headings_in(text)]


def test_asciidoc() -> None:
    """Underlined titles, joined terms, a list inside a list, and where the text of a term ends."""
    assert titled(PAGE) == [
        (1, 1, "glow(1)"),
        (4, 2, "NAME"),
        (8, 2, "OPTIONS"),
        (10, 8, "-a, --all"),
        (16, 8, "-c NUM, --count"),
        (21, 9, "few"),
        (23, 9, ""),
        (27, 8, ""),
        (34, 2, "Settings"),
        (36, 8, "lamp.colour"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "::\n",
        "--\n",
        "----\n",
        "= \n=\n",
        ":toc: left\n:x:\n",
        "image::a.png[]\nifdef::x[]\n",
        "a\n-\n",
    ],
)
def test_odd_asciidoc(text: str) -> None:
    """Attributes, macros and marks without words are no headings."""
    assert headings_in(text) == ()


def test_what_directives_describe(tmp_path: Path) -> None:
    """Functions and options of reStructuredText are headings down to the end of their block.

    A name that a document makes for its markup is none.
    """
    text = """Lamps
=====

.. py:function:: light(lamp, colour=None)
   :noindex:

   Light it.

   .. option:: --slow

      Not at once.

   Returns nothing.

.. note:: Lamps are hot.

.. role:: strike

After it.
"""
    document = read_rst(text, tmp_path)
    at = {name or f"end {n}": level for n, (_, level, name) in enumerate(document.headings)}
    assert at == {
        "Lamps": 1,
        "light(lamp, colour=None)": 8,
        "--slow": 9,
        "end 3": 9,
        "end 4": 8,
    }
    assert document.text[document.headings[3][0] :].lstrip().startswith("Returns nothing")
    assert document.text[document.headings[4][0] :].startswith(".. note::")


def read_rst(text: str, folder: Path) -> ParsedDocument:
    """Read a text as a file of reStructuredText."""
    path = folder / "lamps.rst"
    path.write_text(text, encoding="utf-8")
    found = next(iter(read(Source("lamps.rst", str(path), len(text), 0, named=True))))
    assert isinstance(found, ParsedDocument)
    return found
