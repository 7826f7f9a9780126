"""Pages whose text is interrupted: by the next column, a head, a box, a caption, a note.

Each kind is drawn by chance from a seed. Its sentences are made-up words, no two alike, so that
what stands in a conversion is either one of them or invented.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .written_pdf import Text

PITCH = 12.0
_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo ".split()


class Interrupted(NamedTuple):
    """Pages, and the sentences of their running text."""

    pages: list[list[Text]]
    sentences: list[str]


class Writer:
    """Made-up sentences and their lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sentences: list[str] = []

    def words(self, count: int) -> list[str]:
        syllables = self.random.choices
        return ["".join(syllables(_SYLLABLES, k=self.random.randint(2, 4))) for _ in range(count)]

    def lines(self, sentences: int, width: int, broken: bool = False) -> list[str]:
        """A paragraph in lines of at most ``width`` characters. ``broken``: each line that is
        not the last ends within a word."""
        texts = [
            " ".join(self.words(self.random.randint(9, 15))).capitalize() + "."
            for _ in range(sentences)
        ]
        self.sentences += texts
        rest, lines = " ".join(texts), list[str]()
        while len(rest) > width:
            at = rest.rfind(" ", 0, width)
            if broken:
                while not rest[at - 2 : at + 2].isalpha() or not rest[at : at + 2].islower():
                    at -= 1
            lines.append(rest[:at] + ("-" if broken else ""))
            rest = rest[at:].lstrip()
        return [*lines, rest]


def _column(lines: Sequence[str], top: float, x: float = 72.0, size: float = 10.0) -> list[Text]:
    return [Text(x, top - PITCH * at, line, size) for at, line in enumerate(lines)]


def column_tops(writer: Writer) -> list[list[Text]]:
    """Two columns; of the second only few lines stand beside the first, above a picture."""
    few = writer.random.randint(2, 4)
    lines = writer.lines(9, 46)
    cut = writer.random.randint(8, len(lines) - 8)
    first, second = lines[:cut], lines[cut:]
    below = 700 - PITCH * (cut + writer.random.randint(4, 12))
    return [
        [
            *_column(first, 700),
            *_column(second[:few], 700, 320.0),
            *_column(second[few:], below, 320.0),
        ]
    ]


def low_heads(writer: Writer) -> list[list[Text]]:
    """Pages with wide margins and a head that changes from left to right pages."""
    names = [" ".join(writer.words(3)).upper(), " ".join(writer.words(2)).upper()]
    lines, number = writer.lines(40, 78), writer.random.randint(11, 80)
    size = writer.random.randint(12, 18)
    pages = [lines[at : at + size] for at in range(0, len(lines), size)]
    return [
        [
            Text(72, 672, f"{number + at} {names[0]}" if at % 2 else f"{names[1]} {number + at}"),
            *_column(page, 640),
        ]
        for at, page in enumerate(pages)
    ]


def box_within_a_word(writer: Writer) -> list[list[Text]]:
    """A page ends within a word; above its rest stand the labels of a picture."""
    lines = writer.lines(8, 76, broken=True)
    cut = writer.random.randint(4, len(lines) - 5)
    labels = [
        Text(140 + 90 * writer.random.randint(0, 3), 700 - 40 * at, " ".join(words).title(), 9.0)
        for at, words in enumerate(writer.words(2) for _ in range(writer.random.randint(1, 4)))
    ]
    return [
        _column(lines[:cut], 250),
        [*labels, *_column(lines[cut:], 500)],
    ]


def caption_within(writer: Writer) -> list[list[Text]]:
    """A caption in smaller type between two lines of a sentence."""
    lines = writer.lines(8, 76)
    cut = writer.random.randint(3, len(lines) - 4)
    caption = " ".join(writer.words(9)).capitalize() + "."
    above = 700 - PITCH * cut - writer.random.randint(40, 120)
    named = f"Figure {writer.random.randint(1, 9)}: {caption}"
    return [
        [
            *_column(lines[:cut], 700),
            Text(100, above, named, 8.0),
            *_column(lines[cut:], above - 30),
        ]
    ]


def note_at_the_foot(writer: Writer) -> list[list[Text]]:
    """A numbered note in smaller type at the foot, where a sentence goes on on the next page."""
    lines = writer.lines(12, 76)
    cut = writer.random.randint(5, len(lines) - 5)
    number = writer.random.randint(1, 9)
    note = f"{number} " + " ".join(writer.words(9)).capitalize() + "."
    foot = 700 - PITCH * cut - writer.random.randint(8, 30)
    return [
        [*_column(lines[:cut], 700), Text(72, foot, note, 8.0)],
        _column(lines[cut:], 700),
    ]


def code_within(writer: Writer) -> list[list[Text]]:
    """Pseudocode of the same type between two lines of a sentence, set in by little."""
    lines = writer.lines(9, 76)
    cut = writer.random.randint(3, len(lines) - 4)
    code = [" ".join(("if", *writer.words(3), "then"))]
    code += [
        f"{at:02} {first} := {second}({third})"
        for at, (first, second, third) in enumerate(
            (writer.words(3) for _ in range(writer.random.randint(2, 7))), start=1
        )
    ]
    writer.sentences.append(" ".join(code))
    return [_interrupted(writer, lines, cut, code, writer.random.choice((0.0, 14.0, 30.0)))]


def box_of_prose(writer: Writer) -> list[list[Text]]:
    """A box with sentences of its own between two lines of a sentence."""
    lines = writer.lines(9, 76)
    cut = writer.random.randint(3, len(lines) - 4)
    box = writer.lines(writer.random.randint(1, 3), 60)
    return [_interrupted(writer, lines, cut, box, 24.0)]


