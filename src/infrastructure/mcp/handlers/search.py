"""Handlers of query and query_hybrid."""

from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.mcp.answers import search
from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.contract.filters import to_filter
from citeloom.infrastructure.mcp.contract.parameters.search import QueryParameters
from citeloom.infrastructure.mcp.handlers.served import Served


def query(served: Served, parameters: QueryParameters) -> Content:
    result = _ask(served, parameters, Mode.DENSE)[1]
    return {**search.found(result), "model": result.model}


def query_hybrid(served: Served, parameters: QueryParameters) -> Content:
    project, result = _ask(served, parameters, Mode.HYBRID)
    return {
        **search.found(result),
        "hybrid_enabled": project.hybrid_enabled,
        "dense_model": result.model,
        "sparse_model": project.sparse_model,
        "fusion": served.application.search.searcher.policy(project).summary,
    }


def _ask(served: Served, parameters: QueryParameters, mode: Mode) -> tuple[Project, QueryResult]:
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
    project = served.application.stores.catalogue.project(request.project_id)
    served.models.ready(project.embedding_model.name)
    return project, served.application.search.query(request)
