"""What routes need of the server: the verbs, and the lanes in which they run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, TypeVar, cast

from fastapi import Depends, Request

from citeloom.domain.errors import OperationTimeout
from citeloom.infrastructure.http.picture_cache import PictureCache
from citeloom.infrastructure.http.streams import Streams
from citeloom.infrastructure.mcp.lanes import Lane

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.mcp.jobs.background import Background
    from citeloom.infrastructure.mcp.server import Serving

T = TypeVar("T")
#: Seconds that a request may take from when its turn has come.
SECONDS: Final = 15.0
_PATIENCE: Final = 10.0
_WORKERS: Final = 4
_SECONDS_EACH: Final = 0.05


@dataclass(frozen=True, slots=True)
class Access:
    """The verbs of the workspace. Work runs in threads, so many at once, and is refused with 503
    as soon as it would wait for long. ``secret`` is what our own pages show with changes;
    ``login``: whether browsers log in."""

    application: "Application"
    lane: Lane
    pictures: PictureCache
    jobs: "Background"
    streams: Streams
    secret: str | None
    login: bool

    @classmethod
    def to(
        cls,
        application: "Application",
        serving: "Serving",
        secret: str | None,
        *,
        login: bool = False,
    ) -> "Access":
        lane = Lane("http", _WORKERS, patience=_PATIENCE, seconds_each=_SECONDS_EACH)
        return cls(
            application=application,
            lane=lane,
            pictures=PictureCache(),
            jobs=serving.jobs,
            streams=Streams(serving.is_ending),
            secret=secret,
            login=login,
        )

    async def run(self, operation: str, work: Callable[[], T], *, instead: str = "") -> T:
        """Raises Busy, OperationTimeout with what to do ``instead``, and what the work raises."""
        try:
            return await self.lane.run(operation, work, SECONDS, instead=instead)
        except OperationTimeout:
            raise OperationTimeout(operation, SECONDS, instead) from None


def access(request: Request) -> Access:
    return cast(Access, request.app.state.access)


Verbs = Annotated[Access, Depends(access)]
