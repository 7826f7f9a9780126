"""Open drafts with their findings, as they are edited."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lsprotocol import types

from citeloom.domain.writing.placed_findings import Edit, PlacedFinding
from citeloom_lsp.infrastructure.buffers import Buffer, Encoding, markup_of


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
        """None for a document that is no draft."""
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
