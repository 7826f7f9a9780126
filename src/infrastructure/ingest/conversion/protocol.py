"""What pool and worker exchange: options, limits, progress, and the wire protocol.

A message is a JSON header and a payload, each with its length. JSON, not pickle: a worker reads
untrusted files, and its messages must not be able to run code in the parent.
"""

import json
import struct
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from pydantic import Field

from citeloom.domain.errors import CiteLoomError, ConversionFailed
from citeloom.domain.messages import NextStep
from citeloom.domain.value import Value


class Phase(StrEnum):
    """``PAGES`` are parsed one by one, then some are read by ``OCR``, then the document is
    put together as a whole (``LAYOUT``)."""

    PAGES = "pages"
    OCR = "ocr"
    LAYOUT = "layout"


class PageProgress(NamedTuple):
    """``page`` (from 1) is done; so are ``done`` of ``total`` pages in this phase."""

    phase: Phase
    page: int
    done: int
    total: int


Report = Callable[[PageProgress], None]


def ignore_progress(reached: PageProgress) -> None:
    """Discards progress."""


# An engine may read a page three times: as it is, for its orientation, and rotated.
_OCR_PASSES = 3
# Seconds of a document whose pages are known, beside what they may take.
_START = 60.0


class Limits(Value):
    """Seconds of wall-clock time. A document may take ``document`` while its pages
    are unknown or if it has none; then a minute at most, ``page`` for each page, and ``ocr_page``
    for each OCR pass over a page; two pages may be ``stall`` apart."""

    document: float = 300.0
    page: float = 2.0
    ocr_page: float = 60.0
    stall: float = 120.0

    def total(self, pages: int, ocr_pages: int) -> float:
        start = min(self.document, _START) if pages else self.document
        return start + pages * self.page + ocr_pages * _OCR_PASSES * self.ocr_page

    def until_next(self, reached: PageProgress) -> float | None:
        """Seconds that the next page may take; None after the last one."""
        match reached.phase:
            case Phase.LAYOUT:
                return None
            case Phase.PAGES if reached.done < reached.total:
                return self.stall
            case _:  # the next may be one for OCR
                return self.stall + _OCR_PASSES * self.ocr_page


PdfEngine = Literal["native", "docling-standard"]
OcrEngine = Literal["auto", "tesseract", "rapidocr", "none"]


class Options(Value):
    """``languages`` in tesseract's names, joined by ``+``; seconds of processor time for each
    look at a page; ``memory_mb`` limits each process."""

    pdf: PdfEngine = "native"
    artifacts_path: Path | None = None
    ocr: OcrEngine = "auto"
    languages: str = Field(default="eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    ocr_page_seconds: float = Field(default=60.0, gt=0)
    memory_mb: int = Field(default=2048, ge=1)


_LENGTHS = struct.Struct(">II")

Header = dict[str, Any]


def send(stream: IO[bytes], header: Header, payload: bytes = b"") -> None:
    """Write one message and flush it."""
    head = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(head), len(payload)))
    stream.write(head)
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Header, bytes] | None:
    """The next message; None when the other side has ended, even within a message."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, payload_size = _LENGTHS.unpack(lengths)
    head, payload = stream.read(head_size), stream.read(payload_size)
    if len(head) < head_size or len(payload) < payload_size:
        return None
    return json.loads(head), payload


def error_to_header(error: CiteLoomError) -> Header:
    """An error as JSON: class, message, next step, details (values outside JSON as text)."""
    details = json.loads(json.dumps(error.details, default=str))
    return {
        "type": type(error).__name__,
        "message": error.message,
        "next_step": error.next_step and asdict(error.next_step),
        "details": details,
    }


def error_from_header(header: Header) -> CiteLoomError:
    """The error that ``error_to_header`` wrote; an unknown class becomes ConversionFailed."""
    kind = _error_classes(CiteLoomError).get(str(header["type"]), ConversionFailed)
    error = kind.__new__(kind)  # some classes make their sentence themselves
    next_step = NextStep.of(header["next_step"])
    CiteLoomError.__init__(error, header["message"], next_step, **header["details"])
    return error


def _error_classes(root: type[CiteLoomError]) -> dict[str, type[CiteLoomError]]:
    kinds = {root.__name__: root}
    for kind in root.__subclasses__():
        kinds.update(_error_classes(kind))
    return kinds
