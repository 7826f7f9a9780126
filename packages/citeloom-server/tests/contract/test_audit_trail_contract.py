"""Every audit trail does the same: in memory, on SQLite, through SQLAlchemy, on PostgreSQL."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from support.in_memory.server.audit_trail import InMemoryAuditTrail
from support.stores.catalogues import STORES, reopening

from citeloom_server.application.audit.ports import (
    BEGUN,
    DONE,
    AuditEvent,
    AuditFilter,
    AuditOrigin,
    AuditTrail,
)
from citeloom_server.infrastructure.operation.audit_trail import SqlAuditTrail

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALL = AuditFilter()


def an_event(id: str = "a", minutes: float = 0, **changes: Any) -> AuditEvent:
    values: dict[str, Any] = {
        "id": id,
        "time": NOON + timedelta(minutes=minutes),
        "origin": AuditOrigin.REST,
        "action": "remove_document",
        "principal": "ada",
        "project": "local/thesis",
        "object": "Ångström:2020",
        "request_id": "r-1",
    }
    return AuditEvent.model_validate(values | changes)


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], AuditTrail]]:
    yield from reopening(request, tmp_path, InMemoryAuditTrail, SqlAuditTrail)


@pytest.fixture
def trail(reopen: Callable[[], AuditTrail]) -> AuditTrail:
    return reopen()


def ids(events: object) -> list[str]:
    return [one.id for one in events]  # type: ignore[attr-defined]


def test_an_event_comes_back_as_it_was_written(reopen: Callable[[], AuditTrail]) -> None:
    trail = reopen()
    assert list(trail.latest(ALL, 10)) == []
    event = an_event(count=7, outcome="FOREIGN_PAGE")
    trail.append(event)
    assert list(reopen().latest(ALL, 10)) == [event]


def test_events_are_in_the_order_of_their_time_then_of_their_id(trail: AuditTrail) -> None:
    elsewhere = (NOON + timedelta(seconds=30)).astimezone(timezone(timedelta(hours=9)))
    for event in (an_event("d", 2), an_event("c", 1), an_event("b", 1), an_event("a", 0)):
        trail.append(event)
    trail.append(an_event("x", time=elsewhere))
    trail.append(an_event("y", time=NOON + timedelta(microseconds=1)))
    assert ids(trail.latest(ALL, 10)) == ["a", "y", "x", "b", "c", "d"]
    assert ids(trail.latest(ALL, 2)) == ["c", "d"]


def test_all_events_are_read_page_by_page(trail: AuditTrail) -> None:
    for number in range(7):
        trail.append(an_event(f"e{number}", number // 3))
    found: list[AuditEvent] = []
    while page := trail.after(found[-1] if found else None, ALL, 2):
        found += page
    assert ids(found) == [f"e{number}" for number in range(7)]


def test_the_outcome_is_set_once(trail: AuditTrail) -> None:
    event = an_event(project="", object="")
    trail.append(event)
    assert trail.latest(ALL, 1)[0].outcome == BEGUN
    trail.settle(event.ended(DONE, project="local/new", object="x"))
    (ended,) = trail.latest(ALL, 1)
    assert (ended.outcome, ended.project, ended.object) == (DONE, "local/new", "x")
    trail.settle(event.ended("forged", project="other", object="y"))
    trail.settle(an_event("unknown").ended(DONE))
    assert list(trail.latest(ALL, 2)) == [ended]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"principal": "ada"}, ["a", "b"]),
        ({"principal": ""}, ["c"]),
        ({"project": "local/thesis", "action": "ingest"}, ["b"]),
        ({"outcome": DONE}, ["b"]),
        ({"since": NOON + timedelta(minutes=1)}, ["b", "c"]),
        ({"since": NOON, "until": NOON + timedelta(minutes=1)}, ["a"]),
        ({"principal": "nobody' OR 1=1 --"}, []),
    ],
)
def test_events_are_found_by_time_and_names(
    trail: AuditTrail, wanted: dict[str, Any], found: list[str]
) -> None:
    trail.append(an_event("a", 0))
    trail.append(an_event("b", 1, action="ingest", outcome=DONE))
    trail.append(an_event("c", 2, principal="", project="x/y"))
    chosen = AuditFilter(**wanted)
    assert ids(trail.latest(chosen, 10)) == ids(trail.after(None, chosen, 10)) == found


def test_what_is_older_is_forgotten_and_nothing_else(trail: AuditTrail) -> None:
    for number in range(4):
        trail.append(an_event(f"e{number}", number))
    assert trail.forget(NOON) == 0
    assert trail.forget(NOON + timedelta(minutes=2)) == 2
    assert ids(trail.latest(ALL, 10)) == ["e2", "e3"]


def test_letters_that_no_database_stores_become_marks(trail: AuditTrail) -> None:
    trail.append(an_event(object="a\ud800b"))
    assert trail.latest(ALL, 1)[0].object in ("a\ufffdb", "a\ud800b")
