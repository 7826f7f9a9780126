"""Streams of a session's events: from the record, to the end of the session or of the server."""

from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import anyio
import pytest
from fastapi.sse import ServerSentEvent
from support.cases import each
from support.in_memory.research_record import InMemoryResearchRecord
from support.research.records import NOW, a_step, an_outcome, begin, later

from citeloom.application.research.sessions import Sessions
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.leases import DEAD_AFTER
from citeloom.infrastructure.http.events import Streams
from citeloom.infrastructure.http.research import FollowedSession, following
from citeloom.infrastructure.serving.next_steps import Busy


class Clock:
    at = NOW

    def now(self) -> Any:
        return self.at


class Server:
    """What a stream needs of a server; ``ends`` says after how many looks it ends."""

    def __init__(self, ends: int = 1000) -> None:
        self.record = InMemoryResearchRecord()
        self.clock = Clock()
        self.looks = 0
        self.ends = ends
        self.streams = Streams(lambda: self.looks >= self.ends)
        sessions = Sessions(self.record, cast(Any, self.clock))
        self.application = SimpleNamespace(research=SimpleNamespace(sessions=sessions))

    def told(self, id: UUID, after: int = 0) -> list[ServerSentEvent]:
        async def collect() -> list[ServerSentEvent]:
            events = []
            async for event in FollowedSession(cast(Any, self), id, after).events():
                events.append(event)
                self.looks += 1
            return events

        return anyio.run(collect)


def test_a_server_that_ends_leaves_the_stream_without_a_last_event() -> None:
    server = Server(ends=1)
    session = begin(server.record)
    server.record.advance(session.id, "one", a_step(session), NOW)
    assert [one.id for one in server.told(session.id)] == ["1", "2", "3"]


def test_a_session_that_has_ended_is_told_to_its_end() -> None:
    server = Server()
    session = begin(server.record)
    server.record.advance(session.id, "one", a_step(session), NOW)
    server.record.finish(session.id, "one", an_outcome(server.record.session(session.id)))
    told = server.told(session.id, after=2)
    assert [(one.id, one.event) for one in told] == [
        ("3", "step_started"),
        ("4", "research_completed"),
        (None, "completed"),
    ]


def test_a_session_whose_process_died_is_told_as_failed() -> None:
    server = Server()
    session = begin(server.record)
    server.clock.at = later(seconds=DEAD_AFTER.total_seconds() + 1)
    told = server.told(session.id)
    assert [(one.id, one.event) for one in told] == [("1", "error"), (None, "failed")]
    assert "can be resumed" in told[-1].data["errorMessage"]


@each("number", ["1", "x", "", "٣", "9" * 20])
def test_a_number_that_the_session_never_had_is_refused(number: str) -> None:
    server = Server()
    session = begin(server.record)

    async def follow() -> None:
        await anext(following(cast(Any, server), session.id, number))

    with pytest.raises(InvalidRequest, match="Last-Event-ID"):
        anyio.run(follow)


def test_too_many_streams_are_refused_with_when_to_come_back() -> None:
    streams = Streams(lambda: False)
    opened = [streams.opened("events") for _ in range(33)]
    for one in opened[:32]:
        one.__enter__()
    with pytest.raises(Busy) as refused, opened[32]:
        pass
    assert refused.value.details["retry_after"] > 0
    opened[0].__exit__(None, None, None)
    with streams.opened("events"):
        pass
