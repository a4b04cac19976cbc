"""Documents written in XML are read as pages: titles, lists, tables, shortcuts, entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.corpus.read import read
from ragcli.corpus.read.document_xml import is_document
from ragcli.types import ParsedDocument, Source

DOCBOOK = """<?xml version="1.0"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [
  <!ENTITY app "Purser">
  <!ENTITY chapter2 SYSTEM "two.xml">
]>
<book>
 <bookinfo><title>The Purser Guide</title>
  <author><firstname>Ida</firstname><surname>Holm</surname></author>
 </bookinfo>
 <chapter><title>Accounts</title>
  <indexterm><primary>ledgers</primary></indexterm>
  <para>&app; keeps a <emphasis>ledger</emphasis> for each
  account&mdash;and &purserd; writes it.<footnote><para>Once a day.</para></footnote></para>
  <itemizedlist><title>Kinds</title>
   <listitem><para>Assets</para></listitem>
   <listitem><para>Debts</para></listitem>
  </itemizedlist>
  <variablelist>
   <varlistentry><term>rate</term><listitem><para>Per cent a year.</para></listitem></varlistentry>
  </variablelist>
  <para>Press <keycombo><keycap>Ctrl</keycap> <keycap>N</keycap></keycombo>, or choose
  <menuchoice><guimenu>File</guimenu><guimenuitem>New</guimenuitem></menuchoice>.</para>
  <programlisting><![CDATA[if (a < b)
    swap(a, b);]]></programlisting>
  <section><title>Fees</title>
   <table><tgroup cols="2"><tbody>
    <row><entry>Card</entry><entry>12 crowns</entry></row>
   </tbody></tgroup></table>
  </section>
 </chapter>
</book>
"""


def parsed(folder: Path, name: str, content: str) -> ParsedDocument:
    """Read a file with this content."""
    path = folder / name
    path.write_text(content, encoding="utf-8")
    (found,) = read(Source(name, str(path), path.stat().st_size, 0))
    assert isinstance(found, ParsedDocument)
    return found


def test_docbook(tmp_path: Path) -> None:
    """Sections have their titles; elements inside sentences leave no trace."""
    found = parsed(tmp_path, "guide.xml", DOCBOOK)
    assert found.title == "The Purser Guide"
    names = [(level, name) for _, level, name in found.headings if name]
    assert names == [(1, "The Purser Guide"), (2, "Accounts"), (9, "rate"), (3, "Fees")]
    paragraphs = found.text.split("\n\n")
    assert "Ida Holm" in paragraphs
    assert (
        "Purser keeps a ledger for each account—and purserd writes it. (Once a day.)" in paragraphs
    )
    assert "- Assets" in paragraphs and "- Debts" in paragraphs and "Per cent a year." in paragraphs
    assert "Press Ctrl+N, or choose File > New." in paragraphs
    assert "if (a < b)\n    swap(a, b);" in paragraphs
    assert "Card | 12 crowns" in paragraphs
    assert "ledgers" not in found.text


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """Also below a document type that is left out and behind an entity that is replaced."""
    found = parsed(tmp_path, "guide.docbook", DOCBOOK)
    lines = DOCBOOK.splitlines()
    for words in ("Purser keeps", "Debts", "Card | 12", "if (a < b)"):
        at = found.text.index(words)
        line = sum(start <= at for start in found.line_starts)
        assert words.split()[-1].strip("<|") in lines[line - 1]


MALLARD = """<page xmlns="http://projectmallard.org/1.0/" type="topic" id="trash">
<info><credit type="author"><name>Ida Holm</name><email>i@x.org</email></credit>
<desc>Throw things away.</desc></info>
<title>Trash</title>
<p>Choose <guiseq><gui>Edit</gui> <gui>Empty</gui></guiseq> or press
<keyseq><key>Alt</key><key>E</key></keyseq>.</p>
<steps><title>To empty it:</title><item><p>Open it.</p></item></steps>
<terms><item><title>Bin</title><p>Another word for it.</p></item></terms>
<section id="more"><title>More</title><p>Nothing.</p></section>
</page>
"""


def test_mallard(tmp_path: Path) -> None:
    """A page of GNOME's help, which has no XML declaration."""
    found = parsed(tmp_path, "trash.page", MALLARD)
    assert found.title == "Trash" and "i@x.org" not in found.text
    names = [(level, name) for _, level, name in found.headings if name]
    assert names == [(1, "Trash"), (9, "Bin"), (2, "More")]
    paragraphs = found.text.split("\n\n")
    assert "Choose Edit > Empty or press Alt+E." in paragraphs
    assert "To empty it:" in paragraphs and "- Open it." in paragraphs


@pytest.mark.parametrize(
    ("content", "title", "words"),
    [
        (
            "<task id='t'><title>Oil it</title><taskbody><steps><step><cmd>Stop the mill.</cmd>"
            "</step></steps></taskbody></task>",
            "Oil it",
            "- Stop the mill.",
        ),
        (
            "<article><front><article-meta><title-group><article-title>On Mills</article-title>"
            "</title-group></article-meta></front><body><sec><title>Oil</title>"
            "<p>It <italic>runs</italic>.</p></sec></body></article>",
            "On Mills",
            "It runs.",
        ),
        (
            "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt>"
            "<title>The Mill</title></titleStmt></fileDesc></teiHeader><text><body><div>"
            "<head>I</head><p>It <hi>turned</hi>.</p></div></body></text></TEI>",
            "The Mill",
            "It turned.",
        ),
    ],
    ids=["DITA", "JATS", "TEI"],
)
def test_other_vocabularies(tmp_path: Path, content: str, title: str, words: str) -> None:
    """They are told by their roots and by what stands inside."""
    found = parsed(tmp_path, "a.xml", content)
    assert found.title == title and words in found.text.split("\n\n")


@pytest.mark.parametrize(
    "data",
    [
        "<book id='7'><title>Emma</title><price>3</price></book>",
        "<reference><part>12</part></reference>",
        "<rss><channel><title>News</title></channel></rss>",
        "<feed><entry><title>News</title></entry></feed>",
        "no XML at all <para>",
        "",
    ],
)
def test_data_is_no_document(data: str) -> None:
    """The same names without running text below them."""
    assert not is_document(data)


def test_hostile_documents_end(tmp_path: Path) -> None:
    """Deep nesting, end tags of nothing, a head of comments, entities of entities."""
    deep = "<article><para>" + "<b>" * 50_000 + "words" + "</i>" * 50_000
    assert "words" in parsed(tmp_path, "deep.xml", deep).text
    assert not is_document("<!---->" * 2_000 + "<!")
    nested = (
        "<!DOCTYPE article [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'><!ENTITY c '&b;&b;'>]>"
        "<article><para>&a; &c;</para></article>"
    )
    assert parsed(tmp_path, "nested.xml", nested).text == "aaaa c"
