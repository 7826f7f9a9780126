"""Queries."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StringConstraints

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import (
    DEFAULT_TOP_K,
    MAX_CONTEXT,
    MAX_QUERY_CHARACTERS,
    MAX_TOP_K,
    QueryRequest,
    QueryResult,
)
from citeloom.infrastructure.http.access import Verbs, body_of
from citeloom.infrastructure.http.problems import worded

from .projects import Filters, filter_of

router = APIRouter(tags=["search"])


Question = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARACTERS)
]


class QueryBody(BaseModel):
    """A question to the passages of a project, and of others with the same model (``also``)."""

    model_config = body_of(project="reading", text="How far does a pond cool the evening air?")

    project: str = Field(description="NAME or NAMESPACE/NAME", max_length=300)
    also: list[str] = Field(default=[], max_length=50)
    text: Question
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    mode: Mode | None = Field(default=None, description="that of the project")
    filters: list[str] = Field(default=[], max_length=50, description="clauses; all hold")
    per_document: int | None = Field(default=None, ge=1, le=MAX_TOP_K)
    diverse: bool = False
    context: int = Field(default=0, ge=0, le=MAX_CONTEXT, description="neighbours on each side")
    rerank: bool | None = None

    def request(self) -> QueryRequest:
        """Raises InvalidRequest."""
        return QueryRequest(
            project_id=ProjectId.parse(self.project),
            also=tuple(map(ProjectId.parse, self.also)),
            query_text=self.text,
            top_k=self.top_k,
            mode=self.mode,
            filter=filter_of(self.filters),
            per_document=self.per_document,
            diverse=self.diverse,
            context=self.context,
            rerank=self.rerank,
        )


@router.post("/query", response_model=QueryResult)
async def query_passages(verbs: Verbs, question: QueryBody) -> JSONResponse:
    """The passages that answer a question best, ready to quote and to cite."""
    request = question.request()
    return worded(await verbs.run("query", lambda: verbs.application.search.query(request)))


@router.get("/query", response_model=QueryResult)
async def query_passages_by_link(
    verbs: Verbs,
    project: Annotated[str, Query(max_length=300)],
    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000), Query()
    ],
    top_k: Annotated[int, Query(ge=1, le=MAX_TOP_K)] = DEFAULT_TOP_K,
    mode: Mode | None = None,
    filter: Filters = None,
) -> JSONResponse:
    """The same, as a link."""
    question = QueryBody(project=project, text=text, top_k=top_k, mode=mode, filters=filter or [])
    return await query_passages(verbs, question)
