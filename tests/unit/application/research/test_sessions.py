"""Sessions by name, and what is settled before anything is told."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from support.in_memory.research_record import (
    InMemoryResearchRecord,
    InMemoryUserRecord,
)
from support.research.records import NOW, a_chat, begin, complete, later

from citeloom.application.ports.research import SessionFilter
from citeloom.application.research.chats import Users
from citeloom.application.research.sessions import Sessions
from citeloom.domain.errors import InvalidRequest, SessionNotFound, StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.session import RECOVERABLE, Depth, Rating, SessionStatus


class ClockAt:
    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        raise AssertionError("nothing here takes a while")

    def correlation_id(self) -> str:
        raise AssertionError("nobody works here")


@pytest.fixture
def record() -> InMemoryResearchRecord:
    return InMemoryResearchRecord()


@pytest.fixture
def clock() -> ClockAt:
    return ClockAt(NOW)


@pytest.fixture
def sessions(record: InMemoryResearchRecord, clock: ClockAt) -> Sessions:
    return Sessions(record, clock)


def test_named_by_id_beginning_or_last(record: InMemoryResearchRecord, sessions: Sessions) -> None:
    one = complete(record, id=UUID("0123abcd-4567-4aaa-8aaa-aaaaaaaaaaaa"))
    two = complete(
        record, id=UUID("0123abcd-4567-4bbb-8bbb-bbbbbbbbbbbb"), started_at=later(hours=1)
    )
    assert sessions.find(str(one.id)) == sessions.find("0123ABCD45674a") == one.id
    assert sessions.find("last") == two.id
    with pytest.raises(InvalidRequest, match="2 sessions begin so"):
        sessions.find("0123")
    for name in ("4", "", "lost"):
        with pytest.raises(SessionNotFound) as refused:
            sessions.find(name)
        assert refused.value.next_step == NextStep(Action.LIST_SESSIONS)


def test_the_last_is_one_s_own_and_not_deleted(
    record: InMemoryResearchRecord, sessions: Sessions
) -> None:
    with pytest.raises(SessionNotFound, match="no sessions yet"):
        sessions.show("last")
    own, newer = complete(record), complete(record, started_at=later(hours=1))
    complete(record, a_chat("else"), started_at=later(hours=2))
    assert sessions.show("last").session.id == newer.id
    assert sessions.delete("last").is_deleted
    assert sessions.show("last").session.id == own.id
    assert [one.id for one in sessions.list(SessionFilter())] == [own.id]
    assert sessions.restore("last").id == newer.id
    with pytest.raises(SessionNotFound, match="no deleted"):
        sessions.restore("last")


def test_the_dead_are_marked_and_the_old_are_gone_before_anything_is_told(
    record: InMemoryResearchRecord, sessions: Sessions, clock: ClockAt
) -> None:
    dead, old = begin(record), complete(record)
    sessions.delete(str(old.id))
    clock.at = later(seconds=31)
    (listed,) = sessions.list(SessionFilter())
    assert (listed.id, listed.status) == (dead.id, SessionStatus.FAILED)
    clock.at = NOW + RECOVERABLE
    assert sessions.list(SessionFilter(deleted=True))
    clock.at += timedelta(seconds=1)
    assert sessions.list(SessionFilter(deleted=True)) == ()
    with pytest.raises(SessionNotFound):
        sessions.restore(str(old.id))


def test_cancelling_tells_what_became_of_it(
    record: InMemoryResearchRecord, sessions: Sessions
) -> None:
    session = begin(record)
    assert sessions.cancel("last").cancelling
    assert record.session(session.id).cancelling
    assert sessions.events("last") == ()


def test_preferences_change_one_by_one(record: InMemoryResearchRecord, clock: ClockAt) -> None:
    users = Users(InMemoryUserRecord(record), clock)
    assert users.preferences() is None
    first = users.prefer(instructions="Kurz.", depth=Depth.LIGHT)
    clock.at = later(hours=1)
    second = users.prefer(depth=Depth.EXTENDED)
    assert second.id == first.id
    assert second.system_instructions == "Kurz."
    assert second.default_research_depth is Depth.EXTENDED
    assert (second.created_at, second.updated_at) == (NOW, later(hours=1))
    assert users.clear()
    assert not users.clear()


def test_feedback_is_of_the_report(record: InMemoryResearchRecord, clock: ClockAt) -> None:
    users = Users(InMemoryUserRecord(record), clock)
    session = complete(record)
    first = users.rate_message(session.message_id, Rating.NEGATIVE, "zu lang")
    clock.at = later(hours=1)
    second = users.rate_message(session.message_id, Rating.POSITIVE)
    assert users.feedback(session.message_id) == (first, second)
    assert first.message_id == session.message_id


class ReadOnly(InMemoryResearchRecord):
    """A record that can only be read, once it is ``frozen``."""

    frozen = False

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        if self.frozen:
            raise StorageFailed("catalogue.sqlite: cannot be opened for writing")
        return super().bury(at)


def test_where_nothing_can_be_written_the_dead_are_told_all_the_same() -> None:
    record = ReadOnly()
    done = complete(record)
    dead = begin(record, started_at=later(hours=1))
    record.frozen = True
    sessions = Sessions(record, ClockAt(later(days=1)))
    assert [one.status for one in sessions.list(SessionFilter())] == [
        SessionStatus.FAILED,
        SessionStatus.COMPLETED,
    ]
    failed = sessions.list(SessionFilter(statuses=(SessionStatus.FAILED,), limit=1))
    assert [one.id for one in failed] == [dead.id]
    assert sessions.list(SessionFilter(statuses=(SessionStatus.IN_PROGRESS,))) == ()
    assert sessions.show("last").session.status is SessionStatus.FAILED
    assert sessions.show(str(done.id)).session == record.session(done.id)
