"""Highlight annotations (ISO 32000-1, 12.5.6.10), with an appearance stream for all viewers."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from pikepdf import Array, Dictionary, Name, Pdf, String

from citeloom.domain.documents.spans import BBox, Region
from citeloom.domain.documents.spans import union as around

# A felt pen's yellow, multiplied with what lies under it.
COLOUR = (1.0, 0.89, 0.25)
_PRINTED = 4
_BY = "CiteLoom"
_QUARTER = 90

Box = tuple[float, float, float, float]


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
