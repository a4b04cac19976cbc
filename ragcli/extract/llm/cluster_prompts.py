"""A cluster of entities, and two clusters' relation, in words of a language model: what it is asked
and how its reply is read (after LeanRAG, section 3.1; the prompts are our own).

A prompt holds the members by name with what is said of each, and nothing that changes while these
stay: so a cluster is asked about again only when its members or their descriptions are others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragcli.extract.llm.grammar import PHRASE
from ragcli.models.completion import Prompt
from ragcli.text.words import one_line

VERSION = "1"

_CLUSTER_TOKENS, _RELATION_TOKENS = 200, 96
_NAME_CHARS, _TEXT_CHARS, _RELATION_CHARS = 60, 480, 240
# Characters of a member's description: the first of these at which all members fit.
_LENGTHS = (240, 160, 80, 0)
_FRAME = 64  # tokens that a chat template may put around

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
    """Ask for a cluster's name and description; None when not even its names fit into ``room``.

    ``members`` are (name, description), ``relations`` tell how members are related; ``room`` is
    the model's context and ``count`` its tokens of a text.
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
    """Ask how two clusters, given by their names, are related; None when it does not fit.

    ``links`` say how members of one are related to members of the other, strongest first.
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
    """The name and the description in a reply.

    >>> read_cluster("Coal  steamers | Ships that carried coal.\\n")
    ('Coal steamers', 'Ships that carried coal.')
    """
    name, _, text = reply.partition(" | ")
    return one_line(name).strip("\"'*- "), one_line(text)


def _short(text: str, length: int) -> str:
    """The text on one line, cut after a word when it has more than ``length`` characters."""
    line = one_line(text)
    return line if len(line) <= length else line[:length].rpartition(" ")[0]
