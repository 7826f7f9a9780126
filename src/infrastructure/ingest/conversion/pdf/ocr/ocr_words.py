"""Words of the layout from OCR words: in points, with even heights."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import (
    ASCENT,
    DESCENT,
    em_of,
    is_deep,
)

from .page_reader import Reading, ReadWord

if TYPE_CHECKING:
    from PIL.Image import Image

_INK = 128
# Bold letters have strokes half as thick again as the page's usual ones, or more (measured on
# Computer Modern, Times and Libertinus at 300 dpi: 1.45 to 1.8; italics: 0.85 to 1.0).
_BOLD = 1.35
_FEWEST_WORDS = 20


def bold_words(
    image: "Image", words: Sequence[ReadWord], ems: Sequence[float | None]
) -> list[bool]:
    """Whether each word of a page is bold. ``ems`` are the sizes of their type; all sizes are
    in pixels."""
    weights = _weights(image, words, ems)
    ranked = sorted(w for word, w in zip(words, weights, strict=True) for _ in word.text if w)
    if len(words) < _FEWEST_WORDS or not ranked:
        return [False] * len(words)
    usual = ranked[len(ranked) // 2]
    return [weight is not None and weight >= _BOLD * usual for weight in weights]


def _weights(
    image: "Image", words: Sequence[ReadWord], ems: Sequence[float | None]
) -> list[float | None]:
    """Mean stroke thickness (twice the ink divided by its outline), as a share of the em."""
    ink = np.asarray(image) < _INK
    weights: list[float | None] = []
    for word, em in zip(words, ems, strict=True):
        x0, top, x1, bottom = (max(0, int(v)) for v in (word.x0, word.top, word.x1, word.bottom))
        part = ink[top : bottom + 1, x0 : x1 + 1]
        area = int(part.sum())
        if em is None or area == 0 or not any(c.isalpha() for c in word.text):
            weights.append(None)
            continue
        outline = int((part[:, 1:] != part[:, :-1]).sum() + (part[1:] != part[:-1]).sum())
        weights.append(2 * area / max(1, outline) / em)
    return weights


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


MANY = 0.01  # share of words: text that was never scanned has 0.005 at most
_EDGES = re.compile(r"^\W+|\W+$")
_DIGIT_INSIDE = re.compile(r"[^\W\d_]\d+[^\W\d_]|\d[^\W\d_]+\d")
_SIGN_INSIDE = re.compile(r"[^\W\d_][^\w\s'\u2019.\-\u2010-\u2014/&@,:()\[\]+*\u00ad]+[^\W\d_]")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_ADDRESS = re.compile(r"://|www\.|@")


def is_implausible(word: str) -> bool:
    """Whether a word looks misread: a digit between letters, a letter between digits, a sign within
    the word, or four Latin letters and more without a vowel that are not an abbreviation."""
    bare = _EDGES.sub("", word)
    if len(bare) < 3 or _ADDRESS.search(bare):
        return False
    if _SIGN_INSIDE.search(bare) or (len(bare) >= 4 and _DIGIT_INSIDE.search(bare)):
        return True
    is_latin = len(bare) >= 4 and bare.isascii() and bare.isalpha()
    return is_latin and not bare.removesuffix("s").isupper() and not _VOWEL.search(bare)


_RARE = 2  # most occurrences of a part of a word
_SIGNS = re.compile(r"\d[a-z]\d|[a-z]\d[a-z]")  # ``5 i 5``: signs between were read as digits
_SHORT = 2  # letters of the shorter of two parts


class TextLayer(NamedTuple):
    """What another program read on scans: how often each word, in small letters, is on ``pages``
    (from 1)."""

    pages: frozenset[int]
    words: Counter[str]

    @classmethod
    def of(cls, pictures: Iterable[PageRecord]) -> Self:
        """The text layer of the pages that are ``pictures`` with words, but for those read here."""
        scans = [record for record in pictures if record.words[0].font != FONT]
        words = Counter(_EDGES.sub("", w.text).lower() for r in scans for w in r.words)
        return cls(frozenset(record.page for record in scans), words)

    def is_misread(self, sentence: str) -> bool:
        """Whether a word of a sentence looks misread, or two like parts of one: ``cu bic``."""
        words = [_EDGES.sub("", word) for word in sentence.split()]
        signs = zip(words, words[1:], words[2:], strict=False)
        return (
            any(map(is_implausible, words))
            or any(map(self._are_parts, words, words[1:]))
            or any(_SIGNS.fullmatch("".join(three)) for three in signs if max(map(len, three)) == 1)
        )

    def _are_parts(self, first: str, second: str) -> bool:
        """Whether words are parts of one: a letter beside another, a rare word, or one with which
        it is a word; two rare words, one of them short; two letters without a vowel."""
        both = first + second
        if not (both.isalpha() and both.islower() and both.isascii()) or "a" in (first, second):
            return False
        rare = [self.words[word] <= _RARE for word in (first, second)]
        if len(first) == 2 and rare[0] and not _VOWEL.search(first):
            return True
        letters = [len(word) == 1 for word in (first, second)]
        if any(letters) and self.words[both]:
            return True
        parts = [is_letter or is_rare for is_letter, is_rare in zip(letters, rare, strict=True)]
        return all(parts) and min(len(first), len(second)) <= _SHORT


def text_layer_warnings(pages: Mapping[int, Sequence[str]]) -> list[str]:
    """How many words look misread where another program read scans. ``pages`` holds the words
    of each scanned page, by its number from 1."""
    counts = {page: sum(map(is_implausible, words)) for page, words in sorted(pages.items())}
    misread, total = sum(counts.values()), sum(map(len, pages.values()))
    if not misread:
        return []
    one = len(counts) == 1
    text = (
        f"{numbered_pages([*counts])} {'is a scan' if one else 'are scans'} with a text layer: "
        f"{misread} of {total:,} words {'looks' if misread == 1 else 'look'} misread"
    )
    many = [page for page, count in counts.items() if count > MANY * len(pages[page])]
    if many and not one:
        text += f", most on {numbered_pages(many)}"
    return [f"{text}; check quotes against the page"]
