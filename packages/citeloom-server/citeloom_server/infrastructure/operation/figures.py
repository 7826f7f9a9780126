"""Figures of a server that are looked at when they are asked for: lanes, jobs, the library."""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.serving.call_listeners import AnsweredCall
from citeloom.infrastructure.serving.jobs.ingests import IngestJob
from citeloom.infrastructure.serving.jobs.job import AnyJob
from citeloom.infrastructure.serving.lanes import Lane
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.infrastructure.operation.meters import Meters
from citeloom_server.infrastructure.operation.verbs import OperationVerbs

# Seconds for which the amounts of the library are told again: scrapes are no load.
_KEPT_SECONDS: Final = 15.0
_log: Final = logging.getLogger(__name__)


class ServerFigures(Collector):
    """Read in a thread of the scrape. ``lanes`` are those of the REST interface."""

    def __init__(self, verbs: OperationVerbs, serving: Serving, lanes: Sequence[Lane]) -> None:
        self._verbs = verbs
        self._serving = serving
        self._lanes = (*lanes, *serving.lanes.values())
        self._amounts: Sequence[Metric] = ()
        self._looked_at = float("-inf")

    def collect(self) -> Iterator[Metric]:
        yield from self._of_lanes()
        yield from self._of_jobs()
        yield from self._of_models()
        if time.monotonic() - self._looked_at > _KEPT_SECONDS:
            self._amounts = list(self._of_library())
            self._looked_at = time.monotonic()
        yield from self._amounts

    def describe(self) -> Sequence[Metric]:
        """Nothing is read when it is registered."""
        return ()

    def _of_lanes(self) -> Iterator[Metric]:
        standings = [lane.standing() for lane in self._lanes]
        gauges = (
            ("workers", "Threads of a lane."),
            ("waiting", "Calls that wait for their turn."),
            ("running", "Calls that run."),
        )
        counters = (
            ("begun", "Calls that have begun."),
            ("waited_seconds", "Seconds that calls have waited for their turn."),
            ("refused", "Calls that were refused, as they would have waited too long."),
        )
        for name, told in gauges:
            gauge = GaugeMetricFamily(f"citeloom_lane_{name}", told, labels=("lane",))
            for one in standings:
                gauge.add_metric((one.name,), getattr(one, name))
            yield gauge
        for name, told in counters:
            counter = CounterMetricFamily(f"citeloom_lane_{name}", told, labels=("lane",))
            for one in standings:
                counter.add_metric((one.name,), getattr(one, name))
            yield counter

    def _of_jobs(self) -> Iterator[Metric]:
        going = Counter(
            (job.kind, job.status.value) for job in self._serving.jobs.own() if not job.has_ended
        )
        gauge = GaugeMetricFamily(
            "citeloom_jobs", "Jobs that wait or run.", labels=("kind", "state")
        )
        for kind in ("ingest", "verify", "review", "validation"):
            for state in ("queued", "running"):
                gauge.add_metric((kind, state), going[kind, state])
        yield gauge

    def _of_models(self) -> Iterator[Metric]:
        seconds = self._serving.models.load_seconds
        told = "Embedding models that were loaded."
        yield CounterMetricFamily("citeloom_model_loads", told, len(seconds))
        told = "Seconds that loading them took."
        yield CounterMetricFamily("citeloom_model_load_seconds", told, sum(seconds))

    def _of_library(self) -> Iterator[Metric]:
        try:
            amounts = self._verbs.amounts()
        except CiteLoomError as error:
            _log.warning("figures of the catalogue: %s", error.code)
            yield GaugeMetricFamily("citeloom_catalogue_up", "Whether it could be read.", 0)
            return
        yield GaugeMetricFamily("citeloom_catalogue_up", "Whether it could be read.", 1)
        for name, count in amounts.model_dump().items():
            told = f"The catalogue's {name.replace('_', ' ')}."
            yield GaugeMetricFamily(f"citeloom_catalogue_{name}", told, count)
        if connections := self._verbs.connections():
            gauge = GaugeMetricFamily(
                "citeloom_catalogue_connections",
                "Connections of this process to the catalogue's server.",
                labels=("state",),
            )
            for state, count in connections._asdict().items():
                gauge.add_metric((state,), count)
            yield gauge


def listen(meters: Meters, serving: Serving) -> None:
    """Let ``meters`` count the calls of tools and the jobs of a server."""

    def answered(call: AnsweredCall) -> None:
        meters.call(*call)

    def ended(job: AnyJob) -> None:
        meters.job(job.kind, job.status.value)
        if isinstance(job, IngestJob):
            done, failed = job.documents_done, job.documents_failed
            stored = job.documents_stored
            meters.ingested(
                stored=stored,
                unchanged=done - failed - stored,
                failed=failed,
                passages=job.passages,
            )

    serving.calls.add(answered)
    serving.jobs.hear_ends(ended)
