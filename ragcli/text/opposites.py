"""Words of opposite meaning, as far as a claim is contradicted by one of them alone."""

from __future__ import annotations

from functools import lru_cache

from ragcli.text.words import content_words, stem

_PAIRS = """
    open opened/closed shut|enabled on/disabled off|allowed permitted/forbidden prohibited banned
    |legal/illegal|possible/impossible|useful helpful/useless|required mandatory compulsory/optional
    |safe/unsafe dangerous|alive living/dead|married/unmarried single|present/absent
    |accepted approved adopted carried passed/rejected refused declined lost defeated
    |successful succeeded/failed unsuccessful|won/lost|increased grew/decreased fell dropped shrank
    |larger bigger greater/smaller|higher/lower|longer/shorter|heavier/lighter|older/younger newer
    |faster quicker/slower|warmer hotter/colder cooler|stronger/weaker|included/excluded
    |public/private|visible/hidden invisible|free/pay paid|full/empty|wet/dry|true/false
    |guilty/innocent|supported/unsupported|recommended/discouraged|good/bad|stable/unstable
    |known/unknown|complete completed finished/incomplete unfinished|original/replica
    |arrived/departed left|bought/sold|early/late|left/right|automatic automatically/manual manually
    |suitable/unsuitable|reversible/irreversible|active/inactive|available/unavailable
    |sensitive/insensitive|damaged injured/unharmed uninjured intact undamaged|vote voted/dissenting
"""
_GROUPS = [tuple(frozenset(side.split()) for side in pair.split("/")) for pair in _PAIRS.split("|")]


@lru_cache(maxsize=1024)
def opposites(root: str) -> frozenset[str]:
    """The words, in small letters, of which one says the opposite of a word with this root.

    >>> sorted(opposites("open"))
    ['closed', 'shut']
    """
    found: set[str] = set()
    for one, other in _GROUPS:
        for own, against in ((one, other), (other, one)):
            if any(_root(word) == root for word in own):
                found |= against
    return frozenset(found)


def _root(word: str) -> str:
    words = content_words(word)
    return stem(words[0]) if words else word
