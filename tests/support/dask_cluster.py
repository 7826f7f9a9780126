"""Dask clusters for tests, on the loopback."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from citeloom_server.infrastructure.cluster.tasks import converters


@contextmanager
def dask_cluster(*, workers: int = 1, processes: bool = False, **options: Any) -> Iterator[Any]:
    """A scheduler at ``scheduler_address`` with workers in threads, or in processes. Skips where
    Dask is not installed."""
    dask = pytest.importorskip("dask", reason='Dask is not installed: "citeloom[cluster]"')
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            host="127.0.0.1",
            protocol="tcp",
            dashboard_address=None,
            silence_logs=50,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            **options,
        ) as cluster,
    ):
        try:
            yield cluster
        finally:
            converters.close()  # of workers in threads of this process


class ClusterProcesses(NamedTuple):
    """A scheduler, which can be killed, and its address."""

    scheduler: "subprocess.Popen[bytes]"
    address: str


@contextmanager
def cluster_of_processes(folder: Path) -> Iterator[ClusterProcesses]:
    """A scheduler and a worker as ``dask scheduler`` and ``dask worker`` start them; ``folder`` is
    for what they write."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    place = folder / "scheduler.json"
    begun = ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = _process(folder, "scheduler", *begun, "--port", "0", "--scheduler-file", str(place))
    worker = None
    try:
        address = _address(place, scheduler)
        threads = ["--nthreads", "1", "--no-nanny", "--death-timeout", "60"]
        worker = _process(folder, "worker", address, *begun, *threads)
        yield ClusterProcesses(scheduler, address)
    finally:
        for process in (worker, scheduler):
            if process is not None:
                process.kill()
                process.wait()


def _process(folder: Path, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
    with (folder / f"{kind}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments],
            stdout=log,
            stderr=log,
            cwd=folder,
        )


def _address(place: Path, scheduler: "subprocess.Popen[bytes]") -> str:
    until = time.monotonic() + 120
    while time.monotonic() < until and scheduler.poll() is None:
        try:
            return str(json.loads(place.read_text())["address"])
        except (OSError, ValueError):  # it is not there, or not written to its end
            time.sleep(0.05)
    raise AssertionError("the scheduler did not start; see scheduler.log")


@contextmanager
def cluster_with_gpu() -> Iterator[Any]:
    """Two workers in threads, of which the one named ``gpu`` has the resource GPU."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    place = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    worker = {"host": "127.0.0.1", "protocol": "tcp", "nthreads": 1, "dashboard": False}
    with distributed.SpecCluster(
        scheduler={"cls": distributed.Scheduler, "options": {**place, "dashboard": False}},
        workers={
            "plain": {"cls": distributed.Worker, "options": worker},
            "gpu": {"cls": distributed.Worker, "options": {**worker, "resources": {"GPU": 1}}},
        },
        silence_logs=50,
    ) as cluster:
        try:
            yield cluster
        finally:
            converters.close()
