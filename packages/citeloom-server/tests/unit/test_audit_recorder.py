"""Events are recorded before and after what they tell of, and deleted by age."""

from datetime import UTC, datetime, timedelta

from support.in_memory.server.audit_trail import InMemoryAuditTrail

from citeloom_server.application.audit.ports import AuditFilter, AuditOrigin
from citeloom_server.application.audit.recorder import (
    LONGEST,
    AuditedAction,
    AuditRecorder,
    project_name,
)

ACTION = AuditedAction(action="remove_project", origin=AuditOrigin.REST, project="local/thesis")
ALL = AuditFilter()


class Days:
    """A clock of days; ids are numbered."""

    day = 0
    ids = 0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=self.day)

    def monotonic(self) -> float:
        return 0.0

    def correlation_id(self) -> str:
        self.ids += 1
        return f"{self.ids:04}"


def test_an_event_is_there_before_its_outcome() -> None:
    trail = InMemoryAuditTrail()
    recorder = AuditRecorder(trail, Days(), days=0)
    event = recorder.begin(ACTION)
    assert [one.outcome for one in trail.latest(ALL, 5)] == ["begun"]
    recorder.end(event, "done", object="x")
    (ended,) = trail.latest(ALL, 5)
    assert (ended.outcome, ended.project, ended.object) == ("done", "local/thesis", "x")


def test_events_are_kept_for_as_many_days_and_no_longer() -> None:
    trail, clock = InMemoryAuditTrail(), Days()
    recorder = AuditRecorder(trail, clock, days=30)
    for clock.day in range(100):
        recorder.note(ACTION)
    found = trail.latest(ALL, 1000)
    assert len(found) == 31
    assert found[0].time == datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=69)


def test_without_a_number_of_days_all_are_kept() -> None:
    trail, clock = InMemoryAuditTrail(), Days()
    recorder = AuditRecorder(trail, clock, days=0)
    for clock.day in range(0, 10_000, 1000):
        recorder.note(ACTION)
    assert len(trail.latest(ALL, 1000)) == 10


def test_long_names_are_cut() -> None:
    trail = InMemoryAuditTrail()
    AuditRecorder(trail, Days(), days=0).note(ACTION.model_copy(update={"object": "x" * 10_000}))
    assert len(trail.latest(ALL, 1)[0].object) == LONGEST


def test_projects_are_named_by_their_ids_however_they_were_written() -> None:
    assert project_name("thesis") == project_name(" local/thesis ") == "local/thesis"
    assert project_name("a, b/c") == "local/a, b/c"
    assert project_name("no project/of/this") == "no project/of/this"
    assert project_name("") == ""
