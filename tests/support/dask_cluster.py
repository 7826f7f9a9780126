"""Dask clusters for tests, on the loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from citeloom.infrastructure.ingest.cluster.tasks import converters


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
