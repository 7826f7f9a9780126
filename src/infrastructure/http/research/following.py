"""The events of a research session as a stream, from the record."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from fastapi.sse import ServerSentEvent

from citeloom.domain.research.events import to_wire
from citeloom.domain.research.session import SessionStatus
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.http.streams import (
    After,
    LastEventId,
    begun_after,
    check_given,
)


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
    begun = begun_after(last_event_id, after)
    with verbs.streams.opened("events"):
        sessions = verbs.application.research.sessions
        session, _ = await verbs.streams.look(lambda: sessions.follow(session_id, begun))
        check_given(begun, session.sequence, "session")
        yield FollowedSession(verbs, session_id, begun)
