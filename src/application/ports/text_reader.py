"""Port: the words in a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from citeloom.domain.values import Value


class ReadLine(Value):
    """A line of text in a picture: its box (x1, y1, x2, y2) in 0..1 from the top left of the
    picture as displayed; lines of one paragraph share its number."""

    text: str
    bbox: tuple[float, float, float, float]
    paragraph: int


class TextReader(Protocol):
    """An OCR engine for whole pictures."""

    @property
    def fingerprint(self) -> str:
        """Engine, version, languages."""

    def lines(self, path: Path) -> Sequence[ReadLine]:
        """Lines in reading order, none where there is no text. Raises ConversionFailed."""
