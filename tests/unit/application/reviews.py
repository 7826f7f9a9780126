"""Reviews over a library in memory, and a record of them that can break."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from citeloom.application.ports.record import Listed, Outcome, Recorded, Step
from citeloom.domain.errors import SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.record import (
    Chat,
    Message,
    ResearchSession,
    SessionStatus,
    UserPreferences,
)


class TinyRecord:
    def __init__(self) -> None:
        self.kept: dict[UUID, Recorded] = {}
        self.told: dict[UUID, list[ResearchEvent]] = {}
        self.preferred: UserPreferences | None = None
        self.transactions = 0

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        self.transactions += 1
        self.kept[session.id] = Recorded(
            session=session, chat=chat, question=question, report=report
        )
        self.told[session.id] = []

    def session(self, id: UUID) -> ResearchSession:
        if id not in self.kept:
            raise SessionNotFound(str(id))
        return self.kept[id].session

    def sessions(self, listed: Listed) -> tuple[ResearchSession, ...]:
        return tuple(one.session for one in self.kept.values())

    def recorded(self, id: UUID) -> Recorded:
        return self.kept[id]

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        session = self.session(id)
        if session.status is SessionStatus.COMPLETED:
            raise SessionEnded(str(id))
        return self._put(id, status=SessionStatus.IN_PROGRESS, worker=worker, heartbeat_at=at)

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        return self.session(id).cancelling or self.session(id).worker != worker

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        return ()

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        self._own(id, worker)
        self.transactions += 1
        self._hear(id, step.events)
        self._put(id, state=step.state, plan=step.plan or self.session(id).plan)
        kept = self.kept[id]
        sources = {s.id: s for s in (*kept.sources, *step.sources)}
        spans = {s.id: s for s in (*kept.spans, *step.spans)}
        self.kept[id] = kept.model_copy(
            update={"sources": tuple(sources.values()), "spans": tuple(spans.values())}
        )

    def finish(self, id: UUID, worker: str, outcome: Outcome) -> None:
        self._own(id, worker)
        self.transactions += 1
        self._hear(id, outcome.events)
        self._put(
            id,
            status=outcome.status,
            error_message=outcome.error_message,
            verification_summary=outcome.summary,
        )
        kept = self.kept[id]
        report = kept.report.model_copy(update={"content": outcome.content})
        self.kept[id] = kept.model_copy(
            update={"report": report, "claims": outcome.claims, "citations": outcome.citations}
        )

    def preferences(self, user_id: str) -> UserPreferences | None:
        return self.preferred

    def _own(self, id: UUID, worker: str) -> None:
        if self.session(id).worker != worker:
            raise SessionBusy(str(id))

    def _hear(self, id: UUID, events: Sequence[ResearchEvent]) -> None:
        for event in events:
            assert event.sequence == len(self.told[id]) + 1
            self.told[id].append(event)
        self._put(id, sequence=len(self.told[id]))

    def _put(self, id: UUID, **changes: object) -> ResearchSession:
        session = self.session(id).model_copy(update=changes)
        self.kept[id] = self.kept[id].model_copy(update={"session": session})
        return session
