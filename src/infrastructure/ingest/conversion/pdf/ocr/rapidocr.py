"""RapidOCR engine (``pip install "citeloom[ocr]"``), whose weights come in its wheel.

It reads Chinese and English, slower than tesseract; for machines where no program can be
installed.
"""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .page_reader import OcrFailed, Reading, ReadWord

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

MODULE = "rapidocr"
INSTALL = 'pip install "citeloom[ocr]"'
_QUIET = {
    "Global.log_level": "critical",
    # The default of 2,000 pixels makes 9 point type of an A4 page 300 dpi illegible.
    "Global.max_side_len": 4000,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}

_INK = 128
_DOT = 0.12  # greatest distance of the dot of an i from its stem, in box heights


def is_installed() -> bool:
    return find_spec(MODULE) is not None


class RapidOcr:
    """The engine, loaded once a process on first use."""

    def __init__(self) -> None:
        self._engine: Any = None

    @property
    def name(self) -> str:
        return f"RapidOCR {_version()}"

    @property
    def fingerprint(self) -> str:
        return f"rapidocr-{_version().split('.')[0]}"

    def read(self, image: "Image", dpi: int) -> Reading:  # noqa: ARG002 (it finds its own scale)
        try:
            import numpy as np

            if self._engine is None:
                from rapidocr import RapidOCR

                self._engine = RapidOCR(params=_QUIET)
            pixels = np.asarray(image.convert("RGB"))
            output = self._engine(pixels, return_word_box=True)
            ink = np.asarray(image.convert("L")) < _INK
        except Exception as error:  # whatever ONNX or OpenCV raise concerns this page only
            raise OcrFailed(f"{type(error).__name__}: {str(error)[:200]}") from error
        return Reading(tuple(tightened(word, ink) for word in _words(output)))


def tightened(word: ReadWord, ink: "np.ndarray[tuple[int, int], np.dtype[np.bool_]]") -> ReadWord:
    """A word with its box cut to its letters: the engine's boxes are half as high again as the
    type, and overlap the lines above and below."""
    top, bottom = max(0, int(word.top)), int(word.bottom) + 1
    part = ink[top:bottom, max(0, int(word.x0)) : int(word.x1) + 1]
    bands: list[list[int]] = []
    for row in (row for row in range(len(part)) if part[row].any()):
        if bands and row - bands[-1][-1] <= _DOT * (bottom - top):
            bands[-1].append(row)
        else:
            bands.append([row])
    if not bands:
        return word
    band = max(bands, key=lambda rows: int(part[rows].sum()))
    return word._replace(top=float(top + band[0]), bottom=float(top + band[-1] + 1))


def _words(output: Any) -> list[ReadWord]:
    """The engine's lines of ``(text, score, four corners)`` as words; empty without text."""
    words = []
    for number, line in enumerate(getattr(output, "word_results", None) or ()):
        for text, score, corners in line:
            if not text or not text.strip() or corners is None:
                continue
            xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
            words.append(
                ReadWord(
                    text.strip(), min(xs), min(ys), max(xs), max(ys), 100 * float(score), (number,)
                )
            )
    return words


def _version() -> str:
    try:
        return version(MODULE)
    except PackageNotFoundError:
        return "?"
