"""Indexes a folder on a cluster of two nodes, and kills a worker and a node meanwhile.

    python ray_cluster_run.py FOLDER STORE EMBEDDER

Run by ``test_ray_engine.py`` in a process of its own, which can be ended.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import ragcli
from ragcli.indexing import document_worker

MEMORY = 100 << 20


def workers() -> list[int]:
    """Process ids of the actors of this session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = path.read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::MapWorker"):
            found.append(int(path.parent.name))
    return found


class Killing:
    """Kills the first worker after the first results, and the second node after the next."""

    def __init__(self, cluster: Any, node: Any) -> None:
        self.cluster, self.node = cluster, node
        self.seen = 0

    def __call__(self, event: ragcli.Event) -> None:
        if event.stage != "index":
            return
        self.seen += 1
        if self.seen == 1:
            victim = workers()[0]
            os.kill(victim, signal.SIGKILL)
            sys.stdout.write("killed a worker\n")
        if self.seen == 2:
            self.cluster.remove_node(self.node, allow_graceful=False)
            sys.stdout.write("killed a node\n")


def main(folder: str, store: str, embedder: str) -> None:
    cluster = import_module("ray.cluster_utils").Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False},
    )
    node = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
    document_worker._FILES = 8
    try:
        result = ragcli.index(
            folder,
            store,
            engine="ray",
            address=cluster.address,
            settings=ragcli.Settings(embedder=embedder, workers=1),
            report=Killing(cluster, node),
        )
        sys.stdout.write(f"added {result.added}\n")
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
