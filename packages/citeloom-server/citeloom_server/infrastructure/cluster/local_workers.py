"""A Dask cluster on this machine, for ``ingest.scheduler = "local"``."""

import logging
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

#: The setting that starts a cluster here.
LOCAL = "local"
#: How often a document is tried again whose worker died.
RETRIES = 2

_CONFIGURATION = {
    # A worker that died is started again at once, but several deaths in a row take longer than
    # Dask waits before it gives up a worker for good.
    "distributed.deploy.lost-worker-timeout": "1 hour",
    # Pages about the tasks, which other users of this machine could read.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Dask looks at its stacks, event loops and memory up to a hundred times a second: 9 % of a core
    # with two workers, measured, and 1 % so. Nobody reads it here.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
}


def dask_setup(worker: Any) -> None:  # noqa: ARG001 (Dask calls it so)
    """Called by Dask in each worker process: Ctrl-C in the terminal is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def start_local_cluster(workers: int, resources: Mapping[str, float]) -> Iterator[Any]:
    """So many workers with one task at a time, on the loopback, encrypted: whoever reaches a
    scheduler without that can run code with it, and so could other users of this machine."""
    import dask
    import distributed

    with (
        dask.config.set(_CONFIGURATION),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            security=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            resources=dict(resources) or None,
            preload=[__name__],
            scheduler_kwargs={"allowed_failures": RETRIES, "dashboard_address": "127.0.0.1:0"},
        ) as cluster,
    ):
        yield cluster
