"""Handlers of query and query_hybrid."""

from collections.abc import Sequence

from citeloom.domain.projects.project import Project
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.search import found
from citeloom.infrastructure.mcp.contract.filters import to_filter
from citeloom.infrastructure.mcp.contract.parameters.search import QueryParameters
from citeloom.infrastructure.serving.served import Served


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
    """What was found; with the project, where the call named none."""
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
