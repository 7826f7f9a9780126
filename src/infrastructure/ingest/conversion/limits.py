"""How long a conversion may take, by what is known of the document so far."""

from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.conversion.progress import PageProgress, Phase

# An engine may look at a page three times: as it is, for its orientation, and turned.
_OCR_PASSES = 3


class Limits(Value):
    """Seconds by the clock on the wall. A document has ``document`` and ``page`` for each of
    its pages and ``ocr_page`` for each look at one that is read by OCR; between two pages
    there may lie ``stall``."""

    document: float = 300.0
    page: float = 2.0
    ocr_page: float = 60.0
    stall: float = 120.0

    def total(self, pages: int, ocr_pages: int) -> float:
        return self.document + pages * self.page + ocr_pages * _OCR_PASSES * self.ocr_page

    def until_next(self, reached: PageProgress) -> float | None:
        """How long the next page may take; None once there are no more pages to wait for."""
        match reached.phase:
            case Phase.LAYOUT:
                return None
            case Phase.PAGES if reached.done < reached.total:
                return self.stall
            case _:  # the next may be one for OCR
                return self.stall + _OCR_PASSES * self.ocr_page
