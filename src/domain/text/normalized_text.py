"""Normalised text with offsets into the original, and the location of quotations in it.

Line breaks, hyphens at line ends, ligatures, diacritics, letter case, quotation marks, white space,
punctuation and reference numbers in brackets are removed. Numbers keep their signs, points, commas,
dashes and powers, however these are written (10⁶, 10^6, 10**6); raised numbers of notes do not
count; symbols such as % and < stay.

In a quotation of an author, an ellipsis stands for what was left out, square brackets for what the
quoting author put in (Chicago Manual of Style, 13.50-13.62); an inserted negation has to be in the
source.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.documents.spans import CharSpan

from .scripts import note_marks, powers
from .words import without_accents

# No character before these combines with another; passages are folded whole, so that it pays.
_PERHAPS_MARKS = re.compile(r"[\u0300-\U0010ffff]+")


def fold(text: str) -> str:
    """Case, accents, strokes of letters (ł, ø, æ) and spacing do not count when text fields are
    compared."""
    if text.isascii():
        return " ".join(text.casefold().split())
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    folded = _PERHAPS_MARKS.sub(_without_marks, apart)
    # Folding may undo the normal form (and does for Greek iota subscripts).
    folded = without_accents(unicodedata.normalize("NFKC", folded).casefold())
    return " ".join(folded.split())


def _without_marks(run: re.Match[str]) -> str:
    return "".join(char for char in run[0] if not unicodedata.combining(char))


_DASHES: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe63\uff0d")
_SYMBOLS: Final = frozenset("%<>=±°$€£¥≤≥×~≈∞√∑")
# Reference numbers as journals print them: [3], [4, 5], [7-9].
_REFERENCE: Final = re.compile(r"(?<!CI )\[\s?\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\s?\]")
_ASCII_LETTERS_OR_ONE: Final = re.compile(r"[A-Za-z]+|[^A-Za-z ]")


class NormalizedWord(NamedTuple):
    """A word as compared, at ``text[start:end]`` of the original."""

    start: int
    end: int
    letters: str


class NormalizedText:
    """The letters of a text and their offsets in it.

    Letters are those of words and numbers, in lower case and without accents; points, commas,
    dashes and white space between digits (2.5, 3-5, 10 20); a minus before a number; symbols.
    ``letters_only`` keeps letters and digits alone, those of reference numbers too: two
    programs that read the same page agree on these."""

    def __init__(self, text: str, *, letters_only: bool = False) -> None:
        self._text = text
        pieces: list[str] = []
        offsets = array("L")
        after = 0
        skipped = set() if letters_only else _reference_offsets(text)
        special = {} if letters_only else _powers(text)
        for match in _ASCII_LETTERS_OR_ONE.finditer(text):
            at, end = match.span()
            run = match[0]
            if run.isascii() and run.isalpha():
                pieces.append(run.lower())
                offsets.extend(range(at, end))
                after = end
                continue
            if at in skipped:
                continue
            if (power := special.get(at)) is not None:
                letters = power
            elif letters_only:
                letters = _letters(run)
            else:
                letters = _folded(run) or _within_number(text, at)
            if not letters:
                after += at == after and unicodedata.combining(run) > 0
                continue
            is_apart = not letters_only and at > after and bool(pieces)
            if is_apart and pieces[-1][-1].isdigit() and letters[0].isdigit():
                pieces.append(" ")
                offsets.append(at)
            pieces.append(letters)
            offsets.extend([at] * len(letters))
            after = end
        self.letters = "".join(pieces)
        self._offsets = offsets

    def offset(self, letter: int) -> int:
        """The position of a letter in the text."""
        return self._offsets[letter]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text of ``letters[start:end]``, which are some."""
        return self._offsets[start], self._offsets[end - 1] + 1

    def places(self, letters: str, after: int = 0, *, within_words: bool = False) -> Iterator[int]:
        """Where these letters stand, from ``after`` on, in order: as whole words, or
        ``within_words`` too, but never within a ligature."""
        is_border = self._is_between_characters if within_words else self._is_edge
        at = self.letters.find(letters, after)
        while at >= 0:
            if is_border(at) and is_border(at + len(letters)):
                yield at
            at = self.letters.find(letters, at + 1)

    def words(self) -> list[NormalizedWord]:
        """The letters between edges, in order."""
        edges = [at for at in range(len(self.letters) + 1) if self._is_edge(at)]
        return [
            NormalizedWord(*self.span(start, end), letters)
            for start, end in pairwise(edges)
            if (letters := self.letters[start:end].strip())
        ]

    def _is_between_characters(self, at: int) -> bool:
        if at in (0, len(self.letters)) or self.letters[at - 1] == " ":
            return True
        return self._offsets[at - 1] < self._offsets[at]

    def _is_edge(self, at: int) -> bool:
        """Whether a word begins or ends before the letter ``at``."""
        if at in (0, len(self.letters)) or self.letters[at - 1] == " ":
            return True
        if not self._is_between_characters(at) or self.letters[at - 1] == "^":
            return False
        if not _SYMBOLS.isdisjoint(self.letters[at - 1 : at + 1]):
            return True
        gap = range(self._offsets[at - 1] + 1, self._offsets[at])
        return any(not _joins(self._text, offset) for offset in gap)


