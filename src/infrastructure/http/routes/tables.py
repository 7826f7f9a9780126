"""Tables of papers and questions: kept with the project, filled by jobs."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Response
from pydantic import BaseModel, ConfigDict, Field

from citeloom.domain.choices import TableFormat
from citeloom.domain.review.report.table import MOST_QUESTIONS, PaperTable, TableRequest
from citeloom.infrastructure.http.access import Access, OfProject, Verbs
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import worded
from citeloom.infrastructure.serving.jobs.job import JobView
from citeloom.infrastructure.system.validated_request import build

from .projects import Filters, filter_of
from .verifications import result_of

router = APIRouter(tags=["tables"])


# Media type and file name.
_MEDIA: Final = {
    TableFormat.CSV: ("text/csv; charset=utf-8", "table.csv"),
    TableFormat.XLSX: (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "table.xlsx",
    ),
    TableFormat.MARKDOWN: ("text/markdown; charset=utf-8", "table.md"),
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {media: {} for media, _ in _MEDIA.values()}, "description": "The table."}
}


class TableBody(BaseModel):
    """``questions`` are added to the columns, ``drop`` (a question, or the number of a column from
    1) are taken out. ``fresh`` reads every cell again."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"questions": ["How many participants?"]}]},
    )

    questions: list[str] = Field(default=[], max_length=MOST_QUESTIONS)
    drop: list[str] = Field(default=[], max_length=MOST_QUESTIONS)
    filters: list[str] = Field(default=[], max_length=50)
    fresh: bool = False


@router.post("/projects/{namespace}/{name}/tables", status_code=202)
async def begin_table(
    verbs: Verbs, project_id: OfProject, body: Annotated[TableBody, Body()], response: Response
) -> JobState:
    """Ask every paper the kept questions and new ones: a job. Only what is new is read."""
    wanted = build(
        TableRequest,
        project_id=project_id,
        questions=tuple(body.questions),
        drop=tuple(body.drop),
        filter=filter_of(body.filters),
        writer=verbs.application.settings.review.writer,
        fresh=body.fresh,
    )

    def submit() -> JobView[PaperTable]:
        verbs.application.stores.catalogue.project(project_id)
        return verbs.jobs.tables.submit(wanted)

    return begun(await verbs.run("table", submit), response)


@router.get("/projects/{namespace}/{name}/table", response_model=PaperTable, responses=_FILES)
async def show_kept_table(
    verbs: Verbs,
    project_id: OfProject,
    filter: Filters = None,
    format: TableFormat = TableFormat.JSON,
) -> Response:
    """The kept table, without reading anything: what was not asked yet is `not read yet`."""
    wanted = TableRequest(
        project_id=project_id,
        filter=filter_of(filter),
        writer=verbs.application.settings.review.writer,
        kept=True,
    )
    found = await verbs.run("table", lambda: verbs.application.research.table(wanted))
    return _answer(verbs, found, format)


@router.get("/jobs/{job_id}/table", response_model=PaperTable, responses=_FILES)
async def show_table(verbs: Verbs, job_id: str, format: TableFormat = TableFormat.JSON) -> Response:
    """The table that a job has filled."""
    found = await verbs.run("table", lambda: result_of(verbs.jobs.tables.find(job_id)))
    return _answer(verbs, found, format)


def _answer(verbs: Access, found: PaperTable, format: TableFormat) -> Response:
    if format is TableFormat.JSON:
        return worded(found)
    media, name = _MEDIA[format]
    told = {"Content-Disposition": f'attachment; filename="{name}"'}
    content = verbs.application.research.table_file(found, format)
    return Response(content, media_type=media, headers=told)
