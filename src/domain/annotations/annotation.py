"""Reader's annotations: marked text, comment, colour, tags and location."""

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
#: Value of the filter ``marked=`` for a mark of any colour.
ANY_COLOR = "yes"


class Located(StrEnum):
    """Precision of an annotation's location.

    ``words``: the text is the marked words. ``place``: the text of the lines or paragraph at the
    mark's boxes. ``page``: only the page is known; the text is the start of that page (empty if
    it has none).
    """

    WORDS = "words"
    PLACE = "place"
    PAGE = "page"


class Mark(Value):
    """An annotation of the library. ``quote`` (the marked words) and ``page_label`` are the
    library's, ``uri`` opens it in Zotero. ``page`` is the PDF page (from 1) where it was
    located, None in formats without pages."""

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
        """Zotero's name of the colour, else the colour itself."""
        return _NAMES.get(self.color.lower(), self.color) if self.color else None

    @property
    def text(self) -> str:
        """The searchable text: the quote, an empty line, the comment."""
        return "\n\n".join(part for part in (self.quote.strip(), self.comment.strip()) if part)


class Annotation(Mark):
    """A mark with the precision of its location. ``chunk_id`` is the marked passage, None if only
    the page is known."""

    located: Located
    chunk_id: str | None = None


def mark_of(annotation: LibraryAnnotation, page: int | None) -> Mark:
    """``page`` is where the annotation was located."""
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
    """Index terms of ``marked=``: ``yes``, and each colour by name and as ``#rrggbb``."""
    terms: dict[str, None] = {}
    for mark in marks:
        names = (ANY_COLOR, mark.color, mark.color_name)
        terms |= dict.fromkeys(fold(name) for name in names if name)
    return tuple(terms)
