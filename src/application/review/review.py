"""The verb *review*: a question answered from a project's documents, as a recorded session."""

from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from citeloom.application.citation.cite import Citations
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.research import SessionOutcome
from citeloom.application.search.hits import SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import CiteLoomError, InvalidRequest, NoDocuments, SessionBusy
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import cancellable
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.research.events import ErrorEvent, ResearchEvent, ResearchStarted
from citeloom.domain.research.session import ResearchSession, SessionStatus
from citeloom.domain.search.fusion import default_mode

from .evidence_gathering import EvidenceGathering
from .requests import (
    BegunReview,
    NewSessions,
    ReviewRequest,
    ReviewResult,
    SessionServices,
    SessionSettings,
)
from .roles import ReviewProgress, ReviewResources, RolesFactory
from .stages import EventLog, Listener, ReviewStages, Stopped


def _silent(_: ResearchEvent) -> None: ...


def _never() -> bool:
    return False


class Review:
    """Runs new sessions, and resumes those that were cancelled, failed or died."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        searcher: Searcher,
        citations: Citations,
        resources_for: Callable[[Project], ReviewResources],
        roles_for: RolesFactory,
        sessions: SessionServices,
        new_session: NewSessions,
    ) -> None:
        self._catalogue = catalogue
        self._searcher = searcher
        self._citations = citations
        self._resources_for = resources_for
        self._roles_for = roles_for
        self._record = sessions.record
        self._lifecycle = sessions.lifecycle
        self._clock = sessions.clock
        self._new_session = new_session

    def __call__(
        self,
        request: ReviewRequest,
        listener: Listener = _silent,
        stopping: Callable[[], bool] = _never,
    ) -> ReviewResult:
        """``listener`` is called with each event; ``stopping`` is polled between and within
        steps, and cancels the session. Raises what ``begin`` raises; later errors are recorded
        and raised."""
        return self.run(self.begin(request), listener, stopping)

    def begin(self, request: ReviewRequest) -> BegunReview:
        """A recorded session that nothing works on yet.

        Raises ProjectNotFound, NoDocuments, InvalidRequest, ChatNotFound, SessionBusy if too
        many sessions run, and what the search raises; nothing is recorded then.
        """
        project = self._catalogue.project(request.project_id)
        self._require_answers(project, request)
        settings = SessionSettings(
            filter=request.filter, writer=request.writer, style=request.style
        )
        resources = self._resources_for(project)
        self._roles_for(resources, settings.writer)  # raises before the session is recorded
        begun = self._lifecycle.begun(*self._new_session(request, settings))
        return BegunReview(begun, resources, settings, self._record, self._clock)

    def run(
        self,
        begun: BegunReview,
        listener: Listener = _silent,
        stopping: Callable[[], bool] = _never,
    ) -> ReviewResult:
        """Work on a session to its end."""
        with begun:
            return self._run(begun, listener, stopping)

    def resume(
        self,
        id: UUID,
        listener: Listener = _silent,
        stopping: Callable[[], bool] = _never,
    ) -> ReviewResult:
        """Resume a session after the last stored step. Raises what ``take_up`` raises, and what a
        call raises."""
        return self.run(self.take_up(id), listener, stopping)

    def take_up(self, id: UUID) -> BegunReview:
        """A session that was cancelled, failed or died, in progress again; nothing works on it
        yet. Raises SessionNotFound, SessionBusy, SessionEnded."""
        known = self._record.session(id)
        project = self._catalogue.project(ProjectId.parse(known.project_id))
        settings = SessionSettings.model_validate(known.classification)
        resources = self._resources_for(project)
        self._roles_for(resources, settings.writer)
        taken = self._lifecycle.resumed(id)
        return BegunReview(taken, resources, settings, self._record, self._clock, is_resumed=True)

    def _run(
        self,
        begun: BegunReview,
        listener: Listener,
        stopping: Callable[[], bool],
    ) -> ReviewResult:
        session, resources, settings = begun.session, begun.resources, begun.settings
        event_log = EventLog(
            begun.work,
            record=self._record,
            clock=self._clock,
            listener=listener,
            stopping=stopping,
        )
        stages = ReviewStages(
            session,
            ReviewProgress.model_validate(session.state) if session.state else ReviewProgress(),
            resources=resources,
            roles=self._roles_for(resources, settings.writer),
            gathering=EvidenceGathering(resources, self._searcher, session, settings.filter),
            event_log=event_log,
            catalogue=self._catalogue,
            citations=self._citations,
        )
        try:
            event_log.log(
                ResearchStarted,
                message_id=session.message_id,
                question=session.question,
                project_id=session.project_id,
                research_depth=session.research_depth,
                resumed=begun.is_resumed,
            )
            with cancellable(event_log.check_stop):
                outcome = stages.run()
            event_log.end(outcome)
        except Stopped:
            event_log.log(
                ErrorEvent,
                error_code="CANCELLED",
                error_message="cancelled; it can be resumed",
                recoverable=True,
            )
            event_log.end(
                SessionOutcome(status=SessionStatus.CANCELLED, completed_at=self._clock.now())
            )
            return _reviewed(session, settings, stages.progress, None)
        except SessionBusy:  # another worker has the session
            raise
        except Exception as error:
            self._failed(event_log, error)
            raise
        return _reviewed(session, settings, stages.progress, outcome)

    def _failed(self, event_log: EventLog, error: Exception) -> None:
        code = error.code if isinstance(error, CiteLoomError) else "INTERNAL_ERROR"
        message = str(error) or type(error).__name__
        with suppress(CiteLoomError):  # the first error is the one that is raised
            event_log.log(ErrorEvent, error_code=code, error_message=message, recoverable=True)
            event_log.end(
                SessionOutcome(
                    status=SessionStatus.FAILED,
                    error_message=message,
                    completed_at=self._clock.now(),
                )
            )

    def _require_answers(self, project: Project, request: ReviewRequest) -> None:
        """Raise if the session could not have a result: no text, unknown style, no passage
        within the filter."""
        documents = self._catalogue.documents(project.id)
        if not any(document.chunks for document in documents):
            state = "holds documents, but no text of them" if documents else "is empty"
            raise NoDocuments(
                f"{project.id}: {state}", NextStep(Action.ADD_DOCUMENTS, project=project.id.value)
            )
        if request.style is not None:
            self._citations.works_bibliography((), request.style)
        question = SearchQuestion(
            text=request.question,
            mode=default_mode([project]),
            filter=request.filter,
            depth=1,
            rerank=False,
        )
        with self._searcher.search([project], question) as hits:
            if not hits.ranked:
                raise InvalidRequest(
                    f"{project.id}: no passage passes the filters; leave one out",
                    parameter="filter",
                )


def _reviewed(
    session: ResearchSession,
    settings: SessionSettings,
    progress: ReviewProgress,
    outcome: SessionOutcome | None,
) -> ReviewResult:
    cited = set(outcome.cited) if outcome else set()
    return ReviewResult(
        session_id=session.id,
        chat_id=session.chat_id,
        message_id=session.message_id,
        project=session.project_id,
        question=session.question,
        status=outcome.status if outcome else SessionStatus.CANCELLED,
        research_depth=session.research_depth,
        writer=settings.writer,
        plan=progress.plan,
        report=outcome.content if outcome else None,
        sources=tuple(
            source.model_copy(update={"is_cited": source.id in cited})
            for source in progress.gathered.sources
        ),
        spans=progress.gathered.spans,
        claims=outcome.claims if outcome else (),
        citations=outcome.citations if outcome else (),
        verification_summary=outcome.summary if outcome else None,
        warnings=progress.warnings,
    )
