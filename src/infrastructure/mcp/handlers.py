"""Handlers of the tools: parameters to a request, one verb, its result as an answer."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from citeloom.application.maps.resolve import ResolveRequest
from citeloom.application.ports.research import Recorded
from citeloom.domain.errors import CiteLoomError, SessionNotFound
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.session import SessionStatus
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.mcp.answers import search
from citeloom.infrastructure.mcp.answers.review import reviewed, reviewing
from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.answers.verification import checking, verified
from citeloom.infrastructure.mcp.contract.errors import JobNotFound
from citeloom.infrastructure.mcp.contract.filters import to_filter
from citeloom.infrastructure.mcp.contract.parameters import (
    IngestParameters,
    InspectParameters,
    NodeParameters,
    NoParameters,
    QueryParameters,
    ResolveParameters,
    ResourcesParameters,
    ReviewParameters,
    StatusParameters,
    StructureParameters,
    VerifyParameters,
)
from citeloom.infrastructure.mcp.jobs import ingests, reviews, verifications
from citeloom.infrastructure.mcp.jobs.background import Background
from citeloom.infrastructure.mcp.jobs.ingests import IngestJob
from citeloom.infrastructure.mcp.jobs.queue import Job, JobStatus, Tell, silent
from citeloom.infrastructure.mcp.jobs.reviews import Resumption, ReviewJob
from citeloom.infrastructure.mcp.jobs.warm_models import WarmModels

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_log: Final = logging.getLogger(__name__)


class Handlers:
    """One method per tool. All may run in several threads at once.

    ``patience`` is how many seconds a call waits for a job before it returns the id.
    """

    def __init__(
        self, application: "Application", jobs: Background, models: WarmModels, *, patience: float
    ) -> None:
        self._application = application
        self._jobs = jobs
        self._models = models
        self._patience = patience

    def query(self, parameters: QueryParameters) -> Content:
        result = self._ask(parameters, Mode.DENSE)[1]
        return {**search.found(result), "model": result.model}

    def query_hybrid(self, parameters: QueryParameters) -> Content:
        project, result = self._ask(parameters, Mode.HYBRID)
        return {
            **search.found(result),
            "hybrid_enabled": project.hybrid_enabled,
            "dense_model": result.model,
            "sparse_model": project.sparse_model,
            "fusion": self._application.search.searcher.policy(project).summary,
        }

    def ingest_from_source(self, parameters: IngestParameters, tell: Tell = silent) -> Content:
        options = parameters.options
        request = ingests.request(parameters, self._application.stores.passwords)
        answer = self._progress(self._jobs.ingests.submit(request), self._patience, tell)
        if options.ocr_languages:
            answer.setdefault("warnings", []).append(
                "options.ocr_languages: the setting ocr.languages says them; it was ignored"
            )
        return answer

    def ingest_status(self, parameters: StatusParameters, tell: Tell = silent) -> Content:
        job = self._jobs.ingests.find(parameters.job_id)
        with _named(job):
            told = self._progress(job, parameters.wait_seconds, tell)
        return {"job_id": job.id, "status": "done", **told}

    def verify(self, parameters: VerifyParameters, tell: Tell = silent) -> Content:
        if parameters.job_id is None:
            request = verifications.request(parameters, self._application.projects.choice)
            self._application.stores.catalogue.project(request.project_id)
            if notice := self._application.verification.model_notice():
                _log.warning("verify: %s", notice)
            job = self._jobs.checks.submit(request)
        else:
            verifications.refuse_beside_job(parameters)
            job = self._jobs.checks.find(parameters.job_id)
        if not job.wait(self._patience, tell):
            return checking(job)
        with _named(job):
            return verified(job.id, job.result(), parameters.offset)

    def review(self, parameters: ReviewParameters, tell: Tell = silent) -> Content:
        found = self._reviewed(parameters)
        if isinstance(found, Recorded):
            return reviewed(found, parameters.offset)
        if not found.wait(self._patience, tell):
            return reviewing(found)
        with _named(found):
            ended = found.result()
        return reviewed(self._session(str(ended.session_id)), parameters.offset, found.id)

    def inspect_collection(self, parameters: InspectParameters) -> Content:
        project_id = ProjectId.parse(parameters.project)
        return search.inspected(self._application.projects.inspect(project_id, parameters.sample))

    def list_projects(self, _parameters: NoParameters) -> Content:
        return search.listed(self._application.projects.projects.list())

    def list_resources(self, parameters: ResourcesParameters) -> Content:
        structure, project = self._application.maps.structure, _project(parameters)
        if parameters.budget > 0:
            return {"context": structure.agent_context(project, budget=parameters.budget)}
        return {"resources": list(structure.resources(project))}

    def get_structure(self, parameters: StructureParameters) -> Content:
        resource = self._application.maps.structure.map(
            _project(parameters), parameters.resource_id
        )
        return resource.model_dump(mode="json", exclude_none=True)

    def get_node(self, parameters: NodeParameters) -> Content:
        node = self._application.maps.structure.node(
            _project(parameters), parameters.resource_id, parameters.node_id
        )
        return node.model_dump(mode="json", exclude_none=True)

    def resolve(self, parameters: ResolveParameters) -> Content:
        request = ResolveRequest(
            project_id=_project(parameters),
            name=parameters.resource_id,
            node_id=parameters.node_id,
            virtual=parameters.virtual,
        )
        return search.resolved(self._application.maps.resolve(request))

    def _ask(self, parameters: QueryParameters, mode: Mode) -> tuple[Project, QueryResult]:
        named = [parameters.project] if isinstance(parameters.project, str) else parameters.project
        first, *others = dict.fromkeys(map(ProjectId.parse, named))
        request = QueryRequest(
            project_id=first,
            also=tuple(others),
            query_text=parameters.text,
            top_k=parameters.top_k,
            mode=mode,
            filter=to_filter(parameters.filters),
            per_document=parameters.per_document,
            diverse=parameters.diverse,
            context=parameters.context,
            rerank=parameters.rerank or None,
        )
        project = self._application.stores.catalogue.project(request.project_id)
        self._models.ready(project.embedding_model.name)
        return project, self._application.search.query(request)

    def _reviewed(self, parameters: ReviewParameters) -> ReviewJob | Recorded:
        """The job that works on it, or the session as the record has it where none does and
        none is needed: it is completed, or another process works on it."""
        jobs, id = self._jobs.reviews, parameters.job_id
        if id is None:
            request = reviews.request(
                parameters,
                self._application.projects.choice,
                self._application.settings.review.writer,
            )
            self._announce(request.writer)
            self._application.stores.catalogue.project(request.project_id)
            return jobs.submit(request)
        reviews.refuse_beside_job(parameters)
        job = jobs.latest(
            lambda one: (
                id == one.id or (id == str(one.session_id) and one.status is not JobStatus.ENDED)
            )
        )
        if job is not None:
            if parameters.cancel:
                job.cancel()
            return job
        found = self._session(id)
        if parameters.cancel:
            self._application.research.sessions.cancel(str(found.session.id))
            return self._session(id)
        if found.session.status in (SessionStatus.COMPLETED, SessionStatus.IN_PROGRESS):
            return found
        resumption = Resumption.of(found.session)
        self._announce(resumption.writer)
        return jobs.submit(resumption)

    def _announce(self, writer: str) -> None:
        """In the server's log, before anything is sent to a language model. Raises
        ConfigurationError where one is wanted and none is configured."""
        if notice := self._application.research.model_notice(writer):
            _log.warning("review: %s", notice)

    def _session(self, name: str) -> Recorded:
        try:
            found = self._application.research.sessions.show(name)
        except SessionNotFound:
            raise JobNotFound(name, reviews.TOOL) from None
        if found.session.is_deleted:
            raise JobNotFound(name, reviews.TOOL)
        return found

    def _progress(self, job: IngestJob, seconds: float, tell: Tell) -> Content:
        """The job's result if it ends within ``seconds``, else how far it is."""
        if not job.wait(seconds, tell):
            return search.progress(job)
        result = job.result()
        project = self._application.stores.catalogue.project(job.asked.project_id)
        return search.ingested(result, project.sparse_model)


@contextmanager
def _named(job: Job[Any, Any]) -> Iterator[None]:
    """Errors that ended the job name it."""
    try:
        yield
    except CiteLoomError as error:
        error.details = {**error.details, **job.handles()}
        raise


def _project(parameters: ResourcesParameters | StructureParameters) -> ProjectId | None:
    return ProjectId.parse(parameters.project) if parameters.project else None
