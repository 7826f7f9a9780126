"""Stored form of a passage: named vectors, the passage itself, and flat filter fields.

Chunk and citation are JSON strings. The citation, with its whole CSL item, is the same in all
passages of a document: as a string of its own it is parsed once per document, and a changed
citation rewrites nothing else.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.domain.annotations import Annotation, Mark, marked_terms
from citeloom.domain.citation.metadata import CitationMeta, relabelled
from citeloom.domain.documents.chunk import Chunk, ChunkKind, ChunkPosition
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.search.filters import author_terms, section_prefixes, section_terms
from citeloom.domain.text.normalized_text import fold

DENSE: Final = "dense"
SENTENCES: Final = "sentences"
SPARSE: Final = "bm25"
KEYWORDS: Final = (
    "document",
    "citekey",
    "authors",
    "tags",
    "collections",
    "section",
    "section_prefix",
    "kind",
    "type",
    "item",
    "language",
    "marked",
)
INTEGERS: Final = ("year", "page_start", "page_end")
_TEXT_FIELDS: Final = ("chunk", "title", "language", "source_path", "citation", "sentences")
CONTENT: Final = (*_TEXT_FIELDS, "own_authors", "own_year", "annotation", "marks")

POSITION: Final = ("document", "chunk")

Payload = dict[str, Any]


def to_payload(passage: Passage) -> Payload:
    """The whole payload of a passage."""
    chunk = passage.chunk
    span = chunk.page_span
    return {
        "document": chunk.doc_id,
        "kind": chunk.kind.value,
        "section": list(section_terms(chunk.section_path)),
        "section_prefix": list(section_prefixes(chunk.section_path)),
        "page_start": span.start if span else None,
        "page_end": span.end if span else None,
        **chunk_payload(chunk),
        "title": passage.title,
        "own_authors": list(passage.authors),
        "own_year": passage.year,
        "language": passage.language,
        "sentences": [each for span in passage.sentences for each in (span.start, span.end)],
        **citation_payload(passage.citation, passage.source_path),
        **_annotation_payload(passage),
    }


def marks_payload(marks: Sequence[Mark]) -> Payload:
    """The part of the payload that changed marks replace."""
    return {
        "marks": [mark.model_dump(mode="json", exclude_defaults=True) for mark in marks],
        "marked": list(marked_terms(marks)),
    }


def label_changes(
    passages: Iterable[Passage], labels: Mapping[int, str | None]
) -> Iterator[tuple[str, Payload]]:
    """Ids and changes of the passages whose page labels differ."""
    for passage in passages:
        if (chunk := relabelled(passage.chunk, labels)) is not passage.chunk:
            yield chunk.id, chunk_payload(chunk)


def mark_changes(
    passages: Iterable[Passage], marks: Mapping[str, Sequence[Mark]]
) -> Iterator[tuple[str, Payload]]:
    """Ids and changes of the passages whose marks differ from ``marks``, by chunk id."""
    for passage in passages:
        expected = tuple(marks.get(passage.chunk.id, ()))
        if passage.annotation is None and passage.marks != expected:
            yield passage.chunk.id, marks_payload(expected)


def _annotation_payload(passage: Passage) -> Payload:
    """An annotation counts as marked, and has no marks itself."""
    annotation = passage.annotation
    if annotation is None:
        return {"annotation": None, **marks_payload(passage.marks)}
    return {
        "annotation": annotation.model_dump(mode="json"),
        "marks": [],
        "marked": list(marked_terms([annotation])),
    }


def chunk_payload(chunk: Chunk) -> Payload:
    """The part of the payload with the chunk."""
    return {"chunk": chunk.model_dump_json(exclude_defaults=True)}


def citation_payload(citation: CitationMeta | None, source_path: str) -> Payload:
    """The part of the payload that a changed citation or path replaces: always the same keys, so
    that nothing of an earlier citation remains."""
    return {
        "source_path": source_path,
        "citation": citation.model_dump_json(exclude_defaults=True) if citation else None,
        "citekey": citation.citekey if citation else None,
        "year": citation.year if citation else None,
        "authors": list(author_terms(citation.authors)) if citation else [],
        "tags": [fold(tag) for tag in citation.tags] if citation else [],
        "collections": [fold(name) for name in citation.collections] if citation else [],
        "type": fold(citation.type) if citation and citation.type else None,
        "item": citation.item_key if citation else None,
    }


def to_passage(payload: Mapping[str, Any]) -> Passage:
    """The passage of a payload, equal to the original in every field."""
    citation, annotation = payload.get("citation"), payload.get("annotation")
    return Passage(
        chunk=Chunk.model_validate_json(payload["chunk"]),
        title=payload.get("title"),
        authors=tuple(payload.get("own_authors") or ()),
        year=payload.get("own_year"),
        source_path=payload["source_path"],
        language=payload.get("language"),
        citation=_citation(citation) if citation else None,
        sentences=_spans(payload.get("sentences") or ()),
        annotation=Annotation.model_validate(annotation) if annotation else None,
        marks=tuple(map(Mark.model_validate, payload.get("marks") or ())),
    )


def to_positions(records: Mapping[str, Any]) -> dict[str, ChunkPosition]:
    """Positions of the given records in their documents, without parsing the rest; annotations are
    left out, since they stand beside the text."""
    by_id = {}
    for id, record in records.items():
        chunk = json.loads(record.payload["chunk"])
        if chunk.get("kind") != ChunkKind.ANNOTATION:
            by_id[id] = ChunkPosition(record.payload["document"], chunk["chunk_idx"])
    return by_id


def _spans(ends: Sequence[int]) -> tuple[CharSpan, ...]:
    return tuple(
        CharSpan(start=start, end=end) for start, end in zip(ends[::2], ends[1::2], strict=True)
    )


@lru_cache(maxsize=256)
def _citation(text: str) -> CitationMeta:
    return CitationMeta.model_validate_json(text)


def check_vectors(passages: Iterable[EmbeddedPassage], dimension: int) -> None:
    """Refuse vectors of another model, or a wrong number of sentence vectors."""
    for embedded in passages:
        for vector in (embedded.dense, *embedded.sentences):
            check_dimension(vector, dimension)
        if embedded.sentences and len(embedded.sentences) != len(embedded.passage.sentences):
            raise ValueError("a passage has as many sentence vectors as sentences")


def check_dimension(vector: Sequence[float], dimension: int) -> None:
    """Refuse a vector of another model; callers compare the models before embedding."""
    if len(vector) != dimension:
        raise ValueError(f"a vector has {len(vector)} dimensions, the collection {dimension}")


def plain_floats(vector: Sequence[float]) -> list[float]:
    """A plain list; arrays convert themselves, much faster than item by item."""
    convert: Callable[[], list[float]] | None = getattr(vector, "tolist", None)
    return convert() if convert else [float(value) for value in vector]


def vector_of(record: Any, name: str) -> Any:
    """The named vector of a record, empty if it has none."""
    vectors = record.vector
    return vectors.get(name, []) if isinstance(vectors, dict) else []
