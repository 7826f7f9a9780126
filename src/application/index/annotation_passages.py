"""Annotations of a document as passages, and as marks on the passages of its text."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.annotations.annotation import (
    Annotation,
    AnnotationLocator,
    AnnotationPlace,
    Located,
    Mark,
    mark_of,
)
from citeloom.domain.citation.metadata import labels_of
from citeloom.domain.documents.chunk import Chunk, ChunkKind, annotation_chunk_id
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.projects.embedding_model import EmbeddingModel


@dataclass(frozen=True, slots=True)
class LocatedAnnotations:
    """Annotations located in a document. ``annotations`` are chunks of their own, in reading
    order, numbered after the chunks of the text; ``marks`` are by the id of the marked chunk.
    ``warnings`` are by the annotation's key; ``lost`` are the keys of annotations that were not
    located and have no chunk."""

    annotations: Sequence[tuple[Chunk, Annotation]]
    marks: Mapping[str, Sequence[Mark]]
    warnings: Mapping[str, str]
    lost: Sequence[str]


def locate_annotations(
    document: ConversionResult,
    annotations: Sequence[LibraryAnnotation],
    chunks: Sequence[Chunk],
    model: EmbeddingModel,
    tokens: TokenCounter,
) -> LocatedAnnotations:
    """Locate annotations in a document. ``chunks`` are the chunks of its text. An annotation
    that marks two chunks (chunks may overlap) refers to the one with more of the marked
    text."""
    locator = AnnotationLocator(document) if annotations else None
    placed: list[tuple[AnnotationPlace, LibraryAnnotation]] = []
    warnings: dict[str, str] = {}
    lost = []
    for annotation in annotations:
        place = locator.place(annotation) if locator else None
        if place is None:
            lost.append(annotation.key)
            warnings[annotation.key] = _nowhere(annotation, document)
            continue
        placed.append((place, annotation))
        if place.warning:
            warnings[annotation.key] = place.warning
    placed.sort(key=lambda pair: (pair[0].span.start, pair[0].span.end, pair[1].key))
    annotated_chunks, marks = [], defaultdict(list)
    next_idx = max((chunk.chunk_idx for chunk in chunks), default=-1) + 1
    for idx, (place, annotation) in enumerate(placed, start=next_idx):
        marked = _marked(place, chunks)
        mark = mark_of(annotation, place.page)
        for chunk in marked:
            marks[chunk.id].append(mark)
        chunk = _chunk(document, place, annotation, idx, model, tokens)
        marked_id = marked[0].id if marked else None
        annotated_chunks.append(
            (chunk, Annotation(**dict(mark), located=place.located, chunk_id=marked_id))
        )
    return LocatedAnnotations(
        annotations=annotated_chunks, marks=dict(marks), warnings=warnings, lost=lost
    )


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
    """The chunks that overlap the marked text, the largest overlap first."""
    if place.located is Located.PAGE:
        return []
    shares = [(_overlap(place, chunk), chunk) for chunk in chunks]
    shares.sort(key=lambda pair: (-pair[0], pair[1].chunk_idx))
    return [chunk for share, chunk in shares if share]


def _overlap(place: AnnotationPlace, chunk: Chunk) -> int:
    """The number of common characters, white space excluded."""
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
