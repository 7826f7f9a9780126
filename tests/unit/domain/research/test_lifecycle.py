"""What may become of a session."""

import pytest
from support.cases import each
from support.research.records import NOW, a_chat, a_session, events, later

from citeloom.domain.errors import CiteLoomError, SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research import events as lifecycle
from citeloom.domain.research.session import MOST_RUNNING, ResearchSession, SessionStatus

RUNS, DONE = SessionStatus.IN_PROGRESS, SessionStatus.COMPLETED
SOON, LATE = later(seconds=20), later(seconds=21)


def a_state(**changes: object) -> ResearchSession:
    return a_session(a_chat(), **changes)


@each(
    ("changes", "at", "refused"),
    [
        ({}, SOON, SessionBusy),
        ({}, LATE, None),
        ({"worker": "two"}, SOON, None),
        ({"worker": None}, SOON, None),
        ({"status": SessionStatus.FAILED, "worker": None}, NOW, None),
        ({"status": SessionStatus.CANCELLED, "worker": None}, NOW, None),
        ({"status": DONE}, NOW, SessionEnded),
        ({"status": DONE, "is_deleted": True}, NOW, SessionNotFound),
    ],
)
def test_a_session_that_is_not_over_is_taken_by_its_worker_or_once_that_is_dead(
    changes: dict[str, object], at: object, refused: type[CiteLoomError] | None
) -> None:
    session = a_state(**changes, cancelling=True, error_message="x", completed_at=NOW)
    if refused is not None:
        with pytest.raises(refused):
            lifecycle.acquired(session, "two", at)  # type: ignore[arg-type]
        return
    taken = lifecycle.acquired(session, "two", at)  # type: ignore[arg-type]
    assert (taken.status, taken.worker, taken.heartbeat_at) == (RUNS, "two", at)
    assert (taken.cancelling, taken.error_message, taken.completed_at) == (False, None, None)
    assert lifecycle.require_worker(taken, "two") == taken
    with pytest.raises(SessionBusy):
        lifecycle.require_worker(taken, "one")


def test_one_session_more_than_the_limit_is_refused() -> None:
    lifecycle.check_running_limit(MOST_RUNNING - 1, "local")
    with pytest.raises(SessionBusy) as refused:
        lifecycle.check_running_limit(MOST_RUNNING, "local")
    assert refused.value.next_step == NextStep(Action.CANCEL_SESSION)


def test_cancelling_asks_the_living_and_ends_the_dead() -> None:
    asked, event = lifecycle.cancelled(a_state(), SOON)
    assert (asked.status, asked.cancelling, event) == (RUNS, True, None)
    ended, event = lifecycle.cancelled(a_state(sequence=7), LATE)
    assert ended.status is SessionStatus.CANCELLED
    assert event is not None
    assert (event.sequence, ended.sequence) == (8, 8)
    with pytest.raises(SessionEnded, match="completed"):
        lifecycle.cancelled(a_state(status=DONE), SOON)


def test_the_dead_failed_unless_they_were_to_stop() -> None:
    failed, event = lifecycle.ended_without_worker(a_state(), LATE)
    assert (failed.status, event.error_code) == (SessionStatus.FAILED, "WORKER_DIED")
    assert failed.error_message == event.error_message
    stopped, event = lifecycle.ended_without_worker(a_state(cancelling=True), LATE)
    assert (stopped.status, stopped.error_message) == (SessionStatus.CANCELLED, None)
    assert event.error_code == "SESSION_CANCELLED"


def test_deleting_twice_keeps_the_first_time() -> None:
    once = lifecycle.deleted(a_state(status=DONE), NOW)
    assert lifecycle.deleted(once, LATE).deleted_at == NOW
    assert lifecycle.restored(once).deleted_at is None
    with pytest.raises(SessionBusy):
        lifecycle.deleted(a_state(), LATE)


def test_numbers_go_on_where_they_ended() -> None:
    session = a_state(sequence=4)
    assert lifecycle.last_sequence(session, ()) == 4
    following = events(session, 2)
    assert lifecycle.last_sequence(session, following) == 6
    for wrong in (following[1:], following[::-1], events(a_state(sequence=4), 1)):
        with pytest.raises(ValueError, match="was to come"):
            lifecycle.last_sequence(session, wrong)
