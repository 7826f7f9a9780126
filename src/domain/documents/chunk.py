"""Chunks: the passages that are embedded and searched."""

import json
from enum import StrEnum
from typing import NamedTuple, Self
from uuid import UUID, uuid5

from pydantic import Field, model_validator

from citeloom.domain.documents.spans import CharSpan, PageSpan, Region
from citeloom.domain.value import Value


class ChunkPosition(NamedTuple):
    """Where a passage stands: its document, and its place among the passages of that (from 0)."""

    document_id: str
    place: int


# uuid5 of the DNS namespace and "citeloom.chunk"; fixed for ever, ids depend on it.
_NAMESPACE = UUID("6c64c2b0-4b0e-5a54-93a5-3c9a7c5c6e0f")


# Number of nearest headings prepended to a chunk for embedding.
CONTEXT_HEADINGS = 2


class ChunkKind(StrEnum):
    TEXT = "text"
    TABLE = "table"
    CAPTION = "caption"
    REFERENCE = "reference"
    FIGURE = "figure"
    ANNOTATION = "annotation"


def chunk_id(
    doc_id: str,
    page_span: PageSpan | None,
    section_path: tuple[str, ...],
    embedding_model_id: str,
    chunk_idx: int,
) -> str:
    """uuid5 over the JSON array of all five, an injective encoding."""
    pages = list(page_span.as_tuple()) if page_span else None
    key = json.dumps(
        [doc_id, pages, list(section_path), embedding_model_id, chunk_idx],
        ensure_ascii=True,
        separators=(",", ":"),
    )
    return str(uuid5(_NAMESPACE, key))


def annotation_chunk_id(doc_id: str, library: str, key: str, embedding_model_id: str) -> str:
    """The id of an annotation's passage, independent of its place in the document. ``library``
    and ``key`` are as in ``zotero://`` addresses."""
    name = json.dumps(["annotation", doc_id, library, key, embedding_model_id])
    return str(uuid5(_NAMESPACE, name))


class Chunk(Value):
    """A passage: exactly ``document.text[char_span]``, with its locations.

    ``page_labels`` are the printed labels of ``page_span``, empty where unknown.
    ``section_path`` is empty before the first heading. ``paragraph`` counts the blocks of the
    document from 1 (for formats without pages). ``table_header`` is the header row if the chunk
    has later rows of a table, or the caption if it has the text in a figure.
    ``context_headings`` is the number of nearest headings prepended for embedding. Only an
    annotation's text may be empty (on a page without text).
    """

    id: str = Field(min_length=1)
    doc_id: str = Field(min_length=1)
    chunk_idx: int = Field(ge=0)
    text: str
    char_span: CharSpan
    page_span: PageSpan | None = None
    page_labels: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    section_path: tuple[str, ...] = ()
    paragraph: int = Field(default=1, ge=1)
    kind: ChunkKind = ChunkKind.TEXT
    tokens: int = Field(default=0, ge=0)
    table_header: str | None = None
    context_headings: int = Field(default=CONTEXT_HEADINGS, ge=0)

    @model_validator(mode="after")
    def _text_fits_span(self) -> Self:
        if len(self.text) != len(self.char_span):
            raise ValueError("a chunk's text is as long as its character span")
        if not self.text and self.kind is not ChunkKind.ANNOTATION:
            raise ValueError("a chunk has a text")
        return self

    @property
    def section_heading(self) -> str | None:
        return self.section_path[-1] if self.section_path else None

    def embedding_text(self) -> str:
        """The text with nearest headings and table header prepended, for embedding only. A heading
        that the text begins with is not repeated."""
        context = heading_context(self.section_path, self.text, self.context_headings)
        parts = [context, self.table_header or ""]
        return "\n".join([part for part in parts if part] + [self.text])


def heading_context(path: tuple[str, ...], text: str, headings: int = CONTEXT_HEADINGS) -> str:
    """The last ``headings`` headings of ``path``, except those that ``text`` begins with."""
    shown = []
    for heading in path[-headings:] if headings else ():
        after = text.removeprefix(heading)
        if after != text and (not after or after[0].isspace()):
            text = after.lstrip()
        else:
            shown.append(heading)
    return " > ".join(shown)
