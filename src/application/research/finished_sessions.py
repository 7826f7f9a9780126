"""Ended sessions, and the error for one without a report."""

from uuid import UUID

from citeloom.application.ports.research import ResearchRecord
from citeloom.domain.errors import SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.session import ResearchSession, SessionStatus


def ended_session(record: ResearchRecord, id: UUID) -> ResearchSession:
    """The session, if it has ended. Raises SessionNotFound, also for a deleted session, and
    SessionBusy for a running one."""
    session = record.session(id)
    if session.is_deleted:
        raise SessionNotFound(
            f"{id}: was deleted",
            NextStep(Action.RESTORE_SESSION, session=str(id)),
            session=str(id),
        )
    if session.status is SessionStatus.IN_PROGRESS:
        raise SessionBusy(
            f"{id}: is not over yet",
            NextStep(Action.CANCEL_SESSION, session=str(id)),
            session=str(id),
        )
    return session


def no_report_error(session: ResearchSession) -> SessionEnded:
    """The error for a session that ended without a report."""
    why = f" ({session.error_message})" if session.error_message else ""
    return SessionEnded(
        f"{session.id}: ended without a report, it is {session.status.value}{why}; what there is "
        "can be exported as json or prisma",
        NextStep(Action.RESUME_SESSION, session=str(session.id)),
        session=str(session.id),
    )
