"""Pages of PDFs by pdfium: as PNG, with boxes and captions over them, and as plain text."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import atan2, cos, pi, sin
from pathlib import Path
from threading import Lock

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageChops, ImageDraw, ImageFont

from citeloom.application.ports.maps import PageMark, PictureLimit
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import ConversionFailed, InvalidRequest, PasswordNeeded

# Pixels a point: 144 dots an inch for pages to look at, 216 for figures.
PAGE_SCALE = 2.0
FIGURE_SCALE = 3.0
_POINTS = 72  # in an inch
# A poster would take gigabytes.
MAX_SIDE = 6000
_SMALLER = 0.8  # of its sides, each time that a picture has too many bytes
# Level of zlib: on pages of text faster than the usual 6, and no larger.
_EFFORT = 3
# pdfium is not for several threads at once.
_ONE_AT_A_TIME = Lock()
Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
COLOURS: dict[str, Colour] = {
    "title": (200, 30, 120),
    "authors": (230, 120, 190),
    "section_header": (215, 40, 40),
    "text": (45, 110, 215),
    "list_item": (0, 150, 160),
    "caption": (240, 140, 20),
    "footnote": (140, 100, 60),
    "formula": (130, 60, 200),
    "table": (30, 150, 60),
    "code": (90, 90, 30),
    "reference": (20, 80, 120),
    "figure": (200, 170, 0),
    "figure_text": (160, 130, 0),
    "furniture": (130, 130, 130),
}
OTHER: Colour = (0, 0, 0)
ARROW: Colour = (215, 40, 40)
FILL = 45
"""Opacity of boxes, of 255: the text under them stays readable."""
PASSAGE = "passage"
"""The kind of marks as with a pen, which have neither outline nor caption."""
PEN: Colour = (255, 236, 120)
_FONT_POINTS = 6.5
_HEAD = 4.0


class PdfPageRenderer:
    """See the port ``PageRenderer``."""

    def page(
        self,
        source: Path,
        page: int,
        marks: Sequence[PageMark],
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        wanted = limit.dpi / _POINTS if limit and limit.dpi else PAGE_SCALE
        with _rendered(source, page, wanted, password, limit) as (image, scale):
            drawn = draw_marks(image, marks, scale)
        return png_within(drawn, limit)

    def region(
        self,
        source: Path,
        region: Region,
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        longest = max(region.bbox[2] - region.bbox[0], region.bbox[3] - region.bbox[1], 1.0)
        wanted = min(FIGURE_SCALE, limit.longest_side / longest) if limit else FIGURE_SCALE
        if limit and limit.dpi:
            wanted = limit.dpi / _POINTS
        with _rendered(source, region.page, wanted, password) as (image, scale):
            left, top, right, bottom = (edge * scale for edge in region.bbox)
            box = (
                min(max(0, int(left)), image.width - 1),
                min(max(0, int(top)), image.height - 1),
                max(min(image.width, round(right)), 1),
                max(min(image.height, round(bottom)), 1),
            )
            wide = (box[0], box[1], max(box[2], box[0] + 1), max(box[3], box[1] + 1))
            figure = image.crop(wide)
        return png_within(figure, limit)


def page_text(source: Path, page: int, password: str | None) -> str:
    """See the port ``PageTexts``; by pdfium."""
    with opened_page(source, page, password) as sheet:
        read = sheet.get_textpage()
        try:
            return str(read.get_text_bounded())
        finally:
            read.close()


@contextmanager
def _rendered(
    source: Path, page: int, scale: float, password: str | None, limit: PictureLimit | None = None
) -> Iterator[tuple[Image.Image, float]]:
    """The page as displayed, and how many pixels a point has."""
    most = min(MAX_SIDE, limit.longest_side) if limit else MAX_SIDE
    with opened_page(source, page, password) as sheet:
        fitting = min(scale, most / max(*sheet.get_size(), 1.0))
        yield sheet.render(scale=fitting).to_pil().convert("RGB"), fitting


@contextmanager
def opened_page(source: Path, page: int, password: str | None) -> Iterator[pypdfium2.PdfPage]:
    """A page, from 1, for one thread at a time. Raises PasswordNeeded, ConversionFailed, and
    InvalidRequest for a page beyond the end."""
    with _ONE_AT_A_TIME, _opened(source, password) as document:
        try:
            if not 1 <= page <= len(document):
                raise InvalidRequest(
                    f"{source.name}: no page {page}; it has {len(document)}", parameter="page"
                )
            yield document[page - 1]
        except pypdfium2.PdfiumError as error:
            raise ConversionFailed(
                f"{source.name}: page {page} cannot be read; repair the PDF"
            ) from error


@contextmanager
def _opened(source: Path, password: str | None) -> Iterator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(source, password=password)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise PasswordNeeded.of(source.name, given=bool(password)) from error
        raise ConversionFailed(
            f"{source.name}: cannot be opened as PDF; download it again"
        ) from error
    try:
        yield document
    finally:
        document.close()


def png_within(image: Image.Image, limit: PictureLimit | None) -> bytes:
    """``image`` as PNG, within ``limit``: with 256 colours, then smaller, where it has to be."""
    if limit is None:
        return _png(image)
    image.thumbnail((limit.longest_side, limit.longest_side))
    made = _png(image)
    while len(made) > limit.bytes and max(image.size) > 1:
        made = _png(image.quantize(256, dither=Image.Dither.NONE))
        width, height = (max(1, int(side * _SMALLER)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    return made


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    # Grey pages in one channel: a third of the work.
    (image.convert("L") if _is_grey(image) else image).save(buffer, "PNG", compress_level=_EFFORT)
    return buffer.getvalue()


def _is_grey(image: Image.Image) -> bool:
    if image.mode != "RGB":
        return False
    red, green, blue = image.split()
    return not (
        ImageChops.difference(red, green).getbbox() or ImageChops.difference(green, blue).getbbox()
    )


def draw_marks(image: Image.Image, marks: Sequence[PageMark], scale: float) -> Image.Image:
    """``image`` (RGB) with ``marks`` over it; ``scale`` is pixels a point."""
    image = _penned(image, [mark for mark in marks if mark.kind == PASSAGE], scale)
    marks = [mark for mark in marks if mark.kind != PASSAGE]
    if not marks:
        return image
    layer = Image.new("RGBA", image.size)
    pen = ImageDraw.Draw(layer)
    for mark in marks:
        colour = COLOURS.get(mark.kind, OTHER)
        box = _pixels(mark, scale)
        pen.rectangle(box, fill=(*colour, FILL), outline=(*colour, 255), width=_line(scale))
    ordered = [mark for mark in marks if mark.order is not None]
    for mark_from, mark_to in pairwise(ordered):
        _arrow(pen, _foot(mark_from, scale), _head(mark_to, scale), scale)
    font = ImageFont.load_default(_FONT_POINTS * scale)
    taken: list[Box] = []
    for mark in marks:
        taken.append(_caption(pen, mark, scale, font, image.size, taken))
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _penned(image: Image.Image, marks: Sequence[PageMark], scale: float) -> Image.Image:
    """The page under a transparent colour: black stays black."""
    if not marks:
        return image
    layer = Image.new("RGB", image.size, (255, 255, 255))
    pen = ImageDraw.Draw(layer)
    for mark in marks:
        pen.rectangle(_pixels(mark, scale), fill=PEN)
    return ImageChops.multiply(image, layer)


def _line(scale: float) -> int:
    return max(1, round(scale * 0.6))


def _pixels(mark: PageMark, scale: float) -> Box:
    left, top, right, bottom = (edge * scale for edge in mark.bbox)
    return left, top, max(left, right), max(top, bottom)


def _foot(mark: PageMark, scale: float) -> Point:
    """Where an arrow leaves: the box's bottom left corner."""
    return (mark.bbox[0] + 3) * scale, mark.bbox[3] * scale


