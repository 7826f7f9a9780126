"""Handlers of query, query_hybrid, list_projects, inspect_collection and remove."""

from collections.abc import Sequence

from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.projects import (
    InspectionReply,
    ProjectsReply,
    RemovalReply,
    inspected,
    listed,
    none_in,
    removed,
    to_confirm,
)
from citeloom.infrastructure.mcp.answers.search import found
from citeloom.infrastructure.mcp.contract.arguments import to_filter
from citeloom.infrastructure.mcp.contract.parameters import (
    InspectParameters,
    ListProjectsParameters,
    QueryParameters,
    RemoveParameters,
)
from citeloom.infrastructure.serving.next_steps import ProjectBusy, if_offered
from citeloom.infrastructure.serving.served import Served


def list_projects(served: Served, parameters: ListProjectsParameters) -> ProjectsReply:
    projects = served.application.projects.projects.list()
    return (
        listed(projects, parameters.offset)
        if projects
        else none_in(served.application.workspace.root)
    )


def inspect_collection(served: Served, parameters: InspectParameters) -> InspectionReply:
    project_id = served.application.projects.choice(parameters.project)
    return inspected(served.application.projects.inspect(project_id, parameters.sample))


def remove(served: Served, parameters: RemoveParameters) -> RemovalReply:
    """Lists what will be removed, or removes it if that is confirmed."""
    verb = served.application.projects.remove
    removal = verb.plan(ProjectId.parse(parameters.project), parameters.documents)
    if parameters.confirm is None:
        return to_confirm(removal)
    _refuse_during_job(served, removal.project_id.value)
    verb(removal, parameters.confirm)
    return removed(removal)


def _refuse_during_job(served: Served, project: str) -> None:
    """Data that a job reads or writes must stay."""
    for job in served.jobs.going_on(project):
        cancel = if_offered("jobs", f", or cancel it with jobs, job_id {job.id}")
        raise ProjectBusy(project, job.kind, job.id, cancel)


def query(served: Served, parameters: QueryParameters) -> Content:
    project, results = _ask(served, parameters, Mode.DENSE)
    answer = _answer(parameters, project, results)
    return {**answer, "model": results[0].model} if parameters.details else answer


def query_hybrid(served: Served, parameters: QueryParameters) -> Content:
    project, results = _ask(served, parameters, Mode.HYBRID)
    answer = _answer(parameters, project, results)
    if not parameters.details:
        return answer
    return {
        **answer,
        "hybrid_enabled": project.hybrid_enabled,
        "dense_model": results[0].model,
        "sparse_model": project.sparse_model,
        "fusion": served.application.search.searcher.policy(project).summary,
    }


def _answer(
    parameters: QueryParameters, project: Project, results: Sequence[QueryResult]
) -> Content:
    """The result; with the project if the call named none."""
    answer = found(results, offset=parameters.offset, details=parameters.details)
    return answer if parameters.project else {"project": project.id.value, **answer}


def _ask(
    served: Served, parameters: QueryParameters, mode: Mode
) -> tuple[Project, list[QueryResult]]:
    choice = served.application.projects.choice
    first, *others = dict.fromkeys(map(choice, parameters.project or (None,)))
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
    project = served.application.stores.catalogue.project(first)
    served.models.ready(project.embedding_model.name)
    ask = served.application.search.query
    questions = dict.fromkeys((parameters.text, *parameters.more))
    return project, [ask(request.model_copy(update={"query_text": one})) for one in questions]
