"""Block text: hyphenation and spaces between lines, with the offsets of each line."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import Line
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import row_text
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import (
    HYPHENS,
    SOFT_HYPHEN,
    is_cjk,
    is_hangul,
)

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_BROKEN = re.compile(rf"([^\W_]+(?:[-\u2010\u2011'\u2019][^\W_]+)*)[{HYPHENS}]$")
_LONGEST_WORD = 100  # characters searched: more makes long paragraphs slow
_NOTE_NUMBER = re.compile(r"^(\d{1,2}|[*\u2020\u2021\u00a7])(?=[A-Z][a-z])")
_LINKED = re.compile(r"(?:to|and|or|of|in|on|by|the|for|as|from|und|de|\u00e0)-[^\W\d_]")
_MULTIPLE = re.compile(r"pl(?:e|ic|ie|y)")  # multi-|plication, which is no compound
_LAST_WORD = re.compile(r"[^\W_]+$")
_OPENING = re.compile(r"^[^\W_]+")
# Prefixes that keep the hyphen in English when the joined word is not in the document.
_PREFIXES = frozenset(
    """
    self non well half high low cross ex quasi state all multi long short
""".split()
)


class Vocabulary(NamedTuple):
    """Words of the document that are not broken across lines, in lower case."""

    words: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        words: set[str] = set()
        broken = False
        for text in texts:
            line_words = _WORD.findall(text.lower())
            if line_words and broken:
                del line_words[0]
            broken = text[-1:] in HYPHENS
            if line_words and (broken or is_hangul(text[-1:])):
                line_words.pop()
            if line_words and is_hangul(text[:1]):
                del line_words[0]
            words.update(word.replace("\u2010", "-").replace("\u2011", "-") for word in line_words)
        return cls(frozenset(words))

    def is_one_word(self, first: str, second: str) -> bool:
        """Whether a hyphen at the end of a line only marks the line break.

        ``first`` may contain hyphens, as in *state-of-the*.
        """
        first, second = first.lower(), second.lower()
        if f"{first}-{second}" in self.words:
            return False
        first = first.rsplit("-", 1)[-1]
        if first + second in self.words:
            return True
        if not first.isalpha() or not second.isalpha():
            return False
        if first in _PREFIXES:
            return first == "multi" and _MULTIPLE.match(second) is not None
        both_known = first in self.words and second in self.words
        return not (both_known and len(first) >= 3 and len(second) >= 3)


class JoinedText(NamedTuple):
    """A block's text, with the offsets, page and box of each line."""

    text: str
    lines: tuple[Line, ...]


def join_lines(lines: Sequence[TextLine], label: BlockLabel, vocabulary: Vocabulary) -> JoinedText:
    """The text of physical lines. Every character except white space belongs to one line."""
    separate = label in (BlockLabel.TABLE, BlockLabel.CODE, BlockLabel.FIGURE_TEXT)
    text = ""
    spans: list[Line] = []
    for line in lines:
        line_text = row_text(line) if label == BlockLabel.TABLE else line.text.strip()
        if label == BlockLabel.FOOTNOTE:
            line_text = _NOTE_NUMBER.sub(r"\1 ", line_text)
        if not line_text:
            continue
        if text:
            text, between = (text, "\n") if separate else line_joint(text, line_text, vocabulary)
            if spans and len(text) < spans[-1].end:
                spans[-1] = spans[-1]._replace(end=len(text))
            text += between
        start = len(text)
        text += line_text
        spans.append(Line(start, len(text), line.page, line.box))
    if text.endswith(SOFT_HYPHEN):
        text = text[:-1] + "-"
    return JoinedText(text, tuple(spans))


def line_joint(text: str, following: str, vocabulary: Vocabulary) -> tuple[str, str]:
    """``text`` without the hyphen of a line break, and the separator before ``following``."""
    broken = _BROKEN.search(text, max(0, len(text) - _LONGEST_WORD))
    opening = _OPENING.match(following)
    if broken and opening:
        lower = opening[0][:1].islower()
        first = broken[1].replace("\u2010", "-").replace("\u2011", "-")
        if _LINKED.match(following):  # English-|to-German
            return (text[:-1] + "-" if text.endswith(SOFT_HYPHEN) else text), ""
        if lower and (text.endswith(SOFT_HYPHEN) or vocabulary.is_one_word(first, opening[0])):
            return text[:-1], ""
        if f"{first}{opening[0]}".lower() in vocabulary.words and vocabulary.is_one_word(
            first, opening[0]
        ):  # PubTab-|Net
            return text[:-1], ""
        hyphenated = text[:-1] + "-" if text.endswith(SOFT_HYPHEN) else text
        return hyphenated, ""
    if text.endswith(("/", "\u2014")) and opening and "/" in text.rsplit(" ", 1)[-1][-1:]:
        return text, "" if "://" in text.rsplit(" ", 1)[-1] else " "
    return text, "" if _is_unspaced(text, following, vocabulary) else " "


def _is_unspaced(text: str, following: str, vocabulary: Vocabulary) -> bool:
    """Whether a line break stands for no space, in a script that breaks lines within words."""
    ends, begins = text[-1], following[0]
    if is_cjk(ends) or is_cjk(begins):
        return (is_cjk(ends) or ends.isalnum()) and (is_cjk(begins) or begins.isalnum())
    if not (is_hangul(ends) and is_hangul(begins)):
        return False
    first = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    second = _OPENING.match(following)
    return bool(first and second and first[0] + second[0] in vocabulary.words)
