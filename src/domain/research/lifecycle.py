"""Life cycle of a research session: acquire, cancel, end, delete, restore.

::

                 acquire                 finish
    failed ────────────▶ in_progress ────────────▶ completed, cancelled, failed
    cancelled                │
                             └─ worker silent for DEAD_AFTER: failed, or cancelled if
                                that was requested

Every transition is a pure function; the store of sessions has to exclude concurrent changes.
"""

from collections.abc import Sequence
from datetime import datetime

from citeloom.domain.errors import SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.events import ErrorEvent, ResearchEvent
from citeloom.domain.research.session import (
    MOST_RUNNING,
    ResearchSession,
    SessionStatus,
)

_DIED = "the process that worked on it ended; it can be resumed"


def acquired(session: ResearchSession, worker: str, at: datetime) -> ResearchSession:
    """The session with ``worker`` as its worker. Raises SessionNotFound if it is deleted,
    SessionBusy while another works on it, SessionEnded if it is completed."""
    _check_not_deleted(session)
    if session.status is SessionStatus.COMPLETED:
        raise SessionEnded(
            f"{session.id}: is completed",
            NextStep(Action.SHOW_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    alive = session.status is SessionStatus.IN_PROGRESS and not session.is_dead(at)
    if alive and session.worker not in (None, worker):
        raise SessionBusy(
            f"{session.id}: another process works on it",
            NextStep(Action.CANCEL_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    return session.model_copy(
        update={
            "status": SessionStatus.IN_PROGRESS,
            "worker": worker,
            "heartbeat_at": at,
            "cancelling": False,
            "error_message": None,
            "completed_at": None,
        }
    )


def check_running_limit(running: int, user_id: str) -> None:
    """Raises SessionBusy if ``running`` live sessions of a user reach the limit."""
    if running >= MOST_RUNNING:
        raise SessionBusy(
            f"{user_id}: {running} reviews run already, which is as many as may (one that was "
            f"killed counts for {DEAD_AFTER.total_seconds():g} s; then try again)",
            NextStep(Action.CANCEL_SESSION),
            user_id=user_id,
            running=running,
        )


def cancelled(session: ResearchSession, at: datetime) -> tuple[ResearchSession, ErrorEvent | None]:
    """Request its worker to stop; without a live worker the session ends at once, with an event.
    Raises SessionNotFound if it is deleted, SessionEnded if it does not run."""
    _check_not_deleted(session)
    if session.status is not SessionStatus.IN_PROGRESS:
        raise SessionEnded(
            f"{session.id}: does not run any more ({session.status}): there is nothing to stop",
            session_id=str(session.id),
        )
    cancelling = session.model_copy(update={"cancelling": True})
    return ended_without_worker(cancelling, at) if session.is_dead(at) else (cancelling, None)


def ended_without_worker(
    session: ResearchSession, at: datetime
) -> tuple[ResearchSession, ErrorEvent]:
    """End a running session without a worker: cancelled if that was requested, else failed. It
    can be resumed, which the event says."""
    status = SessionStatus.CANCELLED if session.cancelling else SessionStatus.FAILED
    event = ErrorEvent(
        session_id=session.id,
        sequence=session.sequence + 1,
        timestamp=at,
        error_code="SESSION_CANCELLED" if session.cancelling else "WORKER_DIED",
        error_message=_DIED,
        recoverable=True,
    )
    ended = session.model_copy(
        update={
            "status": status,
            "worker": None,
            "cancelling": False,
            "error_message": None if session.cancelling else _DIED,
            "completed_at": at,
            "sequence": event.sequence,
        }
    )
    return ended, event


def require_worker(session: ResearchSession, worker: str) -> ResearchSession:
    """The session itself. Raises SessionBusy if ``worker`` no longer works on it."""
    if session.status is not SessionStatus.IN_PROGRESS or session.worker != worker:
        raise SessionBusy(
            f"{session.id}: no longer in the hands of this process (it is {session.status}); "
            "what it did since its last step is not kept",
            session_id=str(session.id),
        )
    return session


def deleted(session: ResearchSession, at: datetime) -> ResearchSession:
    """Raises SessionBusy while it runs; deleting twice keeps the first time."""
    if session.status is SessionStatus.IN_PROGRESS:
        raise SessionBusy(
            f"{session.id}: runs",
            NextStep(Action.CANCEL_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    if session.is_deleted:
        return session
    return session.model_copy(update={"is_deleted": True, "deleted_at": at})


def restored(session: ResearchSession) -> ResearchSession:
    return session.model_copy(update={"is_deleted": False, "deleted_at": None})


def last_sequence(session: ResearchSession, events: Sequence[ResearchEvent]) -> int:
    """The sequence number after ``events``. Raises ValueError if they are another session's, or
    their numbers have a gap or repeat one."""
    for number, event in enumerate(events, start=session.sequence + 1):
        if event.session_id != session.id or event.sequence != number:
            raise ValueError(
                f"event {event.sequence} of {event.session_id}: number {number} of {session.id} "
                "was to come"
            )
    return session.sequence + len(events)


def not_found(name: object) -> SessionNotFound:
    return SessionNotFound(
        f"{name}: no such session", NextStep(Action.LIST_SESSIONS), session=str(name)
    )


def _check_not_deleted(session: ResearchSession) -> None:
    if session.is_deleted:
        raise SessionNotFound(
            f"{session.id}: was deleted",
            NextStep(Action.RESTORE_SESSION, session=str(session.id)),
            session=str(session.id),
        )
