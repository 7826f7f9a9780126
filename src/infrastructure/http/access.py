"""The server parts that routes need: the verbs, and the lanes in which they run."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, cast

from fastapi import Depends, Request
from pydantic import ConfigDict

from citeloom.domain.errors import OperationTimeout
from citeloom.domain.progress import stage
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.serving.http import caller_of
from citeloom.infrastructure.serving.lanes import Lane

from .events import Streams

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.serving.http import Caller
    from citeloom.infrastructure.serving.jobs.background import Background
    from citeloom.infrastructure.serving.served import ServedParts
    from citeloom.infrastructure.serving.serving import Serving

#: Bytes of all pictures that are kept: some hundred pages.
MOST_BYTES: Final = 64_000_000


class PictureCache:
    """Pictures by entity tag, the one that was not used for longest forgotten first. For several
    threads; two that ask for the same new picture both make it."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._bytes = 0
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def picture(self, etag: str, make: Callable[[], bytes]) -> bytes:
        """Raises the errors of ``make``."""
        with self._lock:
            if (known := self._pictures.get(etag)) is not None:
                self._pictures.move_to_end(etag)
                return known
        made = make()
        with self._lock:
            self._bytes += len(made) - len(self._pictures.pop(etag, b""))
            self._pictures[etag] = made
            while self._bytes > self._most and self._pictures:
                self._bytes -= len(self._pictures.popitem(last=False)[1])
        return made


T = TypeVar("T")
#: Seconds that a request may take from when its turn has come.
SECONDS: Final = 15.0
_PATIENCE: Final = 10.0
_WORKERS: Final = 4
_SECONDS_EACH: Final = 0.05


@dataclass(frozen=True, slots=True)
class Access:
    """The verbs of the workspace. Work runs in a limited number of threads, and is refused with 503
    instead of waiting long. ``secret`` is what our own pages send with changes; ``login``: whether
    browsers log in."""

    application: "Application"
    lane: Lane
    pictures: PictureCache
    jobs: "Background"
    streams: Streams
    secret: str | None
    login: bool

    @classmethod
    def to(cls, application: "Application", serving: "Serving", *, login: bool) -> "Access":
        lane = Lane("http", _WORKERS, patience=_PATIENCE, seconds_each=_SECONDS_EACH)
        return cls(
            application=application,
            lane=lane,
            pictures=PictureCache(),
            jobs=serving.jobs,
            streams=Streams(serving.is_ending),
            secret=None,
            login=login,
        )

    async def run(self, operation: str, work: Callable[[], T], *, instead: str = "") -> T:
        """Raises Busy, OperationTimeout with what to do ``instead``, and what the work raises."""
        try:
            with stage(operation):
                return await self.lane.run(operation, work, SECONDS, instead=instead)
        except OperationTimeout:
            raise OperationTimeout(operation, SECONDS, instead) from None


@dataclass(frozen=True, slots=True)
class AccessParts:
    """``whole`` for everybody, or with principals separate verbs and jobs for each. Pictures are
    shared, because looked-up documents name them. ``secret_of`` gives the secret that pages send
    with changes of a caller."""

    whole: Access
    parts: "ServedParts"
    secret_of: "Callable[[Caller], str | None]"

    @property
    def lane(self) -> Lane:
        """The lane that all principals share."""
        return self.whole.lane

    def of(self, caller: "Caller") -> Access:
        """Raises PermissionError for an unknown caller if there are principals."""
        served = self.parts.of_caller(caller)
        return replace(
            self.whole,
            application=served.application,
            jobs=served.jobs,
            secret=self.secret_of(caller),
        )


def access(request: Request) -> Access:
    parts = cast(AccessParts, request.app.state.access)
    return parts.of(caller_of(request.scope))


def body_of(**example: Any) -> ConfigDict:
    """The configuration of a request's body, of which these fields are an example: others are
    refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


async def _project(namespace: str, name: str) -> ProjectId:
    return ProjectId.parse(f"{namespace}/{name}")


Verbs = Annotated[Access, Depends(access)]
#: The project of a path. Raises InvalidRequest.
OfProject = Annotated[ProjectId, Depends(_project)]
