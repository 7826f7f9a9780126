"""Pages without readable text: none at all, or characters other than those printed.

A font without a character map yields replacement characters, private-use characters, glyph
names, or shifted letters. Mathematics and tables are full of odd characters too, so the share
of broken *words* decides. On 236 pages of real papers (mathematics, tables, code, Arabic,
Korean) the highest share of broken words was 0, the lowest share of vowels 0.21 (a page of
codes) and 0.36 (all others).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord

from .characters import UNREADABLE

# U+F8E0 to U+F8FF are left out: they are signs of TeX's and Adobe's symbol fonts.
_UNREADABLE = re.compile(
    f"[\ufffd\ue000-\uf8df{UNREADABLE}]|GLYPH<[^>]*>|\\(cid:\\d+\\)|/g\\d{{2,}}"
    "|[\x80-\x9f\x00-\x08\x0e-\x1f]|\\.notdef"
)
_BROKEN_WORDS = 0.2  # of the words of two characters and more
_LOST_WORDS = 0.5  # above this share the rest makes no sense either
_BROKEN_CHARACTERS = 0.25
_FEWEST_WORDS = 5
_VOWEL_SHARE = 0.25  # of the letters in Latin words of four letters and more
_FEWEST_LATIN_WORDS = 40
_FEWEST_DIFFERENT = 20  # a word that fills a page says nothing about its letters
_COMMON = frozenset(
    "the of and to in is der die und in den von de la le les et des el los que en y il di che "
    "da do em van het een och att af til".split()
)
_COMMON_SHARE = 0.02  # of the words: a page with so many of these is readable
_SIGNS = 0.6  # of the characters, without leaders and rules
_FEWEST_SIGNS = 200
_VOWELS = frozenset("aeiouyæœøı")
_NOT_LATIN = re.compile("[^A-Za-z\u00c0-\u024f]")
_LEADERS = re.compile(r"[.·•…_\-–—=*~]")
# A picture that covers so much of a page with so few words is a scan with a stamp.
_PICTURE_PAGE = 0.7
_STAMP = 200  # characters


class Fault(StrEnum):
    """Why a page has no readable text."""

    EMPTY = "empty"  # no words at all: scanned, drawn, or blank
    PICTURE = "picture"  # a picture of a page, and few words beside it
    UNREADABLE = "unreadable"  # words other than those printed


def fault_of(record: PageRecord) -> Fault | None:
    """Why a page's text cannot be read; None if it can."""
    texts = [word.text for word in record.words]
    if not texts:
        return None if record.rotated_words else Fault.EMPTY
    if is_mojibake(texts):
        return Fault.UNREADABLE
    if sum(map(len, texts)) < _STAMP and _covered(record) >= _PICTURE_PAGE:
        return Fault.PICTURE
    return None


def undecodable_share(texts: Sequence[str]) -> float:
    """Share of the characters, but white space, that have no meaning (U+FFFD, private use,
    controls) or stand for a glyph's name."""
    total = unreadable = 0
    for text in texts:
        total += sum(map(len, text.split()))
        unreadable += sum(len(match[0]) for match in _UNREADABLE.finditer(text))
    return unreadable / total if total else 0.0


def is_mojibake(words: Sequence[str]) -> bool:
    """Whether enough words of a page are unreadable for OCR to be worth trying."""
    return (
        _broken(words, _BROKEN_WORDS, _BROKEN_CHARACTERS)
        or _in_another_alphabet(words)
        or _signs_only(words)
    )


def is_lost(words: Sequence[str]) -> bool:
    """Whether the words of a page are too unreadable to be kept as text at all."""
    return (
        _broken(words, _LOST_WORDS, _LOST_WORDS)
        or _in_another_alphabet(words)
        or _signs_only(words)
    )


def _broken(words: Sequence[str], share: float, characters: float) -> bool:
    text = "".join(words)
    if _UNREADABLE.search(text) is None and _UNREADABLE.search(" ".join(words)) is None:
        return False
    longer = [word for word in words if len(word) > 1]
    broken = sum(_UNREADABLE.search(word) is not None for word in longer)
    if len(longer) >= _FEWEST_WORDS and broken >= share * len(longer):
        return True
    unreadable = sum(len(match[0]) for match in _UNREADABLE.finditer(text))
    return len(words) >= _FEWEST_WORDS and unreadable >= characters * len(text)


def _in_another_alphabet(words: Sequence[str]) -> bool:
    """Whether letters are shifted (``7KLV`` for ``This``): then few are vowels."""
    latin_words = [word for word in (_NOT_LATIN.sub("", word) for word in words) if len(word) >= 4]
    if len(latin_words) < _FEWEST_LATIN_WORDS:
        return False
    if sum(word.lower() in _COMMON for word in words) >= _COMMON_SHARE * len(words):
        return False
    different = {word.lower() for word in latin_words}
    if len(different) < _FEWEST_DIFFERENT:
        return False
    letters = unicodedata.normalize("NFD", "".join(different))
    vowels = sum(map(letters.count, _VOWELS))
    return vowels <= _VOWEL_SHARE * sum(map(len, different))


def _signs_only(words: Sequence[str]) -> bool:
    text = _LEADERS.sub("", "".join(words))
    if len(text) < _FEWEST_SIGNS:
        return False
    signs = sum(n for char, n in Counter(text).items() if _is_sign(char))
    return signs >= _SIGNS * len(text)


def _is_sign(char: str) -> bool:
    """Whether a character is neither letter, mark, digit, mathematical symbol nor dingbat."""
    category = unicodedata.category(char)
    return category[0] not in "LMN" and category != "Sm" and not "\u2701" <= char <= "\u27bf"


def _covered(record: PageRecord) -> float:
    """Share of the page under pictures; overlapping ones count twice."""
    area = sum((x1 - x0) * (bottom - top) for x0, top, x1, bottom in record.pictures)
    return area / (record.width * record.height) if record.width * record.height else 0.0
