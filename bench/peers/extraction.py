"""LightRAG's own extraction and ours, by the same language model, over the same documents.

    python bench/peers/extraction.py FOLDER --llm FILE.gguf [--documents 10] [--words 250]
        [--minutes 10] [--peer PYTHON] [--json FILE]

Takes the first documents of FOLDER (Markdown and text, by name) that have at most so many words.
LightRAG runs in an environment of its own (``make bench-peers`` makes it), with its prompts, its
replies free of any grammar, and its own loop of prompts; llama-cpp-python answers them here, one
after the other, at temperature 0. ``index --mode light`` reads the same documents with the same
file. Both have one thread and embed with the same weights. Neither asks a second time for what was
missed. Each is given at most ``--minutes`` of the model. Shown: documents read, processor seconds
of the model for each, its calls, tokens of prompts and replies, entities and relations, how many of
their names stand in the text, and what was wrong with the replies.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from measure import ROOT, table

from ragcli.config import Settings
from ragcli.extract.codec import unpack_findings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models import open_llm
from ragcli.models.completion import Completer, Completion, Prompt, Watch
from ragcli.models.locate import embedder_folder
from ragcli.store.snapshot import open_snapshot
from ragcli.text.names import WordPlaces

PEER = ROOT / ".venv-peers" / "bin" / "python"
WORKER = Path(__file__).with_name("lightrag_model.py")
MOST_TOKENS = 2048
"""Of a reply to LightRAG; ours ends at 1,600."""
CONTEXT = 12288
_MOST_WAITING = 300.0
"""Seconds that the peer may take beside twice the time of the model."""


@dataclass
class Side:
    """What reading the documents took, and what came of it."""

    name: str
    documents: int = 0
    calls: int = 0
    read: int = 0
    written: int = 0
    seconds: float = 0.0
    entities: int = 0
    named: int = 0  # entities whose names stand in the text
    relations: int = 0
    linked: int = 0  # relations of which both names stand in the text
    complaints: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def call(self) -> Iterator[None]:
        """Times one call of the model."""
        began = time.process_time()
        yield
        self.seconds += time.process_time() - began
        self.calls += 1

    def judge(
        self, names: Iterable[str], pairs: Iterable[tuple[str, str]], texts: Iterable[str]
    ) -> None:
        """Count entities and relations, and those whose names stand in the text."""
        words = WordPlaces("\n".join(texts))
        entities, relations = list(names), list(pairs)
        self.entities, self.relations = len(entities), len(relations)
        self.named = sum(bool(words.find(name)) for name in entities)
        self.linked = sum(all(words.find(name) for name in pair) for pair in relations)


class Metered:
    """Our model, with its calls counted in ``side``."""

    def __init__(self, model: Completer, side: Side) -> None:
        self._model, self._side = model, side

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """The model's replies."""
        began = time.process_time()
        for at, reply in self._model.complete(prompts, watch):
            self._side.seconds += time.process_time() - began
            self._side.calls += 1
            self._side.read += reply.prompt_tokens
            self._side.written += reply.tokens
            yield at, reply
            began = time.process_time()
        self._side.seconds += time.process_time() - began


