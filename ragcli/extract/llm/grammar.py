"""Makes GBNF grammars, which restrict the form of a reply and the words in it.

Without restrictions a small model often gives irrelevant answers. If it may only copy from the
given sentence, it says what the sentence says: ``copied`` allows only runs of the sentence's words.
"""

from __future__ import annotations

from collections.abc import Sequence

# No control characters and no line separators, because a reply is one line of text.
TEXT = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]"
PHRASE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff|;]"


def literal(text: str) -> str:
    """Return a GBNF string that matches ``text``.

    >>> literal('say "a\\\\b"')
    '"say \\\\"a\\\\\\\\b\\\\""'
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def free(low: int, high: int) -> str:
    """Return a grammar for ``low`` to ``high`` characters on one line."""
    return f'root ::= {TEXT}{{{low},{high}}} "\\n"'


def copied(words: Sequence[str], longest: int, starts: Sequence[bool], ends: Sequence[bool]) -> str:
    """Return a grammar for a run of 1 to ``longest`` consecutive words out of ``words``.

    A run does not continue after a comma, colon or semicolon. ``starts`` and ``ends`` say for each
    word whether a run may begin or end with it. Raises ValueError if no run is possible.

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
    """Return the distinct rules that can be reached from ``heads``."""
    found = dict.fromkeys(heads)
    todo = list(heads)
    while todo:
        after = rules[todo.pop()].rpartition(" ")[2]
        if after in rules and after not in found:
            found[after] = None
            todo.append(after)
    return list(found)
