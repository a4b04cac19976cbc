"""Splits text into sentences by rules. It is the only sentence splitter of ragcli.

Chunks, passages, summaries, co-occurrence and answers all use it, so a sentence means the same
everywhere. One compiled pattern finds every place where a sentence may end. Python code then
examines only those places, about one per sentence.

Two kinds of place end a sentence. A *break* is a matter of layout and always ends it: a blank
line, a heading, a list item, a table row, a fence, and every intended line end
(``line_ends.meant``). A *stop* is punctuation; ``_ends`` judges it by the words before and after.
"""

from __future__ import annotations

import re

from ragcli.text.line_ends import meant_ends
from ragcli.text.spans import Span

MAX_CHARS = 2000
"""The longest span: longer text without punctuation is cut at a line break or a space."""

# Text is not wrapped by hand at this width, so a line of this length is a paragraph by itself.
_PARAGRAPH_LINE = 200

_LONE_LINE = r"""
      [ ]{0,3}\#{1,6}[ \t][^\n]*         # Markdown heading
    | [=\-*_~]{3,}[ \t]*(?=\n|\Z)        # rule, or underline of a setext heading
    | [ ]{0,3}(?:```|~~~)[^\n]*          # code fence
    | [ \t]*\|[^\n]*                     # table row
"""
_ITEM = r"[ \t]*(?:\*\)|[-*+•‣◦▪]|\(?[0-9]{1,2}[.)]|\([a-z]\))[ \t]+\S"
# In the help of a program: "  -q, --quiet      say less".
_OPTION = r"[ \t]*--?[^\W\d_][^\n]{0,60}?[ ]{3,}\S"

_PLACES = rf"""
      (?P<stop>
          (?<![.!?…]) [.!?…‽؟।] [.!?…‽؟।"'”’»)\]}}*_`]{{0,40}}+
          (?: [ ][:;]-?[()DP](?=\s) )?
          (?: [ ]? \[ (?:                     # footnote marks: "was found.[12] [13]"
              [0-9a-z]{{1,4}} (?: [ ]?[,–-][ ]?[0-9]{{1,4}} )* | [a-z ]{{1,24}}needed
          ) \] )*
      ) (?=\s)
    | (?P<wide>
          [。！？｡]++ (?![」』”’）】]++[とっ、]) [」』”’）】]*+   # no space after a stop
        | (?<=[\u0370-\u03ff]{{2}}) [;\u037e] (?=\s+[«"]?[\u0370-\u03ff]|\s*\Z)  # a Greek question
      )
    | \n (?:
          [ \t]*(?=\n)
        | (?=(?P<line>{_LONE_LINE}))
        | (?={_ITEM})
        | (?={_OPTION})
        | (?=[^\n]{{{_PARAGRAPH_LINE}}})
        | (?<=[^\n]{{{_PARAGRAPH_LINE}}}\n)
      )
"""
_PLACE = re.compile(_PLACES, re.VERBOSE)
# The pattern for text with intended line ends: it also finds every line end.
_PLACE_OR_LINE = re.compile(rf"{_PLACES} | (?P<feed>\n)", re.VERBOSE)
_ALONE = re.compile(rf"{_LONE_LINE} | {_ITEM}", re.VERBOSE)
_FIRST_LINE = re.compile(_LONE_LINE, re.VERBOSE)
_NEXT = re.compile(r"""\s+(?P<open>["'“‘«(\[{*_`¿¡—–-]*)(?P<word>[^\W_]+(?:['’][^\W_]+)?)?""")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""[^\s"'“”‘’«»()\[\]{}*_—–]*\Z""")
_PIECE = re.compile(
    rf"""
      .{{1,{MAX_CHARS}}}\Z
    | .{{{MAX_CHARS // 4},{MAX_CHARS}}}(?=\n)
    | .{{1,{MAX_CHARS}}}(?=\s)
    | .{{1,{MAX_CHARS}}}(?![\u0300-\u036f\u200d\ufe0f])
    | .{{{MAX_CHARS}}}
    """,
    re.VERBOSE | re.DOTALL,
)
_LONE_FULL_STOP = re.compile(r"\.[^.!?…‽؟।]*\Z")
_INNER_STOPS = re.compile(r"(?:[A-Za-z]{1,3}\.)+[A-Za-z]{1,3}\Z")
_NUMBERING = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9A-Za-z]{1,3})*|[IVXLC]{1,7}|[A-Za-z])\Z")
_SPEECH = re.compile(
    r"""\s+(?:I|(?:(?:Mr|Mrs|Ms|Dr|Miss|Sir|Lady|Lord)\.?\s)?[A-Z][a-z]+)\s
    (?:said|asked|cried|replied|answered|exclaimed|shouted|whispered|murmured|muttered|added
    |called|continued|repeated|returned|thought|screamed|yelled|demanded|inquired)\b""",
    re.VERBOSE,
)

