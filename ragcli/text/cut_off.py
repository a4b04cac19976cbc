"""Whether a stretch of a text ends before what it is a part of."""

from __future__ import annotations

from ragcli.text.lines import FENCE


def goes_on(text: str, after: str) -> bool:
    """Return whether the paragraph, list or block of code that ``text`` ends in goes on ``after``.

    >>> goes_on("- one\\n- two", "\\n- three"), goes_on("It rained.", "\\n\\nThen it stopped.")
    (True, False)
    >>> goes_on("```sh\\nmake", "\\n\\nmake test\\n```"), goes_on("```sh\\nmake", "\\n```\\n")
    (True, False)
    """
    if sum(FENCE.match(line) is not None for line in text.split("\n")) % 2:
        following = after.strip().split("\n", 1)[0]
        return bool(following) and FENCE.match(following) is None
    rest, _, below = after.partition("\n")
    return bool(rest.strip() or below.split("\n", 1)[0].strip())
