"""The releases that headings of change logs are about."""

from __future__ import annotations

import re

from ragcli.text.dates import DATE

VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+)+(?:[.-]?(?:alpha|beta|rc|pre|p|[ab])[.-]?\d*)?(?![\w.]?\d)"
)
_OTHER = re.compile(
    r"\b(?:since|from|before|after|until|against|upgrad\w*|migrat\w*|prior|older|than)\b",
    re.IGNORECASE,
)
MOST_WORDS = 6
"""Words of the longest heading of a release, beside its version and its date."""


def release_in(heading: str) -> str:
    """The version that a heading is about: the last one of a path that names a release.

    >>> release_in("Changelog > 20.0 / 2019/10/30 > Breaking changes")
    '20.0'
    >>> release_in("Foo 2.4.3 Release Notes > Changes since version 2.4.2"), release_in("Settings")
    ('2.4.3', '')
    """
    for title in reversed(heading.split(" > ")):
        rest = DATE.sub(" ", title)
        found = VERSION.findall(rest)
        words = VERSION.sub(" ", rest).split()
        if len(found) == 1 and len(words) <= MOST_WORDS and not _OTHER.search(rest):
            return str(found[0])
    return ""


def release_path(path: str) -> str:
    """The part of a path of headings that ends with the release or the date it is about, or "".

    >>> release_path("Changelog > 20.0 / 2019/10/30 > Breaking changes")
    'Changelog > 20.0 / 2019/10/30'
    """
    titles = path.split(" > ")
    for count in range(len(titles), 0, -1):
        if release_in(titles[count - 1]) or DATE.search(titles[count - 1]):
            return " > ".join(titles[:count])
    return ""
