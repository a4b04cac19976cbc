"""GBNF grammars: what a reply may look like, down to the words it may use.

A small model left to itself answers beside the point. One that may only copy from the sentence in
front of it says what the sentence says: ``copied`` allows runs of the sentence's own words and
nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

# No control characters, no line separators: a reply is one line of text.
TEXT = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]"
PHRASE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff|;]"


def literal(text: str) -> str:
    """A GBNF string that stands for ``text``.

    >>> literal('say "a\\\\b"')
    '"say \\\\"a\\\\\\\\b\\\\""'
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def free(low: int, high: int) -> str:
    """``low`` to ``high`` characters of one line."""
    return f'root ::= {TEXT}{{{low},{high}}} "\\n"'


def copied(words: Sequence[str], longest: int, starts: Sequence[bool], ends: Sequence[bool]) -> str:
    """1 to ``longest`` words in a row out of ``words``, those of a text in order, none behind a
    comma, colon or semicolon.

    ``starts`` and ``ends`` tell of each word whether a run may begin or end with it. Raises
    ValueError when no run is possible.

    >>> print(copied(["met", "the", "crew"], 3, [True, False, False], [True, False, True]))
    root ::= (w0x3)
    w0x3 ::= "met" end | "met " w1x2
    w1x2 ::= "the " w2x1
    w2x1 ::= "crew" end
    end ::= "\\n"
    """
    bare = [word.strip(",;:.!?()") for word in words]
    rules: dict[str, str] = {}
    for left in range(1, longest + 1):
        for i, word in enumerate(words):
            ways = [f"{literal(bare[i])} end"] if bare[i] and ends[i] else []
            if (after := f"w{i + 1}x{left - 1}") in rules and word[-1] not in ",;:":
                ways.append(f"{literal(word + ' ')} {after}")
            if ways:
                rules[f"w{i}x{left}"] = " | ".join(ways)
    heads = [head for i in range(len(words)) if starts[i] and (head := f"w{i}x{longest}") in rules]
    if not heads:
        raise ValueError("no run of words is possible")
    used = _reached(rules, heads)
    lines = [f"{name} ::= {rules[name]}" for name in used]
    return "\n".join([f"root ::= ({' | '.join(heads)})", *lines, 'end ::= "\\n"'])


def _reached(rules: dict[str, str], heads: Sequence[str]) -> list[str]:
    """The rules that some head leads to, each once."""
    found = dict.fromkeys(heads)
    todo = list(heads)
    while todo:
        after = rules[todo.pop()].rpartition(" ")[2]
        if after in rules and after not in found:
            found[after] = None
            todo.append(after)
    return list(found)
