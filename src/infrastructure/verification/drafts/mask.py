"""Prose of a draft at the same offsets as its source: markup is overwritten."""

import re

from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.draft import JOINER, PLACEHOLDER, InTextCitation

_NOT_BREAK = re.compile(r"[^\r\n]")
_CITATION = re.compile(r"\[?-?@\S+|\\\w+(?:\[[^\]]*\])*\{[^{}]*\}")
_REFERENCE_ONLY = re.compile(
    r"\s*(?:see|cf|compare|e\.g|for (?:a|an|more|details|further|the))\b", re.I
)
_MIN_WORDS = 6


class Mask:
    """The characters of a draft, with everything but prose overwritten. ``prose`` is the initial
    content, by default the whole text.

    ``literals`` are spans of prose in which nothing is a typed citation (code, formulas),
    ``superscripts`` spans that are raised. ``bibliography`` is the text of the reference list,
    without markup, its entries apart by empty lines or labels.
    """

    def __init__(self, text: str, prose: str | None = None) -> None:
        self.text = text
        self._chars = list(text if prose is None else prose)
        self.citations: list[InTextCitation] = []
        self.works: dict[str, NamedWork] = {}
        self.literals: list[tuple[int, int]] = []
        self.superscripts: list[tuple[int, int]] = []
        self.bibliography = ""

    def blank(self, start: int, end: int) -> None:
        """Overwrite a block: line breaks are kept, its citations are removed."""
        self.citations = [one for one in self.citations if not start <= one.start < end]
        for at in range(start, end):
            if self._chars[at] not in "\r\n":
                self._chars[at] = " "

    def paragraph(self, start: int, end: int) -> None:
        """Like ``blank``, followed by a new paragraph (after the bullet of a list)."""
        self.blank(start, end)
        self._chars[start] = "\n"

    def note(self, note: tuple[int, int], words: tuple[int, int]) -> bool:
        """A footnote whose ``words`` are prose. After a full stop, a note with content of its own
        becomes a paragraph (then True); otherwise it is part of the sentence around it."""
        before = self.text[max(0, note[0] - 3) : note[0]].rstrip()
        if before.endswith((".", "!", "?", ".”", '."')) and _has_content(self.text[slice(*words)]):
            self.paragraph(note[0], words[0])
            self._chars[note[0] : note[0] + 2] = "\n\n"
            self.paragraph(words[1], note[1])
            return True
        self.inline(note[0], words[0] - 1)
        return False

    def inline(self, start: int, end: int) -> None:
        """Overwrite inline markup: it separates words only at white space, or where at most one
        side has a letter."""
        inside = start > 0 and end < len(self.text) and _letter(self.text, start - 1)
        filler = JOINER if inside and _letter(self.text, end) else " "
        self._chars[start:end] = filler * (end - start)

    def spaces(self, start: int, end: int) -> None:
        """White space without line breaks: it ends no paragraph."""
        self._chars[start:end] = " " * (end - start)

    def replace(self, start: int, end: int, text: str) -> None:
        """``text`` instead of the source, which is at least as long."""
        text = text[: end - start]
        self._chars[start:end] = text + JOINER * (end - start - len(text))

    def restore(self, start: int, end: int) -> None:
        """Restore blanked text as prose."""
        self._chars[start:end] = self.text[start:end]

    def cite(self, citation: InTextCitation) -> None:
        self._chars[citation.start : citation.end] = " " * (citation.end - citation.start)
        if citation.narrative:
            self._chars[citation.start] = PLACEHOLDER
        self.citations.append(citation)

    def prose_at(self, at: int) -> str:
        return self._chars[at]

    @property
    def prose(self) -> str:
        return "".join(self._chars)

    def in_order(self) -> tuple[InTextCitation, ...]:
        return tuple(sorted(self.citations, key=lambda one: one.start))


def blanked(text: str) -> str:
    """White space as long as ``text``, with its line breaks."""
    return _NOT_BREAK.sub(" ", text)


def _has_content(note: str) -> bool:
    """Whether a note is more than a reference: *see Smith 2020 for more*."""
    words = _CITATION.sub(" ", note).split()
    return len(words) >= _MIN_WORDS and not _REFERENCE_ONLY.match(note)


def _letter(text: str, at: int) -> bool:
    return text[at].isalnum()