# What comes before a number with a full stop in a German date or title; none is an English word.
_GERMAN_DAY = re.compile(
    r"(?:(?<!I )\b[Aa]m|\b(?:[Vv]om|[Zz]um|[Ii]m|[Dd]en|[Dd]em|[Dd]er|[Dd]es|[Bb]is zum))"
    r"[ ]\d{1,2}\.\Z"
)
_GERMAN_STREET = re.compile(r"[A-ZÄÖÜ]\w{2,}str")
# French puts a space before the closing mark: "« Où ? » demanda-t-il."
_GUILLEMET = re.compile(r"\s?»\s*[^\W\d_A-ZÀ-Þ]")
# Russian puts a dash between speech and who speaks: "«Кто там?» — спросил он."
_RUSSIAN_SPEECH = re.compile(r"\s*[—–-]\s+[а-яё]")
# "... is fixed. (CVE-2023-2454)": a last remark in brackets, without a stop of its own.
_REMARK = re.compile(r"\s+\([^()]{1,80}(?<![.!?…\s])\)(?=[ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z))")

_CLOSING_QUOTES = "\"'”’»"


# Words that decide whether a full stop ends a sentence. Only words that are almost always
# abbreviations are listed: "Sun." and "in." can be abbreviations, but usually end a sentence.


def _words(listing: str) -> frozenset[str]:
    return frozenset(listing.split())


_ALWAYS_OPEN = _words("""
    Mr Mrs Ms Mx Messrs Mmes Mme Mlle Dr Drs Prof Rev Hon Gen Col Lt Capt Cpt Maj Sgt Cpl Pvt
    Adm Cmdr Sen Rep Gov Pres Supt Insp Fr Sr Sra Srta Msgr Ven Rt Mt Ft St Ste SS Esq
    vs v viz cf i.e e.g eg ie c ca approx resp esp pop incl trans ed eds repr
    bzw Abb inkl zzgl evtl sog Hrsg MwSt Fa janv févr juil Dhr dhr Mevr mevr blz Blz nr dott Dott
    pág Pág Zob zob rys Rys mgr Проф проф ул стр Стр рис Рис См σελ Σελ Βλ βλ डॉ
    Fig Figs figs Eq Eqs eq Ref Refs Ch ch Vol Vols vol vols pp Nr Bd Univ Dept
""")
"""A stop after one of these words almost never ends a sentence, whatever follows."""

_OPEN_BEFORE_NUMBER = _words("""
    No Nos no nos p Pp Sec sec Secs par Art art fig Op op pt Pt Bk bk cap l ll n
""")
"""A stop after one of these words does not end a sentence when a number follows: "No. 5"."""

_OPEN_BEFORE_NAME = _words("""
    Inc Ltd Co Corp Bros Cie Jr Sr Assn Ave Blvd Rd Mts Pl Sq Hwy Bldg Apt al
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thurs Fri Sat
    Ala Ariz Calif Colo Conn Fla Ga Ind Kan Ky La Md Mich Minn Mo Mont Neb
    Nev Okla Penn Tenn Tex Va Vt Wis Wyo Eng Brit Gk Lat a.m p.m A.M P.M
    tel Tel est Est ft oz lb lbs hr hrs sq yr yrs
""")
"""A stop after one of these words ends a sentence only before one of ``_STARTERS``."""

_STARTERS = _words("""
    The This That These Those It It's He She They We You I A An There Here His Her Their Its My Our
    Your In On At By To From With For Of After Before Since During Until Upon Under Over Between
    But And Or Nor So Yet However Moreover Furthermore Therefore Thus Hence Nevertheless Meanwhile
    Then Now Later Soon Once Still Also Even If When While As Although Though Because Unless Whether
    Where What Who Why How Which Is Are Was Were Do Does Did Can Could Will Would Should May Has
    Have Had Not Yes Some Many Most All Both Each Every Such Another One Two Three Several Few Other
    Others Let Please Perhaps Maybe Finally First Second Just Only Like Despite According Today
    Nothing Nobody Everyone Everything Someone Something Never Thank Thanks I'm I've I'd I'll Don't
    That's There's He's She's They're We're You're What's Let's
""")
"""Words that, with a capital after a doubtful stop, indicate a new sentence."""

