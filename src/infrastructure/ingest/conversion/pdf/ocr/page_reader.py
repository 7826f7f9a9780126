"""OCR engines: the port of an engine, and the words it reads on a page."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image


class OcrFailed(Exception):
    """A page could not be read; the text gives the reason, and the next step if there is one."""


class ReadWord(NamedTuple):
    """A word with its box in pixels from the top left; words of a line share ``line``."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    confidence: float  # 0 to 100
    line: tuple[int, ...]


class Reading(NamedTuple):
    """The words of a page, after it was rotated clockwise by ``rotation`` degrees."""

    words: tuple[ReadWord, ...]
    rotation: int = 0

    @property
    def characters(self) -> int:
        return sum(len(word.text) for word in self.words)

    @property
    def weight(self) -> float:
        """Characters weighted by confidence."""
        return sum(len(word.text) * word.confidence for word in self.words) / 100

    @property
    def confidence(self) -> float:
        """Mean over the characters, 0 to 100."""
        return 100 * self.weight / self.characters if self.words else 0.0


class PageReader(Protocol):
    """An OCR engine. ``name`` is shown to people, ``fingerprint`` identifies its results."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def read(self, image: "Image", dpi: int) -> Reading:
        """Raises OcrFailed."""


def uprighted(image: "Image", rotation: int) -> "Image":
    """``image`` rotated clockwise by 0, 90, 180 or 270 degrees."""
    from PIL.Image import Transpose

    steps = {90: Transpose.ROTATE_270, 180: Transpose.ROTATE_180, 270: Transpose.ROTATE_90}
    return image.transpose(steps[rotation]) if rotation in steps else image
