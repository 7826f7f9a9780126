"""A workspace while it is served: jobs, lanes, models, and its end."""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import anyio

from citeloom.infrastructure.system.clock import threads_end
from citeloom.infrastructure.system.locks import new_process_name

from .jobs.background import background
from .jobs.pending import WarmModels
from .jobs.queue import Recorder
from .served import PATIENCE, CallAudit, Principals, Served, ServedParts

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

# Clients kill a server that is still there two seconds after its input has ended.
_GRACE_SECONDS: Final = 0.7
_log: Final = logging.getLogger(__name__)


class Serving:
    """A served workspace, for any interface: the verbs of each caller, and the work before the
    first call and after the last. With ``principals`` each has its own; ``audit`` records calls of
    tools, ``calls`` has their listeners. ``lanes`` are those of the tools, ``jobs`` those of this
    process from all interfaces."""

    def __init__(
        self,
        application: "Application",
        principals: Principals | None = None,
        audit: CallAudit | None = None,
    ) -> None:
        self._application = application
        self._is_leaving = False
        self.principals = principals
        self.settings = application.settings
        self.models = WarmModels(application.models.embedder)
        self._at_end: list[Callable[[], None]] = []
        stores = application.stores
        recorder = Recorder(stores.job_record, stores.clock, new_process_name())
        self.jobs = background(application, self.models, recorder, self.settings.quota.jobs)
        self._served = Served(application, self.jobs, self.models, patience=PATIENCE, audit=audit)
        self.lanes, self.calls = self._served.lanes, self._served.listeners
        self.parts = principals.parts(self._served) if principals else ServedParts(self._served)

    def is_ending(self) -> bool:
        """Whether it ends now, and with it all calls and streams."""
        return self._served.under_way.is_ending

    def is_leaving(self) -> bool:
        """Whether the process is stopping, and takes no new work."""
        return self._is_leaving or self.is_ending()

    def leave(self) -> None:
        """The process is stopping; it still answers."""
        self._is_leaving = True

    def prepare(self) -> None:
        _import_verbs(self._application)
        self.models.warm_up(lambda: _models_in_use(self._application))

    def end_calls(self) -> None:
        """Answer the calls under way: the server ends. For the thread of the loop, handlers of
        signals included."""
        asyncio.get_running_loop().call_soon_threadsafe(self._served.under_way.end)

    async def answered(self) -> None:
        """Returns when no call is running, or when the time for running calls is over."""
        with anyio.move_on_after(_GRACE_SECONDS):
            await self._served.under_way.ended()

    def stop(self, seconds: float = _GRACE_SECONDS) -> bool:
        """Interrupt jobs and begin no more calls; whether all has ended in time."""
        deadline = time.monotonic() + seconds
        for lane in self.lanes.values():
            lane.close()
        jobs_ended = self.jobs.stop(seconds)
        return self.models.settled(max(0.0, deadline - time.monotonic())) and jobs_ended

    def at_end(self, call: Callable[[], None]) -> None:
        """Call this when no call is answered any more and jobs have ended."""
        self._at_end.append(call)

    def end(self, code: int = 0) -> None:
        """End the process with everything in it. Jobs stay: an ingest's converters end with the
        process, and the next ingest of the same source continues."""
        deadline = time.monotonic() + _GRACE_SECONDS
        has_ended = self.stop()
        for call in self._at_end:
            call()
        if not has_ended or not threads_end(deadline):
            _log.warning("citeloom mcp: ended in the middle of its work")
            self._application.close()
            os._exit(code)


def _import_verbs(application: "Application") -> tuple[object, ...]:
    """The verbs of the tools, imported before the first call has to wait for them."""
    return (
        application.ingest.files,
        application.search.query,
        application.projects.inspect,
        application.projects.projects,
        application.maps.structure,
        application.maps.cut,
        application.resources.observe,
        application.verification.verify,
        application.research.review,
        application.research.sessions,
    )


def _models_in_use(application: "Application") -> list[str]:
    names = [project.embedding_model.name for project in application.stores.catalogue.projects()]
    return list(dict.fromkeys(names)) or [application.settings.embedding.default_model]