def theirs(model: Any, texts: Mapping[str, str], seconds: float, peer: Path) -> Side:
    """LightRAG reads the documents until ``model`` (a ``Llama``) has worked for so many seconds."""
    side = Side("LightRAG")
    with tempfile.TemporaryDirectory() as folder:
        command = [peer, WORKER, folder, embedder_folder()]
        env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=env,
        ) as worker:  # fmt: skip
            assert worker.stdin and worker.stdout
            limit = threading.Timer(_MOST_WAITING + 2 * max(seconds, 0), worker.kill)
            limit.start()
            worker.stdin.write(json.dumps({"add": texts}) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                said = json.loads(line)
                if "messages" in said:
                    reply = answer(model, said["messages"], side)
                    late = side.seconds > seconds
                    worker.stdin.write(json.dumps({"reply": reply, "stop": late}) + "\n")
                    worker.stdin.flush()
                elif "done" in said:
                    side.documents += 1
                else:
                    read = list(texts.values())[: side.documents]
                    pairs = [(a, b) for a, b, _ in said["relations"]]
                    side.judge(said["entities"], pairs, read)
                    side.complaints |= said["complaints"]
        limit.cancel()
    if worker.returncode:
        raise SystemExit(f"LightRAG ended with {worker.returncode}")
    return side


def answer(model: Any, messages: Sequence[Mapping[str, str]], side: Side) -> str:
    """One reply of llama-cpp-python's own loop."""
    with side.call():
        done = model.create_chat_completion(messages, temperature=0.0, max_tokens=MOST_TOKENS)
    side.read += done["usage"]["prompt_tokens"]
    side.written += done["usage"]["completion_tokens"]
    choice = done["choices"][0]
    if choice["finish_reason"] == "length":
        side.complaints["reply cut"] = side.complaints.get("reply cut", 0) + 1
    return str(choice["message"]["content"])


def ours(llm: Path, texts: Mapping[str, str], seconds: float) -> Side:
    """``index --mode light`` reads them; with a model below 3e9 weights in one look at each."""
    side = Side("ragcli")
    settings = Settings(llm=str(llm), llm_threads=1, workers=1)
    usual = open_llm._opened
    opened: list[Metered] = []

    def metered(*args: Any) -> Any:
        if not opened:
            opened.append(Metered(usual(*args), side))
        return opened[0]

    open_llm._opened = cast(Any, metered)
    try:
        with tempfile.TemporaryDirectory() as folder:
            documents = Path(folder) / "documents"
            for name, text in texts.items():
                path = documents / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            store = Path(folder) / "store"
            index(IndexRequest(store, (documents,), mode="light", minutes=seconds / 60), settings)
            found(store, texts, side)
    finally:
        open_llm._opened = usual
    return side


def found(store: Path, texts: Mapping[str, str], side: Side) -> None:
    """Count what the chunks' findings say."""
    names: dict[str, None] = {}
    pairs: dict[tuple[str, str], None] = {}
    complaints: Counter[str] = Counter()
    with open_snapshot(store) as snapshot:
        for data in snapshot.chunks.findings():
            findings = unpack_findings(data)
            side.documents += 1  # a document of so few words is one chunk
            names |= {entity.name.casefold(): None for entity in findings.entities}
            pairs |= {(r.source.casefold(), r.target.casefold()): None for r in findings.relations}
            complaints.update(dict(findings.dropped))
            complaints.update([findings.problem] if findings.problem else [])
    side.judge(names, pairs, texts.values())
    side.complaints |= complaints


def documents_of(folder: Path, most: int, words: int) -> dict[str, str]:
    """The first documents of the folder that are short enough, by name."""
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".txt"))
    texts = {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in files}
    short = {name: text for name, text in texts.items() if len(text.split()) <= words}
    return dict(list(short.items())[:most])


def main() -> None:
    """Both, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--llm", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--words", type=int, default=250)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--peer", type=Path, default=PEER)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.peer.exists():
        print(f"skipped: LightRAG is not installed in {options.peer} (make bench-peers)")
        return
    texts = documents_of(options.folder, options.documents, options.words)
    sides = [ours(options.llm, texts, 60 * options.minutes)]
    print(json.dumps(asdict(sides[0])), flush=True)
    # Not needed, and not installed everywhere, to say that the peer is not there.
    from llama_cpp import Llama

    model = Llama(
        str(options.llm), n_ctx=CONTEXT, n_threads=1, n_threads_batch=1, seed=0, verbose=False
    )
    sides.append(theirs(model, texts, 60 * options.minutes, options.peer))
    print(json.dumps(asdict(sides[1])), flush=True)
    rows = [
        [
            side.name,
            str(side.documents),
            f"{side.seconds / max(side.documents, 1):.0f}",
            str(side.calls),
            f"{side.read:,}",
            f"{side.written:,}",
            f"{side.entities} ({side.named})",
            f"{side.relations} ({side.linked})",
            "; ".join(f"{n} {kind}" for kind, n in side.complaints.items()),
        ]
        for side in sides
    ]
    heads = ["", "documents", "s a document", "calls", "tokens of prompts", "of replies"]
    heads += ["entities (in the text)", "relations (both names)", "complaints"]
    table(heads, rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(side) for side in sides]), encoding="utf-8")


if __name__ == "__main__":
    main()
