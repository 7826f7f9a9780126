"""Text of open documents, and its positions in the units that the client counts in.

LSP 3.17, "Position" and "Text Documents": lines end at ``\n``, ``\r\n`` or ``\r`` only (not at
form feeds or U+2028, as with ``str.splitlines``), and a character beyond the end of a line means
its end.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from lsprotocol import types
from pygls.uris import to_fs_path

from citeloom.application.ports.verification import DraftMarkup
from citeloom.domain.writing import Edit, PlacedFinding

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_SUFFIXES: Final = {
    ".md": DraftMarkup.MARKDOWN,
    ".markdown": DraftMarkup.MARKDOWN,
    ".mdown": DraftMarkup.MARKDOWN,
    ".qmd": DraftMarkup.MARKDOWN,
    ".rmd": DraftMarkup.MARKDOWN,
    ".tex": DraftMarkup.LATEX,
    ".latex": DraftMarkup.LATEX,
    ".ltx": DraftMarkup.LATEX,
    ".typ": DraftMarkup.TYPST,
}
_LANGUAGES: Final = {
    "markdown": DraftMarkup.MARKDOWN,
    "quarto": DraftMarkup.MARKDOWN,
    "rmd": DraftMarkup.MARKDOWN,
    "pandoc": DraftMarkup.MARKDOWN,
    "latex": DraftMarkup.LATEX,
    "tex": DraftMarkup.LATEX,
    "typst": DraftMarkup.TYPST,
}

Encoding = types.PositionEncodingKind | str


def markup_of(uri: str, language: str) -> DraftMarkup | None:
    """The markup of a document by its suffix, else by the language that the client names; None if
    it is not a draft."""
    suffix = PurePosixPath(uri.partition("#")[0].partition("?")[0]).suffix.lower()
    return _SUFFIXES.get(suffix) or _LANGUAGES.get(language.lower())


@dataclass(frozen=True)
class Buffer:
    """An open draft as the editor has it, saved or not."""

    uri: str
    text: str
    version: int | None
    markup: DraftMarkup
    encoding: Encoding

    @property
    def path(self) -> str | None:
        """The file; None for a document that has none yet."""
        return to_fs_path(self.uri) if self.uri.startswith("file:") else None

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    def offset(self, position: types.Position) -> int:
        """The offset of a position, in characters (code points)."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        return start + _characters(self._line(position.line), position.character, self.encoding)

    def position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return types.Position(line=line, character=_units(before, self.encoding))

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(start=self.position(start), end=self.position(end))

    def span(self, range: types.Range) -> tuple[int, int]:
        return self.offset(range.start), self.offset(range.end)

    def edited(
        self, change: types.TextDocumentContentChangeEvent, version: int | None
    ) -> "tuple[Buffer, Edit]":
        """The changed text and the old one."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = self.span(change.range)
        else:
            start, end = 0, len(self.text)
        edit = Edit(start, end, change.text)
        text = self.text[:start] + change.text + self.text[end:]
        return replace(self, text=text, version=version), edit

    def _line(self, number: int) -> str:
        last = number + 1 == len(self._starts)
        line = self.text[self._starts[number] : None if last else self._starts[number + 1]]
        return line.rstrip("\r\n") if not last else line


def _units(text: str, encoding: Encoding) -> int:
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text)


def _characters(line: str, units: int, encoding: Encoding) -> int:
    """The characters of a line that are over within so many units; of a character that the
    position cuts in two, its beginning."""
    if line.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return min(units, len(line))
    taken = 0
    for number, char in enumerate(line):
        taken += _units(char, encoding)
        if taken > units:
            return number
    return len(line)


@dataclass(frozen=True)
class OpenDraft:
    """``touched`` is the span of the text that has changed since findings were looked up."""

    buffer: Buffer
    findings: tuple[PlacedFinding, ...] = ()
    touched: tuple[int, int] | None = None

    def edited(
        self, change: types.TextDocumentContentChangeEvent, version: int | None
    ) -> "OpenDraft":
        """Findings move with the text; those whose claim was touched are dropped."""
        buffer, edit = self.buffer.edited(change, version)
        moved = (one.after(edit) for one in self.findings)
        return OpenDraft(
            buffer, tuple(one for one in moved if one is not None), _joined(self.touched, edit)
        )


class OpenDrafts:
    """The drafts that the client has open; other documents are left out. One thread."""

    def __init__(self) -> None:
        self._drafts: dict[str, OpenDraft] = {}

    def __contains__(self, uri: str) -> bool:
        return uri in self._drafts

    def get(self, uri: str) -> OpenDraft | None:
        return self._drafts.get(uri)

    def uris(self) -> list[str]:
        return list(self._drafts)

    def open(self, item: types.TextDocumentItem, encoding: Encoding) -> OpenDraft | None:
        """None for a document that is not a draft."""
        markup = markup_of(item.uri, item.language_id)
        if markup is None:
            return None
        buffer = Buffer(item.uri, item.text, item.version, markup, encoding)
        self._drafts[item.uri] = OpenDraft(buffer)
        return self._drafts[item.uri]

    def change(
        self,
        document: types.VersionedTextDocumentIdentifier,
        changes: Iterable[types.TextDocumentContentChangeEvent],
    ) -> OpenDraft | None:
        draft = self._drafts.get(document.uri)
        if draft is None:
            return None
        for change in changes:
            draft = draft.edited(change, document.version)
        self._drafts[document.uri] = draft
        return draft

    def found(self, buffer: Buffer, findings: tuple[PlacedFinding, ...]) -> OpenDraft | None:
        """Put the findings of a text in; None if the text is another by now."""
        draft = self._drafts.get(buffer.uri)
        if draft is None or draft.buffer.text != buffer.text:
            return None
        self._drafts[buffer.uri] = replace(draft, findings=findings, touched=None)
        return self._drafts[buffer.uri]

    def close(self, uri: str) -> bool:
        """Whether it was open."""
        return self._drafts.pop(uri, None) is not None


def _joined(touched: tuple[int, int] | None, edit: Edit) -> tuple[int, int]:
    """The span of all changes after one more."""
    start, end = edit.start, edit.start + len(edit.text)
    if touched is None:
        return start, end
    last = touched[1]
    if last >= edit.end:
        last += len(edit.text) - (edit.end - edit.start)
    return min(touched[0], start), max(last, end)
