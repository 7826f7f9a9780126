"""Pages whose text is interrupted: by the next column, a head, a box, a caption, a note.

Each kind is drawn by chance from a seed. Its sentences are made-up words, no two alike, so that
what stands in a conversion is either one of them or invented.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .written_pdf import Text

PITCH = 12.0
_EM_DASH = "\xd0"  # in the standard encoding of fonts
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
    lines, number = writer.lines(110, 78), writer.random.randint(11, 80)
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
    writer.sentences.append(caption)
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


def dash_at_an_end(writer: Writer) -> list[list[Text]]:
    """A sentence breaks at a dash at the end of a column or page; a name or a word goes on."""
    columns = writer.random.random() < 0.5
    lines = writer.lines(14, 44 if columns else 76)
    cut = writer.random.randint(6, len(lines) - 5)
    dash = writer.random.choice((f"{_EM_DASH}", f" {_EM_DASH}", " -"))
    first = _column([*lines[: cut - 1], lines[cut - 1] + dash], 700)
    if columns:
        return [[*first, *_column(lines[cut:], 700, 320.0)]]
    return [first, _column(lines[cut:], 700)]


def table_within(writer: Writer) -> list[list[Text]]:
    """A table without rules between two lines of a sentence, in a page or in a column of two."""
    columns = writer.random.random() < 0.5
    lines = writer.lines(16, 44 if columns else 76)
    cut = writer.random.randint(4, 10)
    rows = writer.random.randint(3, 6)
    top = 700 - PITCH * cut - writer.random.randint(8, 24)
    wide = 60.0 if columns else 110.0
    cells = [
        Text(76 + wide * at, top - PITCH * row, word, 9.0)
        for row in range(rows)
        for at, word in enumerate([*writer.words(2), f"{writer.random.random():.2f}"])
    ]
    rest = top - PITCH * rows - writer.random.randint(8, 24)
    after = lines[cut:26] if columns else lines[cut:]
    page = [*_column(lines[:cut], 700), *cells, *_column(after, rest)]
    return [[*page, *_column(lines[26:], 700, 320.0)] if columns else page]


def box_between_columns(writer: Writer) -> list[list[Text]]:
    """A quotation set into two columns, whose lines become shorter beside it."""
    first, second = writer.lines(10, 46), writer.lines(10, 46)
    quoted = writer.lines(2, 20)
    x, top = writer.random.choice(((60.0, 320.0), (320.0, 60.0)))
    size = writer.random.choice((8.0, 10.0))
    at = writer.random.randint(3, 8)
    beside, height = top + 135, len(quoted) + 1
    narrow = " ".join(second)
    shown, rest = list[Text](), narrow
    for row in range(60):
        if not rest:
            break
        short = at <= row < at + height
        width = 21 if short else 46
        cut = len(rest) if len(rest) <= width else rest.rfind(" ", 0, width)
        shown.append(Text(top, 700 - PITCH * row, rest[:cut]))
        rest = rest[cut:].lstrip()
    return [
        [
            *_column(first, 700, x),
            *shown,
            *_column(quoted, 700 - PITCH * at - 8, beside, size),
        ]
    ]


def notes_in_the_margin(writer: Writer) -> list[list[Text]]:
    """Short notes in the margin, in the type of the text or smaller, beside its lines."""
    lines = writer.lines(18, 66)
    size = writer.random.choice((8.0, 10.0))
    left = writer.random.random() < 0.5
    notes = list[Text]()
    for at in (3, 14):
        top = 700 - PITCH * at - writer.random.choice((0, 3))
        notes += _column(writer.lines(1, 16), top, 20.0 if left else 470.0, size)
    return [[*_column(lines, 700, 120.0 if left else 72.0), *notes]]


def figure_over_columns(writer: Writer) -> list[list[Text]]:
    """A caption over two columns below a picture, at the top of a page or between two bands."""
    lines = writer.lines(26, 46)
    above = writer.random.choice((0, 0, 5, 8))
    size = writer.random.choice((8.0, 9.0, 10.0))
    caption = [
        f"Figure {writer.random.randint(1, 9)}. {line}" if at == 0 else line
        for at, line in enumerate(writer.lines(2, 92))
    ]
    below = 700 - PITCH * above - 120
    rest = below - PITCH * len(caption) - writer.random.randint(8, 24)
    half = 2 * above + (len(lines) - 2 * above) // 2
    return [
        [
            *_column(lines[:above], 700),
            *_column(lines[above : 2 * above], 700, 320.0),
            *_column(caption, below, 72.0, size),
            *_column(lines[2 * above : half], rest),
            *_column(lines[half:], rest, 320.0),
        ]
    ]


def three_columns(writer: Writer) -> list[list[Text]]:
    """Three narrow columns, of which the last is short."""
    lines = writer.lines(22, 27)
    cut = len(lines) // 3 + writer.random.randint(1, 4)
    parts = (lines[:cut], lines[cut : 2 * cut], lines[2 * cut :])
    return [[text for at, part in enumerate(parts) for text in _column(part, 700, 60.0 + 170 * at)]]


def heads_over_columns_of_a_scan(writer: Writer) -> list[list[Text]]:
    """A scan's text layer in two columns with uneven lines, close below the head of the page."""
    title, lines = " ".join(writer.words(3)).title(), writer.lines(64, 44)
    number, uneven = writer.random.randint(11, 80), writer.random.uniform
    size, gap = writer.random.randint(24, 30), writer.random.randint(16, 26)
    pages = []
    for at, first in enumerate(range(0, len(lines), 2 * size)):
        head = f"{title} {number + at}" if at % 2 else f"{number + at} {title}"
        text = [
            *_column(lines[first : first + size], 720 - gap),
            *_column(lines[first + size : first + 2 * size], 720 - gap, 320.0),
        ]
        moved = [
            one._replace(
                x=one.x + uneven(-1, 1), y=one.y + uneven(-1, 1), size=10 + uneven(-0.3, 0.3)
            )
            for one in [Text(72 if at % 2 else 300, 720, head), *text]
        ]
        pages.append(moved)
    return pages


def authors_side_by_side(writer: Writer) -> list[list[Text]]:
    """Names and addresses in columns above an abstract and two columns of text."""
    count = writer.random.randint(2, 3)
    cells = [
        Text(72 + 165.0 * at, 690 - PITCH * row, " ".join(writer.words(2)).title(), 10.0)
        for at in range(count)
        for row in range(3)
    ]
    abstract, body = writer.lines(4, 80), writer.lines(20, 46)
    half, top = len(body) // 2, 620 - PITCH * len(abstract)
    return [
        [
            Text(72, 730, " ".join(writer.words(5)).capitalize(), 17.0, bold=True),
            *cells,
            *_column(abstract, 635, 72.0, 9.0),
            *_column(body[:half], top),
            *_column(body[half:], top, 320.0),
        ]
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
    dash_at_an_end,
    table_within,
    box_between_columns,
    notes_in_the_margin,
    figure_over_columns,
    three_columns,
    heads_over_columns_of_a_scan,
    authors_side_by_side,
)


def drawn(kind: Callable[[Writer], list[list[Text]]], seeds: range) -> Iterator[Interrupted]:
    for seed in seeds:
        writer = Writer(seed)
        pages = kind(writer)
        yield Interrupted(pages, writer.sentences)
