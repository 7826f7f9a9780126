"""Metrics of a server at ``/metrics``, in the text format of Prometheus: counters of events, and
values read on request. Labels are names of this program (routes, tools, stages, codes), never
projects, principals or questions, which are unlimited and private."""

import collections
import hmac
import logging
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio.to_thread
from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

import citeloom
from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.serving.http import Interceptor, caller_of, shown_token
from citeloom.infrastructure.serving.jobs.ingests import IngestJob
from citeloom.infrastructure.serving.jobs.job import AnyJob
from citeloom.infrastructure.serving.lanes import Lane
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.infrastructure.principals.serving import PrincipalCaller

from .verbs import OperationVerbs

#: Of the text format that is answered.
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
#: The label of what is none of the server's routes or tools.
OTHER: Final = "other"
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
# Seconds. A question takes tens of milliseconds, an answer is given up after 15 seconds.
_ANSWERS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)
_STAGES: Final = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_CALLS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)


class Meters:
    """Counters of events; thread-safe. Others add collectors to ``registry``."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        build = Info("citeloom_build", "Version of the server.", registry=self.registry)
        build.info({"version": citeloom.__version__, "python": platform.python_version()})
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self._requests = counter(
            "citeloom_http_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
        )
        self._answers = histogram(
            "citeloom_http_request_seconds",
            "Seconds until an answer begins.",
            ("route", "method"),
            buckets=_ANSWERS,
        )
        told = "Seconds of operations and their stages."
        self._stages = histogram("citeloom_stage_seconds", told, ("stage",), buckets=_STAGES)
        told = "Calls of tools by outcome: done, or the code of the error."
        self._calls = counter("citeloom_mcp_calls", told, ("tool", "outcome"))
        told = "Seconds until a call of a tool is answered."
        self._call_seconds = histogram("citeloom_mcp_call_seconds", told, ("tool",), buckets=_CALLS)
        told = "Jobs by kind and how they ended."
        self._jobs = counter("citeloom_jobs_ended", told, ("kind", "state"))
        told = "Documents that jobs of this process looked at: stored, unchanged or failed."
        self._documents = counter("citeloom_ingested_documents", told, ("outcome",))
        told = "Passages that jobs of this process stored."
        self._passages = counter("citeloom_ingested_passages", told)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """An answer has started. ``route`` is a template, never a path."""
        known = method if method in _METHODS else OTHER
        self._requests.labels(route, known, str(status)).inc()
        self._answers.labels(route, known).observe(seconds)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._stages.labels(name).observe(time.perf_counter() - began)

    def call(self, tool: str, outcome: str, seconds: float) -> None:
        self._calls.labels(tool or OTHER, outcome).inc()
        self._call_seconds.labels(tool or OTHER).observe(seconds)

    def job(self, kind: str, state: str) -> None:
        self._jobs.labels(kind, state).inc()

    def ingested(self, *, stored: int, unchanged: int, failed: int, passages: int) -> None:
        for outcome, count in (("stored", stored), ("unchanged", unchanged), ("failed", failed)):
            self._documents.labels(outcome).inc(count)
        self._passages.inc(passages)


# Seconds for which the amounts of the library are told again: scrapes are not load.
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
        """Registration reads nothing."""
        return ()

    def _of_lanes(self) -> Iterator[Metric]:
        standings = [lane.standing() for lane in self._lanes]
        families = (
            (GaugeMetricFamily, "workers", "Threads of a lane."),
            (GaugeMetricFamily, "waiting", "Calls that wait for their turn."),
            (GaugeMetricFamily, "running", "Calls that run."),
            (CounterMetricFamily, "begun", "Calls that have started."),
            (
                CounterMetricFamily,
                "waited_seconds",
                "Seconds that calls have waited for their turn.",
            ),
            (
                CounterMetricFamily,
                "refused",
                "Calls that were refused because they would have waited too long.",
            ),
        )
        for kind, name, told in families:
            family = kind(f"citeloom_lane_{name}", told, labels=("lane",))
            for one in standings:
                family.add_metric((one.name,), getattr(one, name))
            yield family

    def _of_jobs(self) -> Iterator[Metric]:
        going = collections.Counter(
            (job.kind, job.status.value) for job in self._serving.jobs.own() if not job.has_ended
        )
        gauge = GaugeMetricFamily(
            "citeloom_jobs", "Jobs that wait or run.", labels=("kind", "state")
        )
        for kind in ("ingest", "verify", "review", "validation", "table"):
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

    def ended(job: AnyJob) -> None:
        meters.job(job.kind, job.status.value)
        if isinstance(job, IngestJob):
            stored, failed = job.documents_stored, job.documents_failed
            unchanged = job.documents_done - failed - stored
            meters.ingested(
                stored=stored, unchanged=unchanged, failed=failed, passages=job.passages
            )

    serving.calls.add(lambda call: meters.call(*call))
    serving.jobs.hear_ends(ended)


PATH: Final = "/metrics"

Render = Callable[[], bytes]
"""The figures as text; for a thread."""


@dataclass(eq=False)
class Metrics(Interceptor):
    """ASGI middleware that asks for the token: with principals, only administrators see the
    metrics."""

    render: Render

    async def answer(self, request: Request) -> Response | None:
        if not is_asked(request):
            return None
        caller = caller_of(request.scope)
        if isinstance(caller, PrincipalCaller) and not caller.rights.is_administrator:
            return PlainTextResponse("/metrics: for administrators of this server\n", 403)
        return await answered(self.render)


@dataclass(eq=False)
class MetricsToken(Interceptor):
    """An ASGI application before the one that asks for the server's token: who shows ``token`` is
    answered the figures, and nothing else."""

    render: Render
    token: str = field(repr=False)

    async def answer(self, request: Request) -> Response | None:
        if is_asked(request) and self._is_shown(request):
            return await answered(self.render)
        return None

    def _is_shown(self, request: Request) -> bool:
        shown = shown_token(request.headers.get("authorization", "")) or ""
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self.token.encode())


def is_asked(request: Request) -> bool:
    return request.scope["path"] == PATH and request.method in ("GET", "HEAD")


def rendered(meters: Meters) -> Render:
    return lambda: generate_latest(meters.registry)


async def answered(render: Render) -> Response:
    text = await anyio.to_thread.run_sync(render)
    return Response(text, headers={"Content-Type": CONTENT_TYPE})
