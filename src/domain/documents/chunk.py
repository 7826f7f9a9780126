"""Chunks: the passages that are embedded, found and quoted."""

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


# How many of the nearest headings are put in front of a chunk for embedding.
CONTEXT_HEADINGS = 2


class ChunkKind(StrEnum):
    TEXT = "text"
    TABLE = "table"
    CAPTION = "caption"
    REFERENCE = "reference"
    ANNOTATION = "annotation"


def chunk_id(
    doc_id: str,
    page_span: PageSpan | None,
    section_path: tuple[str, ...],
    embedding_model_id: str,
    chunk_idx: int,
) -> str:
    """uuid5 over the JSON array of all five, an encoding that no two inputs share."""
    pages = list(page_span.as_tuple()) if page_span else None
    key = json.dumps(
        [doc_id, pages, list(section_path), embedding_model_id, chunk_idx],
        ensure_ascii=True,
        separators=(",", ":"),
    )
    return str(uuid5(_NAMESPACE, key))


def annotation_chunk_id(doc_id: str, library: str, key: str, embedding_model_id: str) -> str:
    """The id of the passage of an annotation: the same wherever it is found in the document.
    ``library`` and ``key`` name it as ``zotero://`` addresses do."""
    name = json.dumps(["annotation", doc_id, library, key, embedding_model_id])
    return str(uuid5(_NAMESPACE, name))


class Chunk(Value):
    """A passage: exactly ``document.text[char_span]``, with all its places.

    ``page_labels`` are the printed labels of the pages of ``page_span``, or empty where
    they are not known. ``section_path`` is empty in front of the first heading.
    ``paragraph`` counts blocks within the document, from 1 (for formats without pages).
    ``table_header`` is the header row of a table whose later rows these are.
    ``context_headings`` is how many of the nearest headings go in front for embedding.
    Only the text of an annotation may be empty: that of a mark on a page without text.
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
        """The text with its nearest headings (and table header) in front: for embedding only.

        A heading that the text itself begins with is not repeated.
        """
        context = heading_context(self.section_path, self.text, self.context_headings)
        parts = [context, self.table_header or ""]
        return "\n".join([part for part in parts if part] + [self.text])


def heading_context(path: tuple[str, ...], text: str, headings: int = CONTEXT_HEADINGS) -> str:
    """The last ``headings`` headings of ``path``, but for those that ``text`` begins with."""
    shown = []
    for heading in path[-headings:] if headings else ():
        after = text.removeprefix(heading)
        if after != text and (not after or after[0].isspace()):
            text = after.lstrip()
        else:
            shown.append(heading)
    return " > ".join(shown)
