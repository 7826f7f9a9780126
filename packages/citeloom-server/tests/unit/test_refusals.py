"""Refusals in the audit trail: the first at once, the others together, however many there are."""

from datetime import UTC, datetime

import pytest
from support.in_memory.server.audit_trail import InMemoryAuditTrail

from citeloom.infrastructure.observability import Asker
from citeloom_server.application.audit.ports import AuditEvent, AuditFilter
from citeloom_server.application.audit.recorder import AuditRecorder
from citeloom_server.infrastructure.operation.audit import MOST, OTHERS, SECONDS, Refusals


class Steady:
    """Wall clock and ids of the recorder, and the clock of the refusals."""

    seconds = 0.0
    ids = 0

    def now(self) -> datetime:
        return datetime.fromtimestamp(1_800_000_000 + self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds

    def correlation_id(self) -> str:
        self.ids += 1
        return f"{self.ids:06}"


@pytest.fixture
def clock() -> Steady:
    return Steady()


@pytest.fixture
def trail() -> InMemoryAuditTrail:
    return InMemoryAuditTrail()


@pytest.fixture
def refusals(clock: Steady, trail: InMemoryAuditTrail) -> Refusals:
    return Refusals(AuditRecorder(trail, clock, days=0), clock.monotonic)


def events(trail: InMemoryAuditTrail) -> list[AuditEvent]:
    return list(trail.latest(AuditFilter(), 10_000))


def test_the_first_is_told_at_once_and_a_thousand_more_are_one(
    refusals: Refusals, trail: InMemoryAuditTrail, clock: Steady
) -> None:
    for _ in range(1001):
        refusals.add("203.0.113.9", 401, Asker("", "r1"))
    refusals.flush()
    assert [one.count for one in events(trail)] == [1]
    clock.seconds += SECONDS
    refusals.flush()
    assert [one.count for one in events(trail)] == [1, 1000]
    refusals.add("203.0.113.9", 401, Asker())
    assert [one.count for one in events(trail)] == [1, 1000, 1]


def test_statuses_and_principals_are_told_apart(
    refusals: Refusals, trail: InMemoryAuditTrail
) -> None:
    for asked in (Asker("ada"), Asker("bob"), Asker("ada")):
        for status in (403, 429):
            refusals.add("203.0.113.9", status, asked)
    refusals.flush(is_end=True)
    counted = [(one.principal, one.outcome, one.count) for one in events(trail)]
    of_both = [("ada", "403", 1), ("ada", "429", 1)]
    assert sorted(counted) == [*sorted(of_both * 2), ("bob", "403", 1), ("bob", "429", 1)]


def test_many_addresses_are_told_together(refusals: Refusals, trail: InMemoryAuditTrail) -> None:
    for number in range(5000):
        refusals.add(f"10.0.{number // 256}.{number % 256}", 401, Asker())
    refusals.flush(is_end=True)
    found = events(trail)
    assert len(found) == MOST + 2
    assert sum(one.count for one in found) == 5000
    assert found[-1].object == OTHERS


def test_nothing_that_was_told_is_told_again(refusals: Refusals, trail: InMemoryAuditTrail) -> None:
    refusals.add("203.0.113.9", 401, Asker())
    for _ in range(3):
        refusals.flush(is_end=True)
    assert len(events(trail)) == 1
