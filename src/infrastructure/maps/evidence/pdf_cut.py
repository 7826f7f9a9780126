"""PDF excerpts by pikepdf: pages with page labels, bookmarks and highlights."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem, Pdf, String

from citeloom.application.ports.maps import Bookmark, CutRequest
from citeloom.domain.documents.spans import BBox, Region
from citeloom.domain.documents.spans import union as around
from citeloom.domain.errors import ConversionFailed, InvalidRequest, PasswordNeeded
from citeloom.domain.maps.evidence import existing_pages

# What pikepdf raises for trees of pages that do not hold, and for objects of another type
# than their place asks for (a name as a side of a box).
_DAMAGED = (pikepdf.PikepdfError, TypeError, ValueError, IndexError, KeyError)
# A felt pen's yellow, multiplied with what lies under it.
COLOUR = (1.0, 0.89, 0.25)
_PRINTED = 4
_BY = "CiteLoom"
_QUARTER = 90
Box = tuple[float, float, float, float]


def write_pages(source: Path, cut: CutRequest, password: str | None, target: Path) -> Sequence[str]:
    """The pages of ``cut`` in the order listed. Same source and request, same bytes: no
    times are written, and the file's id is made of its content."""
    with _opened(source, password) as pdf, pikepdf.new() as excerpt:
        count = len(pdf.pages)
        pages, warnings = existing_pages(cut.location, count, source.name)
        labels = []
        given = dict(zip(cut.location.pages or (), cut.labels, strict=False))
        for page in pages:
            excerpt.pages.append(pdf.pages[page - 1])
            labels.append(given.get(page) or str(pdf.pages[page - 1].label))
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


def highlight(pdf: Pdf, regions: Sequence[Region], places: Mapping[int, int]) -> None:
    """Highlight ``regions`` in ``pdf``. ``places`` maps pages of the source (from 1) to indices
    of pages (from 0). One annotation a page, one quad a region."""
    ordered = sorted(
        (region for region in regions if region.page in places), key=lambda region: region.page
    )
    for number, group in groupby(ordered, key=lambda region: region.page):
        page = pdf.pages[places[number]]
        crop = tuple(map(float, page.cropbox))
        left, right = sorted((crop[0], crop[2]))
        bottom, top = sorted((crop[1], crop[3]))
        turn = int(page.obj.get("/Rotate", 0)) // _QUARTER % 4
        boxes = [user_space(region.bbox, (left, bottom, right, top), turn) for region in group]
        note = pdf.make_indirect(_annotation(pdf, boxes))
        if "/Annots" in page.obj:
            page.obj.Annots = Array([*page.obj.Annots, note])
        else:
            page.obj.Annots = Array([note])


def user_space(bbox: BBox, crop: Box, turn: int) -> Box:
    """A box in points from the top left of the page as displayed, in the page's own
    coordinates: ``crop`` is its visible part (left, bottom, right, top), ``turn`` how many
    quarters it is turned clockwise for display."""
    left, top, right, bottom = bbox
    x0, y0, x1, y1 = crop
    if turn == 1:
        return (x0 + top, y0 + left, x0 + bottom, y0 + right)
    if turn == 2:
        return (x1 - right, y0 + top, x1 - left, y0 + bottom)
    if turn == 3:
        return (x1 - bottom, y1 - right, x1 - top, y1 - left)
    return (x0 + left, y1 - bottom, x0 + right, y1 - top)


def _annotation(pdf: Pdf, boxes: Sequence[Box]) -> Dictionary:
    rounded = [tuple(round(edge, 2) for edge in box) for box in boxes]
    bounds = around([(a, b, c, d) for a, b, c, d in rounded])
    quads = [corner for x0, y0, x1, y1 in rounded for corner in (x0, y1, x1, y1, x0, y0, x1, y0)]
    return Dictionary(
        Type=Name.Annot,
        Subtype=Name.Highlight,
        Rect=Array(list(bounds)),
        QuadPoints=Array(quads),
        C=Array(list(COLOUR)),
        F=_PRINTED,
        T=String(_BY),
        AP=Dictionary(N=_appearance(pdf, rounded, bounds)),
    )


def _appearance(pdf: Pdf, boxes: Sequence[tuple[float, ...]], bounds: Box) -> object:
    drawn = "".join(f"{x0} {y0} {x1 - x0:.2f} {y1 - y0:.2f} re\n" for x0, y0, x1, y1 in boxes)
    red, green, blue = COLOUR
    form = pdf.make_stream(f"/G gs\n{red} {green} {blue} rg\n{drawn}f\n".encode())
    form.Type, form.Subtype = Name.XObject, Name.Form
    form.BBox = Array(list(bounds))
    form.Group = Dictionary(S=Name.Transparency)
    form.Resources = Dictionary(ExtGState=Dictionary(G=Dictionary(BM=Name.Multiply)))
    return form
