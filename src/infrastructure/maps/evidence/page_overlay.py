"""Page overlay: boxes, captions and arrows of the reading order."""

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, pi, sin

from PIL import Image, ImageChops, ImageDraw, ImageFont

from citeloom.application.ports.maps import PageMark

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