_LOWER_STARTERS = _words("""
    i i'm i've im it its the they he she we you this that there if but and so also my
""")
"""Words in lower case that begin sentences in careless typing."""


def sentences(text: str) -> list[Span]:
    """Return the spans ``(start, end)`` of the sentences of ``text``, in order.

    Offsets count characters. Spans do not overlap, have no whitespace at their edges, are at
    most ``MAX_CHARS`` long, and together hold every character that is not whitespace.

    >>> sentences('"Stop!" cried Mr. Fry. It hit 3.5 m.')
    [(0, 22), (23, 36)]
    """
    spans: list[Span] = []
    start = _after_space(text, 0)
    if first := _FIRST_LINE.match(text):
        start = _add(spans, text, start, first.end())
    meant = meant_ends(text, _ALONE, _PARAGRAPH_LINE) if "\n" in text else ()
    for place in (_PLACE_OR_LINE if meant else _PLACE).finditer(text, start):
        if meant and place["feed"] and place.start() not in meant:
            continue
        if place["stop"] and not _ends(text, start, place.start(), place.end()):
            continue
        start = _add(spans, text, start, place.end())
        if place["line"]:
            start = _add(spans, text, start, place.end("line"))
    _add(spans, text, start, len(text))
    return spans


def _after_space(text: str, at: int) -> int:
    """Return the first offset from ``at`` on that is not whitespace."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _add(spans: list[Span], text: str, start: int, end: int) -> int:
    """Append the sentence ``text[start:end]``, in pieces if it is too long.

    ``text[start]`` must not be whitespace. Return the start of the next sentence.
    """
    if end <= start:
        return start
    body = text[start:end].rstrip()
    if len(body) <= MAX_CHARS:
        spans.append((start, start + len(body)))
        return _after_space(text, end)
    at = 0
    while match := _PIECE.match(body, at):
        spans.append((start + at, start + at + len(match[0].rstrip())))
        at = _after_space(body, match.end())
    return _after_space(text, end)


def _ends(text: str, start: int, at: int, end: int) -> bool:
    """Return whether the stop ``text[at:end]`` ends the sentence that begins at ``start``."""
    following = _NEXT.match(text, end)
    if following is None:
        return True
    if following["open"].startswith("(") and _REMARK.match(text, end):
        return False
    word = following["word"] or ""
    lower = word.islower() and not following["open"]
    careless = text[start : start + 1].islower()
    if _GUILLEMET.match(text, end) or _RUSSIAN_SPEECH.match(text, end):
        return False
    if not _LONE_FULL_STOP.match(text, at, end):
        return _ends_loudly(text, end, careless, lower)
    before = _word_before(text, start, at)
    if _is_open_elsewhere(text, start, end, before, word):
        return False
    if lower:  # careless typing, or an abbreviation
        plain = len(before) > 2 and before.isalpha() and before not in _ALWAYS_OPEN
        return plain and (careless or word in _LOWER_STARTERS)
    if before in _ALWAYS_OPEN or (text[end - 1] in _CLOSING_QUOTES and _SPEECH.match(text, end)):
        return False
    if before in _OPEN_BEFORE_NUMBER and word[:1].isdigit():
        return False
    if at - start < 16 and _NUMBERING.match(text[start:at].lstrip("([*_")):
        return False  # "1. First", "IV. The siege": the number belongs to the item it numbers
    doubtful = (
        before in _OPEN_BEFORE_NAME
        or (len(before) == 1 and before.isalpha() and before != "I")
        or _INNER_STOPS.match(before) is not None
    )
    return not doubtful or word in _STARTERS


def _is_open_elsewhere(text: str, start: int, end: int, before: str, word: str) -> bool:
    """Return whether a full stop belongs to a German date ("am 3. Mai") or street ("Seestr. 5")."""
    if before.isdigit() and len(before) <= 2:
        return _GERMAN_DAY.search(text, max(start, end - 24), end) is not None
    return word[:1].isdigit() and _GERMAN_STREET.fullmatch(before) is not None


def _word_before(text: str, start: int, at: int) -> str:
    """Return the word that ends at ``at``, without quotes and brackets, within the sentence."""
    match = _WORD.search(text[max(start, at - 24) : at])
    return match[0] if match else ""


def _ends_loudly(text: str, end: int, careless: bool, lower: bool) -> bool:
    """Return whether a stop other than a single full stop ends the sentence."""
    if lower:
        return careless and text[end - 1] in "?!"
    return not (text[end - 1] in _CLOSING_QUOTES and _SPEECH.match(text, end))