def _head(mark: PageMark, scale: float) -> Point:
    """Where an arrow arrives: the top left corner."""
    return (mark.bbox[0] + 3) * scale, mark.bbox[1] * scale


def _arrow(pen: ImageDraw.ImageDraw, start: Point, end: Point, scale: float) -> None:
    pen.line([start, end], fill=(*ARROW, 200), width=_line(scale))
    angle = atan2(end[1] - start[1], end[0] - start[0])
    wings = [
        (end[0] - _HEAD * scale * cos(angle + turn), end[1] - _HEAD * scale * sin(angle + turn))
        for turn in (pi / 7, -pi / 7)
    ]
    pen.polygon([end, *wings], fill=(*ARROW, 255))


def _caption(
    pen: ImageDraw.ImageDraw,
    mark: PageMark,
    scale: float,
    font: ImageFont.ImageFont | ImageFont.FreeTypeFont,
    size: tuple[int, int],
    taken: Sequence[Box],
) -> Box:
    """Left of the box, else on its upper edge: the first place on the page that is free."""
    left, top, right, _ = _pixels(mark, scale)
    _, _, width, height = pen.textbbox((0, 0), mark.caption, font=font)
    pad = scale
    width, height = width + 2 * pad, height + 2 * pad
    corners = ((left - width, top), (left - width, top - height), (right - width, top - height))
    places = [(x, y, x + width, y + height) for x, y in corners if x >= 0 and y >= 0]
    inside = (min(left, size[0] - width), min(top, size[1] - height))
    place = next(
        (free for free in places if not any(_overlap(free, occupied) for occupied in taken)),
        (*inside, inside[0] + width, inside[1] + height),
    )
    pen.rectangle(place, fill=(*COLOURS.get(mark.kind, OTHER), 210))
    pen.text((place[0] + pad, place[1] + pad), mark.caption, font=font, fill=(255, 255, 255, 255))
    return place


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
