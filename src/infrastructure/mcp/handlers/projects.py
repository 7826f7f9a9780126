"""Handlers of query, query_hybrid, list_projects, inspect_collection and remove, and answers."""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, Final, cast

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.projects.inspection import Inspection
from citeloom.application.projects.projects import ProjectSummary, Removal
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.mcp.answers.contents import (
    CITED,
    MORE,
    Content,
    Reply,
    first,
    fitting,
    found,
    full_passage,
    told,
)
from citeloom.infrastructure.mcp.contract.arguments import to_filter
from citeloom.infrastructure.mcp.contract.parameters import (
    InspectParameters,
    ListProjectsParameters,
    QueryParameters,
    RemoveParameters,
)
from citeloom.infrastructure.serving.next_steps import ProjectBusy, if_offered, in_words
from citeloom.infrastructure.serving.served import Served

_SHOWN: Final = 20  # documents with uncertain pages
_ROW: Final = "id collection dense_model sparse_model hybrid_enabled documents chunks".split()

# Facts about every collection that no verb tells; tests hold them against the index.
NAMED_VECTORS: Final = ("dense", "bm25")
INTEGER_INDEXES: Final = frozenset({"year", "page_start", "page_end"})


class InspectionReply(Reply, total=False):
    """A project and its index."""

    project: str
    collection: str
    size: int
    documents: int
    embedding_model: dict[str, Any]
    dense_model: str
    sparse_model: str
    named_vectors: list[str]
    payload_keys: list[str]
    indexes: dict[str, Any]
    storage: dict[str, Any]
    sample_payloads: list[dict[str, Any]]
    text_uncertain: list[dict[str, Any]]


class ProjectsReply(Reply, total=False):
    """The projects of the workspace, which is named where there are none."""

    projects: list[dict[str, Any]]
    count: int
    workspace: str


def inspected(inspection: Inspection) -> InspectionReply:
    vectors = list(NAMED_VECTORS)
    fields = inspection.indexed_fields
    uncertain = [
        {"document": one.citekey or PurePath(one.document).name, "pages": one.fidelity.uncertain}
        for one in inspection.fidelity
        if one.fidelity and one.fidelity.uncertain
    ]
    answer = {
        "project": inspection.project,
        "collection": inspection.collection,
        "size": inspection.chunks,
        "documents": inspection.documents,
        "embedding_model": {
            "dense_model": inspection.model,
            "sparse_model": inspection.sparse_model,
            "project_config_model": inspection.model_fingerprint,
            "hybrid_enabled": inspection.hybrid_enabled,
            "named_vectors": vectors,
        },
        "dense_model": inspection.model,
        "sparse_model": inspection.sparse_model,
        "named_vectors": vectors,
        "payload_keys": ["render_text", *CITED, *MORE],
        "indexes": {
            "keyword": [name for name in fields if name not in INTEGER_INDEXES],
            "integer": [name for name in fields if name in INTEGER_INDEXES],
            "fulltext": [],
        },
        "storage": {"on_disk_vectors": False, "on_disk_hnsw": False},
        "sample_payloads": fitting([full_passage(one) for one in inspection.samples]),
        **told(text_uncertain=uncertain[:_SHOWN]),
    }
    return cast(InspectionReply, answer)


def listed(projects: Sequence[ProjectSummary], offset: int = 0) -> ProjectsReply:
    """The projects from ``offset`` on, as many as an answer may hold; ``count`` is of all."""
    rows = [{name: getattr(project, name) for name in _ROW} for project in projects[offset:]]
    shown = fitting(rows)
    warnings = [in_words(project.warning) for project in projects if project.warning]
    further = f"list_projects with offset {offset + len(shown)}"
    answer = {
        "projects": shown,
        "count": len(projects),
        **told(
            warnings=[] if offset else first(warnings),
            next=further if len(shown) < len(rows) else None,
        ),
    }
    return cast(ProjectsReply, answer)


def none_in(root: Path) -> ProjectsReply:
    """Says where it was looked: in a client's configuration another folder is the commonest
    mistake."""
    sentence = UserMessage(
        f"{root}: no projects in this workspace; if the user's papers are in another one, the "
        "server has to be started with that folder",
        NextStep(Action.ADD_DOCUMENTS),
    )
    return {"projects": [], "count": 0, "workspace": str(root), "warnings": [in_words(sentence)]}


_NAMED: Final = 50
_LINE: Final = 120
_STAYS: Final = "the user's own files stay; an ingest of their folder adds them again"

TO_CONFIRM: Final = "to be confirmed"


class RemovalReply(Reply, total=False):
    """What is removed, or would be."""

    status: str
    project: str
    documents: list[str]
    documents_removed: int
    passages: int
    confirm: str
    note: str


def to_confirm(removal: Removal) -> RemovalReply:
    """What would go, and how it is confirmed."""
    return {
        "status": TO_CONFIRM,
        **_described(removal),
        "confirm": removal.name,
        "next": "ask the user, then remove with the same parameters and this confirm",
    }


def removed(removal: Removal) -> RemovalReply:
    return {"status": "removed", **_described(removal), "note": _STAYS}


def _described(removal: Removal) -> RemovalReply:
    return {
        "project": removal.project_id.value,
        "documents": [_line(document) for document in removal.documents[:_NAMED]],
        "documents_removed": len(removal.documents),
        "passages": removal.passages,
    }


def _line(document: StoredDocument) -> str:
    citation = document.citation
    if citation is not None:
        return shortened(f"@{citation.citekey} {citation.title}", _LINE)
    paths = [PurePath(source.path).name for source in document.sources[:1]]
    return shortened(next(iter(paths), document.document_id[:16]), _LINE)


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
