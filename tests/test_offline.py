"""No network, ever: the main path runs where sockets are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Runs in every Python that the command starts, workers included: any use of a socket that is not a
# local pipe between processes fails. One thing is let through: when urllib3 is imported (by
# transformers) it binds a socket to ::1, port 0, to learn whether this machine has IPv6.
REFUSE = """
import socket, sys

def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"):
        family = getattr(args[0], "family", None) if args else None
        if event == "socket.bind" and args[1] == ("::1", 0):
            return
        if family != getattr(socket, "AF_UNIX", object()):
            sys.stderr.write(f"NETWORK {event} {args}\\n")
            raise OSError("network refused by the test")

sys.addaudithook(refuse)
"""


def test_index_and_ask_without_a_network(tmp_path: Path) -> None:
    """index with two workers, then ask extractively, both with an audit hook on all sockets."""
    (tmp_path / "sitecustomize.py").write_text(REFUSE)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_"))}
    env["PYTHONPATH"] = str(tmp_path)
    base = [sys.executable, "-m", "ragcli"]
    where = ["--store", str(tmp_path / "store")]
    for args in (
        ["index", str(ROOT / "sample_corpus"), "--workers", "2", *where],
        ["ask", "What caused the radar's false alarms on sunny afternoons?", "--json", *where],
    ):
        done = subprocess.run([*base, *args], capture_output=True, text=True, env=env, timeout=300)
        assert done.returncode == 0, done.stderr
        assert "NETWORK" not in done.stderr
    assert "araglid" in done.stdout


def test_the_process_that_embeds_has_the_hook(tmp_path: Path) -> None:
    """It would be the first to ask for a model."""
    (tmp_path / "sitecustomize.py").write_text(REFUSE + "sys.hooked = True")
    code = (
        "from pathlib import Path\n"
        "from ragcli.errors import ModelError\n"
        "from ragcli.models import embed_process\n"
        "embed_process._CODE = 'import sys; sys.exit(40 + sys.hooked)'\n"
        "process = embed_process.EmbedProcess(Path('model'))\n"
        "try:\n"
        "    process.encode_passages(['x'])\n"
        "except ModelError as error:\n"
        "    print(error.message)\n"
    )
    path = os.pathsep.join([str(tmp_path), *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=60,
    )
    assert "exit code 41" in done.stdout, done.stderr


def test_the_hook_does_refuse(tmp_path: Path) -> None:
    """The test above could fail: the hook stops a connection."""
    (tmp_path / "sitecustomize.py").write_text(REFUSE)
    code = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1 and "NETWORK" in done.stderr
