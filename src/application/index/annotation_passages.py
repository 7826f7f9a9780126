"""A document's annotations as passages, and as marks of the passages that they mark."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.annotations.annotation import Annotation, Located, Mark, mark_of
from citeloom.domain.annotations.placement import AnnotationLocator, AnnotationPlace
from citeloom.domain.citation.metadata import labels_of
from citeloom.domain.documents.chunk import Chunk, ChunkKind, annotation_chunk_id
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.projects.embedding_model import EmbeddingModel


@dataclass(frozen=True, slots=True)
class Annotated:
    """``annotations`` are passages of their own, in reading order, after all others of the
    document; ``marks`` are by the id of the chunk that they mark. ``warnings`` are by the
    annotation's key; those in ``lost`` have no place in the document and are no passages."""

    annotations: Sequence[tuple[Chunk, Annotation]]
    marks: Mapping[str, Sequence[Mark]]
    warnings: Mapping[str, str]
    lost: Sequence[str]


def annotated(
    document: ConversionResult,
    annotations: Sequence[LibraryAnnotation],
    chunks: Sequence[Chunk],
    model: EmbeddingModel,
    tokens: TokenCounter,
) -> Annotated:
    """Find the annotations in the document. ``chunks`` are its other passages; what marks
    two of them (their ends may overlap) names the one that has more of it."""
    locator = AnnotationLocator(document) if annotations else None
    placed: list[tuple[AnnotationPlace, LibraryAnnotation]] = []
    warnings: dict[str, str] = {}
    lost = []
    for one in annotations:
        place = locator.place(one) if locator else None
        if place is None:
            lost.append(one.key)
            warnings[one.key] = _nowhere(one, document)
            continue
        placed.append((place, one))
        if place.warning:
            warnings[one.key] = place.warning
    placed.sort(key=lambda pair: (pair[0].span.start, pair[0].span.end, pair[1].key))
    made, marks = [], defaultdict(list)
    next_idx = max((chunk.chunk_idx for chunk in chunks), default=-1) + 1
    for idx, (place, one) in enumerate(placed, start=next_idx):
        marked = _marked(place, chunks)
        mark = mark_of(one, place.page)
        for chunk in marked:
            marks[chunk.id].append(mark)
        chunk = _chunk(document, place, one, idx, model, tokens)
        of = marked[0].id if marked else None
        made.append((chunk, Annotation(**dict(mark), located=place.located, chunk_id=of)))
    return Annotated(annotations=made, marks=dict(marks), warnings=warnings, lost=lost)


def _chunk(
    document: ConversionResult,
    place: AnnotationPlace,
    annotation: LibraryAnnotation,
    idx: int,
    model: EmbeddingModel,
    tokens: TokenCounter,
) -> Chunk:
    section = document.structure.section_path_at(place.span.start)
    before = [b for b in document.blocks if b.span.start <= place.span.start]
    text = document.text_of(place.span)
    return Chunk(
        id=annotation_chunk_id(
            document.doc_id, annotation.library.path, annotation.key, model.fingerprint
        ),
        doc_id=document.doc_id,
        chunk_idx=idx,
        text=text,
        char_span=place.span,
        page_span=place.page_span,
        page_labels=labels_of(place.page_span, document.structure.labels),
        regions=place.regions,
        section_path=section.segments if section else (),
        paragraph=max(1, len(before)),
        kind=ChunkKind.ANNOTATION,
        tokens=tokens.count(text),
    )


def _marked(place: AnnotationPlace, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that have some of the marked text, the one that has most of it first."""
    if place.located is Located.PAGE:
        return []
    shares = [(_overlap(place, chunk), chunk) for chunk in chunks]
    shares.sort(key=lambda pair: (-pair[0], pair[1].chunk_idx))
    return [chunk for share, chunk in shares if share]


def _overlap(place: AnnotationPlace, chunk: Chunk) -> int:
    """How many characters, spaces left out."""
    start = max(place.span.start, chunk.char_span.start)
    end = min(place.span.end, chunk.char_span.end)
    if start >= end:
        return 0
    offset = chunk.char_span.start
    return len("".join(chunk.text[start - offset : end - offset].split()))


def _nowhere(annotation: LibraryAnnotation, document: ConversionResult) -> str:
    if annotation.page is None or not document.page_count:
        return "its words do not stand in the document's text"
    return (
        f"it is on page {annotation.page} of a file with {document.page_count} pages, and its "
        "words stand nowhere else for certain"
    )
