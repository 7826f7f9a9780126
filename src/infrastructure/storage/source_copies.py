"""Where no copies of source files are kept, and what is said of a file that is gone."""

from collections.abc import Set
from pathlib import Path
from typing import Final

ALONE: Final = "the file is gone; put it back, or ingest it from its new place"
NOT_SHARED: Final = (
    "no such file on this machine; put papers where all machines see them under one path, or set "
    "storage.papers = true on the machine that has it, and ingest it there again"
)


class NoCopies:
    """No copies are kept (interface ``SourceCopies``)."""

    def __init__(self, absence: str) -> None:
        self.absence = absence

    def keep(self, document_id: str, source: Path) -> None: ...

    def find(self, document_id: str, name: str) -> None: ...

    def ids(self) -> Set[str]:
        return frozenset()

    def delete(self, document_id: str) -> None: ...
