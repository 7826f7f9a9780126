"""Domain values for tests, with the least that each needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Heading,
    PageEntry,
    Structure,
    heading_tree,
)
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind, Line, PageSpan, chunk_id
from citeloom.domain.library import AnnotationKind, LibraryAnnotation, LibraryRef
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId

DOC_ID = "ab" * 32
A_DAY = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
# As US letter, in points.
PAGE_WIDTH, PAGE_HEIGHT = 612.0, 792.0
MODEL = EmbeddingModel(name="words", dimension=64, digest="0f" * 32, max_tokens=64)


@dataclass(frozen=True)
class Part:
    """A block to be: its label, its text, its level (headings), its page (if any), and
    whether it stands in the margin."""

    label: BlockLabel
    text: str
    level: int | None = None
    page: int | None = None
    aside: bool = False


def heading(text: str, level: int = 1, page: int | None = None) -> Part:
    return Part(BlockLabel.SECTION_HEADER, text, level, page)


def paragraph(text: str, page: int | None = None) -> Part:
    return Part(BlockLabel.TEXT, text, None, page)


def a_document(
    parts: Sequence[Part],
    *,
    title: str | None = None,
    doc_id: str = DOC_ID,
    labels: Mapping[int, str] | None = None,
    separator: str = "\n\n",
) -> ConversionResult:
    """Blocks one after the other, each in one line of its page if it has a page."""
    blocks: list[Block] = []
    at = 0
    for row, part in enumerate(parts, start=1):
        end = at + len(part.text)
        lines = ()
        if part.page is not None:
            top = 36.0 + 12.0 * (row % 55)
            lines = (Line(at, end, part.page, (36.0, top, 500.0, top + 12.0)),)
        blocks.append(
            Block(
                label=part.label,
                span=CharSpan(start=at, end=end),
                level=part.level,
                lines=lines,
                aside=part.aside,
            )
        )
        at = end + len(separator)
    text = separator.join(part.text for part in parts)
    pages = sorted({part.page for part in parts if part.page is not None})
    entries = tuple(
        PageEntry(page=page, label=(labels or {}).get(page), width=PAGE_WIDTH, height=PAGE_HEIGHT)
        for page in range(1, (pages[-1] if pages else 0) + 1)
    )
    headers = [
        (text[b.span.start : b.span.end], b.level, b.span.start, b.pages and b.pages.start)
        for b in blocks
        if b.level is not None
    ]
    return ConversionResult(
        doc_id=doc_id,
        structure=Structure(heading_tree=heading_tree(headers, len(text)), page_map=entries),
        plain_text=text,
        blocks=tuple(blocks),
        title=title,
        mime_type="application/pdf" if pages else "text/plain",
    )


def a_chunk(text: str = "Ponds cool the street.", **changes: Any) -> Chunk:
    values: dict[str, Any] = {
        "doc_id": DOC_ID,
        "chunk_idx": 0,
        "text": text,
        "char_span": CharSpan(start=0, end=len(text)),
        "kind": ChunkKind.TEXT,
    } | changes
    values.setdefault(
        "id",
        chunk_id(
            values["doc_id"],
            values.get("page_span"),
            values.get("section_path", ()),
            "m",
            values["chunk_idx"],
        ),
    )
    return Chunk(**values)


def a_citation(citekey: str = "smith2020", **changes: Any) -> CitationMeta:
    values: dict[str, Any] = {
        "citekey": citekey,
        "title": "On ponds",
        "authors": ("Smith, Jane",),
        "year": 2020,
        "doi": "10.5555/ponds",
    }
    return CitationMeta(**values | changes)


def a_project(name: str = "thesis", **changes: Any) -> Project:
    project_id = ProjectId.parse(name)
    values: dict[str, Any] = {
        "id": project_id,
        "collection": project_id.collection,
        "embedding_model": MODEL,
        "sparse_model": "bm25",
        "created_at": A_DAY,
    }
    return Project(**values | changes)


def pages(start: int, end: int | None = None) -> PageSpan:
    return PageSpan(start=start, end=end or start)


def a_heading(title: str, level: int, start: int, end: int, *children: Heading) -> Heading:
    return Heading(title=title, level=level, span=CharSpan(start=start, end=end), children=children)


@dataclass
class SteadyClock:
    """Time that passes by a second each time it is looked at."""

    looked: int = 0
    runs: int = field(default=0)

    def now(self) -> datetime:
        self.looked += 1
        return A_DAY + timedelta(seconds=self.looked)

    def monotonic(self) -> float:
        self.looked += 1
        return float(self.looked)

    def correlation_id(self) -> str:
        self.runs += 1
        return f"run-{self.runs}"


def annotation(text: str = "", page: int | None = 1, **more: Any) -> LibraryAnnotation:
    values: dict[str, Any] = {
        "key": "ANNOTATE",
        "attachment_key": "ATTACHED",
        "library": LibraryRef(),
        "kind": AnnotationKind.HIGHLIGHT,
        "text": text,
        "page": page,
    }
    return LibraryAnnotation(**values | more)
