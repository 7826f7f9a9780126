"""What may become of a session, and when: who may take it, stop it, delete it.

::

                 take                    finish
    failed ────────────▶ in_progress ────────────▶ completed, cancelled, failed
    cancelled                │
                             └─ worker silent for DEAD_AFTER: failed, or cancelled where
                                somebody had asked for it

Every change is a function from one state of a session to the next; whoever keeps sessions has
to see that nobody else changes it meanwhile.
"""

from collections.abc import Sequence
from datetime import datetime

from citeloom.domain.errors import SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.events import ErrorEvent, ResearchEvent
from citeloom.domain.research.session import MOST_RUNNING, ResearchSession, SessionStatus

_DIED = "the process that worked on it ended; it can be resumed"


def acquired(session: ResearchSession, worker: str, at: datetime) -> ResearchSession:
    """The session in the hands of ``worker``. Raises SessionNotFound where it is deleted,
    SessionBusy while another works on it, SessionEnded where it is completed."""
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
    """Raises SessionBusy where ``running`` live sessions of a user leave no room for one."""
    if running >= MOST_RUNNING:
        raise SessionBusy(
            f"{user_id}: {running} reviews run already, which is as many as may",
            NextStep(Action.CANCEL_SESSION),
            user_id=user_id,
            running=running,
        )


def cancelled(session: ResearchSession, at: datetime) -> tuple[ResearchSession, ErrorEvent | None]:
    """Its worker is asked to stop; where there is none, it is over at once, which the event
    tells. Raises SessionNotFound where it is deleted, SessionEnded where it does not run."""
    _check_not_deleted(session)
    if session.status is not SessionStatus.IN_PROGRESS:
        raise SessionEnded(
            f"{session.id}: does not run any more ({session.status}): there is nothing to stop",
            session_id=str(session.id),
        )
    asked = session.model_copy(update={"cancelling": True})
    return ended_without_worker(asked, at) if session.is_dead(at) else (asked, None)


def ended_without_worker(
    session: ResearchSession, at: datetime
) -> tuple[ResearchSession, ErrorEvent]:
    """A session that runs without a worker is over: cancelled where that was asked for, else
    failed. It can be resumed, which the event says."""
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
    """The session, where it is ``worker``'s. Raises SessionBusy where it no longer is."""
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
    """The number of the last event when ``events`` follow. Raises ValueError where they are
    another session's, or their numbers leave a gap or repeat one."""
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
