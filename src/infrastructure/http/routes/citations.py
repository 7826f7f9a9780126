"""Citations and bibliographies."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.domain.citation.in_text import InText
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.http.access import Verbs

router = APIRouter(tags=["citations"])

Style = Annotated[
    str,
    Query(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$",
        description="Citation style by name: apa, chicago, ieee, nature, vancouver.",
    ),
]


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
async def cite(
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
