"""Prompts that ask a language model to describe a cluster of entities or the relation of two.

This follows LeanRAG, section 3.1, with prompts of our own. A prompt contains only the members'
names and descriptions. So the model is asked about a cluster again only if its members or their
descriptions change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragcli.extract.llm.grammar import PHRASE
from ragcli.models.completion import Prompt
from ragcli.text.words import one_line

VERSION = "1"

_CLUSTER_TOKENS, _RELATION_TOKENS = 200, 96
_NAME_CHARS, _TEXT_CHARS, _RELATION_CHARS = 60, 480, 240
# Most characters of a member's description: the first of these with which all members fit.
_LENGTHS = (240, 160, 80, 0)
_FRAME = 64  # tokens that a chat template may add

_CLUSTER = """\
You give a group of things one name and one description. You are shown what is in the group and \
what is said of each. Write one line: a name of two to six words for the whole group, a bar, and \
one to three sentences on what its things share and how they differ. The name must not be that of \
a single thing. Say only what is written there, and bring in no other names or numbers.

Things:
- Halma: The freighter Halma carried coal to Orlen.
- Orlen: Orlen is the harbour where the steamers took in coal.
- Vega: The Vega, a steamer of the Northern Line, sank in 1921.
Group: Coal steamers and their harbour | Ships such as the freighter Halma and the steamer Vega, \
which sank in 1921, and Orlen, the harbour where steamers took in coal."""

_RELATION = """\
You say in one sentence how two groups are related. You are shown both and what links things of \
one with things of the other. Say only what is written there, and bring in no other names or \
numbers.

First: Coal steamers and their harbour
Second: The Strand family
Links:
- Vega, Pia Strand: Pia Strand bought the Vega in 1919.
- Orlen, Jan Strand: Jan Strand ran the coal yard at Orlen.
Relation: The Strand family owned the Vega and ran the coal yard at the steamers' harbour."""


def about_cluster(
    members: Sequence[tuple[str, str]],
    relations: Sequence[str],
    room: int,
    count: Callable[[str], int],
) -> Prompt | None:
    """Return a prompt for a cluster's name and description; None if its names do not fit.

    ``members`` are (name, description). ``relations`` describe how members are related. ``room`` is
    the size of the model's context, and ``count`` counts the tokens of a text.
    """
    left = room - count(_CLUSTER) - _CLUSTER_TOKENS - _FRAME
    for length in _LENGTHS:
        lines = [f"- {name}: {_short(text, length)}".rstrip(" :") for name, text in members]
        lines += [f"- {_short(text, length)}" for text in relations if length]
        user = "\n".join(["Things:", *lines, "Group:"])
        if count(user) <= left:
            rule = f'root ::= {PHRASE}{{3,{_NAME_CHARS}}} " | " {PHRASE}{{20,{_TEXT_CHARS}}} "\\n"'
            return Prompt(_CLUSTER, user, _CLUSTER_TOKENS, rule)
    return None


def about_relation(
    first: str, second: str, links: Sequence[str], room: int, count: Callable[[str], int]
) -> Prompt | None:
    """Return a prompt for the relation of two clusters, given by name; None if it does not fit.

    ``links`` describe how members of both clusters are related, strongest first.
    """
    left = room - count(_RELATION) - _RELATION_TOKENS - _FRAME
    for length in _LENGTHS[:-1]:
        lines = [f"- {_short(link, length)}" for link in links]
        parts = [f"First: {first}", f"Second: {second}", "Links:", *lines, "Relation:"]
        if count(user := "\n".join(parts)) <= left:
            rule = f'root ::= {PHRASE}{{20,{_RELATION_CHARS}}} "\\n"'
            return Prompt(_RELATION, user, _RELATION_TOKENS, rule)
    return None


def read_cluster(reply: str) -> tuple[str, str]:
    """Return the name and the description in a reply.

    >>> read_cluster("Coal  steamers | Ships that carried coal.\\n")
    ('Coal steamers', 'Ships that carried coal.')
    """
    name, _, text = reply.partition(" | ")
    return one_line(name).strip("\"'*- "), one_line(text)


def _short(text: str, length: int) -> str:
    """Return the text on one line, cut after a word to at most ``length`` characters."""
    line = one_line(text)
    return line if len(line) <= length else line[:length].rpartition(" ")[0]
