"""Runs the stages of documents on a Ray cluster: Ray Data streams tasks to actors.

Each actor has one processor and models of its own. Results come in the order of the tasks, a few at
a time. When a worker or a node is lost, Ray gives its tasks to another one.
"""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import socket
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from secrets import token_hex
from typing import Any

from ragcli.config import Settings
from ragcli.errors import InputError, RagcliError
from ragcli.indexing.document_worker import DocumentTask, DocumentWorker, WorkedBatch
from ragcli.models.cpu import available_memory, usable_cpus

# Nobody listens there.
_NOWHERE = "http://127.0.0.1:9"
# Read by Ray when it is imported: no report leaves the machine, and no progress is drawn. Without
# the address, Ray would still report of a cluster that its reports are disabled.
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_REPORT_URL": _NOWHERE,
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}
# A cluster of this machine alone listens on the loopback, to clients that have its token. Its
# processes ask the network in which cloud they run, reports or not; a proxy that does not exist
# hinders them.
_ALONE = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _NOWHERE),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"),
}
# Less than a processor, so that Ray's own tasks find room beside an actor on every one.
_CPUS = 0.9
# Bytes of shared memory for tasks and results on a cluster of this machine alone.
_STORE_MOST, _STORE_LEAST = 512 << 20, 100 << 20
# Seconds in which a cluster must answer.
_ANSWERS = 10
# Names of Ray's sockets must not be longer than the system allows.
_LONGEST_FOLDER = 40


def each_worked(
    tasks: Sequence[DocumentTask],
    settings: Settings,
    prints: Mapping[str, str],
    address: str = "",
) -> Generator[WorkedBatch]:
    """The results of the tasks, in their order.

    ``address``: a cluster ("HOST:PORT", "auto") of which this machine is a node; "": one is started
    on this machine, and ended. Raises InputError without Ray or a cluster, StoreVersion for workers
    with other models.
    """
    if not tasks:
        return
    alone = {} if address else {**_ALONE, "RAY_AUTH_TOKEN": token_hex(32)}
    with _environment({**_ENVIRONMENT, **alone}), _connected(settings, address) as (ray, data):
        context = data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # errors are raised as well
        rows = [{"task": pickle.dumps(task)} for task in tasks]
        actors = max(1, min(len(tasks), int(ray.cluster_resources().get("CPU", 1))))
        results = data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            _Actor,
            batch_size=1,
            batch_format="pyarrow",
            compute=data.ActorPoolStrategy(min_size=1, max_size=actors),
            num_cpus=_CPUS,
            fn_constructor_args=(pickle.dumps((settings, dict(prints))),),
        )
        try:
            for batch in results.iter_batches(batch_size=None, batch_format="pyarrow"):
                for value in batch["worked"]:
                    yield pickle.loads(value.as_py())
        except ray.exceptions.RayError as error:
            raise _told(error) from error


class _Actor:
    """What Ray Data runs: a document worker behind tables of pickled tasks and results."""

    def __init__(self, made_for: bytes) -> None:
        self._made_for = made_for
        self._worker: DocumentWorker | None = None

    def __call__(self, batch: Any) -> Iterator[Any]:
        arrow = import_module("pyarrow")
        # Not in the constructor, whose errors reach the driver as text.
        self._worker = self._worker or DocumentWorker(*pickle.loads(self._made_for))
        for value in batch["task"]:
            for worked in self._worker.work(pickle.loads(value.as_py())):
                column = arrow.array([pickle.dumps(worked)], arrow.large_binary())
                yield arrow.table({"worked": column})


def _told(error: BaseException) -> RagcliError:
    """The error of ragcli that ended a worker, or one that names the last line of Ray's."""
    cause: BaseException | None = error
    found = None
    while cause is not None:
        # Ray's own error may be of the same class; the innermost is as it was raised.
        found = cause if isinstance(cause, RagcliError) else found
        cause = getattr(cause, "cause", None) or cause.__cause__
    if found is not None:
        return found
    lines = str(error).strip().splitlines()
    return InputError(f"the cluster failed: {lines[-1] if lines else type(error).__name__}")


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """These variables, for this process and those that it starts inside."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _connected(settings: Settings, address: str) -> Iterator[tuple[Any, Any]]:
    """The modules ray and ray.data, connected to a cluster. Raises InputError."""
    try:
        ray, data = map(import_module, ("ray", "ray.data"))
    except ImportError as error:
        raise InputError(
            f"--engine ray needs the library Ray ({error})", 'run: pip install "ragcli[ray]"'
        ) from error
    with _cluster(ray, settings, address):
        yield ray, data


@contextmanager
def _cluster(ray: Any, settings: Settings, address: str) -> Iterator[None]:
    """A connection to a cluster; without an address, a cluster on the loopback of this machine.

    A program that has connected to Ray itself keeps its connection.
    """
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    folder = ""
    if not address:
        folder = tempfile.mkdtemp(prefix="ragcli-ray-")
        free = (available_memory() or 8 * _STORE_MOST) // 8
        options |= {
            "num_cpus": settings.workers or usable_cpus(),
            "include_dashboard": False,
            "object_store_memory": max(_STORE_LEAST, min(_STORE_MOST, free)),
            "_node_ip_address": "127.0.0.1",
        }
        if len(folder) <= _LONGEST_FOLDER:
            options["_temp_dir"] = folder
    try:
        _connect(ray, address, options)
        yield
    finally:
        ray.shutdown()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _connect(ray: Any, address: str, options: Mapping[str, Any]) -> None:
    try:
        host, _, port = address.rpartition(":")
        if port.isdecimal():  # Ray would wait for minutes
            socket.create_connection((host.removeprefix("ray://"), int(port)), _ANSWERS).close()
        ray.init(address=address or "local", **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f"cannot connect to the Ray cluster {address or 'on this machine'}: {error}",
            "start one: ray start --head; on the other machines: ray start --address HOST:PORT",
        ) from error
