"""Projects and their documents."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from citeloom.application.citation.edit import Edited, parse_assignment
from citeloom.application.projects.inspection import ListedPaper
from citeloom.application.projects.projects import ProjectSummary
from citeloom.domain.choices import SortKey
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.infrastructure.http.access import Access, OfProject, Verbs, body_of
from citeloom.infrastructure.http.lists import Paged
from citeloom.infrastructure.http.problems import worded
from citeloom.infrastructure.serving.next_steps import ProjectBusy

router = APIRouter(tags=["projects"])
changes = APIRouter(tags=["projects"])

Filters = Annotated[
    list[str] | None,
    Query(
        description="Clauses such as `author=knuth`, `year=1968..1980`, `tag!=draft`; all hold.",
        max_length=50,
    ),
]


ChangeText = Annotated[str, Field(max_length=21_000)]


class ProjectPage(BaseModel):
    """Projects by name; ``next`` is the cursor of the next page, null on the last."""

    projects: Sequence[ProjectSummary]
    total: int
    next: str | None


class ProjectBody(BaseModel):
    """A project without documents. ``hybrid``: it is searched by words as well as by meaning."""

    model_config = body_of(name="reading")

    name: str = Field(max_length=300, description="NAME or NAMESPACE/NAME")
    model: str | None = Field(default=None, max_length=200, description="Embedding model.")
    hybrid: bool = True


class DocumentPage(BaseModel):
    """Documents in order; ``next`` is the cursor of the next page, null on the last."""

    documents: Sequence[ListedPaper]
    total: int
    next: str | None


class EditBody(BaseModel):
    """``changes`` are such as ``title=…``, ``author=Family, Given; …``, ``tag+=…`` or
    ``status=read``; an empty value removes a field. ``force``: also where the entry is in a
    reference file or library."""

    model_config = ConfigDict(extra="forbid")

    changes: list[ChangeText] = Field(min_length=1, max_length=100)
    force: bool = False


class Undone(BaseModel):
    """The change that was taken back; null without one."""

    undone: Edited | None


class RemovedDocuments(BaseModel):
    """The removed documents; the user's own files stay. ``whole``: the project as well."""

    project: str
    documents: Sequence[str]
    passages: int
    whole: bool


@router.get("/projects", response_model=ProjectPage)
async def list_projects(verbs: Verbs, paging: Paged) -> JSONResponse:
    """The projects of the workspace."""
    listed = await verbs.run("list projects", verbs.application.projects.projects.list)
    shown, rest = paging.of(listed, lambda one: one.id, "projects")
    return worded(ProjectPage(projects=shown, **rest))


@router.post("/projects", status_code=201, response_model=ProjectSummary)
async def create_project(verbs: Verbs, body: ProjectBody) -> JSONResponse:
    """An empty project. (An ingest makes the one that it names.)"""
    project_id = ProjectId.parse(body.name)
    projects = verbs.application.projects

    def create() -> ProjectSummary:
        projects.opener.create(project_id, body.model, hybrid=body.hybrid)
        return projects.projects.show(project_id)

    response = worded(await verbs.run("create project", create))
    response.status_code = 201
    response.headers["Location"] = f"/api/v1/projects/{project_id}"
    return response


@router.get("/projects/{namespace}/{name}", response_model=ProjectSummary)
async def show_project(verbs: Verbs, project_id: OfProject) -> JSONResponse:
    """One project."""
    projects = verbs.application.projects.projects
    return worded(await verbs.run("show project", lambda: projects.show(project_id)))


@router.get("/projects/{namespace}/{name}/documents")
async def list_documents(
    verbs: Verbs,
    project_id: OfProject,
    paging: Paged,
    filter: Filters = None,
    sort: SortKey = SortKey.AUTHOR,
    reverse: bool = False,
) -> DocumentPage:
    """The documents of a project, page by page: key, authors, year, title, pages, state; with
    ``reverse`` the last comes first."""
    clauses = filter_of(filter)
    papers = verbs.application.projects.papers
    listed = await verbs.run("list documents", lambda: papers([project_id], clauses, sort))
    about = f"{project_id} {sort} {reverse} {filter}"
    ordered = listed[::-1] if reverse else listed
    shown, rest = paging.of(ordered, lambda one: one.document_id, about)
    return DocumentPage(documents=shown, **rest)


@router.get("/projects/{namespace}/{name}/documents/{document}")
async def show_document(verbs: Verbs, project_id: OfProject, document: str) -> ListedPaper:
    """One document, by its id, key, title, file or identifier."""
    stores, papers = verbs.application.stores, verbs.application.projects.papers

    def show() -> ListedPaper:
        found = stores.documents.find(document, project_id)
        listed = papers([found.project_id], Filter())
        return next(one for one in listed if one.document_id == found.document_id)

    return await verbs.run("show document", show)


@changes.post("/projects/{namespace}/{name}/documents/{document}/edits", response_model=Edited)
async def edit_document(
    verbs: Verbs, project_id: OfProject, document: str, body: EditBody
) -> JSONResponse:
    """Change the citation of a document, its tags, note or status, as your own: no ingest, sync or
    look-up takes it away."""
    edit = verbs.application.projects.edit

    def work() -> Edited:
        assignments = [parse_assignment(one) for one in body.changes]
        return edit(project_id, document, assignments, force=body.force)

    return worded(await verbs.run("edit", work))


@changes.post("/projects/{namespace}/{name}/undo", response_model=Undone)
async def undo_edit(verbs: Verbs, project_id: OfProject) -> JSONResponse:
    """Take back the last edit of a project."""
    edit = verbs.application.projects.edit
    return worded(Undone(undone=await verbs.run("undo", lambda: edit.undo(project_id))))


@changes.delete("/projects/{namespace}/{name}")
async def remove_project(verbs: Verbs, project_id: OfProject) -> RemovedDocuments:
    """Remove a project with all its documents."""
    return await _removed(verbs, project_id, ())


@changes.delete("/projects/{namespace}/{name}/documents/{document}")
async def remove_document(verbs: Verbs, project_id: OfProject, document: str) -> RemovedDocuments:
    """Remove a document with its passages and stored text."""
    return await _removed(verbs, project_id, (document,))


def filter_of(clauses: Sequence[str] | None) -> Filter:
    """Raises InvalidRequest naming the clause."""
    return Filter(clauses=tuple(map(parse_clause, clauses or ())))


async def _removed(
    verbs: Access, project_id: ProjectId, documents: Sequence[str]
) -> RemovedDocuments:
    """Raises ProjectBusy while a job works on the project."""

    def work() -> RemovedDocuments:
        remove = verbs.application.projects.remove
        removal = remove.plan(project_id, documents)
        for job in verbs.jobs.going_on(project_id.value):
            advice = f", or DELETE /api/v1/jobs/{job.id}"
            raise ProjectBusy(project_id.value, job.kind, job.id, advice)
        remove(removal, removal.name)
        return RemovedDocuments(
            project=project_id.value,
            documents=[one.document_id for one in removal.documents],
            passages=removal.passages,
            whole=removal.whole,
        )

    return await verbs.run("remove", work)
