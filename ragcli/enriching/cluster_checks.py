"""Checks what a language model wrote about clusters against the texts of their members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragcli.extract.llm import cluster_prompts
from ragcli.models.completion import Completion
from ragcli.text.sentences import sentences
from ragcli.text.support import CLUSTER_NAME_SUPPORT, DESCRIPTION_SUPPORT, SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS, content_words, fold

# First words of a sentence about a group that are capitalised but no names.
_OPENERS = frozenset(
    "both each many members most others people persons places several ships some things two three "
    "various".split()
)


def whole(reply: Completion, refused: Counter[str]) -> str:
    """A reply's text; "" of one that was cut."""
    if reply.finish == "stop":
        return reply.text
    refused[f"reply cut: {reply.finish}"] += 1
    return ""


def checked_cluster(
    reply: Completion,
    members: Sequence[tuple[str, str]],
    taken: set[str],
    refused: Counter[str],
) -> tuple[str, str]:
    """The accepted name and description, each "" if refused; reasons go to ``refused``.

    ``taken``: folded names of the level's other clusters.
    """
    name, text = cluster_prompts.read_cluster(whole(reply, refused))
    said = " . ".join(f"{a} . {b}" for a, b in members)
    own = {fold(member) for member, _ in members}
    if name and (fold(name) in own or _led_by(name, own)):
        refused["name: that of a member"] += 1
        name = ""
    elif name and fold(name) in taken:
        refused["name: that of another cluster"] += 1
        name = ""
    if name and not _is_supported(name, said):
        refused["name: not in the members' texts"] += 1
        name = ""
    return name, checked(text, said, "description", refused)


def _is_supported(name: str, said: str) -> bool:
    """Whether the members' texts support a cluster's name."""
    source, opened = SourceText(said), _opened(name)
    exact = source.holds_names(opened) and source.holds_numbers(opened)
    words = SourceText(said, DESCRIPTION_WORDS)
    return exact and support(name, words, "nothing") >= CLUSTER_NAME_SUPPORT


def _led_by(name: str, members: set[str]) -> bool:
    """Whether a name is a member's name followed by a colon and more, as small models copy it."""
    head, colon, _ = fold(name).partition(":")
    return bool(colon) and head.strip() in members


def checked(text: str, said: str, what: str, refused: Counter[str]) -> str:
    """The text if ``said`` supports every sentence of it: all names and numbers and a share of the
    other words; else "", and the reason is counted."""
    text = " ".join(text.split())
    if not text:
        return ""
    spans = sentences(text)
    parts = [text[start:end] for start, end in spans]
    if not parts or any(not content_words(part) for part in parts):
        refused[f"{what}: says nothing"] += 1
        return ""
    if not text.endswith((".", "!", "?")):
        refused[f"{what}: not a whole sentence"] += 1
        return ""
    if len({fold(part) for part in parts}) < len(parts):
        refused[f"{what}: says a thing twice"] += 1
        return ""
    source = SourceText(said)
    if any(support(_opened(part), source) < DESCRIPTION_SUPPORT for part in parts):
        refused[f"{what}: not in the members' texts"] += 1
        return ""
    return text


def _opened(sentence: str) -> str:
    """The sentence without a first word that is no name ("Members of the crew ...")."""
    first, _, rest = sentence.partition(" ")
    return rest if fold(first) in _OPENERS else sentence
