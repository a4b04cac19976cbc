"""One process of the peer: opens a LightRAG folder, does one thing, prints what it took.

    .venv-peers/bin/python bench/peers/lightrag_worker.py FOLDER EMBEDDER < job.json

The job is {"add": {id: text}, "delete": [id], "ask": question}; the result is one JSON object
with the seconds of each part, and what the language model was asked: calls and characters. Both
sides embed with ragcli's light encoder over the same weights (PYTHONPATH names this project), and
the language model is a stub that answers at once: what is left is the work of the index itself.
STUB_LOG names a file for the prompts, if they are wanted.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lightrag import LightRAG, QueryParam
from lightrag.prompt import PROMPTS
from lightrag.utils import EmbeddingFunc, Tokenizer

from ragcli.models.encoder import LightEncoder

# What the language model was asked so far.
ASKED = {"calls": 0, "characters": 0}

# Names in the text: runs of capitalised words, at most so many of a chunk.
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)*")
_MOST = 12
_INPUT = "---Input Text---"


class Quads:
    """Four bytes a token: about as long as a word piece, and decodes to the very same text.

    LightRAG's own tokenizer is fetched over the network when first used.
    """

    def encode(self, content: str) -> list[int]:
        """Token ids."""
        data = content.encode()
        return [int.from_bytes(data[i : i + 4].ljust(4, b"\0")) for i in range(0, len(data), 4)]

    def decode(self, tokens: list[int]) -> str:
        """Text of token ids."""
        data = b"".join(token.to_bytes(4) for token in tokens)
        return data.replace(b"\0", b"").decode(errors="ignore")


def extraction(text: str) -> str:
    """What the stub finds: names, and a relation between each two that follow each other."""
    mark = PROMPTS["DEFAULT_TUPLE_DELIMITER"]
    names = list(dict.fromkeys(_NAME.findall(text)))[:_MOST]
    rows = [mark.join(("entity", n, "Concept", f"{n} is named in the text.")) for n in names]
    rows += [
        mark.join(("relation", a, b, "mention", f"{a} is named beside {b}."))
        for a, b in pairwise(names)
    ]
    return "\n".join([*rows, PROMPTS["DEFAULT_COMPLETION_DELIMITER"]])


async def stub(prompt: str, system_prompt: str | None = None, **_more: Any) -> str:
    """Answer at once: an extraction when the prompt holds a text to extract from."""
    ASKED["calls"] += 1
    ASKED["characters"] += len(prompt) + len(system_prompt or "")
    if log := os.environ.get("STUB_LOG"):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"system": system_prompt or "", "prompt": prompt}) + "\n")
    _, found, text = prompt.rpartition(_INPUT)
    return extraction(text.split("---Output---")[0]) if found else "In short."


def opened(
    folder: str, embedder: Path, model: Callable[..., Awaitable[str]] = stub, **more: Any
) -> LightRAG:
    """LightRAG with its default storages in ``folder``; ``more`` are further settings of it."""
    encoder = LightEncoder(embedder)

    async def embed(texts: Sequence[str], **_more: Any) -> Any:
        return encoder.encode(list(texts))

    return LightRAG(
        working_dir=folder,
        embedding_func=EmbeddingFunc(encoder.dim, embed, max_token_size=8192),
        llm_model_func=model,
        llm_model_name=getattr(model, "__name__", "model"),
        tokenizer=Tokenizer("quads", Quads()),
        entity_extract_max_gleaning=0,
        entity_extraction_use_json=False,
        **more,
    )


async def work(folder: str, embedder: Path, job: dict[str, Any]) -> dict[str, float]:
    """Do the job; seconds by part."""
    seconds: dict[str, float] = {}
    began = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal began
        now = time.perf_counter()
        seconds[name] = now - began
        began = now

    rag = opened(folder, embedder)
    await rag.initialize_storages()
    lap("open")
    if added := job.get("add"):
        await rag.ainsert(list(added.values()), ids=list(added), file_paths=list(added))
        lap("add")
    for doc in job.get("delete", ()):
        await rag.adelete_by_doc_id(doc)
        lap("delete")
    if question := job.get("ask"):
        names = _NAME.findall(question) or [question]
        wanted = QueryParam(
            mode="mix",
            only_need_context=True,
            hl_keywords=[question],
            ll_keywords=names,
            enable_rerank=False,
        )
        found = await rag.aquery(question, wanted)
        lap("ask")
        if not found or len(str(found)) < 100:
            raise SystemExit("the peer found nothing")
    await rag.finalize_storages()
    lap("close")
    return seconds


def main() -> None:
    """Read the job, do it, print the seconds."""
    folder, embedder = sys.argv[1], Path(sys.argv[2])
    job = json.load(sys.stdin)
    seconds = asyncio.run(work(folder, embedder, job))
    print(json.dumps({"seconds": seconds, "asked": ASKED}))


if __name__ == "__main__":
    main()
