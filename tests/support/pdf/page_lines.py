"""Small made-up pages for the tests of the PDF layout."""

from collections.abc import Iterable, Sequence

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import (
    BodyStyle,
    Column,
    PlacedLine,
    place_lines,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word

SIZE = 8.0
PITCH = 12.0
ADVANCE = 5.0  # width of a character
SPACE = 2.5


def words(
    text: str,
    x: float = 50.0,
    base: float = 100.0,
    size: float = SIZE,
    font: str = "Roman",
    bold: bool = False,
    rtl: bool = False,
) -> list[Word]:
    """Words of ``text`` set from ``x`` on, on the baseline ``base``."""
    found = []
    scale = size / SIZE
    for part in text.split():
        width = len(part) * ADVANCE * scale
        found.append(Word(part, x, base - size, x + width, base, font, bold, False, rtl))
        x += width + SPACE * scale
    return found


def line(
    text: str,
    base: float = 100.0,
    x0: float = 50.0,
    x1: float | None = None,
    size: float = SIZE,
    bold: bool = False,
    page: int = 1,
    font: str = "Roman",
    begins_raised: bool = False,
    pieces: Sequence[tuple[str, float, float]] = (),
) -> TextLine:
    end = x1 if x1 is not None else x0 + len(text) * ADVANCE * 0.9
    parts = tuple(LinePiece(*piece) for piece in pieces) or (LinePiece(text, x0, end),)
    return TextLine(
        page=page,
        text=text,
        box=(x0, base - size, end, base),
        base=base,
        size=size,
        font=font,
        bold=bold,
        italic=False,
        pieces=parts,
        begins_raised=begins_raised,
    )


def prose(count: int, base: float = 100.0, page: int = 1, x0: float = 50.0) -> list[TextLine]:
    """Full lines of a justified paragraph."""
    text = "the quick brown fox jumps over the lazy dog and then it goes on"
    return [line(text, base=base + i * PITCH, page=page, x0=x0, x1=x0 + 300) for i in range(count)]


def flow(*columns: Iterable[TextLine]) -> list[PlacedLine]:
    built = []
    for lines in columns:
        listed = tuple(lines)
        built.append(Column(listed[0].page, listed))
    return place_lines(built)


STYLE = BodyStyle(size=SIZE, font="Roman", pitch=PITCH, bold=False)
