"""Stored form of a passage, and filters as conditions of Qdrant.

The embedded engine and a server name conditions alike; only ranges and id sets are constructed
differently.

A stored passage has named vectors, the passage itself, and flat filter fields. Chunk and citation
are JSON strings. The citation, with its whole CSL item, is the same in all passages of a document:
as a string of its own it is parsed once per document, and a changed citation rewrites nothing else.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.domain.annotations import Annotation, Mark, marked_terms
from citeloom.domain.citation.metadata import CitationMeta, relabelled
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind, ChunkPosition
from citeloom.domain.search.filters import (
    Clause,
    Field,
    Filter,
    Range,
    author_terms,
    section_prefixes,
    section_terms,
)
from citeloom.domain.text.normalized_text import fold

PAYLOAD_KEY: Final = {
    Field.AUTHOR: "authors",
    Field.CITEKEY: "citekey",
    Field.TAG: "tags",
    Field.COLLECTION: "collections",
    Field.SECTION: "section",
    Field.SECTION_PREFIX: "section_prefix",
    Field.TYPE: "type",
    Field.KIND: "kind",
    Field.DOC: "document",
    Field.ITEM: "item",
    Field.LANG: "language",
    Field.MARKED: "marked",
}
# The tenant field of a shared collection.
TENANT: Final = "project"
# The engine compares floats, which are exact for integers up to this one.
_MAX_EXACT: Final = 2**53


def embedded_filters() -> "FilterCompiler":
    """Filters of Qdrant Edge."""
    import qdrant_edge

    return FilterCompiler(
        qdrant_edge, qdrant_edge.RangeFloat, lambda ids: qdrant_edge.HasIdCondition(set(ids))
    )


def server_filters(tenant: str | None) -> "FilterCompiler":
    """Filters of a server, restricted to the points of ``tenant``."""
    from qdrant_client import models

    return FilterCompiler(
        models, models.Range, lambda ids: models.HasIdCondition(has_id=list(ids)), tenant
    )


@dataclass(frozen=True, slots=True)
class FilterCompiler:
    """``types`` is the engine's module of conditions."""

    types: Any
    range: Callable[..., Any]
    has_id: Callable[[Iterable[str]], Any]
    tenant: str | None = None

    def compile(self, filter: Filter, among: Iterable[str] | None = None) -> Any:
        """The engine's filter; None for an empty one. ``among`` restricts the result to these ids.

        Several ranges are alternatives. ``page=LOW..HIGH`` is any overlap with the pages of a
        passage. A negated clause passes whatever the clause does not, including passages without
        the field.
        """
        must = self._tenant() if among is None else [*self._tenant(), self.has_id(among)]
        must_not: list[Any] = []
        for clause in filter.clauses:
            (must_not if clause.negated else must).append(self._condition(clause))
        if not must and not must_not:
            return None
        return self.types.Filter(must=must or None, must_not=must_not or None)

    def of_documents(
        self, document_ids: Iterable[str], *, without: Iterable[str] = (), kind: str | None = None
    ) -> Any:
        """All points of these documents (of one kind), except ``without``."""
        excluded = list(without)
        of_kind = [] if kind is None else [self._match("kind", [kind])]
        return self.types.Filter(
            must=[*self._tenant(), self._match("document", document_ids), *of_kind],
            must_not=[self.has_id(excluded)] if excluded else None,
        )

    def of_tenant(self) -> Any:
        """All points of the tenant; None if the collection has no tenants."""
        return self.types.Filter(must=self._tenant()) if self.tenant is not None else None

    def _tenant(self) -> list[Any]:
        return [] if self.tenant is None else [self._match(TENANT, [self.tenant])]

    def _condition(self, clause: Clause) -> Any:
        if clause.field is Field.YEAR:
            years = [self._range("year", one.low, one.high) for one in clause.ranges]
            return self.types.Filter(should=years)
        if clause.field is Field.PAGE:
            return self.types.Filter(should=[self._pages(one) for one in clause.ranges])
        return self._match(PAYLOAD_KEY[clause.field], clause.values)

    def _pages(self, pages: Range) -> Any:
        ends = [] if pages.low is None else [self._range("page_end", pages.low, None)]
        starts = [] if pages.high is None else [self._range("page_start", None, pages.high)]
        return self.types.Filter(must=[*ends, *starts])

    def _match(self, key: str, values: Iterable[str]) -> Any:
        return self.types.FieldCondition(key=key, match=self.types.MatchAny(any=list(values)))

    def _range(self, key: str, low: int | None, high: int | None) -> Any:
        bounds = self.range(gte=_bounded(low), lte=_bounded(high))
        return self.types.FieldCondition(key=key, range=bounds)


def _bounded(number: int | None) -> float | None:
    return None if number is None else float(max(-_MAX_EXACT, min(_MAX_EXACT, number)))


DENSE: Final = "dense"
SENTENCES: Final = "sentences"
SPARSE: Final = "bm25"
KEYWORDS: Final = tuple(PAYLOAD_KEY.values())
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
    """Positions of the given records in their documents, without parsing the rest. Annotations are
    left out, because they are not part of the text."""
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
