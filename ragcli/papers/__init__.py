"""Retrieval as published: LightRAG, LeanRAG, E2GraphRAG, RAPTOR, GraphRAG, HyDE, RQ-RAG, and plain
searches to compare them with. ``ask`` uses none of it in its own mode, ``auto``.

In comes the name of a mode; out comes the ``Mode`` that ``ragcli.retrieve`` searches with. One file
per paper; ``known.py`` makes the context of the modes that also find facts. Nothing here writes.
"""

from __future__ import annotations

from ragcli.config import EVAL_MODES, MODES
from ragcli.errors import InputError
from ragcli.retrieve import OWN, Mode


def mode_called(name: str) -> Mode:
    """The mode of a name, also those of ``ragcli.retrieve``. Raises InputError for any other."""
    if name in OWN:
        return OWN[name]
    from ragcli.papers.assistant import for_eval_only
    from ragcli.papers.modes import PAPERS

    if name in PAPERS:
        return Mode(name, PAPERS[name])
    if name in EVAL_MODES:
        raise for_eval_only(name)
    raise InputError(f"unknown retrieval mode {name!r}", f"choose one of: {', '.join(MODES)}")


__all__ = ["mode_called"]
