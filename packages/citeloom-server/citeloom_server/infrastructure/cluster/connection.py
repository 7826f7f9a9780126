"""Connection to a Dask cluster, one that runs or one that is started on this machine."""

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from citeloom.domain.errors import ConfigurationError, Unavailable
from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.ingest.conversion.protocol import Options

from .requests import TOPIC, WorkerIdentity, identity_of_this_process

#: The setting that starts a cluster here.
LOCAL = "local"
#: How often a document is tried again whose worker died.
RETRIES = 2

_LOCAL_CONFIGURATION = {
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
    """So many workers with one task at a time, on the loopback, encrypted: anyone who reaches a
    scheduler without that can run code with it, and so could other users of this machine."""
    import dask
    import distributed

    with (
        dask.config.set(_LOCAL_CONFIGURATION),
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


#: The resource of workers that embed on a GPU.
GPU = "GPU"
#: Seconds in which a scheduler must answer, and a worker must be there.
CONNECT_SECONDS = 20.0
WORKER_SECONDS = 60.0
# Seconds between two looks at the workers.
_LOOK_EVERY = 2.0
# Of a document's tasks the last ones go first, so that it is finished and its memory is free.
_PRIORITY_OF_EMBEDDING = 10
_CONFIGURATION = {
    # Its notes on workers that come and go would be printed among ours.
    "logging.distributed": "critical",
    # A document that is sent is a task of that size.
    "distributed.admin.large-graph-warning-threshold": "1GiB",
}


class ClusterConnection:
    """A client of a scheduler. Its calls raise Unavailable once the scheduler is lost."""

    def __init__(self, client: Any, scheduler: str) -> None:
        self.scheduler = scheduler
        self._client = client
        self._looked_at = float("-inf")
        self._slots = 0
        self._gpus = 0
        self._seen_at = time.monotonic()

    def slots(self, *, gpu: bool) -> int:
        """The number of parallel tasks, as of the last few seconds. Raises Unavailable if there has
        been no worker, or no required GPU worker, for a minute."""
        if time.monotonic() - self._looked_at >= _LOOK_EVERY:
            self._look()
        if self._slots and (self._gpus or not gpu):
            self._seen_at = time.monotonic()
        elif time.monotonic() - self._seen_at > WORKER_SECONDS:
            kind = f" with the resource {GPU}" if gpu and self._slots else ""
            raise Unavailable(
                f"{self.scheduler}: no worker{kind} for {WORKER_SECONDS:g} s; start one with "
                f"`dask worker {self.scheduler}`{f' and {GPU}=1 as a resource' if kind else ''}. "
                "What was finished is kept"
            )
        return self._slots

    def wait_for_worker(self, *, gpu: bool) -> None:
        """Raises as ``slots`` does, and where the wait is cancelled."""
        while not self.slots(gpu=gpu) or (gpu and not self._gpus):
            checkpoint()
            time.sleep(0.1)
            self._looked_at = float("-inf")

    def check_workers(self, own: WorkerIdentity, function: str, options: Options) -> None:
        """Raises Unavailable, naming the worker, if one has another version than this machine."""
        answers = self._called(
            lambda: self._client.run(identity_of_this_process, function, options, on_error="return")
        )
        for address, answer in answers.items():
            if isinstance(answer, WorkerIdentity):
                if difference := own.difference(answer):
                    raise self.refusal(address, difference)
            else:
                reason = f"cannot run CiteLoom ({type(answer).__name__}: {answer})"
                raise self.refusal(address, f"{reason}; install CiteLoom on it")

    def refusal(self, worker: str, difference: str) -> Unavailable:
        """The error of a worker of another kind."""
        return Unavailable(f"{self.scheduler}: the worker {worker} {difference}")

    def submit(
        self, function: Callable[[Any], Any], request: Any, key: str, *, embeds: bool, gpu: bool
    ) -> Any:
        """The future of a task."""
        return self._called(
            lambda: self._client.submit(
                function,
                request,
                key=key,
                pure=False,
                priority=_PRIORITY_OF_EMBEDDING if embeds else 0,
                resources={GPU: 1} if gpu else None,
            )
        )

    def listen(self, heard: Callable[[dict[str, Any]], None]) -> None:
        """Call this, in a thread of the client, with each message of a worker."""
        self._called(lambda: self._client.subscribe_topic(TOPIC, lambda event: heard(event[1])))

    def cancel(self, futures: Sequence[Any]) -> None:
        """Cancel tasks that nobody waits for; without a scheduler there is nothing to do."""
        if futures and self._client.status == "running":
            with suppress(OSError, TimeoutError, RuntimeError):
                self._client.cancel(futures, force=True)

    def lost(self) -> Unavailable:
        """The error of a scheduler that went away."""
        return Unavailable(
            f"{self.scheduler}: the Dask scheduler was lost; start it again and repeat the ingest: "
            "what was finished is kept"
        )

    def _look(self) -> None:
        info = self._called(lambda: self._client.scheduler_info(n_workers=-1))
        workers = info["workers"].values()
        self._slots = sum(worker["nthreads"] for worker in workers)
        self._gpus = sum(GPU in worker["resources"] for worker in workers)
        self._looked_at = time.monotonic()

    def _called(self, call: Callable[[], Any]) -> Any:
        if self._client.status != "running":
            raise self.lost()
        try:
            return call()
        except (OSError, TimeoutError) as error:
            raise self.lost() from error


@contextmanager
def connected(scheduler: str, *, workers: int, gpu: bool) -> Iterator[ClusterConnection]:
    """A connection to the scheduler at an address, or to a cluster of ``workers`` started here for
    ``local``. Raises ConfigurationError if Dask is not installed, Unavailable if nothing answers.
    """
    try:
        import dask

        dask.config.set(_CONFIGURATION)
        import distributed
    except ImportError as error:
        raise ConfigurationError(
            f"ingest.scheduler = {scheduler}: Dask is not installed; "
            'run `pip install "citeloom[cluster]"`, or remove the setting',
            module=error.name,
        ) from None
    if scheduler == LOCAL:
        with (
            start_local_cluster(workers, {GPU: 1} if gpu else {}) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield ClusterConnection(client, scheduler)
        return
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise Unavailable(
            f"{scheduler}: no Dask scheduler answers ({str(error) or type(error).__name__}); start "
            "one with `dask scheduler`, or correct ingest.scheduler"
        ) from error
    with client:
        yield ClusterConnection(client, scheduler)