def _interrupted(
    writer: Writer, lines: Sequence[str], cut: int, between: Sequence[str], indent: float
) -> list[Text]:
    space = float(writer.random.randint(4, 26))
    top = 700 - PITCH * cut - space
    rest = top - PITCH * len(between) - space
    return [
        *_column(lines[:cut], 700),
        *_column(between, top, 72.0 + indent),
        *_column(lines[cut:], rest),
    ]


def face_of_the_abstract(writer: Writer) -> list[list[Text]]:
    """An abstract whose type changes from bold, or in size, in the middle of a sentence."""
    abstract, body = writer.lines(5, 70), writer.lines(12, 76)
    cut = writer.random.randint(1, len(abstract) - 2)
    bold, size = writer.random.choice(((True, 10.0), (False, 9.0), (True, 9.0)))
    first = [part._replace(bold=bold) for part in _column(abstract[:cut], 660, 90.0, size)]
    after = 660 - PITCH * cut
    below = after - PITCH * (len(abstract) - cut) - 30
    return [
        [
            Text(72, 730, " ".join(writer.words(4)).capitalize(), 17.0, bold=True),
            Text(90, 680, "Abstract", 11.0, bold=True),
            *first,
            *_column(abstract[cut:], after, 90.0, 10.0),
            Text(72, below + 16, "1 Introduction", 12.0, bold=True),
            *_column(body, below),
        ]
    ]


def heads_of_a_scan(writer: Writer) -> list[list[Text]]:
    """A scan's text layer: lines lie unevenly, the head of a chapter stands close above them."""
    chapters = [" ".join(writer.words(2)).title() for _ in range(3)]
    lines, number = writer.lines(130, 78), writer.random.randint(11, 80)
    uneven = writer.random.uniform
    size = writer.random.randint(18, 24)
    gap = writer.random.randint(18, 26)
    pages = []
    for at, first in enumerate(range(0, len(lines), size)):
        chapter = chapters[at * len(chapters) // (len(lines) // size + 1)]
        letter = "ABC"[chapters.index(chapter)]
        head = f"Part {letter} - {chapter} {number + at}"
        left = at % 2 == 0
        placed = Text(72 if left else 330, 720 + uneven(-2, 2), head, 10 + uneven(-0.4, 0.4))
        text = [
            part._replace(
                y=part.y + uneven(-0.8, 0.8),
                x=part.x + uneven(-1, 1),
                size=10 + uneven(-0.3, 0.3),
            )
            for part in _column(lines[first : first + size], 720 - gap)
        ]
        pages.append([placed, *text])
    return pages


def note_in_the_size_of_the_text(writer: Writer) -> list[list[Text]]:
    """A numbered note in the type of the text at the foot of a page, or of a column."""
    columns = writer.random.random() < 0.5
    lines = writer.lines(14, 44 if columns else 76)
    cut = writer.random.randint(len(lines) // 2, len(lines) - 5)
    note = f"{writer.random.randint(1, 9)} " + " ".join(writer.words(5)).capitalize() + "."
    foot = 700 - PITCH * cut - writer.random.randint(0, 30)
    writer.sentences.append(note)
    first = [*_column(lines[:cut], 700), Text(72, foot, note)]
    if columns:
        return [[*first, *_column(lines[cut:], 700, 320.0)]]
    return [first, _column(lines[cut:], 700)]


def caption_in_the_size_of_the_text(writer: Writer) -> list[list[Text]]:
    """A caption in the type of the text, close to a line of a sentence above or below it."""
    lines = writer.lines(8, 76)
    cut = writer.random.randint(3, len(lines) - 4)
    words = " ".join(writer.words(6)).capitalize() + "."
    kind = writer.random.choice(("Figure", "Fig.", "Table"))
    caption = f"{kind} {writer.random.randint(1, 9)}{writer.random.choice((':', '.'))} {words}"
    above, below = writer.random.choice(((0, 100), (100, 0), (0, 8), (8, 0), (6, 6)))
    at = 700 - PITCH * cut - above
    return [
        [
            *_column(lines[:cut], 700),
            Text(72 + writer.random.choice((0, 60)), at, caption),
            *_column(lines[cut:], at - PITCH - below),
        ]
    ]


def parts_of_a_figure(writer: Writer) -> list[list[Text]]:
    """The captions of a figure's parts in one row at the top of a page, above its caption."""
    lines = writer.lines(12, 44)
    cut, end = 14, 24
    parts = [f"({letter}) {' '.join(writer.words(3))}" for letter in "abc"]
    row = [Text(90 + 160 * at, 560, part) for at, part in enumerate(parts)]
    caption = f"Figure {writer.random.randint(1, 9)}: {' '.join(writer.words(5))}."
    return [
        [*_column(lines[:cut], 700), *_column(lines[cut:end], 700, 320.0)],
        [*row, Text(150, 540, caption), *_column(lines[end:], 500)],
    ]


KINDS: tuple[Callable[[Writer], list[list[Text]]], ...] = (
    column_tops,
    low_heads,
    box_within_a_word,
    caption_within,
    note_at_the_foot,
    code_within,
    box_of_prose,
    face_of_the_abstract,
    heads_of_a_scan,
    note_in_the_size_of_the_text,
    caption_in_the_size_of_the_text,
    parts_of_a_figure,
)


def drawn(kind: Callable[[Writer], list[list[Text]]], seeds: range) -> Iterator[Interrupted]:
    for seed in seeds:
        writer = Writer(seed)
        pages = kind(writer)
        yield Interrupted(pages, writer.sentences)
