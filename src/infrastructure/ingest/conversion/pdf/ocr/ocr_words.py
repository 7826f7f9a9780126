"""Words of the layout from OCR words: in points, with even heights."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import Reading, ReadWord
from citeloom.infrastructure.ingest.conversion.pdf.ocr.stroke_weight import bold_words
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.font_heights import (
    ASCENT,
    DESCENT,
    em_of,
    is_deep,
)

if TYPE_CHECKING:
    from PIL.Image import Image

FONT = "ocr"
# Words of low confidence are left out, unless their line has a high one: OCR also sees letters
# in drawings.
_DOUBTFUL, _WELL_READ_LINE = 30.0, 70.0
_ALIKE = 0.12  # relative difference in size up to which lines have the same size


def words_of(reading: Reading, image: "Image", dpi: int) -> tuple[Word, ...]:
    """The words in points, with the height of their line's type instead of their letters'.

    ``image`` is the page as it was read, upright.
    """
    lines: dict[tuple[int, ...], list[ReadWord]] = defaultdict(list)
    for word in reading.words:
        lines[word.line].append(word)
    trusted_lines = {
        key: trusted for key, line in lines.items() if (trusted := _trusted_words(line))
    }
    sizes = _equalised(
        {key: em for key, line in trusted_lines.items() if (em := _line_em(line)) is not None}
    )
    scale = 72 / dpi
    all_words = [w for line in trusted_lines.values() for w in line]
    bold = iter(bold_words(image, all_words, [sizes.get(w.line) for w in all_words]))
    words: list[Word] = []
    for key, line in trusted_lines.items():
        em = sizes.get(key)
        base = _baseline(line)
        for w in line:
            top, bottom = w.top, w.bottom
            if em is not None:
                at = base(w)
                top, bottom = at - ASCENT * em, at + DESCENT * em
            words.append(
                Word(
                    w.text,
                    round(w.x0 * scale, 2),
                    round(top * scale, 2),
                    round(w.x1 * scale, 2),
                    round(bottom * scale, 2),
                    FONT,
                    bold=next(bold),
                    italic=False,
                )
            )
    return tuple(words)


def _trusted_words(line: Sequence[ReadWord]) -> list[ReadWord]:
    characters = sum(len(w.text) for w in line)
    mean = sum(w.confidence * len(w.text) for w in line) / characters
    if mean < _DOUBTFUL:
        return []
    well = mean >= _WELL_READ_LINE
    trusted = [w for w in line if w.confidence >= _DOUBTFUL or well]
    return trusted if any(c.isalnum() for w in trusted for c in w.text) else []


def _line_em(line: Iterable[ReadWord]) -> float | None:
    ems = sorted(em for w in line for em in [em_of(w.text, w.bottom - w.top)] * len(w.text) if em)
    return ems[len(ems) // 2] if ems else None


def _equalised(ems: dict[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Line sizes, with those that differ by the engine's imprecision only made equal."""
    equalised: dict[tuple[int, ...], float] = {}
    group: list[tuple[int, ...]] = []
    for key in sorted(ems, key=lambda k: ems[k]):
        if group and ems[key] > (1 + _ALIKE) * ems[group[0]]:
            equalised.update(_as_median(group, ems))
            group = []
        group.append(key)
    equalised.update(_as_median(group, ems))
    return equalised


def _as_median(
    group: Sequence[tuple[int, ...]], ems: dict[tuple[int, ...], float]
) -> dict[tuple[int, ...], float]:
    return dict.fromkeys(group, ems[group[len(group) // 2]]) if group else {}


def _baseline(line: Sequence[ReadWord]) -> Callable[[ReadWord], float]:
    """The baseline of a line, slanted as in scans: a straight line through the bottoms of words
    without descenders."""
    feet = [((w.x0 + w.x1) / 2, w.bottom) for w in line if not is_deep(w.text)]
    if not feet:
        below = DESCENT / (ASCENT + DESCENT)
        feet = [((w.x0 + w.x1) / 2, w.bottom - below * (w.bottom - w.top)) for w in line]
    n = len(feet)
    x_mean, y_mean = sum(x for x, _ in feet) / n, sum(y for _, y in feet) / n
    spread = sum((x - x_mean) ** 2 for x, _ in feet)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in feet) / spread if spread > 1 else 0.0
    if abs(slope) > 0.05 or n < 4:
        slope = 0.0
    if slope == 0.0:
        y_mean = sorted(y for _, y in feet)[n // 2]
    return lambda w: y_mean + slope * ((w.x0 + w.x1) / 2 - x_mean)
