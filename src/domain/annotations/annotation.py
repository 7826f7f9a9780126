"""Annotations as evidence: what a reader marked in a document, and what she wrote to it."""

from collections.abc import Iterable
from enum import StrEnum
from urllib.parse import quote as quoted

from citeloom.domain.library.snapshot import AnnotationKind, LibraryAnnotation, LibraryRef
from citeloom.domain.text.folding import fold
from citeloom.domain.value import Value

# The colours of Zotero's reader (its ``ANNOTATION_COLORS``).
_NAMES = {
    "#ffd400": "yellow",
    "#ff6666": "red",
    "#5fb236": "green",
    "#2ea8e5": "blue",
    "#a28ae5": "purple",
    "#e56eee": "magenta",
    "#f19837": "orange",
    "#aaaaaa": "gray",
}
#: What ``marked=`` is asked with for a mark of any colour.
ANY_COLOR = "yes"


class Located(StrEnum):
    """How sure the place of an annotation is.

    ``words``: the text is the marked words. ``place``: the text is that of the lines, or of
    the paragraph, where the mark is by its boxes. ``page``: only the page is known, and the
    text is how that page begins (empty if it has no text).
    """

    WORDS = "words"
    PLACE = "place"
    PAGE = "page"


class Mark(Value):
    """An annotation as a reader sees it. ``quote`` are the marked words as the library has
    them, ``page_label`` is the library's, ``uri`` opens it in Zotero. ``page`` is the PDF
    page (from 1) where it was found, None in formats without pages."""

    key: str
    attachment_key: str
    kind: AnnotationKind
    quote: str = ""
    comment: str = ""
    color: str | None = None
    tags: tuple[str, ...] = ()
    page: int | None = None
    page_label: str | None = None
    author: str | None = None
    uri: str

    @property
    def color_name(self) -> str | None:
        """As Zotero calls it, or the colour itself where it has no name there."""
        return _NAMES.get(self.color.lower(), self.color) if self.color else None

    @property
    def text(self) -> str:
        """What it is found by: the quote, an empty line, the comment."""
        return "\n\n".join(part for part in (self.quote.strip(), self.comment.strip()) if part)


class Annotation(Mark):
    """A mark with where it was found. ``chunk_id`` is the passage that it marks: None where
    only the page is known."""

    located: Located
    chunk_id: str | None = None


def mark_of(annotation: LibraryAnnotation, page: int | None) -> Mark:
    """``page`` is where the annotation was found."""
    return Mark(
        key=annotation.key,
        attachment_key=annotation.attachment_key,
        kind=annotation.kind,
        quote=annotation.text,
        comment=annotation.comment,
        color=annotation.color,
        tags=annotation.tags,
        page=page,
        page_label=annotation.page_label,
        author=annotation.author,
        uri=annotation_uri(annotation.library, annotation.attachment_key, annotation.key, page),
    )


def annotation_uri(library: LibraryRef, attachment: str, key: str, page: int | None) -> str:
    """``zotero://open-pdf/library/items/ATTACHMENT?page=3&annotation=KEY``: Zotero opens the
    file there (its protocol handler counts pages of the file from 1)."""
    at = f"page={page}&" if page is not None else ""
    items = f"zotero://open-pdf/{library.path}/items/{quoted(attachment, safe='')}"
    return f"{items}?{at}annotation={quoted(key, safe='')}"


def marked_terms(marks: Iterable[Mark]) -> tuple[str, ...]:
    """What ``marked=`` may be given for a passage with these marks: ``yes``, and each colour
    by its name and as ``#rrggbb``."""
    terms: dict[str, None] = {}
    for mark in marks:
        names = (ANY_COLOR, mark.color, mark.color_name)
        terms |= dict.fromkeys(fold(name) for name in names if name)
    return tuple(terms)
