"""Second reading of pages: their text as another reader than the conversion has it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from citeloom.application.documents.source_paths import SourcePaths
from citeloom.application.documents.stores import password_for
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.maps import PageTexts
from citeloom.domain.documents.fidelity import PDF
from citeloom.domain.documents.page_text import stands_on
from citeloom.domain.errors import ConversionFailed, InvalidRequest, InvalidSource, PasswordNeeded


class SecondReading:
    """Compares quotations with the pages of the files that were converted. ``passwords`` are by
    file name or pattern. Readings are cached."""

    def __init__(
        self, *, sources: SourcePaths, texts: PageTexts, passwords: Mapping[str, str]
    ) -> None:
        self._sources = sources
        self._texts = texts
        self._passwords = passwords
        self._read = lru_cache(maxsize=256)(self._page)
        self._found: dict[str, Path | None] = {}

    def has(self, stored: StoredDocument, quote: str, pages: Sequence[int]) -> bool | None:
        """Whether ``quote`` stands on ``pages``; None where they cannot be compared: no PDF, a
        page without text, a file that is gone, changed or unreadable."""
        if stored.mime_type != PDF or not pages:
            return None
        if stored.document_id not in self._found:
            self._found[stored.document_id] = self._source(stored)
        source = self._found[stored.document_id]
        if source is None:
            return None
        readings = [self._read(source, page) for page in pages]
        known = [one for one in readings if one is not None]
        return stands_on(quote, known) if len(known) == len(readings) else None

    def _source(self, stored: StoredDocument) -> Path | None:
        try:
            return self._sources.unchanged(stored)
        except InvalidSource:  # the report says what was not compared
            return None

    def _page(self, source: Path, page: int) -> str | None:
        password = password_for(source.name, self._passwords, None)
        try:
            return self._texts.text(source, page, password)
        except (ConversionFailed, InvalidRequest, PasswordNeeded):
            return None
