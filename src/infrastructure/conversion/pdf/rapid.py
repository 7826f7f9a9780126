"""OCR by RapidOCR (``pip install "citeloom[ocr]"``): weights come in its wheel.

Slower than tesseract and reads Chinese and English; for machines where no program can be
installed.
"""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from citeloom.infrastructure.conversion.pdf.reading import OcrFailed, Reading, ReadWord

if TYPE_CHECKING:
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
            found = self._engine(np.asarray(image.convert("RGB")), return_word_box=True)
        except Exception as error:  # whatever ONNX or OpenCV raise concerns this page only
            raise OcrFailed(f"{type(error).__name__}: {str(error)[:200]}") from error
        return Reading(tuple(_words(found)))


def _words(found: Any) -> list[ReadWord]:
    """Its lines of ``(text, score, four corners)``; empty where it found nothing."""
    words = []
    for number, line in enumerate(getattr(found, "word_results", None) or ()):
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
