"""Reads documents written in XML: DocBook, Mallard, DITA, JATS, TEI.

Their elements are those of a page under other names, so each is written as the HTML element of the
same meaning, by the writer of the HTML reader. A title inside a section is its heading, one of a
list, table or figure a line. Entities that are declared elsewhere ("&kmymoney;") are their names.
"""

from __future__ import annotations

import html
import re
from html.entities import name2codepoint

from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.html import PageBody
from ragcli.corpus.read.html_tokens import HtmlToken, html_tokens
from ragcli.corpus.read.outline import Outline

_HEAD = 20_000
"""Characters in which a document shows its vocabulary."""

_DEEPEST = 400
"""Elements inside elements; those nested more deeply are taken for words inside a sentence."""

_DEEPEST_HEADING = 6
_LONGEST_ENTITY = 200

# Each alternative is atomic: otherwise a head of many comments would be divided in all ways.
_ROOT = re.compile(
    r"\A\ufeff?\s*"
    r"(?>(?><\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)\s*)*+"
    r"<([\w.:-]+)([^>]*)",
    re.DOTALL,
)
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[<>]*(?:\[(?P<inside>(?:(?!<!DOCTYPE).)*?)\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(r"""<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")
_REFERENCE = re.compile(r"&([A-Za-z_][\w.-]*);")
_WRITTEN = {*name2codepoint, "apos"}
"""Entities of HTML 4. Later ones mean something else in documents: "&eg;" is "eg" and no sign."""

_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)

_NAMESPACES = ("docbook.org/ns/docbook", "projectmallard.org/", "//DTD DocBook", "tei-c.org/ns")
# Roots of files without a namespace, and what they must contain to be no data.
_ROOTS = {
    **dict.fromkeys(
        "book article chapter appendix preface part section sect1 sect2 refentry glossary".split(),
        re.compile(r"<(?:para|simpara|sec|refnamediv)\b"),
    ),
    **dict.fromkeys(
        "topic concept task reference glossentry troubleshooting".split(),
        re.compile(r"<(?:body|conbody|taskbody|refbody|glossdef|troublebody)\b"),
    ),
    **dict.fromkeys(("tei", "tei.2"), re.compile(r"<(?:text|body)\b")),
}

_SECTIONS = frozenset(
    "book part chapter article appendix preface section sect1 sect2 sect3 sect4 sect5 simplesect "
    "refentry refsect1 refsect2 refsect3 refsection glossary glossdiv topic concept task reference "
    "page sec tei div div1 div2 div3 app bibliography".split()
)
_TITLES = frozenset(("title", "article-title", "head", "refentrytitle", "refname"))
_HIDDEN = frozenset(
    "indexterm remark comment imageobject videoobject textobject media graphic inlinegraphic "
    "imagedata revision revhistory keywordset keyword-group subjectset legalnotice email object-id "
    "journal-meta article-id history permissions counts abbrev-journal-title encodingdesc "
    "metadata refmeta related-links math mml:math tex-math contrib-id aff-alternatives".split()
)
_AS = {
    **dict.fromkeys(
        "para simpara formalpara p ab epigraph blockquote note warning tip "
        "caution important sidebar informalexample figure abstract desc shortdesc "
        "listing synopsis refsynopsisdiv refnamediv caption subtitle example formalgroup fig "
        "disp-quote boxed-text lg question answer qandaentry bibliomixed biblioentry info "
        "bookinfo articleinfo chapterinfo author editor credit contrib byline docauthor fn "
        "teiheader front context prereq result postreq stepresult cmd kwd-group ref".split(),
        "p",
    ),
    **dict.fromkeys(
        "itemizedlist orderedlist list ul ol steps steps-unordered procedure substeps simplelist "
        "tree calloutlist qandaset choices".split(),
        "ul",
    ),
    **dict.fromkeys("listitem item step substep member li list-item callout choice".split(), "li"),
    **dict.fromkeys("variablelist glosslist terms dl parml def-list".split(), "dl"),
    **dict.fromkeys("term glossterm dt pt".split(), "dt"),
    **dict.fromkeys("glossdef dd pd def".split(), "dd"),
    **dict.fromkeys("table informaltable simpletable properties choicetable".split(), "table"),
    **dict.fromkeys("row tr strow sthead property choption".split(), "tr"),
    **dict.fromkeys("entry td th stentry cell proptype propvalue propdesc".split(), "td"),
    **dict.fromkeys(
        "programlisting screen literallayout codeblock msgblock pre preformat address l".split(),
        "pre",
    ),
}
"""The HTML element of the same meaning; elements that are not named here are parts of sentences."""

_APART = frozenset(
    "personname firstname surname othername honorific given-names name pub-date year month day "
    "date label holder releaseinfo pubdate copyright orgname affiliation jobtitle "
    "corpauthor".split()
)
"""Elements with a space around them: they follow each other without a sentence."""

_JOINED = {
    "keycombo": "+",
    "keyseq": "+",
    "menuchoice": " > ",
    "guiseq": " > ",
    "menucascade": " > ",
}
"""What is written between the parts of such elements."""

_LEADS = {"refpurpose": " — ", "footnote": " ("}
_TRAILS = {"footnote": ")"}


def is_document(page: str) -> bool:
    """Whether an XML file is a document in one of the vocabularies, and not data."""
    head = page[:_HEAD]
    root = _ROOT.match(head)
    if root is None:
        return False
    if any(name in head[: root.end()] for name in _NAMESPACES):
        return True
    inside = _ROOTS.get(_local(root[1].lower()))
    return inside is not None and inside.search(page) is not None


def text_of(page: str) -> FileText:
    """The text of a document; ``page`` is the whole file."""
    writer = _XmlPageWriter()
    for token in html_tokens(_expanded(page)):
        writer.take(token)
    return writer.outline.file_text()


def _expanded(page: str) -> str:
    """The page without its document type, with the entities that it declares; lines stay."""
    entities: dict[str, str] = {}
    if doctype := _DOCTYPE.search(page[:_HEAD]):
        for name, double, single in _ENTITY.findall(doctype["inside"] or ""):
            value = double or single
            # Entities of entities could fill the memory, so they stay names.
            if len(value) <= _LONGEST_ENTITY and "&" not in value and "\n" not in value:
                entities.setdefault(name, value)
        page = page[: doctype.start()] + "\n" * doctype[0].count("\n") + page[doctype.end() :]

    def known(match: re.Match[str]) -> str:
        name = match[1]
        if name in entities:
            return entities[name]
        return match[0] if name in _WRITTEN else name

    page = _REFERENCE.sub(known, page)
    return _CDATA.sub(lambda match: html.escape(match[1], quote=False), page)


class _XmlPageWriter:
    """Takes the tokens of a document and writes them as HTML elements."""

    def __init__(self) -> None:
        self.outline = Outline()
        self._body = PageBody(self.outline)
        self._open: list[str] = []
        self._written: list[str] = []
        """The HTML element of each open one; "" for none."""
        self._sections = 0
        self._hidden = 0
        self._parts: list[int] = []
        """How many parts each open shortcut or menu path has so far."""

    def take(self, token: HtmlToken) -> None:
        """Take a tag or a text."""
        if token.kind == "text":
            self._text(token)
            return
        name = _local(token.value)
        if token.kind == "start" and len(self._open) < _DEEPEST:
            self._start(name)
        if token.kind == "end" or token.closed:
            self._end(name)

    def _text(self, token: HtmlToken) -> None:
        between = bool(self._open) and self._open[-1] in _JOINED and not token.value.strip()
        if not self._hidden and not between:
            self._body.text(token.value, token.line)

    def _start(self, name: str) -> None:
        parent = self._open[-1] if self._open else ""
        self._hidden += name in _HIDDEN
        tag = "" if self._hidden else self._tag(name, parent)
        self._sections += name in _SECTIONS
        self._open.append(name)
        self._written.append(tag)
        if self._hidden:
            return
        if parent in _JOINED:
            self.outline.write(_JOINED[parent] if self._parts[-1] else "")
            self._parts[-1] += 1
        if name in _JOINED:
            self._parts.append(0)
        if tag:
            self._body.start(tag)
        self.outline.write(_LEADS.get(name, " " if name in _APART else ""))

    def _end(self, name: str) -> None:
        """Close an element, and those inside it that are not closed."""
        while name in self._open:
            last, tag = self._open.pop(), self._written.pop()
            self._close(last, tag)
            if last == name:
                return

    def _close(self, name: str, tag: str) -> None:
        self._sections -= name in _SECTIONS
        if not self._hidden:
            self.outline.write(_TRAILS.get(name, " " if name in _APART else ""))
            if name in _JOINED:
                self._parts.pop()
            if tag:
                self._body.end(tag)
        self._hidden -= name in _HIDDEN

    def _tag(self, name: str, parent: str) -> str:
        """The HTML element for an element; "" for one inside a sentence."""
        if name in _SECTIONS:
            return "div"
        if name in _TITLES:
            return self._title_tag(parent)
        if name in ("item", "listitem") and parent in _TERM_LISTS:
            return "dd"
        if name == "code":
            return "pre" if parent in _BLOCKS else ""
        if parent in ("footnote", "fn"):
            return ""  # the paragraph of a note is inside a sentence
        return _AS.get(name, "")

    def _title_tag(self, parent: str) -> str:
        if parent == "item" and "terms" in self._open[-2:]:
            return "dt"
        if parent in _SECTIONS or parent in _AROUND_TITLES:
            return f"h{min(max(self._sections, 1), _DEEPEST_HEADING)}"
        return "p"


_TERM_LISTS = frozenset("varlistentry dlentry plentry glossentry terms".split())
_BLOCKS = frozenset("page section sec body item listing example note steps".split())
"""Elements in which code is a block of its own."""

_AROUND_TITLES = frozenset(
    "info bookinfo articleinfo chapterinfo sectioninfo sect1info refnamediv titlegroup title-group "
    "article-meta titlestmt filedesc".split()
)
"""Elements around the title of a section or document."""


def _local(name: str) -> str:
    """A name without the prefix of its namespace."""
    return name.rpartition(":")[2]