def count_letters(text: str) -> int:
    """The number of letters and digits."""
    return len(NormalizedText(text, letters_only=True).letters)


def _reference_offsets(text: str) -> set[int]:
    spans = [*(match.span() for match in _REFERENCE.finditer(text)), *note_marks(text)]
    return {at for span in spans for at in range(*span)}


def _powers(text: str) -> dict[int, str]:
    """What each character of a power means, the first one with a caret."""
    special: dict[int, str] = {}
    for start, end, exponent in powers(text):
        special |= dict.fromkeys(range(start, end), "")
        special[end - 1] = f"^{exponent}"
    return special


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    """``ﬁ`` is fi, ``É`` is e, ``²`` is 2; symbols as they are; nothing for the rest."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(one for one in apart if one.isalnum() or one in _SYMBOLS)


@lru_cache(maxsize=8192)
def _letters(char: str) -> str:
    return "".join(one for one in _folded(char) if one.isalnum())


def _within_number(text: str, at: int) -> str:
    """What a punctuation mark means to the number around it: a point, a comma, a dash
    between digits, a minus before them; or nothing."""
    char, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char in ".,·" and before.isdigit() and after.isdigit():
        return "." if char == "·" else char
    if char not in _DASHES or char == "\u00ad":
        return ""
    if after.isdigit() and not before.isalnum() and not before.isspace():
        return "" if before in _DASHES else "-"
    left, right = text[max(0, at - 4) : at].rstrip()[-1:], text[at + 1 : at + 5].lstrip()[:1]
    if left.isdigit() and right.isdigit():
        return "" if char == "\u2014" and before.isspace() and after.isspace() else "-"
    return "-" if after.isdigit() and not before.isalnum() else ""


def _joins(text: str, at: int) -> bool:
    """Whether a character that is not a letter stands within a word: a mark on a letter, a soft
    hyphen, an apostrophe, a hyphen, and the line break after one."""
    char = text[at]
    if unicodedata.combining(char) or char == "\u00ad":
        return True
    if char.isspace():
        start = at
        while start and text[start - 1].isspace():
            start -= 1
        end = at
        while end < len(text) and text[end].isspace():
            end += 1
        broken = "\n" in text[start:end] and start > 1 and text[start - 1] in _DASHES
        return broken and text[start - 2].isalpha() and text[end : end + 1].isalpha()
    if char in _DASHES or char in "'\u2019":
        return text[at - 1 : at].isalpha() and text[at + 1 : at + 2] not in ("", " ")
    return False


#: So many letters and digits (about five words) stand nowhere by chance.
LONG: Final = 24
# The least share of a quote that is in the text where its beginning and its end are.
_LEAST: Final = 0.5
# What an ellipsis and a bracket may stand for at most, in characters of the source.
_LEFT_OUT, _REPLACED = 2_000, 80
_JOINT: Final = re.compile(
    r"(?P<ellipsis>\[\s*(?:…|\.\s?\.\s?\.(?:\s?\.)?)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)"
    r"|…|\.\s?\.\s?\.(?:\s?\.)?)"
    r"|\[(?P<inserted>[^\[\]]{0,200})\](?P<rest>[^\W\d_]*)"
)
_REMARK: Final = re.compile(
    r"\s*(?:sic!?|emphasis .*|my emphasis|italics .*|translat.*|original .*|\d[\d,\s–-]*)\s*",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"\b(?:no|not|never|none|nor|neither|without|\w+n['’]t)\b", re.I)


class QuotePart(NamedTuple):
    """The letters of a quotation between joints. It begins at most ``gap`` characters of the
    source after the part before it."""

    letters: str
    gap: int


class QuoteLocator:
    """A text in which quotations are located. Construction takes as long as reading the text;
    ``letters_only`` as in ``NormalizedText``."""

    def __init__(self, text: str, *, letters_only: bool = False) -> None:
        self._text = text
        self._letters_only = letters_only
        self.normalized = self._normalize(text)

    def find(self, quote: str) -> list[CharSpan]:
        """All places that have the words of ``quote``, in order, with the punctuation around
        them that the quote has too. Whole words if there are any such places; none for a quote
        without letters and digits."""
        letters = self._normalize(quote).letters
        if not letters:
            return []
        places = self.normalized.places
        starts = list(places(letters)) or list(places(letters, within_words=True))
        return [self._with_punctuation(quote, start, start + len(letters)) for start in starts]

    def find_ends(self, quote: str) -> list[CharSpan]:
        """All places, in order, with the beginning and the end of a long quote and possibly more
        between (a running head at a page break). None for a short quote."""
        sought, letters = self._normalize(quote).letters, self.normalized.letters
        if len(sought) < 3 * LONG:
            return []
        spans = []
        start = letters.find(sought[:LONG])
        while start >= 0:
            nearest = start + int(_LEAST * len(sought)) - LONG
            end = letters.find(sought[-LONG:], nearest, start + len(sought))
            if end >= 0:
                spans.append(self._with_punctuation(quote, start, end + LONG))
            start = letters.find(sought[:LONG], start + 1)
        return spans

    def find_quotation(self, quotation: str) -> Iterator[tuple[CharSpan, ...]]:
        """All places that have an author's quotation in whole words, each as the spans of the
        parts between its ellipses and brackets."""
        for parts in readings(quotation):
            for start in self.normalized.places(parts[0].letters) if parts else ():
                spans = [self._span(start, start + len(parts[0].letters))]
                end: int | None = start + len(parts[0].letters)
                for part in parts[1:]:
                    if end is not None and (begin := self._next(part, end)) is not None:
                        end = begin + len(part.letters)
                        spans.append(self._span(begin, end))
                    else:
                        end = None
                if end is not None:
                    yield tuple(spans)

    def _next(self, part: QuotePart, after: int) -> int | None:
        limit = self.normalized.offset(after - 1) + part.gap
        start = next(self.normalized.places(part.letters, after), None)
        return start if start is not None and self.normalized.offset(start) <= limit else None

    def _normalize(self, text: str) -> NormalizedText:
        return NormalizedText(text, letters_only=self._letters_only)

    def _span(self, start: int, end: int) -> CharSpan:
        first, last = self.normalized.span(start, end)
        return CharSpan(start=first, end=last)

    def _with_punctuation(self, quote: str, start: int, end: int) -> CharSpan:
        first, last = self.normalized.span(start, end)
        count = len(self.normalized.letters)
        lowest = self.normalized.offset(start - 1) + 1 if start else 0
        highest = self.normalized.offset(end) if end < count else len(self._text)
        before, after = self._punctuation_around(quote)
        while before and first > lowest and _is_punctuation(self._text[first - 1]):
            first, before = first - 1, before - 1
        while after and last < highest and _is_punctuation(self._text[last]):
            last, after = last + 1, after - 1
        return CharSpan(start=first, end=last)

    def _punctuation_around(self, quote: str) -> tuple[int, int]:
        """The number of characters of punctuation before and after the words of a quote."""
        text = quote.strip()
        normalized = self._normalize(text)
        first, last = normalized.span(0, len(normalized.letters))
        return first, len(text) - last


def readings(quotation: str) -> Iterator[Sequence[QuotePart]]:
    """A quotation with bracketed text as words of the source (*[t]he*), and with it in place of
    other words of the source."""
    yield _parts(quotation, keeps_inserted=True)
    if "[" in quotation:
        yield _parts(quotation, keeps_inserted=False)


def without_joints(quotation: str) -> str:
    """The quotation without ellipses and brackets."""

    def plain(match: re.Match[str]) -> str:
        if match["ellipsis"]:
            return " "
        return " " if _REMARK.fullmatch(match["inserted"]) else match["inserted"] + match["rest"]

    return _JOINT.sub(plain, quotation)


def _parts(quote: str, *, keeps_inserted: bool) -> list[QuotePart]:
    pieces: list[tuple[str, int]] = []
    text, gap, at = "", 0, 0
    for match in _JOINT.finditer(quote):
        text += quote[at : match.start()]
        at = match.end()
        if match["ellipsis"]:
            pieces.append((text, gap))
            text, gap = "", _LEFT_OUT
            continue
        inserted, rest = match["inserted"], match["rest"]
        if _REMARK.fullmatch(inserted):
            text += f" {rest}"
        elif keeps_inserted or _NEGATED.search(inserted):
            text += inserted + rest
        else:
            pieces.append((text, gap))
            text, gap = "", _REPLACED
    pieces.append((text + quote[at:], gap))
    parts: list[QuotePart] = []
    gap = 0
    for piece, before in pieces:
        gap = max(gap, before)
        if letters := NormalizedText(piece).letters:
            parts.append(QuotePart(letters, gap))
            gap = 0
    return parts


def _is_punctuation(char: str) -> bool:
    return not char.isspace() and not char.isalnum()
