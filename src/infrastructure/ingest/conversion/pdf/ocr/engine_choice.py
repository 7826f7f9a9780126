"""Choice of the OCR engine by the settings, and how to install a missing one."""

from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.protocol import Options

from . import rapidocr as rapid
from . import tesseract
from .page_reader import PageReader

NO_OCR = "none"


class Choice(NamedTuple):
    """The engine, or ``remedy``: how to get one. ``problem`` may also be set with an engine."""

    reader: PageReader | None
    remedy: str = ""
    problem: str | None = None

    @property
    def fingerprint(self) -> str:
        return self.reader.fingerprint if self.reader else NO_OCR


def choose_engine(options: Options) -> Choice:
    """``auto`` is tesseract, else RapidOCR, else nothing."""
    match options.ocr:
        case "none":
            return Choice(None, 'set ocr.engine = "auto"')
        case "tesseract":
            return _tesseract(options)
        case "rapidocr":
            return _rapid()
        case "auto":
            first = _tesseract(options)
            if first.reader is not None or not rapid.is_installed():
                return first
            return _rapid()._replace(problem=first.problem)


def _rapid() -> Choice:
    if rapid.is_installed():
        return Choice(rapid.RapidOcr())
    return Choice(None, rapid.INSTALL)


def _tesseract(options: Options) -> Choice:
    tesseract_found = tesseract.installed()
    if tesseract_found is None:
        return Choice(None, tesseract.INSTALL)
    requested = tuple(dict.fromkeys(options.languages.split("+")))
    available = tuple(language for language in requested if language in tesseract_found.languages)
    missing = [language for language in requested if language not in tesseract_found.languages]
    problem = remedy = None
    if missing:
        remedy = (
            f"install {' '.join(tesseract.package_of(m) for m in missing)} "
            "(names of the Debian packages)"
        )
        problem = (
            f"tesseract has no data for {', '.join(missing)} (ocr.languages); {remedy} "
            "and ingest again"
        )
    if not available:
        return Choice(None, remedy or tesseract.INSTALL, problem)
    return Choice(
        tesseract.Tesseract(tesseract_found, available, options.ocr_page_seconds), "", problem
    )
