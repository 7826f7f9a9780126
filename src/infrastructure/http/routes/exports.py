"""Exports of quotations that a client has kept."""

from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.citation.export import Quotation
from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.access import Verbs

router = APIRouter(tags=["citations"])

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
    style: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$",
            description="Citation style by name: apa, chicago, ieee, nature, vancouver.",
        ),
    ] = DEFAULT_STYLE


@router.post(
    "/exports/quotations",
    response_class=Response,
    responses={200: {"content": {_WORD: {}, _BIBTEX: {}}, "description": "The file."}},
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
        return _file(content, _WORD, "quotations.docx")
    content = await verbs.run("export", lambda: verb.references(quotations, ReferenceFormat.BIBTEX))
    return _file(content, _BIBTEX, "quotations.bib")


def _file(content: bytes | str, media_type: str, name: str) -> Response:
    told = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=told)
