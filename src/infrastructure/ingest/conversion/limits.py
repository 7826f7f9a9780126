"""Limits of a conversion: time by the pages known so far, and memory."""

from pydantic import Field

from citeloom.domain.errors import DocumentTooLarge
from citeloom.domain.text.phrasing import sized
from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.conversion.progress import PageProgress, Phase

# An engine may read a page three times: as it is, for its orientation, and rotated.
_OCR_PASSES = 3
# Seconds of a document whose pages are known, beside what they may take.
_START = 60.0


class Limits(Value):
    """Seconds of wall-clock time, and megabytes. A document may take ``document`` while its pages
    are unknown or if it has none; then a minute at most, ``page`` for each page, and ``ocr_page``
    for each OCR pass over a page; two pages may be ``stall`` apart. ``memory_mb`` is what its
    process may have."""

    document: float = 300.0
    page: float = 2.0
    ocr_page: float = 60.0
    stall: float = 120.0
    memory_mb: int = Field(default=2048, ge=1)

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


def too_much_memory(name: str, limits: Limits) -> DocumentTooLarge:
    """The error of the file ``name`` that needs more memory than its process may have."""
    return DocumentTooLarge(
        f"{name}: needs more than {sized(limits.memory_mb * 2**20)} of memory; split it, save it "
        "in a simpler form, or raise ingest.worker_memory_mb",
        memory_mb=limits.memory_mb,
    )
