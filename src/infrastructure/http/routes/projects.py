"""Projects and their documents."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from citeloom.application.projects.papers import ListedPaper
from citeloom.application.projects.projects import ProjectSummary
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.sort_key import SortKey
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.infrastructure.http.access import Verbs
from citeloom.infrastructure.http.cursors import Cursor, Limit, page_of
from citeloom.infrastructure.http.next_steps import worded

router = APIRouter(tags=["projects"])

Filters = Annotated[
    list[str] | None,
    Query(
        description="Clauses such as `author=knuth`, `year=1968..1980`, `tag!=draft`; all hold.",
        max_length=50,
    ),
]


class ProjectList(BaseModel):
    projects: Sequence[ProjectSummary]


class DocumentPage(BaseModel):
    """Documents in order; ``next`` is the cursor of the next page, null on the last."""

    documents: Sequence[ListedPaper]
    total: int
    next: str | None


@router.get("/projects", response_model=ProjectList)
async def list_projects(verbs: Verbs) -> JSONResponse:
    """The projects of the workspace."""
    projects = verbs.application.projects.projects
    return worded(ProjectList(projects=await verbs.run("list projects", projects.list)))


@router.get("/projects/{namespace}/{name}", response_model=ProjectSummary)
async def show_project(verbs: Verbs, namespace: str, name: str) -> JSONResponse:
    """One project."""
    project_id = ProjectId.parse(f"{namespace}/{name}")
    projects = verbs.application.projects.projects
    return worded(await verbs.run("show project", lambda: projects.show(project_id)))


@router.get("/projects/{namespace}/{name}/documents")
async def list_documents(
    verbs: Verbs,
    namespace: str,
    name: str,
    filter: Filters = None,
    sort: SortKey = SortKey.AUTHOR,
    reverse: bool = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> DocumentPage:
    """The documents of a project, page by page: key, authors, year, title, pages, state; with
    ``reverse`` the last comes first."""
    project_id = ProjectId.parse(f"{namespace}/{name}")
    clauses = filter_of(filter)
    papers = verbs.application.projects.papers
    listed = await verbs.run("list documents", lambda: papers([project_id], clauses, sort))
    if reverse:
        listed = listed[::-1]
    about = f"{project_id} {sort} {reverse} {filter}"
    shown, following = page_of(listed, lambda one: one.document_id, limit, cursor, about)
    return DocumentPage(documents=shown, total=len(listed), next=following)


def filter_of(clauses: Sequence[str] | None) -> Filter:
    """Raises InvalidRequest naming the clause."""
    return Filter(clauses=tuple(map(parse_clause, clauses or ())))
