"""A renderer of pages that draws nothing, and pages that do not tell where their words are."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from citeloom.application.ports.maps import PageMark, PictureLimit
from citeloom.domain.documents.spans import Region
from citeloom.domain.maps.evidence import PageCharacter


class Drawn(NamedTuple):
    """What was to be drawn: a page, from 1, of the file ``name``."""

    name: str
    page: int
    password: str | None
    marks: tuple[PageMark, ...] = ()
    limit: PictureLimit | None = None


class WritingRenderer:
    """Writes down what it is asked to draw."""

    def __init__(self) -> None:
        self.drawn: list[Drawn] = []

    def page(
        self,
        source: Path,
        page: int,
        marks: Sequence[PageMark],
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        self.drawn.append(Drawn(source.name, page, password, tuple(marks), limit))
        return b"page"

    def region(
        self,
        source: Path,
        region: Region,
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        self.drawn.append(Drawn(source.name, region.page, password, limit=limit))
        return b"figure"


def no_characters(source: Path, page: int, password: str | None) -> Sequence[PageCharacter]:
    """A file that does not tell where its words are: lines are marked as a whole."""
    return ()
