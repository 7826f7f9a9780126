"""Spaces between the runs of a paragraph, as in the source file.

docling splits a paragraph at each change of style or link and strips the runs, so that ``10``,
``6`` may have been ``10⁶`` or ``10 6``. Here the runs are located in the source without its
white space; where the source has white space between two runs, they are joined with a space.
"""

import re
from collections.abc import Sequence

# How much of a run is compared when the whole paragraph is not found (a formula in it).
_CONTEXT = 24

_NO_SPACE_BEFORE = ".,;:!?)]}’”»%'\""
_NO_SPACE_AFTER = "([{‘“«"


class Spacing:
    """Joins the runs of one document's paragraphs; ``source`` is the document's raw text.

    ``markup`` are characters of the source that are not text (``*`` and ``_`` of Markdown).
    """

    def __init__(self, source: str, markup: str = "") -> None:
        self._drop = re.compile(rf"[\s\u200b{re.escape(markup)}]+" if markup else r"[\s\u200b]+")
        parts: list[str] = []
        self._gaps: set[int] = set()
        size = end = 0
        for match in self._drop.finditer(source):
            parts.append(source[end : match.start()])
            size += match.start() - end
            end = match.end()
            if any(char.isspace() for char in match.group()):
                self._gaps.add(size)
        parts.append(source[end:])
        self._squeezed = "".join(parts)
        self._cursor = 0

    def join(self, runs: Sequence[str]) -> str:
        """The paragraph made of ``runs``."""
        runs = [run for run in runs if run]
        if not runs:
            return ""
        keys = [self._drop.sub("", run) for run in runs]
        at = self._find("".join(keys))
        text = runs[0]
        for index in range(1, len(runs)):
            before, after = runs[index - 1], runs[index]
            if at is not None:
                gap = at + sum(len(key) for key in keys[:index]) in self._gaps
            else:
                gap = self._gap_between(keys[index - 1], keys[index], before, after)
            if gap and not text[-1:].isspace() and not after[:1].isspace():
                text += " "
            text += after
        return text

    def _find(self, key: str) -> int | None:
        at = self._squeezed.find(key, self._cursor)
        if at < 0:
            at = self._squeezed.find(key)
        if at < 0 or not key:
            return None
        self._cursor = at + len(key)
        return at

    def _gap_between(self, key: str, next_key: str, before: str, after: str) -> bool:
        tail, head = key[-_CONTEXT:], next_key[:_CONTEXT]
        if len(tail) + len(head) > 6 and (at := self._find(tail + head)) is not None:
            return at + len(tail) in self._gaps
        return not (before[-1:] in _NO_SPACE_AFTER or after[:1] in _NO_SPACE_BEFORE)
