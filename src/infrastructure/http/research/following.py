"""The events of a research session as a stream, from the record."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final
from uuid import UUID

from fastapi import Header, Query
from fastapi.sse import ServerSentEvent

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.research.events import to_wire
from citeloom.domain.research.session import SessionStatus
from citeloom.infrastructure.http.access import Access, Verbs

_HIGHEST: Final = 2**53 - 1

LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        max_length=20,
        json_schema_extra={"pattern": "^[0-9]{1,15}$"},
        description="Number of the last event that the client has; `after` without one.",
    ),
]
After = Annotated[int, Query(ge=0, le=_HIGHEST, description="Begin after the event so numbered.")]


@dataclass(frozen=True, slots=True)
class FollowedSession:
    """A session whose events are followed, from the one after ``after``."""

    verbs: Access
    session_id: UUID
    after: int

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Those of the record, each once and in order; at last one without a number that says how
        the session ended. A server that ends leaves that out."""
        sessions = self.verbs.application.research.sessions
        after = self.after
        while True:
            look = partial(sessions.follow, self.session_id, after)
            session, events = await self.verbs.streams.look(look)
            for event in events:
                after = event.sequence
                yield ServerSentEvent(data=to_wire(event), event=event.event_type, id=str(after))
            if session.status is not SessionStatus.IN_PROGRESS:
                ended = {
                    "sessionId": str(session.id),
                    "status": session.status.value,
                    "errorMessage": session.error_message,
                }
                yield ServerSentEvent(data=ended, event=session.status.value)
                return
            if not await self.verbs.streams.pause():
                return


async def following(
    verbs: Verbs, session_id: UUID, last_event_id: LastEventId = None, after: After = 0
) -> AsyncIterator[FollowedSession]:
    """Raises SessionNotFound, InvalidRequest, and Busy where too many streams are open."""
    begun_after = after if last_event_id is None else _number(last_event_id)
    with verbs.streams.opened("events"):
        sessions = verbs.application.research.sessions
        session, _ = await verbs.streams.look(lambda: sessions.follow(session_id, begun_after))
        if begun_after > session.sequence:
            raise InvalidRequest(
                f"Last-Event-ID: {begun_after}: the session has {session.sequence} events; leave "
                "it out to begin with the first",
                parameter="Last-Event-ID",
            )
        yield FollowedSession(verbs, session_id, begun_after)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= _HIGHEST):
        raise InvalidRequest(
            f"Last-Event-ID: {text!r}: no number of an event; leave it out to begin with the first",
            parameter="Last-Event-ID",
        )
    return int(text)
