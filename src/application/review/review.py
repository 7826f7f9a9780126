"""The verb *review*: a question answered from a project's documents, as a recorded session."""

from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from citeloom.application.citation.cite import Citations
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.research import SessionOutcome
from citeloom.application.research.sessions import (
    Lifecycle,
    Listener,
    SessionWork,
    Stopped,
    Stopping,
)
from citeloom.application.search.hits import SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import CiteLoomError, InvalidRequest, NoDocuments, SessionBusy
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import cancellable
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.research.events import ResearchEvent, ResearchStarted
from citeloom.domain.research.session import ResearchSession, SessionStatus
from citeloom.domain.search.fusion import default_mode

from .evidence_gathering import EvidenceGathering
from .requests import (
    BegunReview,
    NewSessions,
    ReviewRequest,
    ReviewResult,
    SessionSettings,
)
from .roles import ReviewProgress, ReviewResources, RolesFactory
from .stages import ReviewStages


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
        lifecycle: Lifecycle,
        new_session: NewSessions,
    ) -> None:
        self._catalogue = catalogue
        self._searcher = searcher
        self._citations = citations
        self._resources_for = resources_for
        self._roles_for = roles_for
        self._lifecycle = lifecycle
        self._new_session = new_session

    def __call__(
        self,
        request: ReviewRequest,
        listener: Listener = _silent,
        stopping: Stopping = _never,
    ) -> ReviewResult:
        """``listener`` is called with each event; ``stopping`` is polled between and within steps,
        and cancels the session. Raises the errors of ``begin``; later errors are recorded and
        raised."""
        return self.run(self.begin(request), listener, stopping)

    def begin(self, request: ReviewRequest) -> BegunReview:
        """Record a session; no work on it has started.

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
        return BegunReview(begun, resources, settings)

    def run(
        self,
        begun: BegunReview,
        listener: Listener = _silent,
        stopping: Stopping = _never,
    ) -> ReviewResult:
        """Work on a session to its end."""
        with begun.used() as work:
            work.listen(listener, stopping)
            return self._run(begun, work)

    def resume(
        self,
        id: UUID,
        listener: Listener = _silent,
        stopping: Stopping = _never,
    ) -> ReviewResult:
        """Resume a session after the last stored step. Raises what ``take_up`` raises, and what a
        call raises."""
        return self.run(self.take_up(id), listener, stopping)

    def take_up(self, id: UUID) -> BegunReview:
        """A session that was cancelled, failed or died, in progress again; nothing works on it
        yet. Raises SessionNotFound, SessionBusy, SessionEnded."""
        known = self._lifecycle.record.session(id)
        project = self._catalogue.project(ProjectId.parse(known.project_id))
        settings = SessionSettings.model_validate(known.classification)
        resources = self._resources_for(project)
        self._roles_for(resources, settings.writer)
        taken = self._lifecycle.resumed(id)
        return BegunReview(taken, resources, settings, is_resumed=True)

    def _run(self, begun: BegunReview, work: SessionWork) -> ReviewResult:
        session, resources, settings = begun.session, begun.resources, begun.settings
        stages = ReviewStages(
            ReviewProgress.model_validate(session.state) if session.state else ReviewProgress(),
            resources=resources,
            roles=self._roles_for(resources, settings.writer),
            gathering=EvidenceGathering(resources, self._searcher, session, settings.filter),
            work=work,
            catalogue=self._catalogue,
            citations=self._citations,
        )
        try:
            work.log(
                ResearchStarted,
                message_id=session.message_id,
                question=session.question,
                project_id=session.project_id,
                research_depth=session.research_depth,
                resumed=begun.is_resumed,
            )
            with cancellable(work.check_stop):
                outcome = stages.run()
            work.end(outcome)
        except Stopped:
            work.end_cancelled()
            return _reviewed(session, settings, stages.progress, None)
        except SessionBusy:  # another worker has the session
            raise
        except Exception as error:
            code = error.code if isinstance(error, CiteLoomError) else "INTERNAL_ERROR"
            message = str(error) or type(error).__name__
            with suppress(CiteLoomError):  # the first error is the one that is raised
                work.end_early(SessionStatus.FAILED, code, message, message)
            raise
        return _reviewed(session, settings, stages.progress, outcome)

    def _require_answers(self, project: Project, request: ReviewRequest) -> None:
        """Raise if the session could not have a result: no text, unknown style, no passage
        within the filter."""
        documents = self._catalogue.documents(project.id)
        if not any(document.chunks for document in documents):
            state = "has documents, but none of them has text" if documents else "is empty"
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
