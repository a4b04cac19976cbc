"""What a line of the macros "mdoc" shows: ``.Op Fl a Ar file`` is "[-a file]"."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.corpus.read.rare.roff_signs import plain_of

_ENCLOSING = {
    "Op": "[]", "Dq": "“”", "Sq": "‘’", "Ql": "‘’", "Qq": '""', "Pq": "()", "Bq": "[]", "Aq": "<>",
    "Brq": "{}",
}  # fmt: skip
_BRACKETS = {
    "Oo": "[", "Oc": "]", "Po": "(", "Pc": ")", "Bo": "[", "Bc": "]", "Do": "“", "Dc": "”",
    "So": "‘", "Sc": "’", "Qo": '"', "Qc": '"', "Ao": "<", "Ac": ">", "Bro": "{", "Brc": "}",
}  # fmt: skip
_OPENING = frozenset("[ ( “ ‘ < {".split())
_CLOSING = frozenset("] ) ” ’ > } . , ; : ? !".split())
_SYSTEMS = {
    "Ux": "UNIX", "Bx": "BSD", "At": "AT&T UNIX", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD",
}  # fmt: skip
_WITHOUT_WORDS = {"Ar": "file ...", "Pa": "~"}
"""What a macro shows that is given no words."""
_PLAIN = frozenset(
    "Nm Nd Ar Cm Pa Em Sy Li Dv Ev Va Vt Fn Fa Ft An Ic No Ad Lk Mt Er St Tn Cd In D1 Dl Sx Ms Rv"
    .split()
)  # fmt: skip
_SPECIAL = frozenset(("Fl", "Xr", "Ns", "Ap", "Ta", "Xo", "Xc"))
INLINE = _PLAIN | _SPECIAL | frozenset((*_ENCLOSING, *_BRACKETS, *_SYSTEMS))
"""The macros that show their words in the running text."""


def words_of(macro: str, words: Sequence[str], name: str = "") -> str:
    """Return what a macro shows of its words, which may be macros themselves.

    ``name`` is the program's, which ``.Nm`` without words shows. The words have their escapes: a
    mark after ``\\&`` is a word and no punctuation.

    >>> words_of("Op", ["Fl", "a", "Ar", "file", "."])
    '[-a file].'
    >>> words_of("Xr", ["ssh", "1", ","])
    'ssh(1),'
    """
    line = _MdocLine(name)
    line.macro(macro, words)
    return line.text


class _MdocLine:
    """Puts the words of one line together, with a space where one is shown."""

    def __init__(self, name: str) -> None:
        self.text = ""
        self._name = name
        self._joined = True  # the next word follows without a space

    def macro(self, macro: str, words: Sequence[str]) -> None:
        """Add what a macro shows of its words, and then the macros among them."""
        if macro == "An" and words[:1] in (["-split"], ["-nosplit"]):
            return  # how a list of authors is set
        if macro in _ENCLOSING:
            self._enclosed(_ENCLOSING[macro], list(words))
            return
        end = next((i for i, word in enumerate(words) if word in INLINE), len(words))
        self._own(macro, list(words[:end]))
        if end < len(words):
            self.macro(words[end], words[end + 1 :])

    def _enclosed(self, signs: str, words: list[str]) -> None:
        after: list[str] = []
        while words and words[-1] in _CLOSING:
            after.insert(0, words.pop())
        self._add(signs[0])
        self._joined = True
        self.macro("No", words)
        self._joined = True
        self._add(signs[1])
        for word in after:
            self._add(word)

    def _own(self, macro: str, words: list[str]) -> None:
        """Add what a macro shows of the words before the next macro."""
        if macro == "Fl":
            words = self._flags(words)
        elif macro == "Xr" and len(words) > 1 and words[1] not in _CLOSING:
            words = [f"{words[0]}({words[1]})", *words[2:]]
        elif macro in ("Ns", "Ap"):
            self._joined = True
            self.text += "'" if macro == "Ap" else ""
        elif macro == "Ta":
            words = ["|", *words]
        elif macro in _BRACKETS:
            words = [_BRACKETS[macro], *words]
        elif macro in _SYSTEMS:
            words = [_SYSTEMS[macro], *words]
        elif not words or words[0] in _CLOSING:
            words = [self._name if macro == "Nm" else _WITHOUT_WORDS.get(macro, ""), *words]
        if macro == "Nd":
            words = ["–", *words]
        for word in words:
            self._add(word)

    def _flags(self, words: list[str]) -> list[str]:
        """The words with the dash of options; without words the dash comes before the next."""
        if not words or words[0] in _CLOSING:
            self._add("-")
            self._joined = True
            return words
        return [word if word in _CLOSING or word == "|" else f"-{word}" for word in words]

    def _add(self, word: str) -> None:
        if not word:
            return
        spaced = bool(self.text) and not self._joined and word not in _CLOSING
        self.text += " " * spaced + plain_of(word)
        self._joined = word in _OPENING
