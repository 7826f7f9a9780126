"""Reviews of a question and the record of research sessions."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import uuid4

from citeloom.application.documents.stores import SecondReading, SourceState
from citeloom.application.projects.inspection import ListPapers
from citeloom.application.research.chats import Chats, QuotedAnswers, Users
from citeloom.application.research.export import CompareReviews, ExportReview
from citeloom.application.research.sessions import Lifecycle, Sessions
from citeloom.application.review.extractive import extractive_roles
from citeloom.application.review.llm.answers import notice
from citeloom.application.review.llm.roles import model_roles
from citeloom.application.review.requests import NewSessions
from citeloom.application.review.review import Review
from citeloom.application.review.roles import (
    EXTRACTIVE,
    MODEL,
    ReviewResources,
    ReviewRoles,
    VectorCloseness,
)
from citeloom.application.verification.cited_documents import (
    CitedDocuments,
    EvidenceSearch,
)
from citeloom.application.verification.judges import RuleJudge
from citeloom.domain.choices import TableFormat
from citeloom.domain.errors import ConfigurationError
from citeloom.domain.projects.project import Project
from citeloom.domain.research.session import LOCAL_USER
from citeloom.domain.review.report.table import PaperTable
from citeloom.infrastructure.citation.csl.styles import csl_style
from citeloom.infrastructure.research.writer import review_file
from citeloom.infrastructure.system.clock import thread_heartbeat

from .citation import CitationVerbs
from .models import ModelVerbs
from .search import SearchVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.review.ask import Ask
    from citeloom.application.review.cells import CellReader
    from citeloom.application.review.table import FillTable

    from .verification import VerificationVerbs


class ResearchVerbs:
    """The verb *review*, and the verbs about research sessions."""

    def __init__(
        self,
        stores: Stores,
        models: ModelVerbs,
        search: SearchVerbs,
        citation: CitationVerbs,
        verification: "Callable[[], VerificationVerbs]",
        user: str = LOCAL_USER,
    ) -> None:
        #: Whose reviews, chats and preferences these are.
        self.user = user
        self._stores = stores
        self._models = models
        self._search = search
        self._citation = citation
        self._verification = verification

    @lazy
    def ask(self) -> "Ask":
        """Raises ConfigurationError where llm.url is set without a model."""
        from citeloom.application.review.ask import Ask

        stores, models = self._stores, self._models
        return Ask(
            catalogue=stores.catalogue,
            bundles=stores.bundles,
            references=stores.references,
            searcher=self._search.searcher,
            query=self._search.query,
            judge=self._verification().judge,
            model=models.language_model if models.has_language_model else None,
        )

    @lazy
    def review(self) -> Review:
        stores = self._stores
        return Review(
            catalogue=stores.catalogue,
            searcher=self._search.searcher,
            citations=self._citation.cite,
            resources_for=self._review_resources,
            roles_for=self._review_roles,
            lifecycle=Lifecycle(stores.research_record, stores.clock, thread_heartbeat),
            new_session=NewSessions(
                chats=stores.chat_record,
                users=stores.user_record,
                clock=stores.clock,
                new_id=uuid4,
            ),
        )

    _sources: SourceState = part("documents.stores:SourceState", copies="_stores.source_copies")
    _reading: SecondReading = part(
        "documents.stores:SecondReading",
        sources="_sources",
        texts="maps.evidence.pdf_pages:page_text",
    )
    _papers: ListPapers = part(
        "projects.inspection:ListPapers", copies="_stores.source_copies", own="_stores.own_records"
    )

    table: "FillTable" = part("review.table:FillTable", papers="_papers", reader_for="cell_reader")

    def table_file(self, table: PaperTable, format: TableFormat) -> bytes:
        from citeloom.infrastructure.research.paper_tables import table_file

        return table_file(table, format)

    def cell_reader(self, project: Project, writer: str) -> "CellReader":
        """Raises ConfigurationError as ``_review_roles``."""
        from citeloom.application.review.cells import ModelCells, QuotingCells

        searcher = self._search.searcher
        evidence = EvidenceSearch(project, searcher, self._documents(project))
        quoting = QuotingCells(evidence, self._models.answer_reader)
        if _known_writer(writer) == EXTRACTIVE:
            return quoting
        return ModelCells(quoting, self._models.language_model)

    def _documents(self, project: Project) -> CitedDocuments:
        return CitedDocuments(
            project,
            catalogue=self._stores.catalogue,
            bundles=self._stores.bundles,
            references=self._stores.references,
        )

    def _review_resources(self, project: Project) -> ReviewResources:
        documents = self._documents(project)
        evidence = EvidenceSearch(project, self._search.searcher, documents)
        closeness = VectorCloseness(self._models.embedder(project.embedding_model.name))
        return ReviewResources(project, documents, evidence, RuleJudge(), closeness, self._reading)

    def _review_roles(self, resources: ReviewResources, writer: str) -> ReviewRoles:
        """The roles of a review. Raises ConfigurationError for an unknown writer, or a model
        where none is configured."""
        quoting = extractive_roles(resources)
        if _known_writer(writer) == EXTRACTIVE:
            return quoting
        preferences = self._stores.user_record.preferences(self.user)
        instructions = preferences.system_instructions if preferences else None
        return model_roles(resources, self._models.language_model, quoting, instructions)

    def table_notice(self, writer: str) -> str | None:
        """What a table sends to which language model, as ``model_notice``."""
        if writer != MODEL:
            return None
        model = self._models.language_model
        return f"sending questions and sentences of papers to {model.name} at {model.place}"

    def model_notice(self, writer: str) -> str | None:
        """What a review sends to which language model; None if nothing. Raises ConfigurationError
        if a model is to write and none is configured."""
        return notice(self._models.language_model) if writer == MODEL else None

    sessions: Sessions = part(
        "research.sessions:Sessions", record="_stores.research_record", user_id="user"
    )

    users: Users = part("research.chats:Users", users="_stores.user_record", user_id="user")

    @lazy
    def chats(self) -> Chats:
        stores = self._stores
        return Chats(stores.chat_record, stores.research_record, stores.clock, uuid4, self.user)

    @lazy
    def quoted_answers(self) -> QuotedAnswers:
        stores = self._stores
        return QuotedAnswers(
            self.chats, stores.chat_record, self._search.query, stores.clock, uuid4
        )

    @lazy
    def export(self) -> ExportReview:
        return ExportReview(
            record=self._stores.research_record,
            catalogue=self._stores.catalogue,
            styles=csl_style,
            writer=review_file,
        )

    compare: CompareReviews = part(
        "research.export:CompareReviews", record="_stores.research_record"
    )


def _known_writer(writer: str) -> str:
    """Raises ConfigurationError for an unknown writer."""
    if writer not in (EXTRACTIVE, MODEL):
        raise ConfigurationError(f"{writer}: no such writer; there are {EXTRACTIVE} and {MODEL}")
    return writer
