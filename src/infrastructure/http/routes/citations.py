"""Citations, bibliographies, look-ups, and exports of quotations that a client has kept."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Body, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.citation.export import Quotation
from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.citation.in_text import InText
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.lookup import IdentifyRequest, IdentifyResult
from citeloom.infrastructure.http.access import OfProject, Verbs, body_of
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import file_of, files, worded
from citeloom.infrastructure.serving.jobs.job import JobView

from .checks import result_of

router = APIRouter(tags=["citations"])

#: Names of styles.
STYLE: Final = r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$"
_STYLES: Final = "Citation style by name: apa, chicago, ieee, nature, vancouver."
Style = Annotated[str, Query(pattern=STYLE, description=_STYLES)]


class CitedEntry(BaseModel):
    """A work in a bibliography."""

    citekey: str
    text: str


class Cited(BaseModel):
    """One citation of all the works, the entries of the works, and where each opens."""

    citation: str
    bibliography: Sequence[CitedEntry]
    links: dict[str, str | None]
    warnings: Sequence[str]


@router.get("/cite")
async def cite_works(
    verbs: Verbs,
    project: Annotated[str, Query(max_length=300)],
    key: Annotated[
        list[str],
        Query(
            min_length=1,
            max_length=100,
            description="Citation keys, or citations with pages: `[@key, p. 3]`.",
        ),
    ],
    format: InText = InText.PANDOC,
    style: Style = DEFAULT_STYLE,
) -> Cited:
    """A citation to paste into a manuscript, and the bibliography."""
    project_id = ProjectId.parse(project)

    def work() -> Cited:
        verb = verbs.application.citation.cite
        places = [verb.place(project_id, one) for one in key]
        return Cited(
            citation=verb.together(places, format, style),
            bibliography=[
                CitedEntry(citekey=one.citekey, text=one.text)
                for one in verb.bibliography(places, style)
            ],
            links={place.work.citekey: place.link for place in places},
            warnings=[warning for place in places for warning in place.warnings],
        )

    return await verbs.run("cite", work)


_REFERENCE_FILES: Final = {
    ReferenceFormat.BIBTEX: ("application/x-bibtex", "references.bib"),
    ReferenceFormat.BIBLATEX: ("application/x-bibtex", "references.bib"),
    ReferenceFormat.CSL_JSON: ("application/vnd.citationstyles.csl+json", "references.json"),
    ReferenceFormat.RIS: ("application/x-research-info-systems", "references.ris"),
}
Keys = Annotated[
    list[str] | None,
    Query(
        max_length=500,
        description="Citation keys, document ids or DOIs; without any all works of the project.",
    ),
]


class StyledBibliography(BaseModel):
    """Entries as the style has them, and how many documents have no citation."""

    bibliography: Sequence[CitedEntry]
    without_citation: int


@router.get("/projects/{namespace}/{name}/bibliography")
async def format_bibliography(
    verbs: Verbs, project_id: OfProject, key: Keys = None, style: Style = DEFAULT_STYLE
) -> StyledBibliography:
    """The bibliography of a project in a citation style."""

    def work() -> StyledBibliography:
        citation = verbs.application.citation
        chosen = citation.export.named(project_id, key or ())
        entries = citation.cite.works_bibliography(chosen.works, style)
        return StyledBibliography(
            bibliography=[CitedEntry(citekey=one.citekey, text=one.text) for one in entries],
            without_citation=chosen.uncited,
        )

    return await verbs.run("bibliography", work)


@router.get(
    "/projects/{namespace}/{name}/references",
    response_class=Response,
    responses=files(kind for kind, _ in _REFERENCE_FILES.values()),
)
async def export_references(
    verbs: Verbs,
    project_id: OfProject,
    key: Keys = None,
    format: ReferenceFormat = ReferenceFormat.BIBTEX,
) -> Response:
    """The works of a project as a file for reference managers."""
    export = verbs.application.citation.export
    text = await verbs.run(
        "references", lambda: export.write(export.named(project_id, key or ()), format)
    )
    return file_of(text, *_REFERENCE_FILES[format])


_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_BIBTEX: Final = "application/x-bibtex"


class QuotationsAs(StrEnum):
    DOCX = "docx"
    BIBTEX = "bibtex"


class KeptQuotation(BaseModel):
    """Quoted words of a document with a citation."""

    project: Annotated[str, Field(max_length=300)]
    text: Annotated[str, Field(min_length=1, max_length=4000)]
    citation: Annotated[
        str,
        Field(min_length=1, max_length=500, description="Citation key, or `[@key, p. 3]`."),
    ]


class KeptQuotations(BaseModel):
    quotations: Annotated[list[KeptQuotation], Field(min_length=1, max_length=200)]
    format: QuotationsAs = QuotationsAs.DOCX
    style: Annotated[str, Field(pattern=STYLE, description=_STYLES)] = DEFAULT_STYLE


@router.post(
    "/exports/quotations",
    response_class=Response,
    responses=files((_WORD, _BIBTEX)),
)
async def export_quotations(verbs: Verbs, asked: KeptQuotations) -> Response:
    """Quotations with their citations and a bibliography as a Word document, or the works
    quoted as BibTeX. Nothing is stored."""
    quotations = [
        Quotation(ProjectId.parse(one.project), one.text, one.citation) for one in asked.quotations
    ]
    verb = verbs.application.citation.quotations
    content: bytes | str
    if asked.format is QuotationsAs.DOCX:
        content = await verbs.run("export", lambda: verb.document(quotations, asked.style))
        return file_of(content, _WORD, "quotations.docx")
    content = await verbs.run("export", lambda: verb.references(quotations, ReferenceFormat.BIBTEX))
    return file_of(content, _BIBTEX, "quotations.bib")


class LookupBody(BaseModel):
    """Documents by any name; without any, those with a provisional citation. ``accept``: a record
    of a named document is taken though it does not agree."""

    model_config = body_of(documents=["weir2020Ponds"])

    documents: list[Annotated[str, Field(max_length=500)]] = Field(default=[], max_length=500)
    accept: bool = False


@router.post("/projects/{namespace}/{name}/lookups", status_code=202)
async def begin_lookup(
    verbs: Verbs, project_id: OfProject, body: Annotated[LookupBody, Body()], response: Response
) -> JobState:
    """Look up documents at public services, as a job: their DOI, arXiv id, PMID or ISBN is sent,
    else title and first author, to doi.org, DataCite, PubMed, OpenLibrary, Crossref or OpenAlex. A
    record that the document supports becomes its citation; others are proposed."""
    wanted = IdentifyRequest(
        project_id=project_id,
        names=tuple(body.documents),
        all=not body.documents,
        accept=body.accept,
    )

    def submit() -> JobView[IdentifyResult]:
        if body.accept and not body.documents:
            raise InvalidRequest("accept: name the documents", parameter="accept")
        verbs.application.check_filling(project_id)
        verbs.application.stores.catalogue.project(project_id)
        for name in wanted.names:
            verbs.application.stores.documents.find(name, project_id)
        return verbs.jobs.lookups.submit(wanted)

    return begun(await verbs.run("look up", submit), response)


@router.get("/jobs/{job_id}/lookup", response_model=IdentifyResult)
async def show_lookup(verbs: Verbs, job_id: str) -> JSONResponse:
    """What a look-up that has ended found for each document, and how well it agrees."""
    return worded(await verbs.run("lookup", lambda: result_of(verbs.jobs.lookups.find(job_id))))
