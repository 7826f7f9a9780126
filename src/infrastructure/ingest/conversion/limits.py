"""Time limits of a conversion, by the number of pages and OCR pages known so far."""

from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.conversion.progress import PageProgress, Phase

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
