"""Entries of dictionaries: a head word, how it is pronounced, what kind of word it is, its meaning.

    :automagically: /aw-toh-maj'i-klee/ adv. Automatically, but in a way that nobody explains.
    DORY \\Do"ry\\, n. A small boat with a flat bottom.
    **kedge** (/kɛdʒ/, *noun*): A small anchor.

Before the meaning nothing is told: the head word stands above it as a heading does, and how it is
pronounced answers no question for it.
"""

from __future__ import annotations

import re

_SOUNDS = "ˈˌəɪʊæɑɒɔɛɜʌʃʒθðŋɡɹɾʔː"
_SOUND = (
    rf"(?:/(?=[^/\n]{{0,60}}[{_SOUNDS}])[^/\n]{{1,60}}/"
    rf"|\[(?=[^\]\n]{{0,60}}[{_SOUNDS}])[^\]\n]{{1,60}}\])"
)
_KIND = (
    r"(?:[/*_(]{0,3}(?:(?:n|v|vt|vi|a|adj|adv|prep|conj|interj|int|pron|abbr|excl|pl)\."
    r"|(?:noun|verb|adjective|adverb|preposition|conjunction|interjection|pronoun|abbreviation)\b)"
    r"[/*_)]{0,3})"
)
_KINDS = rf"(?:{_KIND}[\s,;]*){{1,2}}"
_RESPELLED = rf"(?:(?!{_KIND})/[^/\s][^/\n]{{0,60}}/|\\[^\\\n]{{1,60}}\\)"
_NEXT = r"[\s,;]*(?:or\s+)?"
_ANY = rf"(?:(?:{_SOUND}|{_RESPELLED}){_NEXT}){{1,3}}"
_SAID = re.compile(rf"(?<![^\s(])(?:{_ANY}{_KINDS}|(?:{_SOUND}{_NEXT}){{1,3}})")
_ONLY_SAID = re.compile(rf"\(?(?:{_ANY}{_KINDS}|(?:{_SOUND}{_NEXT}){{1,3}}|{_KINDS})\)?\Z")
_WORD = r"[^\W\d_][^:*_/\\\[\]()<>,.;\n]{0,40}?"
_HEAD = re.compile(
    rf"(?:(?P<mark>\*\*|__|:)(?P<marked>{_WORD})(?:\*\*|__|:)|(?P<word>{_WORD}))[:,]?\s+\(?"
    rf"(?:(?P<said>{_ANY}){_KINDS}|(?P<sound>(?:{_SOUND}{_NEXT}){{1,3}})|{_KINDS})\)?[\s:]*"
)


def entry_head(text: str) -> tuple[str, int] | None:
    """The head word that a text begins with, and where the head ends; None if it is no entry.

    >>> entry_head(":kluge: /klooj/ n. A fix."), entry_head("**kedge** (/kɛdʒ/, *noun*)")
    (('kluge', 19), ('kedge', 26))
    >>> entry_head("cp /tmp/ copies it."), entry_head("A word, n. and more.")
    (None, None)
    """
    found = _HEAD.match(text)
    if found is None or not (found["said"] or found["sound"] or found["mark"]):
        return None
    return found["marked"] or found["word"], found.end()


def is_pronunciation(text: str) -> bool:
    """Return whether a text only says how a word is pronounced, or what kind of word it is.

    >>> is_pronunciation("/kɛdʒ/, noun"), is_pronunciation("adj."), is_pronunciation("/usr/lib/")
    (True, True, False)
    """
    return _ONLY_SAID.match(text) is not None


def without_pronunciations(text: str) -> str:
    """Replace how words are pronounced, and their kind after that, by the same number of spaces.

    >>> " ".join(without_pronunciations("kluge /klooj/ n. A fix below /usr/lib/.").split())
    'kluge A fix below /usr/lib/.'
    """
    return _SAID.sub(lambda said: " " * len(said[0]), text)
