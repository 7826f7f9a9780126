"""Spaces between the words of one baseline."""

from collections.abc import Sequence
from math import inf

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.bidi import direction
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import is_small_caps
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import clean, is_cjk, is_hangul

# All but the last two in cell heights (about 0.8 of the font size).
TIGHT = 0.13  # narrower gaps are no space
NARROW = 0.45  # gaps in Chinese and Japanese lines stretched to full width
KERNED = 0.18  # narrower gaps are no space in Arabic: the decoder takes kerns for spaces
SPREAD = 0.6  # narrower gaps are no space in a heading with spread letters
_SCRIPT = 1.45  # a cell higher than its neighbour by more holds scripts or is a symbol
SCRIPT_RATIO = 0.86  # a word smaller than this share of its neighbour is a super- or subscript


def join_words(words: Sequence[Word]) -> str:
    """The text of words in reading order, with a space at each gap that is one."""
    parts: list[str] = []
    before: Word | None = None
    note_mark = _begins_with_note_mark(words) and not words[0].rtl
    directions = [direction(word.text) for word in words]
    tight_below = SPREAD if _is_spread(words) else TIGHT
    last = 0.0
    for i, word in enumerate(words):
        size = word.bottom - word.top
        if before is not None:
            gap = max(word.x0 - before.x1, before.x0 - word.x1)
            short, tall = (size, last) if size < last else (last, size)
            tall = min(tall, _SCRIPT * short)
            limit = tight_below
            if tight_below == TIGHT and 0 <= before.order == word.order - 1:
                limit = -inf if word.spaced else inf
            elif directions[i - 1] != directions[i]:
                limit = min(limit, tight_below)
            elif directions[i] == "R":
                limit = KERNED
            tight = gap < limit * tall or (
                gap < NARROW * tall and _needs_no_space(before, word, first=i == 1)
            )
            if not tight or (note_mark and word is words[1]):
                parts.append(" ")
        parts.append(word.text)
        before, last = word, size
    return clean("".join(parts)).strip()


def _needs_no_space(before: Word, word: Word, first: bool) -> bool:
    """Whether a narrow gap between two words is no space. Typesetters put a quarter of an em
    between Chinese or Japanese and letters or digits; but a number may begin a heading."""
    ends, begins = before.text[-1], word.text[0]
    if is_cjk(ends):
        return is_cjk(begins) or (begins.isalnum() and not is_hangul(begins))
    if not is_cjk(begins) or (first and not before.text.isalpha()):
        return False
    return ends.isalnum() and not is_hangul(ends)


def _is_spread(words: Sequence[Word]) -> bool:
    """Whether capitals are set with spaces between them (A B S T R A C T)."""
    return (
        len(words) >= 3
        and all(word.text.isupper() and word.text.isalpha() for word in words)
        and sum(len(word.text) for word in words) <= 3 * len(words)
    )


def _begins_with_note_mark(words: Sequence[Word]) -> bool:
    """Whether the words begin with a raised note or affiliation mark, not with the mass number
    of an isotope."""
    return begins_raised(words) and words[1].text[:3].isalpha() and len(words[1].text) > 2


def begins_raised(words: Sequence[Word]) -> bool:
    """Whether the words begin with a superscript."""
    if len(words) < 2:
        return False
    first, second = words[0], words[1]
    if is_small_caps(first.font):
        return False
    return (
        first.size < SCRIPT_RATIO * second.size
        and first.bottom < second.bottom - 0.15 * second.size
    )
