"""The network stays shut, and nothing heavy is imported unasked."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ragcli.models.embed import Embedder
from ragcli.models.offline import DEFAULTS, FORCED, go_offline


def test_importing_models_closes_the_network() -> None:
    """Even when the shell says otherwise."""
    code = "import os, ragcli.models; print(os.environ['HF_HUB_OFFLINE'])"
    env = {**os.environ, "HF_HUB_OFFLINE": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.strip() == "1", done.stderr


def test_going_offline_twice_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Idempotent; preferences of the shell are kept."""
    for name in (*FORCED, *DEFAULTS):
        monkeypatch.setenv(name, "mine")
    go_offline()
    once = dict(os.environ)
    go_offline()
    assert dict(os.environ) == once
    assert once["HF_HUB_OFFLINE"] == "1"
    assert once["TRANSFORMERS_VERBOSITY"] == "mine"


@pytest.mark.parametrize(
    "module",
    [
        "ragcli.models.encoder",
        "ragcli.models.embed",
        "ragcli.models.locate",
        "ragcli.models.llm",
        "ragcli.models.english_pipeline",
        "ragcli.models.reader",
        "ragcli.models.tokens",
        "ragcli.search.vectors",
    ],
)
def test_importing_an_owner_imports_nothing_heavy(module: str) -> None:
    """Each of them can be imported on the way to a question."""
    heavy = ["torch", "transformers", "sentence_transformers", "spacy", "llama_cpp", "scipy"]
    code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_loading_and_encoding_open_no_socket(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to make a socket or look up a name fails the test."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"network used: {args}")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    vectors = Embedder(folder, dtype="float32", threads=1).encode(["a question", "a passage"])
    assert vectors.shape == (2, 384)
