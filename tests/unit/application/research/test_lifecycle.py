"""Working on a session: others know that it lives, and it hears that it is to stop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from support.in_memory.research_record import InMemoryResearchRecord
from support.research.records import NOW, a_chat, a_session, a_step, an_outcome, begin, messages

from citeloom.application.research.sessions import Lifecycle, SessionWork
from citeloom.domain.errors import SessionBusy, StorageFailed
from citeloom.domain.research.session import SessionStatus
from citeloom.infrastructure.system.clock import thread_heartbeat


class ManualClock:
    def __init__(self) -> None:
        self.at = NOW
        self.names = iter(("w1", "w2", "w3"))

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        raise AssertionError("nothing here takes a while")

    def correlation_id(self) -> str:
        return next(self.names)


class ManualPulse:
    """Beats when it is told to."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._do: Callable[[], None] | None = None
        self._seconds = 0.0

    @contextmanager
    def __call__(self, seconds: float, do: Callable[[], None]) -> Iterator[None]:
        self._seconds, self._do = seconds, do
        try:
            yield
        finally:
            self._do = None

    def beat(self) -> None:
        assert self._do is not None, "the block is left"
        self._clock.at += timedelta(seconds=self._seconds)
        self._do()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def pulse(clock: ManualClock) -> ManualPulse:
    return ManualPulse(clock)


@pytest.fixture
def record() -> InMemoryResearchRecord:
    return InMemoryResearchRecord()


@pytest.fixture
def lifecycle(record: InMemoryResearchRecord, clock: ManualClock, pulse: ManualPulse) -> Lifecycle:
    return Lifecycle(record, clock, pulse)


@contextmanager
def begun(lifecycle: Lifecycle) -> Iterator[SessionWork]:
    chat = a_chat()
    session = a_session(chat, worker=None, heartbeat_at=None)
    with lifecycle.begun(chat, *messages(session), session) as work:
        yield work


def test_it_lives_as_long_as_it_is_worked_on(
    lifecycle: Lifecycle, record: InMemoryResearchRecord, clock: ManualClock, pulse: ManualPulse
) -> None:
    with begun(lifecycle) as work:
        for _ in range(12):
            pulse.beat()
        assert not work.stop
        assert record.session(work.session.id).heartbeat_at == NOW + timedelta(seconds=24)
        assert lifecycle.bury() == ()
    clock.at += timedelta(seconds=31)
    assert lifecycle.bury() == (work.session.id,)


def test_a_cancelled_session_stops_at_its_next_heartbeat(
    lifecycle: Lifecycle, record: InMemoryResearchRecord, clock: ManualClock, pulse: ManualPulse
) -> None:
    with begun(lifecycle) as work:
        record.cancel(work.session.id, clock.now())
        assert not work.stop
        pulse.beat()
        assert work.stop


def test_one_that_was_taken_away_is_to_stop(
    lifecycle: Lifecycle, record: InMemoryResearchRecord, clock: ManualClock, pulse: ManualPulse
) -> None:
    with begun(lifecycle) as work:
        clock.at += timedelta(minutes=1)  # a laptop that slept
        taken = record.take(work.session.id, "other", clock.now())
        pulse.beat()
        assert work.stop
        with pytest.raises(SessionBusy):
            record.advance(taken.id, work.worker, a_step(taken), clock.now())


def test_after_a_heartbeat_that_fails_the_next_may_come_through(
    lifecycle: Lifecycle,
    record: InMemoryResearchRecord,
    pulse: ManualPulse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> bool:
        raise StorageFailed("the disk is full")

    with begun(lifecycle) as work:
        with monkeypatch.context() as patch:
            patch.setattr(record, "beat", fail)
            pulse.beat()
        assert not work.stop
        record.cancel(work.session.id, NOW)
        pulse.beat()
        assert work.stop


def test_resuming_buries_the_dead_first(
    lifecycle: Lifecycle, record: InMemoryResearchRecord, clock: ManualClock
) -> None:
    dead, other = begin(record), begin(record)
    clock.at += timedelta(seconds=31)
    with lifecycle.resumed(dead.id) as work:
        assert work.session.worker == work.worker
        assert work.session.sequence == 1  # the event that tells of its death
        assert record.session(other.id).status is SessionStatus.FAILED
        outcome = an_outcome(work.session, citations=())
        record.finish(dead.id, work.worker, outcome)
    assert record.session(dead.id).status is SessionStatus.COMPLETED


def test_a_thread_beats_until_the_block_is_left() -> None:
    from threading import Event

    beaten, count = Event(), [0]

    def beat() -> None:
        count[0] += 1
        if count[0] == 3:
            beaten.set()

    with thread_heartbeat(0.01, beat):
        assert beaten.wait(10)
    after = count[0]
    assert not Event().wait(0.05)
    assert count[0] == after
