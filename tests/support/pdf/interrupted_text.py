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


KINDS: tuple[Callable[[Writer], list[list[Text]]], ...] = (
    column_tops,
    low_heads,
    box_within_a_word,
    caption_within,
    note_at_the_foot,
)


def drawn(kind: Callable[[Writer], list[list[Text]]], seeds: range) -> Iterator[Interrupted]:
    for seed in seeds:
        writer = Writer(seed)
        pages = kind(writer)
        yield Interrupted(pages, writer.sentences)
