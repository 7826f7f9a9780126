"""Prose that is as long as its source: markup is overwritten, never cut out."""

import re

from citeloom.domain.verification.drafts.draft import JOINER, PLACEHOLDER, InTextCitation

_NOT_BREAK = re.compile(r"[^\r\n]")
_NAMED = re.compile(r"\[?-?@\S+|\\\w+(?:\[[^\]]*\])*\{[^{}]*\}")
_REFERS = re.compile(r"\s*(?:see|cf|compare|e\.g|for (?:a|an|more|details|further|the))\b", re.I)
_LEAST_WORDS = 6


class Mask:
    """The characters of a draft, of which those that are no prose are overwritten. ``prose``
    is what to begin with: all of it, if nothing is given."""

    def __init__(self, text: str, prose: str | None = None) -> None:
        self.text = text
        self._chars = list(text if prose is None else prose)
        self.citations: list[InTextCitation] = []

    def blank(self, start: int, end: int) -> None:
        """Something that parts paragraphs where it has lines of its own: lines are kept. What
        was cited in it is not."""
        self.citations = [one for one in self.citations if not start <= one.start < end]
        for at in range(start, end):
            if self._chars[at] not in "\r\n":
                self._chars[at] = " "

    def paragraph(self, start: int, end: int) -> None:
        """Like ``blank``, and a new paragraph begins after it (a list's bullet)."""
        self.blank(start, end)
        self._chars[start] = "\n"

    def note(self, whole: tuple[int, int], words: tuple[int, int]) -> bool:
        """A footnote whose ``words`` are prose: after a full stop, where they say something of
        their own, it is a paragraph by itself (then True), else part of the sentence that it
        stands in."""
        before = self.text[max(0, whole[0] - 3) : whole[0]].rstrip()
        if before.endswith((".", "!", "?", ".”", '."')) and _says(self.text[slice(*words)]):
            self.paragraph(whole[0], words[0])
            self._chars[whole[0] : whole[0] + 2] = "\n\n"
            self.paragraph(words[1], whole[1])
            return True
        self.inline(whole[0], words[0] - 1)
        return False

    def inline(self, start: int, end: int) -> None:
        """Something within a sentence: it parts words only where white space stood, or where
        letters stand on one side of it at most."""
        inside = start > 0 and end < len(self.text) and _letter(self.text, start - 1)
        filler = JOINER if inside and _letter(self.text, end) else " "
        self._chars[start:end] = filler * (end - start)

    def spaces(self, start: int, end: int) -> None:
        """White space without line breaks: it ends no paragraph."""
        self._chars[start:end] = " " * (end - start)

    def replace(self, start: int, end: int, text: str) -> None:
        """``text`` instead of what is written, which is at least as long."""
        text = text[: end - start]
        self._chars[start:end] = text + JOINER * (end - start - len(text))

    def restore(self, start: int, end: int) -> None:
        """What was blanked is prose after all."""
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


def _says(note: str) -> bool:
    """Whether a note is more than a reference: *see Smith 2020 for more*."""
    words = _NAMED.sub(" ", note).split()
    return len(words) >= _LEAST_WORDS and not _REFERS.match(note)


def _letter(text: str, at: int) -> bool:
    return text[at].isalnum()
