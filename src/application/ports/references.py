"""Port: where citation metadata comes from."""

from pathlib import Path
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.values import Value


class Attachment(Value):
    """A file that an item names as its own (Better BibTeX's JSON export, ``file`` fields)."""

    path: str
    citekey: str


class ReferenceLibrary(Value):
    """The items of a reference file, and what could not be read of it.

    ``fingerprint`` is the sha256 of the file's content.
    """

    source: str
    fingerprint: str
    items: tuple[CitationMeta, ...]
    attachments: tuple[Attachment, ...] = ()
    warnings: tuple[str, ...] = ()


class ReferenceReader(Protocol):
    def read(self, path: Path) -> ReferenceLibrary:
        """Read a reference file. A bad item becomes a warning; raises ReferencesUnreadable
        (naming line and reason) if the file as a whole cannot be read."""
