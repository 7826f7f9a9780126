"""Acceptance check of titles and summaries proposed by a language model.

A proposal is accepted only if the part's own text supports it: all of its numbers and most of
its words are there. This detects fabricated and unrelated text, not a reversed meaning. A
summary is for orientation, never evidence.
"""

import re
import unicodedata
from collections.abc import Iterator

from citeloom.domain.maps.resource_map import SUMMARY
from citeloom.domain.text.sentences import cut_at_sentence

#: Maximum characters of a title, and of a text that is still cut to a summary.
LONGEST_TITLE = 80
LONGEST_SUMMARY = 3 * SUMMARY
_SHORTEST_SUMMARY = 15
_KNOWN_SHARE = 0.5
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_STEM = 4


def better_title(old: str | None, new: object, text: str, *, own: bool) -> str | None:
    """``new`` as a title; None if it is none or not supported by ``text``. The words of a title
    from a heading (``own``) must stay."""
    title = _line(new).strip("\"'`*#“”„«» ")
    if not title or len(title) > LONGEST_TITLE or title == old:
        return None
    if own and _squeezed(old or "") not in _squeezed(title):
        return None
    return title if is_supported(title, f"{old or ''} {text}") else None


def better_summary(old: str | None, new: object, text: str) -> str | None:
    """``new`` as a summary; None if it is none or not supported by ``text``."""
    line = _line(new)
    if not _SHORTEST_SUMMARY <= len(line) <= LONGEST_SUMMARY:
        return None
    summary = cut_at_sentence(line, SUMMARY)
    if summary == old or not is_supported(summary, f"{old or ''} {text}"):
        return None
    return summary


def is_supported(said: str, text: str) -> bool:
    """Whether ``text`` has each number of ``said`` and at least half of its words, by their first
    letters (bigrams in scripts without spaces)."""
    said, text = _folded(said), _folded(text)
    if not set(_NUMBER.findall(said)) <= set(_NUMBER.findall(text)):
        return False
    pieces = set(_pieces(said))
    known = sum(piece in text for piece in pieces)
    return bool(pieces) and known >= _KNOWN_SHARE * len(pieces)


def _pieces(text: str) -> Iterator[str]:
    """Prefixes of longer words; bigrams of scripts without spaces."""
    for word in _WORD.findall(text):
        if run := _UNSPACED.search(word):
            yield from (run[0][at : at + 2] for at in range(max(1, len(run[0]) - 1)))
        elif len(word) >= _STEM:
            yield word[:_STEM]


def _line(found: object) -> str:
    """A string on one line; empty for other values and control characters."""
    if not isinstance(found, str) or len(found) > 10 * LONGEST_SUMMARY:
        return ""
    line = " ".join(found.split())
    return line if line.isprintable() else ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _squeezed(text: str) -> str:
    return re.sub(r"\W", "", _folded(text))
