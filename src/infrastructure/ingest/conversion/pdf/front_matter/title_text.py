"""The title's text: as printed, or in the spelling of the metadata."""

import re
from difflib import SequenceMatcher

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import (
    TitleEvidence,
    agreement,
    shared_words,
    title_words,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_lines import SERIES
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

_MARKS = re.compile(
    "(?:(?<![A-Z])[*\u2217\u22c6]|[\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3\ufffd\ue000-\uf8ff]|"
    r"\s[*\u2217\u22c6])+\s*$"
)
_NOTE_NUMBER = re.compile(r"(?<=[^\W\d_]{4})\d$")
_CODES = re.compile(r"(?=\w*[A-Z]\w*\d)\w{8,}$")
_ADDRESS = re.compile(r"\S@\S|https?:|www\.")
# Shares of common words: of titles that are the same, and of a part of a title.
_SAME, _PART = 0.6, 0.6
_BEGINNING = 0.7  # similarity of half a title and the beginning of the whole one
# Share of a title's words that the page or the file name must have.
_SUPPORT = 0.6
_LONE = 0.75  # the same, where no title was found on the page
_NEAR = 0.6  # similarity of a word and its misreading
_SCANT = 30  # words of a page that cannot contradict a title


def resolve_title(
    printed: str | None, evidence: TitleEvidence, page_words: frozenset[str]
) -> str | None:
    """The document's title; None if neither page nor metadata have a credible one.

    The page's wording is kept unless a title of the metadata, supported by words of the first
    page or of the file name, completes it or corrects a misread word. A title of the metadata
    alone counts if the page has its words, or has no text.
    """
    own = clean_title(printed, evidence) if printed else None
    for title in evidence.titles:
        if own is None:
            if len(page_words) < _SCANT or _support(title, evidence, page_words) >= _LONE:
                return title
        elif (better := _better(own, title, evidence, page_words)) is not None:
            return better
    return own


def clean_title(printed: str, evidence: TitleEvidence) -> str | None:
    """A printed title without footnote marks and series number; None for character codes and
    addresses."""
    text = _MARKS.sub("", " ".join(printed.split()))
    text = SERIES.sub("", text).strip()
    words = text.split()
    known = evidence.file_words.union(*map(title_words, evidence.titles))
    if words and _NOTE_NUMBER.search(words[-1]) and squash(words[-1][:-1]) in known:
        text = text[:-1]
    coded = sum(_CODES.match(word) is not None for word in words)
    if not squash(text) or 2 * coded >= len(words) or _ADDRESS.search(text):
        return None
    return text


def _better(
    own: str, title: str, evidence: TitleEvidence, page_words: frozenset[str]
) -> str | None:
    """The metadata's title if it is to be preferred to the printed one."""
    mixed = title.upper() != title != title.lower()
    if squash(own) == squash(title):
        return title if mixed else None
    printed, stated = title_words(own), title_words(title)
    shared_printed = shared_words(printed, stated) / len(printed)
    shared_stated = shared_words(stated, printed) / len(stated)
    supported = _support(title, evidence, page_words) >= _SUPPORT
    if shared_stated == 1.0:
        return None  # without its subtitle
    if shared_printed >= _PART and len(printed) < len(stated) and _begins(own, title):
        return title if supported else None
    if min(shared_printed, shared_stated) >= _SAME:
        other = stated - printed
        borne_out = shared_words(other, page_words | evidence.file_words) == len(other)
        return title if borne_out or _corrects(printed - stated, other, evidence) else None
    named = evidence.by_file_name(title) >= _SUPPORT > 2 * evidence.by_file_name(own)
    return title if named and supported and agreement(own, title) < _SAME else None


def _begins(part: str, whole: str) -> bool:
    letters = squash(part)
    return SequenceMatcher(None, letters, squash(whole)[: len(letters)]).ratio() >= _BEGINNING


def _corrects(misread: frozenset[str], stated: frozenset[str], evidence: TitleEvidence) -> bool:
    """Whether the metadata's words stand for misread ones."""
    if shared_words(stated, evidence.file_words) and not shared_words(misread, evidence.file_words):
        return True
    return all(
        any(SequenceMatcher(None, word, other).ratio() >= _NEAR for other in stated)
        for word in misread
    )


def _support(title: str, evidence: TitleEvidence, page_words: frozenset[str]) -> float:
    words = title_words(title)
    return shared_words(words, page_words | evidence.file_words) / len(words)
