"""From a decoded page to a ``PageRecord``."""

from typing import Any

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
    turned,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import font_style
from citeloom.infrastructure.ingest.conversion.pdf.words.hidden_words import Looked
from citeloom.infrastructure.ingest.conversion.pdf.words.pdfium_text import ExactText

_INVISIBLE = (3, 7)  # text rendering modes of PDF 32000-1, 9.3.6: invisible, clip only
_THIN = 2.0  # points: a drawing no thicker is a rule
_MOST_STROKES = 3000  # no table has as many lines, plots and maps have more


class Shared:
    """What the pages of a document have in common; ``looked`` tells what they hide.

    One object for each text and coordinate, however often it occurs: that halves the memory
    of a document's words, since words repeat, those of a line have the same height, and
    there are fewer hundredths of a point on a page than words in a book.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers: dict[float, float] = {}
        self.looked = Looked()

    def text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def box(self, x0: float, top: float, x1: float, bottom: float) -> BBox:
        share = self._numbers.setdefault
        x0, top, x1, bottom = round(x0, 2), round(top, 2), round(x1, 2), round(bottom, 2)
        return share(x0, x0), share(top, top), share(x1, x1), share(bottom, bottom)


def read_page(
    decoder: Any,
    page: int,
    width: float,
    height: float,
    exact: ExactText | None = None,
    shared: Shared | None = None,
) -> PageRecord:
    """Reduce the decoder's page (cells from the bottom left) to what the layout needs.

    ``exact`` gives the words the characters that the decoder has simplified.
    """
    shared = shared or Shared()
    level: list[Word] = []
    ghosts: list[Word] = []
    up: list[Word] = []
    down: list[Word] = []
    over: list[Word] = []
    for cell in decoder.get_word_cells():
        text = cell.text
        if not text or text.isspace():
            continue
        x0, y0, x1, y1 = cell.r_x0, cell.r_y0, cell.r_x1, cell.r_y1
        x2, y2, x3, y3 = cell.r_x2, cell.r_y2, cell.r_x3, cell.r_y3
        font, bold, italic = font_style(cell.font_name)
        box = shared.box(
            min(x0, x1, x2, x3),
            height - max(y0, y1, y2, y3),
            max(x0, x1, x2, x3),
            height - min(y0, y1, y2, y3),
        )
        word = Word(shared.text(text.strip()), *box, font, bold, italic, not cell.left_to_right)
        if abs(y1 - y0) > abs(x1 - x0):
            (up if y1 > y0 else down).append(word)
        elif cell.rendering_mode in _INVISIBLE:
            ghosts.append(word)
        elif x1 < x0 and y3 < y0:
            over.append(word)
        else:
            level.append(word)
    pictures = _pictures(decoder, height)
    boxes = [
        (b[0], height - b[3], b[2], height - b[1])
        for b in decoder.get_connected_shape_bounding_boxes(tolerance=1.0)
    ]
    if exact is not None and level:
        with exact.page(page) as opened:
            level = shared.looked.seen(level, [*boxes, *pictures], opened.image)
            level = opened.read(level)
    level += _shown_ghosts(ghosts, level, pictures)
    words, stamps, turn = _direction(level, up, down, over)
    words = [w for w in words if _on_page(w.box, width, height)]
    if turn:
        words = [_turn(word, turn, width, height) for word in words]
    return PageRecord(
        page=page,
        width=width,
        height=height,
        words=tuple(words),
        stamps=tuple(stamps),
        drawings=_framed(boxes, turn, width, height, thin=False),
        rules=_framed(boxes, turn, width, height, thin=True),
        strokes=_framed(_strokes(decoder, height, shared), turn, width, height, thin=True),
        pictures=_framed(pictures, turn, width, height, thin=False),
        turn=turn,
    ).from_the_right()


def _shown_ghosts(ghosts: list[Word], visible: list[Word], pictures: list[BBox]) -> list[Word]:
    """Invisible words that a reader can see all the same: OCR's, over the picture of a page.

    Hidden words elsewhere are no evidence of anything and are left out, unless the page
    has no other text.
    """
    if not visible:
        return ghosts
    over = [w for w in ghosts if any(centre_inside(w.box, box) for box in pictures)]
    return over if sum(len(w.text) for w in over) > sum(len(w.text) for w in visible) else []


def _direction(
    level: list[Word], up: list[Word], down: list[Word], over: list[Word]
) -> tuple[list[Word], list[Word], int]:
    """The page's text, the words that run otherwise, and by how much the text is turned;
    ``over`` are words that stand on their heads."""
    groups = [(level, 0), (up, 90), (over, 180), (down, 270)]
    sizes = [sum(len(word.text) for word in group) for group, _ in groups]
    for at, (group, turn) in enumerate(groups[1:], start=1):
        if sizes[at] > 200 and sizes[at] > 2 * (sum(sizes) - sizes[at]):
            return group, [w for other, _ in groups if other is not group for w in other], turn
    return level + over, up + down, 0


def _turn(word: Word, turn: int, width: float, height: float) -> Word:
    x0, top, x1, bottom = turned(word.box, turn, width, height)
    return word._replace(x0=x0, top=top, x1=x1, bottom=bottom)


def _on_page(box: BBox, width: float, height: float) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return -1 <= x <= width + 1 and -1 <= y <= height + 1


def _pictures(decoder: Any, height: float) -> list[BBox]:
    """Boxes of the bitmaps that can be seen, as far as they are not clipped."""
    found: list[BBox] = []
    for image in decoder.get_page_images():
        if not getattr(image, "is_visible", True):
            continue
        if getattr(image, "has_visible_bbox", False):
            x0, y0, x1, y1 = image.visible_x0, image.visible_y0, image.visible_x1, image.visible_y1
        else:
            x0, y0, x1, y1 = image.x0, image.y0, image.x1, image.y1
        found.append((min(x0, x1), height - max(y0, y1), max(x0, x1), height - min(y0, y1)))
    return found


def _strokes(decoder: Any, height: float, shared: Shared) -> list[BBox]:
    """Level and upright lines, drawn as lines or as thin rectangles."""
    lines = decoder.get_shape_lines(tolerance=0.2)
    if len(lines) > _MOST_STROKES:
        return []
    found = [(x0, height - y1, x1, height - y0) for x0, y0, x1, y1 in lines]
    shapes = decoder.get_page_shapes()
    if len(shapes) <= _MOST_STROKES:
        for shape in shapes:
            xs, ys = shape.get_x(), shape.get_y()
            if 4 <= len(xs) <= 5:
                found.append((min(xs), height - max(ys), max(xs), height - min(ys)))
    return [shared.box(*box) for box in found]


def _framed(
    boxes: list[BBox], turn: int, width: float, height: float, thin: bool
) -> tuple[BBox, ...]:
    kept = (
        (max(0.0, b[0]), max(0.0, b[1]), min(width, b[2]), min(height, b[3]))
        for b in boxes
        if (min(b[2] - b[0], b[3] - b[1]) <= _THIN) == thin
    )
    return tuple(turned(b, turn, width, height) for b in kept if b[2] - b[0] > 4 or b[3] - b[1] > 4)
