"""The verb *review*: a question answered from a project's documents, as a recorded session."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import UUID, uuid5

from citeloom.application.citation.cite import Citations
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.models import Embedder
from citeloom.application.ports.research import (
    ResearchRecord,
    SessionFilter,
    SessionOutcome,
    UserRecord,
)
from citeloom.application.ports.system import Clock
from citeloom.application.ports.verification import Judge
from citeloom.application.research.lifecycle import Lifecycle, SessionWork
from citeloom.application.review.checkpoint import ReviewProgress
from citeloom.application.review.event_log import EventLog, Listener, Stopped
from citeloom.application.review.evidence_gathering import EvidenceGathering
from citeloom.application.review.requests import ReviewRequest, ReviewResult, SessionSettings
from citeloom.application.review.roles import ReviewResources, RolesFactory
from citeloom.application.review.sentence_relevance import VectorCloseness
from citeloom.application.review.stages import ReviewStages
from citeloom.application.search.hits import SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.application.verification.evidence_search import EvidenceSearch
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    NoDocuments,
    SessionBusy,
    SessionNotFound,
)
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.events import ErrorEvent, ResearchEvent, ResearchStarted
from citeloom.domain.research.session import (
    Chat,
    Depth,
    Message,
    MessageRole,
    QueryMode,
    ResearchSession,
    SessionStatus,
)
from citeloom.domain.search.fusion import default_mode
from citeloom.domain.text.phrasing import shortened

_TITLE = 80
_CHATS = 10_000


def _silent(_: ResearchEvent) -> None: ...


def _never() -> bool:
    return False


class Review:
    """Runs new sessions, and resumes those that were cancelled, failed or died."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        references: ReferenceReader,
        searcher: Searcher,
        embedder: Callable[[str], Embedder],
        judge: Judge,
        citations: Citations,
        record: ResearchRecord,
        users: UserRecord,
        lifecycle: Lifecycle,
        clock: Clock,
        roles_for: RolesFactory,
        new_id: Callable[[], UUID],
    ) -> None:
        self._catalogue = catalogue
        self._bundles = bundles
        self._references = references
        self._searcher = searcher
        self._embedder = embedder
        self._judge = judge
        self._citations = citations
        self._record = record
        self._users = users
        self._lifecycle = lifecycle
        self._clock = clock
        self._roles_for = roles_for
        self._new_id = new_id

    def __call__(
        self,
        request: ReviewRequest,
        listener: Listener = _silent,
        stopping: Callable[[], bool] = _never,
    ) -> ReviewResult:
        """``listener`` is called with each event; ``stopping`` is polled between and within
        steps, and cancels the session.

        Raises ProjectNotFound, NoDocuments, InvalidRequest, SessionNotFound for an unknown
        chat, SessionBusy if too many sessions run, and what the search raises; nothing is
        recorded then. Later errors are recorded and raised.
        """
        project = self._catalogue.project(request.project_id)
        self._require_answers(project, request)
        settings = SessionSettings(
            filter=request.filter, writer=request.writer, style=request.style
        )
        resources = self._resources(project)
        self._roles_for(resources, settings.writer)  # raises before the session is recorded
        with self._lifecycle.begun(*self._beginning(request, settings)) as work:
            return self._run(work, resources, settings, listener, stopping, resumed=False)

    def resume(
        self,
        id: UUID,
        listener: Listener = _silent,
        stopping: Callable[[], bool] = _never,
    ) -> ReviewResult:
        """Resume a session after the last stored step. Raises SessionNotFound, SessionBusy,
        SessionEnded, and what a call raises."""
        known = self._record.session(id)
        project = self._catalogue.project(ProjectId.parse(known.project_id))
        settings = SessionSettings.model_validate(known.classification)
        resources = self._resources(project)
        self._roles_for(resources, settings.writer)
        with self._lifecycle.resumed(id) as work:
            return self._run(work, resources, settings, listener, stopping, resumed=True)

    def _run(
        self,
        work: SessionWork,
        resources: ReviewResources,
        settings: SessionSettings,
        listener: Listener,
        stopping: Callable[[], bool],
        *,
        resumed: bool,
    ) -> ReviewResult:
        session = work.session
        event_log = EventLog(
            work,
            record=self._record,
            clock=self._clock,
            listener=listener,
            stopping=stopping,
        )
        stages = ReviewStages(
            session,
            settings,
            ReviewProgress.model_validate(session.state) if session.state else ReviewProgress(),
            resources=resources,
            roles=self._roles_for(resources, settings.writer),
            gathering=EvidenceGathering(resources, self._searcher, session, settings.filter),
            event_log=event_log,
            catalogue=self._catalogue,
            citations=self._citations,
            clock=self._clock,
        )
        try:
            event_log.log(
                ResearchStarted,
                message_id=session.message_id,
                question=session.question,
                project_id=session.project_id,
                research_depth=session.research_depth,
                resumed=resumed,
            )
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

    def _resources(self, project: Project) -> ReviewResources:
        sources = CitedDocuments(
            project,
            catalogue=self._catalogue,
            bundles=self._bundles,
            references=self._references,
        )
        closeness = VectorCloseness(self._embedder(project.embedding_model.name))
        evidence = EvidenceSearch(project, self._searcher, sources)
        return ReviewResources(project, sources, evidence, self._judge, closeness)

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

    def _beginning(
        self, request: ReviewRequest, settings: SessionSettings
    ) -> tuple[Chat, Message, Message, ResearchSession]:
        """A new session with its chat and its two messages."""
        at = self._clock.now()
        preferred = self._users.preferences(request.user_id) if request.depth is None else None
        depth = request.depth or (preferred and preferred.default_research_depth) or Depth.MEDIUM
        chat = self._chat(request, at)
        id = self._new_id()
        question = Message(
            id=uuid5(id, "question"),
            chat_id=chat.id,
            role=MessageRole.USER,
            content=request.question,
            query_mode=QueryMode.DEEP_RESEARCH,
            created_at=at,
        )
        report = question.model_copy(
            update={"id": uuid5(id, "report"), "role": MessageRole.AGENT, "content": None}
        )
        session = ResearchSession(
            id=id,
            message_id=report.id,
            chat_id=chat.id,
            user_id=request.user_id,
            project_id=str(request.project_id),
            question=request.question,
            research_depth=depth,
            status=SessionStatus.IN_PROGRESS,
            classification=settings.as_dict(),
            started_at=at,
        )
        return chat, question, report, session

    def _chat(self, request: ReviewRequest, at: datetime) -> Chat:
        if request.chat is None:
            title = request.question
            cut = shortened(title, _TITLE)
            return Chat(
                id=self._new_id(),
                user_id=request.user_id,
                title=cut,
                created_at=at,
                updated_at=at,
            )
        prefix = request.chat.strip().casefold()
        sessions: Sequence[ResearchSession] = self._record.sessions(
            SessionFilter(user_id=request.user_id, limit=_CHATS)
        )
        chats = {one.chat_id: one.id for one in sessions if str(one.chat_id).startswith(prefix)}
        if not prefix or len(chats) != 1:
            raise SessionNotFound(
                f"{request.chat}: {'several chats begin' if chats else 'no chat begins'} so",
                NextStep(Action.LIST_SESSIONS),
            )
        (session_id,) = chats.values()
        return self._record.recorded(session_id).chat


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
