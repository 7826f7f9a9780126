"""Addresses and nodes of documents, relations, labels, and marks of the reader."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from citeloom.application.places.cut import Resolution, ResolveRequest
from citeloom.application.places.relations import MAX_DEPTH, RelationGraph
from citeloom.domain.annotations.annotation import mark_of
from citeloom.domain.errors import UnsupportedFormat
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.maps.resource_map import ResolvedEvidence
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.metadata import RelationKind, ResourceLabel
from citeloom.infrastructure.http.access import Verbs
from citeloom.infrastructure.http.cursors import Cursor, Limit, page_of
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.serving.mime_types import mime_type_of

router = APIRouter(tags=["resources"])

Project = Annotated[str | None, Query(max_length=300, description="NAME or NAMESPACE/NAME")]
Place = Annotated[
    str,
    Query(
        min_length=1,
        max_length=2000,
        description="An address (`doc://ID#pages=3-5`), a citation with its page, or a document.",
    ),
]
NodeId = Annotated[
    str | None, Query(max_length=500, description="Node of the document, as its map names it.")
]
Kind = Annotated[RelationKind | None, Query(description="Only relations of this kind.")]


KnowledgeUriText = Annotated[
    str, Query(min_length=1, max_length=2000, description="Knowledge URI: `ndk://…`.")
]
LabelName = Annotated[str, Query(min_length=1, max_length=200)]


class LabelBody(BaseModel):
    """``value`` is a text, or for tags several."""

    model_config = {"json_schema_extra": {"examples": [{"name": "relevance", "value": "high"}]}}

    name: str = Field(min_length=1, max_length=200)
    value: str | list[str]


class LabelPage(BaseModel):
    """``next`` is the cursor of the next page, null on the last."""

    labels: Sequence[ResourceLabel]
    total: int
    next: str | None


class ResolvedPlace(BaseModel):
    """Where the evidence is, as a resource map states it. ``text_uncertain``: the text of its
    pages is not to be quoted without a look at them."""

    evidence: ResolvedEvidence
    text_uncertain: bool | None
    warnings: Sequence[str]


class NotedMark(BaseModel):
    """An annotation; ``page`` is one of the file, from 1, and null where it is not known."""

    quote: str
    comment: str
    color: str | None
    page: int | None


class AnnotationPage(BaseModel):
    """``next`` is the cursor of the next page, null on the last."""

    annotations: Sequence[NotedMark]
    total: int
    next: str | None


@router.get("/resolve")
async def resolve_place(
    verbs: Verbs, place: Place, project: Project = None, node: NodeId = None
) -> ResolvedPlace:
    """The location of an address or a node; no file is written."""
    found = await verbs.run("resolve", lambda: _resolved(verbs, place, project, node, virtual=True))
    return ResolvedPlace(
        evidence=found.evidence,
        text_uncertain=found.text_uncertain,
        warnings=[in_words(one) for one in found.warnings],
    )


@router.get(
    "/evidence",
    response_class=FileResponse,
    responses={200: {"content": {"*/*": {}}, "description": "The file."}},
)
async def cut_evidence(
    verbs: Verbs, place: Place, project: Project = None, node: NodeId = None
) -> FileResponse:
    """The pages, lines, picture or time span of an address or a node, cut out as a file."""
    found = await verbs.run("resolve", lambda: _resolved(verbs, place, project, node))
    if (output := found.evidence.output_path) is None:
        raise UnsupportedFormat(f"{place}: has no file of its own; resolve tells its location")
    path = Path(output)
    return FileResponse(path, media_type=mime_type_of(path), filename=path.name)


@router.get("/documents/{document}/relations")
async def list_document_relations(
    verbs: Verbs,
    document: str,
    project: Project = None,
    kind: Kind = None,
    depth: Annotated[int, Query(ge=1, le=MAX_DEPTH)] = 1,
) -> RelationGraph:
    """Who cites whom around a document, then what contains what."""
    relations = verbs.application.resources.relations

    def work() -> RelationGraph:
        return relations(relations.start(document, _project(project)), kind, depth)

    return await verbs.run("relations", work)


@router.get("/projects/{namespace}/{name}/relations")
async def list_project_relations(
    verbs: Verbs,
    namespace: str,
    name: str,
    kind: Kind = None,
    depth: Annotated[int, Query(ge=1, le=MAX_DEPTH)] = 1,
) -> RelationGraph:
    """Who cites whom in a project, then what contains what."""
    return await list_document_relations(verbs, f"{namespace}/{name}", None, kind, depth)


@router.get("/projects/{namespace}/{name}/documents/{document}/annotations")
async def list_annotations(
    verbs: Verbs,
    namespace: str,
    name: str,
    document: str,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> AnnotationPage:
    """The reader's marks of a document, those of Zotero and of the file itself."""
    project_id = ProjectId.parse(f"{namespace}/{name}")

    stores = verbs.application.stores

    def work() -> Sequence[LibraryAnnotation]:
        found = stores.documents.find(document, project_id)
        return stores.annotations.annotations(project_id, found.document_id)

    noted = await verbs.run("annotations", work)
    about = f"annotations {project_id} {document}"
    shown, following = page_of(noted, lambda one: one.key, limit, cursor, about)
    marks = [mark_of(one, one.page) for one in shown]
    return AnnotationPage(
        annotations=[
            NotedMark(quote=one.quote, comment=one.comment, color=one.color_name, page=one.page)
            for one in marks
        ],
        total=len(noted),
        next=following,
    )


@router.get("/labels")
async def list_labels(
    verbs: Verbs, uri: KnowledgeUriText, limit: Limit = 100, cursor: Cursor = None
) -> LabelPage:
    """The labels of a resource and of its parts; those given by people go before those that are
    taken from the text."""
    label = verbs.application.resources.label
    labels = await verbs.run("labels", lambda: label(uri))
    about = f"labels {uri}"
    shown, following = page_of(labels, lambda one: f"{one.target} {one.name}", limit, cursor, about)
    return LabelPage(labels=shown, total=len(labels), next=following)


@router.put("/labels")
async def put_label(verbs: Verbs, uri: KnowledgeUriText, body: LabelBody) -> ResourceLabel:
    """Label something that can be observed; a label of the same name is replaced."""
    label = verbs.application.resources.label
    return await verbs.run("label", lambda: label.put(uri, body.name, body.value))


@router.delete("/labels", status_code=204)
async def remove_label(verbs: Verbs, uri: KnowledgeUriText, name: LabelName) -> Response:
    """Remove a label."""
    label = verbs.application.resources.label
    await verbs.run("remove label", lambda: label.remove(uri, name))
    return Response(status_code=204)


def _resolved(
    verbs: Verbs, place: str, project: str | None, node: str | None, *, virtual: bool = False
) -> Resolution:
    """Raises what the verb *resolve* raises."""
    request = ResolveRequest(
        project_id=_project(project), name=place, node_id=node, virtual=virtual
    )
    return verbs.application.maps.cut.resolve(request)


def _project(name: str | None) -> ProjectId | None:
    return ProjectId.parse(name) if name else None
