"""Page records from the cells of docling-parse's page decoder."""

from typing import Any, NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
    rotated,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import font_style
from citeloom.infrastructure.ingest.conversion.pdf.words.hidden_words import HiddenWordFilter
from citeloom.infrastructure.ingest.conversion.pdf.words.pdfium_text import ExactText

_INVISIBLE = (3, 7)  # text rendering modes of PDF 32000-1, 9.3.6: invisible, clip only
_THIN = 2.0  # points: a drawing no thicker is a rule
_MOST_STROKES = 3000  # no table has as many lines, plots and maps have more


class DocumentContext:
    """State shared by the pages of one document.

    Equal texts and coordinates are one object each. That halves the memory of a document's
    words: words repeat, those of a line have the same height, and a page has fewer hundredths
    of a point than a book has words. ``hidden_words`` remembers which drawings hide nothing.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers: dict[float, float] = {}
        self.hidden_words = HiddenWordFilter()

    def text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def box(self, x0: float, top: float, x1: float, bottom: float) -> BBox:
        share = self._numbers.setdefault
        x0, top, x1, bottom = round(x0, 2), round(top, 2), round(x1, 2), round(bottom, 2)
        return share(x0, x0), share(top, top), share(x1, x1), share(bottom, bottom)


class _WordGroups(NamedTuple):
    """Words of a page by direction: level, invisible, upwards, downwards, upside down."""

    level: list[Word]
    invisible: list[Word]
    up: list[Word]
    down: list[Word]
    upside_down: list[Word]


def read_page(
    decoder: Any,
    page: int,
    width: float,
    height: float,
    pdfium_text: ExactText | None = None,
    context: DocumentContext | None = None,
) -> PageRecord:
    """The record of a decoded page (page from 1; the decoder's cells count from the bottom left).

    ``pdfium_text`` restores characters that the decoder simplifies.
    """
    context = context or DocumentContext()
    groups = _word_groups(decoder, height, context)
    pictures = _pictures(decoder, height)
    drawings = [
        (b[0], height - b[3], b[2], height - b[1])
        for b in decoder.get_connected_shape_bounding_boxes(tolerance=1.0)
    ]
    level, plain_text = groups.level, ""
    if pdfium_text is not None and level:
        with pdfium_text.page(page) as opened:
            level = context.hidden_words.visible(level, [*drawings, *pictures], opened.image)
            level, plain_text = opened.read(level), opened.plain_text()
    level = [*level, *_readable_invisible(groups.invisible, level, pictures)]
    words, rotated_words, rotation = _main_direction(groups._replace(level=level))
    words = [w for w in words if _is_on_page(w.box, width, height)]
    if rotation:
        words = [_rotated_word(word, rotation, width, height) for word in words]
    strokes = _strokes(decoder, height, context)
    return PageRecord(
        page=page,
        width=width,
        height=height,
        words=tuple(words),
        rotated_words=tuple(rotated_words),
        drawings=_in_text_frame(drawings, rotation, width, height, thin=False),
        rules=_in_text_frame(drawings, rotation, width, height, thin=True),
        strokes=_in_text_frame(strokes, rotation, width, height, thin=True),
        pictures=_in_text_frame(pictures, rotation, width, height, thin=False),
        rotation=rotation,
        plain_text=plain_text,
    ).mirrored_if_rtl()


def _word_groups(decoder: Any, height: float, context: DocumentContext) -> _WordGroups:
    groups = _WordGroups([], [], [], [], [])
    for cell in decoder.get_word_cells():
        if not cell.text or cell.text.isspace():
            continue
        word = _word(cell, height, context)
        if abs(cell.r_y1 - cell.r_y0) > abs(cell.r_x1 - cell.r_x0):
            (groups.up if cell.r_y1 > cell.r_y0 else groups.down).append(word)
        elif cell.rendering_mode in _INVISIBLE:
            groups.invisible.append(word)
        elif cell.r_x1 < cell.r_x0 and cell.r_y3 < cell.r_y0:
            groups.upside_down.append(word)
        else:
            groups.level.append(word)
    return groups


def _word(cell: Any, height: float, context: DocumentContext) -> Word:
    xs = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
    ys = (cell.r_y0, cell.r_y1, cell.r_y2, cell.r_y3)
    box = context.box(min(xs), height - max(ys), max(xs), height - min(ys))
    font, bold, italic = font_style(cell.font_name)
    return Word(context.text(cell.text.strip()), *box, font, bold, italic, not cell.left_to_right)


def _readable_invisible(
    invisible: list[Word], visible: list[Word], pictures: list[BBox]
) -> list[Word]:
    """Invisible words over a picture of the page (an OCR layer), if they outweigh the visible.

    Other invisible words are left out, unless the page has no other text.
    """
    if not visible:
        return invisible
    layer = [w for w in invisible if any(centre_inside(w.box, box) for box in pictures)]
    return layer if sum(len(w.text) for w in layer) > sum(len(w.text) for w in visible) else []


def _main_direction(groups: _WordGroups) -> tuple[list[Word], list[Word], int]:
    """The page's text, the words in other directions, and the rotation of the text in degrees."""
    directions = [
        (groups.level, 0),
        (groups.up, 90),
        (groups.upside_down, 180),
        (groups.down, 270),
    ]
    sizes = [sum(len(word.text) for word in words) for words, _ in directions]
    for at, (main, rotation) in enumerate(directions[1:], start=1):
        if sizes[at] > 200 and sizes[at] > 2 * (sum(sizes) - sizes[at]):
            rest = [w for words, _ in directions if words is not main for w in words]
            return main, rest, rotation
    return groups.level + groups.upside_down, groups.up + groups.down, 0


def _rotated_word(word: Word, rotation: int, width: float, height: float) -> Word:
    x0, top, x1, bottom = rotated(word.box, rotation, width, height)
    return word._replace(x0=x0, top=top, x1=x1, bottom=bottom)


def _is_on_page(box: BBox, width: float, height: float) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return -1 <= x <= width + 1 and -1 <= y <= height + 1


def _pictures(decoder: Any, height: float) -> list[BBox]:
    """Boxes of the visible bitmaps, without the parts that are clipped."""
    boxes: list[BBox] = []
    for image in decoder.get_page_images():
        if not getattr(image, "is_visible", True):
            continue
        if getattr(image, "has_visible_bbox", False):
            x0, y0, x1, y1 = image.visible_x0, image.visible_y0, image.visible_x1, image.visible_y1
        else:
            x0, y0, x1, y1 = image.x0, image.y0, image.x1, image.y1
        boxes.append((min(x0, x1), height - max(y0, y1), max(x0, x1), height - min(y0, y1)))
    return boxes


def _strokes(decoder: Any, height: float, context: DocumentContext) -> list[BBox]:
    """Horizontal and vertical lines, drawn as lines or as thin rectangles."""
    lines = decoder.get_shape_lines(tolerance=0.2)
    if len(lines) > _MOST_STROKES:
        return []
    boxes = [(x0, height - y1, x1, height - y0) for x0, y0, x1, y1 in lines]
    shapes = decoder.get_page_shapes()
    if len(shapes) <= _MOST_STROKES:
        for shape in shapes:
            xs, ys = shape.get_x(), shape.get_y()
            if 4 <= len(xs) <= 5:
                boxes.append((min(xs), height - max(ys), max(xs), height - min(ys)))
    return [context.box(*box) for box in boxes]


def _in_text_frame(
    boxes: list[BBox], rotation: int, width: float, height: float, thin: bool
) -> tuple[BBox, ...]:
    clipped = (
        (max(0.0, b[0]), max(0.0, b[1]), min(width, b[2]), min(height, b[3]))
        for b in boxes
        if (min(b[2] - b[0], b[3] - b[1]) <= _THIN) == thin
    )
    return tuple(
        rotated(b, rotation, width, height) for b in clipped if b[2] - b[0] > 4 or b[3] - b[1] > 4
    )
