"""Words that a heading may have."""

import re

from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    FRONT_MATTER,
    KNOWN_HEADINGS,
    THEOREM,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

LONGEST = 220  # characters
_SENTENCE = re.compile(r"[.;,]$")
_PROOF = re.compile(r"proofs?\s+(?:of|that|for)\b", re.IGNORECASE)
_OPERATOR = re.compile(
    "[=<>\u2264\u2265\u2211\u222b\u220f\u221a\u2208\u2192\u2282\u222a\u2229\u2248\u2202\u221e]"
)
_JOINTS = re.compile("[-.,:;!?()+&/\"'\u2010-\u201f\u2026]")
_OPENING = "\"'\u2018\u201c\u201e\u00ab\u00bf\u00a1\u00a7"

# A shell's or an interpreter's prompt, an option, a call: lines of code, not of prose.
_COMMAND = re.compile(
    r"^(?:[$%>\u276f]|>>>)\s|\s(?:--[a-z][\w-]*|-[a-zA-Z])(?:[\s=]|$)|^[\w.]+\(.*\)$|\w_\w+\("
)


def may_head(text: str) -> bool:
    """Whether a text may be a heading by its words."""
    number = numbering_of(text)
    words = number.title if number is not None and number.title else text
    letters = sum(c.isalpha() for c in words)
    if letters < (1 if number else 2) or letters < 0.45 * len(words.replace(" ", "")):
        return False
    if len(text) > LONGEST:
        return False
    if _COMMAND.search(text) or "@" in text or "://" in text or squash(text) in FRONT_MATTER:
        return False
    if THEOREM.match(text) and not (number and _PROOF.match(number.title)):
        return False
    if number is None and (text[:1].islower() or _OPERATOR.search(text) or _unbalanced(text)):
        return False
    if number is None and not _has_words(text):
        return False
    if not text[0].isalnum() and text[0] not in _OPENING:
        return False
    return not (
        _SENTENCE.search(text)
        and not re.search(r"\b[A-Z]\.$|etc\.$", text)
        and not (number and len(text) < 60)
        and squash(text) not in KNOWN_HEADINGS
    )


def _has_words(text: str) -> bool:
    """Whether at least half of the parts of a text are words or numbers, not symbols or bits of
    misread ones."""
    parts = text.split()
    words = [_JOINTS.sub("", part) for part in parts]
    sound = sum((word.isalpha() and len(word) > 1) or word.isdigit() for word in words)
    single = sum(len(word) == 1 and word.isalpha() for word in words)
    return sound > 0 and 2 * sound + single >= len(parts)


def _unbalanced(text: str) -> bool:
    return any(text.count(opening) != text.count(closing) for opening, closing in ("()", "[]"))
