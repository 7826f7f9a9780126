"""Port: telling a person how an ingest goes."""

from enum import StrEnum
from typing import Protocol

from citeloom.domain.retrieval import DocumentReport


class Stage(StrEnum):
    CONVERTING = "converting"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    STORING = "storing"


class Progress(Protocol):
    def begin(self, documents: int) -> None: ...

    def stage(self, source: str, stage: Stage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None:
        """Pages of a document that is being converted; not every page is told."""

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...


class Silent:
    """Says nothing."""

    def begin(self, documents: int) -> None: ...

    def stage(self, source: str, stage: Stage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None: ...

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...
