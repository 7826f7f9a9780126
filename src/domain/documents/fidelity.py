"""Fidelity of stored text to an independent reading of the same page.

Whether a quotation stands on a page, as a plain reading of the page has it. Letters and digits are
compared alone: case, accents, ligatures, hyphens and line breaks make no difference.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Final, Self

from pydantic import Field

from citeloom.domain.value import Value

from .spans import CharSpan

#: The format whose pages are compared.
PDF = "application/pdf"
# Least shares of a page that passes. Of 1,206 pages of 96 papers whose sentences other readers
# print, too, 2 have less. Read by a worse reader of characters, 18 of 1,061 had, and 270 of 295
# pages with scrambled, lost or garbled text (the others were mostly formulas).
LEAST_WORDS = 0.95
LEAST_PAIRS = 0.95
# Most undecodable characters, as a share of those that are not white space.
MOST_UNDECODABLE = 0.02
# With fewer words in both, a page is too small for shares.
_FEWEST_WORDS = 20
_CLEARLY = 0.05  # more of the least share
_WORST = 5  # pages that a summary names

# A hyphen within a word, at the end of a line or not: U+FFFE and U+0002 are pdfium's for one at
# the end of a line. Readers differ in which they keep, so all are left out.
_HYPHEN = re.compile(
    r"[-\u00ad\u2010\u2011\ufffe\x02](?<=[^\W_].)(?:[ \t]*\r?\n\s*)?(?=[^\W_])", re.DOTALL
)
#: The first character of scripts without spaces between words, where every character is a word.
FIRST_UNSPACED = "\u0e00"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
# Accents, also those set as characters of their own (compatibility forms: a space and the accent).
_SET_ALONE = "\u02c6\u02c7"  # circumflex and caron, which have no such form
_ACCENT = re.compile(f" ?[\u0300-\u036f\u20d0-\u20dc\u20e1{_SET_ALONE}]+")


class PageFidelity(Value):
    """What the stored text and an independent reading of a page (from 1) have in common, as shares
    from 0 to 1.

    ``words_kept`` and ``pairs_kept`` are the shares of the reading's words (of two letters or
    more) and pairs of adjacent words that are stored. ``words_true`` are the stored text's that
    are in the reading, ``pairs_true`` those of its running text. ``words`` is the number of
    words of the longer one. Pairs are kept less often than true: each break between blocks
    costs one, and tables are read in another order.
    ``undecodable`` is the share of characters without a meaning (U+FFFD, private use,
    controls). ``rebuilt``: the page is stored in the plain order of its words.
    """

    page: int = Field(ge=1)
    words: int = Field(ge=0)
    words_kept: float = Field(ge=0, le=1)
    words_true: float = Field(ge=0, le=1)
    pairs_kept: float = Field(ge=0, le=1)
    pairs_true: float = Field(ge=0, le=1)
    undecodable: float = Field(default=0.0, ge=0, le=1)
    rebuilt: bool = False

    @property
    def least(self) -> float:
        """The least of the shares that count: all but that of kept pairs."""
        return min(self.words_kept, self.words_true, self.pairs_true, 1.0 - self.undecodable)

    @property
    def is_uncertain(self) -> bool:
        """Whether quoting the stored text needs a warning."""
        if self.undecodable > MOST_UNDECODABLE:
            return True
        return self.words >= _FEWEST_WORDS and (
            min(self.words_kept, self.words_true) < LEAST_WORDS or self.pairs_true < LEAST_PAIRS
        )

    def is_better_than(self, other: "PageFidelity") -> bool:
        """Whether this text of the same page is clearly nearer to the reading."""
        if self.is_uncertain != other.is_uncertain:
            return other.is_uncertain
        return self.least >= other.least + _CLEARLY


class DocumentFidelity(Value):
    """Fidelity of a document, as the catalogue keeps it.

    The shares are those of ``pages`` compared pages together, weighted by their words.
    ``uncertain`` are the pages that fail, ``unknown`` those without an independent reading,
    ``rebuilt`` those stored in plain order; ``worst`` has the compared pages with the least
    shares, the worst first, if any share is below 1. ``disputed`` are the sentences, as spans of
    the document's text, whose words another reading of the page does not have side by side.
    """

    pages: int = Field(ge=0)
    words_kept: float = Field(default=1.0, ge=0, le=1)
    words_true: float = Field(default=1.0, ge=0, le=1)
    pairs_kept: float = Field(default=1.0, ge=0, le=1)
    pairs_true: float = Field(default=1.0, ge=0, le=1)
    uncertain: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    rebuilt: tuple[int, ...] = ()
    worst: tuple[PageFidelity, ...] = ()
    disputed: tuple[CharSpan, ...] = ()

    @classmethod
    def of(
        cls,
        compared: Sequence[PageFidelity],
        pages: Iterable[int],
        disputed: tuple[CharSpan, ...] = (),
    ) -> Self | None:
        """The summary of the compared pages, of a document with ``pages``; None without any
        compared page: then nothing is known."""
        if not compared:
            return None
        total = sum(page.words for page in compared)

        def mean(name: str) -> float:
            shares = sum(getattr(page, name) * page.words for page in compared)
            return _share(shares, total)

        known = {page.page for page in compared}
        ranked = sorted((p for p in compared if p.least < 1), key=lambda p: (p.least, p.page))
        return cls(
            pages=len(compared),
            words_kept=mean("words_kept"),
            words_true=mean("words_true"),
            pairs_kept=mean("pairs_kept"),
            pairs_true=mean("pairs_true"),
            uncertain=tuple(page.page for page in compared if page.is_uncertain),
            unknown=tuple(page for page in pages if page not in known),
            rebuilt=tuple(page.page for page in compared if page.rebuilt),
            worst=tuple(ranked[:_WORST]),
            disputed=disputed,
        )

    @property
    def least(self) -> float:
        """The least share of the worst page."""
        return self.worst[0].least if self.worst else 1.0

    def disputed_in(self, span: CharSpan) -> list[CharSpan]:
        """The disputed sentences that share text with ``span``."""
        return [one for one in self.disputed if one.start < span.end and span.start < one.end]

    def is_uncertain(self, pages: Iterable[int], span: CharSpan | None = None) -> bool | None:
        """Whether any of ``pages`` is uncertain, or a sentence in ``span`` of their text disputed;
        None if that is not known."""
        asked = set(pages)
        if not asked.isdisjoint(self.uncertain) or (span and self.disputed_in(span)):
            return True
        return False if asked and asked.isdisjoint(self.unknown) else None


def disputed_note(*sentences: str) -> str:
    """The note on disputed sentences, wherever they are shown."""
    quoted = "; ".join(f"“{' '.join(one.split())}”" for one in sentences)
    return f"check against the page, whose words are uncertain: {quoted}"


def uncertain_mark(text_uncertain: bool | None) -> str:
    """The mark after a citation of uncertain text; empty for others."""
    return " (text uncertain)" if text_uncertain else ""


def compare_page(
    page: int,
    reading: str,
    prose: Sequence[str],
    tables: Sequence[str] = (),
    besides: Sequence[str] = (),
) -> PageFidelity:
    """Compare the stored text of a page with an independent ``reading`` of it.

    ``prose`` are its blocks of running text, ``tables`` blocks whose pairs of words no two readers
    share. ``besides`` is text that is known but not quoted: figures, heads and feet. Case,
    accents, ligatures and hyphens make no difference.
    """
    read = words_of(reading)
    of_prose, of_tables, of_besides = ([*map(words_of, t)] for t in (prose, tables, besides))
    stored = Counter(filter(_counts, chain.from_iterable((*of_prose, *of_tables))))
    kept = stored + Counter(filter(_counts, chain.from_iterable(of_besides)))
    counts = Counter(filter(_counts, read))
    read_pairs = [*pairwise(read)]
    prose_pairs = [*chain.from_iterable(map(pairwise, of_prose))]
    kept_pairs = {*prose_pairs, *chain.from_iterable(map(pairwise, (*of_tables, *of_besides)))}
    return PageFidelity(
        page=page,
        words=max(counts.total(), stored.total()),
        words_kept=_share((counts & kept).total(), counts.total()),
        words_true=_share((counts & stored).total(), stored.total()),
        pairs_kept=_share(sum(map(kept_pairs.__contains__, read_pairs)), len(read_pairs)),
        pairs_true=_share(sum(map({*read_pairs}.__contains__, prose_pairs)), len(prose_pairs)),
    )


def words_of(text: str) -> list[str]:
    """The words of a text, folded, without the hyphens in them."""
    if not text.isascii():
        text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
        text = text.replace("ı", "i").replace("ȷ", "j")  # which carry such an accent
    return _WORD.findall(_HYPHEN.sub("", text).casefold())


def _counts(word: str) -> bool:
    """Whether a word counts alone: readers separate single letters of formulas in different ways,
    and count in pairs only."""
    return len(word) > 1 or word >= FIRST_UNSPACED


def _share(part: float, whole: float) -> float:
    """The share, cut after four digits, so that it is 1 only for the whole."""
    return int(10_000 * part / whole) / 10_000 if whole else 1.0


#: With fewer letters a page has no text that could be compared: it is a picture.
FEWEST: Final = 40
# Nor one whose font has no map of characters: four of 127 papers have 0.22 to 0.6, the rest 0.08.
_MOST_MEANINGLESS: Final = 0.15
_MEANINGLESS: Final = re.compile("[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8df]")


def letters_of(text: str) -> str:
    """The letters and digits of a text, folded, ligatures taken apart."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in folded if char.isalnum() and char not in _SET_ALONE)


def stands_on(quote: str, pages: Sequence[str]) -> bool | None:
    """Whether ``quote`` stands in one of the readings of consecutive ``pages``, or across two,
    in one piece on each; None if a page has no text to compare with."""
    read = [letters_of(page) for page in pages]
    if not read or any(len(page) < FEWEST for page in read):
        return None
    if any(len(_MEANINGLESS.findall(page)) > _MOST_MEANINGLESS * len(page) for page in pages):
        return None
    wanted = letters_of(quote)
    if any(wanted in page for page in read):
        return True
    return any(
        wanted[:cut] in first and wanted[cut:] in second
        for first, second in pairwise(read)
        for cut in range(1, len(wanted))
    )
