"""Manuscripts with line numbers: every side, interval, restart, gap and size, drawn from a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .interrupted_text import Writer
from .written_pdf import Text

TOP, LEFT, RIGHT = 700.0, 90.0, 522.0
DIGIT = 0.556  # width of a digit of Helvetica, in ems
LETTER = 0.5  # greatest mean width of the letters of a line


@dataclass(frozen=True)
class Layout:
    """How lines are numbered: the ``sides`` of each column that have numbers, every which line has
    one, whether a page begins anew; the gap to the text, size of the numbers and pitch of the
    lines in points. ``ruler``: the numbers stand at an even pitch, wherever the lines are.
    ``order`` is their place in the content: with their lines, before them or after them.
    ``number`` is where the page number stands at the foot, in points from the left."""

    sides: str
    every: int
    restarts: bool
    gap: float
    size: float
    pitch: float
    columns: int
    ruler: bool
    order: str
    number: float
    first: int

    @classmethod
    def drawn(cls, seed: int) -> "Layout":
        rng = random.Random(seed)
        return cls(
            sides=("left", "right", "left right")[seed % 3],
            every=(1, 5, 1, 2, 10, 1)[seed % 6],
            restarts=rng.random() < 0.5,
            gap=rng.choice((4.0, 8.0, 14.0, 24.0)),
            size=rng.choice((5.0, 6.0, 8.0, 10.0, 12.0)),
            pitch=rng.choice((12.0, 15.0, 24.0)),
            columns=1 + (seed % 4 == 3),
            ruler=seed % 6 == 5,
            order=rng.choice(("lines", "before", "after")),
            number=rng.choice((300.0, LEFT, RIGHT - 6)),
            first=rng.choice((1, 17, 640)),
        )


class Manuscript(NamedTuple):
    """Pages, with what must be read: sentences, headings, and the number of the first page."""

    pages: list[list[Text]]
    title: str
    headings: list[str]
    sentences: list[str]
    first: int


class _Line(NamedTuple):
    text: str
    size: float = 10.0
    bold: bool = False


def manuscript(seed: int, numbered: bool = True) -> Manuscript:
    """A manuscript of some pages, or the same without the numbers of its lines."""
    layout, writer = Layout.drawn(seed), Writer(seed)
    width = (RIGHT - LEFT - 40 * (layout.columns - 1)) / layout.columns
    characters = int(width / (10 * LETTER))
    title = " ".join(writer.words(3)).capitalize()
    headings = [" ".join(writer.words(2)).capitalize() for _ in range(3)]
    headings.insert(0, "Introduction")
    lines: list[_Line] = []
    for heading in headings:
        lines.append(_Line(heading, 12.0, True))
        lines += map(_Line, writer.lines(14, characters))
    room = int((TOP - 60) / layout.pitch)
    pages, at = list[list[Text]](), 0
    page = [Text(LEFT, TOP + 40, title, 18.0, bold=True)]
    while lines:
        top = TOP if pages else TOP - 10
        for column in range(layout.columns):
            x = LEFT + column * (width + 40)
            page += _numbered(lines[:room], x, width, top, at, layout, numbered)
            at += len(lines[:room])
            lines = lines[room:]
        page.append(Text(layout.number, 30, str(layout.first + len(pages)), 10.0))
        pages.append(page)
        page, at = [], 0 if layout.restarts else at
    return Manuscript(pages, title, headings, writer.sentences, layout.first)


def _numbered(
    lines: Sequence[_Line],
    x: float,
    width: float,
    top: float,
    before: int,
    layout: Layout,
    numbered: bool,
) -> list[Text]:
    """A column of lines with their numbers, of which there were so many before."""
    texts, numbers = list[list[Text]](), list[list[Text]]()
    for at, line in enumerate(lines):
        y = top - layout.pitch * at
        texts.append([Text(x, y, line.text, line.size, line.bold)])
        number = before + at + 1
        marks = list[Text]()
        if numbered and number % layout.every == 0:
            size, written = layout.size, str(number)
            base = y - (3.0 if layout.ruler else 0.0)
            if "left" in layout.sides:
                end = x - layout.gap
                marks.append(Text(end - DIGIT * size * len(written), base, written, size))
            if "right" in layout.sides and (layout.columns == 1 or layout.sides == "right"):
                marks.append(Text(x + width + layout.gap, base, written, size))
        numbers.append(marks)
    if layout.order == "lines":
        return [part for pair in zip(numbers, texts, strict=True) for row in pair for part in row]
    rows = (*numbers, *texts) if layout.order == "before" else (*texts, *numbers)
    return [part for row in rows for part in row]
