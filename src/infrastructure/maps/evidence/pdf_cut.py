"""PDF excerpts: pages with page labels, bookmarks and highlights, by pikepdf."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem, String

from citeloom.application.ports.maps import Bookmark, CutRequest
from citeloom.domain.errors import ConversionFailed, InvalidRequest, PasswordNeeded
from citeloom.domain.maps.evidence import existing_pages
from citeloom.infrastructure.maps.evidence.pdf_highlights import highlight

# What pikepdf raises for trees of pages that do not hold, and for objects of another type
# than their place asks for (a name as a side of a box).
_DAMAGED = (pikepdf.PikepdfError, TypeError, ValueError, IndexError, KeyError)


def write_pages(source: Path, cut: CutRequest, password: str | None, target: Path) -> Sequence[str]:
    """The pages of ``cut`` in the order listed. Same source and request, same bytes: no
    times are written, and the file's id is made of its content."""
    with _opened(source, password) as pdf, pikepdf.new() as excerpt:
        count = len(pdf.pages)
        pages, warnings = existing_pages(cut.location, count, source.name)
        labels = []
        for page in pages:
            excerpt.pages.append(pdf.pages[page - 1])
            labels.append(str(pdf.pages[page - 1].label))
        # The numbers that a viewer shows are those of the source.
        excerpt.Root.PageLabels = Dictionary(Nums=Array(_label_entries(labels)))
        excerpt.docinfo["/Title"] = String(cut.title)
        first = {page: at for at, page in reversed(list(enumerate(pages)))}
        with excerpt.open_outline() as outline:
            outline.root.extend(_items(cut.bookmarks, first))
        if cut.highlights:
            highlight(excerpt, cut.highlights, first)
        excerpt.save(target, deterministic_id=True)
    return warnings


def write_marked_copy(
    source: Path, cut: CutRequest, page: int, password: str | None, target: Path
) -> Sequence[str]:
    """All of the file with the highlights of ``cut``, which opens at ``page``; a password is not
    asked for again. Same source and request, same bytes."""
    with _opened(source, password) as pdf:
        if page > len(pdf.pages):
            raise InvalidRequest(
                f"{source.name}: no page {page}; it has {len(pdf.pages)}", parameter="page"
            )
        if cut.highlights:
            highlight(pdf, cut.highlights, {n: n - 1 for n in range(1, len(pdf.pages) + 1)})
        # Fit: the whole page, whatever its size and how it is turned (ISO 32000-1, 12.3.2.2).
        pdf.Root.OpenAction = Array([pdf.pages[page - 1].obj, Name.Fit])
        pdf.save(target, deterministic_id=True)
    return []


def _label_entries(labels: Sequence[str]) -> Iterator[Any]:
    for at, label in enumerate(labels):
        yield at
        yield Dictionary(P=String(label))


def _items(bookmarks: Sequence[Bookmark], first: dict[int, int]) -> Iterator[OutlineItem]:
    """Outline items; a bookmark of a page left out is replaced by its children."""
    for bookmark in bookmarks:
        below = list(_items(bookmark.children, first))
        if bookmark.page not in first:
            yield from below
            continue
        item = OutlineItem(bookmark.title, first[bookmark.page])
        item.children.extend(below)
        yield item


@contextmanager
def _opened(source: Path, password: str | None) -> Iterator[pikepdf.Pdf]:
    try:
        pdf = _open(source, password)
    except pikepdf.PasswordError as error:
        raise PasswordNeeded.of(source.name, given=bool(password)) from error
    except pikepdf.PikepdfError as error:
        raise ConversionFailed(
            f"{source.name}: cannot be opened as PDF; download it again"
        ) from error
    try:
        with pdf:
            yield pdf
    except _DAMAGED as error:
        raise ConversionFailed(
            f"{source.name}: its pages cannot be copied; repair the PDF"
        ) from error


def _open(source: Path, password: str | None) -> pikepdf.Pdf:
    # Read, not mapped into memory: a file that is cut short meanwhile must not end the process.
    reading = pikepdf.AccessMode.stream
    try:
        return pikepdf.open(source, access_mode=reading)
    except pikepdf.PasswordError:
        if not password:
            raise
    return pikepdf.open(source, password=password, access_mode=reading)
