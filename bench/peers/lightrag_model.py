"""One process of the peer: LightRAG reads documents with a model that another process runs.

    .venv-peers/bin/python bench/peers/lightrag_model.py FOLDER EMBEDDER < REPLIES > QUESTIONS

The first line of input is {"add": {id: text}}. Each prompt goes out as a line {"messages": [...]},
and the next line of input is its reply, {"reply": text} or {"stop": true}, after which no further
document is begun. {"done": id} follows a document, and at the end comes one object with the names
of the entities, the pairs of the relations, and the complaints about replies by their kind.
LightRAG's settings are its own, but for the second look at each chunk (``gleaning``), which is off,
and the time limit of a call, which is an hour.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from lightrag_worker import opened

HOUR = 3600
# What LightRAG logs about replies, by what is counted.
KINDS = {
    "LLM output format error": "not a row of the format",
    "extraction error": "a row without a name, a type or a description",
    "Complete delimiter": "reply without the end mark",
}


class Complaints(logging.Handler):
    """Counts warnings by kind."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        kind = next((name for mark, name in KINDS.items() if mark in said), "other warnings")
        self.counts[kind] += 1
        print(said[:200], file=sys.stderr, flush=True)


class Remote:
    """A language model at the other end of standard input and output, one prompt at a time."""

    def __init__(self) -> None:
        self.stopped = False
        self._one = asyncio.Lock()

    async def __call__(
        self,
        prompt: str,
        system_prompt: str | None = None,
        history_messages: list[dict[str, str]] | None = None,
        **_more: Any,
    ) -> str:
        said = [{"role": "system", "content": system_prompt}] if system_prompt else []
        said += [*(history_messages or []), {"role": "user", "content": prompt}]
        async with self._one:
            tell({"messages": said})
            line = await asyncio.to_thread(sys.stdin.readline)
        answer = json.loads(line)
        self.stopped = self.stopped or bool(answer.get("stop"))
        return str(answer.get("reply", ""))


def tell(what: dict[str, Any]) -> None:
    """A line for the other process."""
    print(json.dumps(what), flush=True)


async def work(folder: str, embedder: Path, texts: dict[str, str]) -> None:
    """Read one document after another."""
    model, complaints = Remote(), Complaints()
    rag = opened(folder, embedder, model, default_llm_timeout=HOUR)
    logging.getLogger("lightrag").addHandler(complaints)
    await rag.initialize_storages()
    for name, text in texts.items():
        if model.stopped:
            break
        await rag.ainsert([text], ids=[name], file_paths=[name])
        tell({"done": name})
    graph = rag.chunk_entity_relation_graph
    nodes, edges = await graph.get_all_nodes(), await graph.get_all_edges()
    tell(
        {
            "entities": {node["id"]: node.get("description", "") for node in nodes},
            "relations": [
                [edge["source"], edge["target"], edge.get("description", "")] for edge in edges
            ],
            "complaints": dict(complaints.counts),
        }
    )
    await rag.finalize_storages()


def main() -> None:
    """Read the job and do it."""
    folder, embedder = sys.argv[1], Path(sys.argv[2])
    job = json.loads(sys.stdin.readline())
    asyncio.run(work(folder, embedder, job["add"]))


if __name__ == "__main__":
    main()
