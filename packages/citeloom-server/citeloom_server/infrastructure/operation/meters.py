"""Figures of a server for Prometheus: counters and histograms, in a registry of their own.

Labels are names of this program (routes, tools, stages, codes): never projects, principals or what
was asked, of which there are any number and which are nobody else's business.
"""

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    Info,
    ProcessCollector,
)

import citeloom

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
    """What is counted when it happens; thread-safe. Others add collectors to ``registry``."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        build = Info("citeloom_build", "Version of the server.", registry=self.registry)
        build.info({"version": citeloom.__version__, "python": platform.python_version()})
        self._requests = Counter(
            "citeloom_http_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self._answers = Histogram(
            "citeloom_http_request_seconds",
            "Seconds until an answer begins.",
            ("route", "method"),
            registry=self.registry,
            buckets=_ANSWERS,
        )
        self._stages = Histogram(
            "citeloom_stage_seconds",
            "Seconds of operations and their stages.",
            ("stage",),
            registry=self.registry,
            buckets=_STAGES,
        )
        self._calls = Counter(
            "citeloom_mcp_calls",
            "Calls of tools by outcome: done, or the code of the error.",
            ("tool", "outcome"),
            registry=self.registry,
        )
        self._call_seconds = Histogram(
            "citeloom_mcp_call_seconds",
            "Seconds until a call of a tool is answered.",
            ("tool",),
            registry=self.registry,
            buckets=_CALLS,
        )
        self._jobs = Counter(
            "citeloom_jobs_ended",
            "Jobs by kind and how they ended.",
            ("kind", "state"),
            registry=self.registry,
        )
        self._documents = Counter(
            "citeloom_ingested_documents",
            "Documents that jobs of this process looked at: stored, unchanged or failed.",
            ("outcome",),
            registry=self.registry,
        )
        self._passages = Counter(
            "citeloom_ingested_passages",
            "Passages that jobs of this process stored.",
            registry=self.registry,
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """An answer has begun. ``route`` is a template, never a path."""
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
