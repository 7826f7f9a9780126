"""Page records from pdfium: words, drawings, pictures."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pypdfium2

from citeloom.domain.documents.spans import BBox
from citeloom.domain.text.characters import without_hidden
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden
from citeloom.infrastructure.ingest.conversion.pdf.page_content.page_objects import (
    PageObjects,
    read_page_objects,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import display_matrix
from citeloom.infrastructure.ingest.conversion.pdf.page_content.readable_words import (
    deceives,
    left_out,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.text_ink import text_without
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    rotated,
    unrotated,
)

from .characters import CharacterReader, FontHeights, PageCharacters
from .formulas import linear_formulas
from .page_words import DirectedWord, page_words
from .pictured_signs import with_drawn_roots, with_pictured_signs

_MAIN_TEXT = 200  # least number of characters of a page's text that is not level


class PageDecoder:
    """Reads the pages of one document.

    Equal texts and coordinates are one object each: words repeat, those of a line have the same
    height, and a thousand pages have to fit in memory.
    """

    def __init__(self) -> None:
        self._characters = CharacterReader()
        self._heights = FontHeights()
        self._texts: dict[str, str] = {}
        self._numbers: dict[float, float] = {}

    def forget_fonts(self) -> None:
        """Call this when the document is opened again."""
        self._characters.forget_fonts()

    def read(self, page: pypdfium2.PdfPage, number: int) -> PageRecord:
        """The record of a page (from 1). Raises ``pypdfium2.PdfiumError``."""
        width, height = (round(side, 2) for side in page.get_size())
        text = page.get_textpage()
        try:
            characters = self._characters.read(text, display_matrix(page))
            characters = self._heights.corrected(characters)
            words = page_words(characters, width, height, self._shared, self._rounded)
            objects = read_page_objects(page)
            hidden = _hidden(words, characters, objects, (width, height))
            seen = [w for at, w in enumerate(words) if at not in hidden]
            unseen = {characters.objects[words[at].first] for at in hidden}
            words = _printed_once(seen)
            once = {characters.objects[w.first] for w in words}
            unseen |= {characters.objects[w.first] for w in seen} - once
            plain_text = text_without(page, unseen) if unseen else text.get_text_range()
            rotation = _main_turn(words)
            turned_text = text_without(page, unseen, rotation) if rotation else ""
        finally:
            text.close()
        frame = (height, width) if rotation in (90, 270) else (width, height)
        level = list(_level(words, rotation, frame))
        bars = _turned(objects.bars, rotation, width, height)
        drawings = _turned(objects.drawings, rotation, width, height)
        level, formulas = linear_formulas(with_drawn_roots(level, drawings, bars), bars)
        pictures = _turned(objects.pictures, rotation, width, height)
        dots = _turned(objects.dots, rotation, width, height)
        return PageRecord(
            page=number,
            width=width,
            height=height,
            words=tuple(with_pictured_signs(level, (*pictures, *dots))),
            rotated_words=tuple(
                _as_displayed(w, width, height) for w in words if w.turn != rotation
            ),
            drawings=drawings,
            rules=_turned(objects.rules, rotation, width, height),
            strokes=_turned(objects.strokes, rotation, width, height),
            pictures=pictures,
            formulas=tuple(formulas),
            rotation=rotation,
            plain_text=plain_text,
            turned_text=turned_text,
            hidden=tuple(Counter(hidden.values()).items()),
            controls=sum(deceives(w.word.text) for w in words),
        ).mirrored_if_rtl()

    def _shared(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _rounded(self, number: float) -> float:
        number = round(number, 2)
        return self._numbers.setdefault(number, number)


def _printed_once(words: Sequence[DirectedWord]) -> list[DirectedWord]:
    """The words, without those that are printed over themselves again."""
    once: dict[object, DirectedWord] = {}
    for word in words:
        once.setdefault((word.word.text, word.turn, word.word.box), word)
    return [*once.values()]


def _main_turn(words: Sequence[DirectedWord]) -> int:
    """The direction of the page's text, in degrees."""
    sizes: Counter[int] = Counter()
    for word in words:
        sizes[word.turn] += len(word.word.text)
    for turn, size in sizes.items():
        if turn and size > _MAIN_TEXT and size > 2 * (sizes.total() - size):
            return turn
    return 0


def _as_displayed(word: DirectedWord, width: float, height: float) -> Word:
    x0, top, x1, bottom = unrotated(word.word.box, word.turn, width, height)
    return word.word._replace(x0=x0, top=top, x1=x1, bottom=bottom)


def _hidden(
    words: Sequence[DirectedWord],
    characters: PageCharacters,
    objects: PageObjects,
    size: tuple[float, float],
) -> dict[int, Hidden]:
    """The index of each word that a reader does not see, with the reason."""
    if not objects.hidden:
        return {}
    boxes = [_as_displayed(word, *size).box for word in words]
    reasons = []
    for word, box in zip(words, boxes, strict=True):
        text_object = objects.hidden.get(characters.objects[word.first])
        hides = text_object is not None and text_object.hides(box)
        reasons.append(text_object.reason if text_object is not None and hides else None)
    return left_out([w.word.text for w in words], boxes, reasons, objects.pictures)


def _level(
    words: Sequence[DirectedWord], rotation: int, frame: tuple[float, float]
) -> Iterator[Word]:
    """The words in the page's main direction, without characters that have no width."""
    for directed in words:
        word = directed.word
        if directed.turn == rotation and _is_on_page(word.box, *frame):
            text = without_hidden(word.text)
            if text:
                yield word if text == word.text else word._replace(text=text)


def _is_on_page(box: BBox, width: float, height: float) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return -1 <= x <= width + 1 and -1 <= y <= height + 1


def _turned(boxes: Sequence[BBox], rotation: int, width: float, height: float) -> tuple[BBox, ...]:
    return tuple(rotated(box, rotation, width, height) for box in boxes)
