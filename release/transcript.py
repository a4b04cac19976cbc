"""A session of `ragcli serve` for docs/how-to/agents.md: real messages, long texts cut."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

_MARK = "<!-- transcript: made by `make tutorial`; do not edit -->\n"
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "example", "version": "1.0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_QUESTION = "How long may an immediate hold last?"
# What is asked, with the sentence before it; the last one is wrong on purpose.
_STEPS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Which revisions does the server speak?", "server/discover", {}),
    (
        "Passages for a question, as connectors of assistants expect them:",
        "tools/call",
        {"name": "search", "arguments": {"query": _QUESTION, "top_k": 2}},
    ),
    (
        "The text around the first passage:",
        "tools/call",
        {"name": "fetch", "arguments": {"id": "{first}"}},
    ),
    (
        "A short answer with its quotes:",
        "tools/call",
        {"name": "ask", "arguments": {"question": _QUESTION}},
    ),
    (
        "A wrong argument is a result that the model can read:",
        "tools/call",
        {"name": "search", "arguments": {"query": _QUESTION, "top_k": 1000}},
    ),
    ("Documents are resources:", "resources/list", {}),
)
_LONGEST, _MOST = 100, 2
_SECONDS = 120
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:+]+")
# Fields that differ between runs or say nothing here.
_LEFT_OUT = {"timings_ms", "hits", "_meta", "generation", "context_tokens", "entities", "facts"}


def put(page: str, text: str) -> str:
    """The page with the transcript after its mark."""
    return page[: page.index(_MARK) + len(_MARK)] + text


def same(ours: str, theirs: str) -> bool:
    """Whether two pages differ in the times of files only."""
    return _TIME.sub("N", ours) == _TIME.sub("N", theirs)


def transcript(store: Path, env: dict[str, str]) -> str:
    """The session over a store, from the folder around it, as Markdown. ``env``: whole.

    Raises json.JSONDecodeError if the server ends early or gives no answer for ``_SECONDS``.
    """
    command = [sys.executable, "-m", "ragcli", "serve", "--store", str(store)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=env, cwd=store.parent) as server:
        assert server.stdin and server.stdout
        alarm = threading.Timer(_SECONDS, server.kill)
        alarm.start()
        parts, first = [], ""
        for number, (text, method, given) in enumerate(_STEPS, 1):
            params = json.loads(json.dumps(given).replace("{first}", first))
            sent = {"jsonrpc": "2.0", "id": number, "method": method}
            whole = {**sent, "params": {**params, "_meta": _META}}
            server.stdin.write(json.dumps(whole).encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            rows = answer["result"].get("structuredContent", {}).get("results")
            first = rows[0]["id"] if rows else first
            shown = {**sent, "params": {**params, "_meta": "…"}}
            parts.append(
                f"{text}\n\n```json\n{_json(shown)}\n```\n\n```json\n{_json(answer)}\n```\n"
            )
        alarm.cancel()
        server.stdin.close()
    head = "\nThe metadata (`_meta`) of each message and long texts are cut here.\n\n"
    return head + "\n".join(parts)


def _json(value: Any) -> str:
    return json.dumps(_cut(value), indent=1, ensure_ascii=False)


def _cut(value: Any) -> Any:
    """A value with long texts and lists cut, and without what differs between runs."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, list):
        rest = [f"… {len(value) - _MOST} more"] if len(value) > _MOST else []
        return [*map(_cut, value[:_MOST]), *rest]
    if isinstance(value, dict):
        return {
            k: _cut(v)
            for k, v in value.items()
            if k not in _LEFT_OUT or (k == "_meta" and v == "…")
        }
    return value
