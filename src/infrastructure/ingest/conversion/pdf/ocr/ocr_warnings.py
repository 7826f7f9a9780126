"""Warnings about pages without readable text."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_ocr import OcrOutcome, PageNote
from citeloom.infrastructure.ingest.conversion.pdf.words.unreadable_text import Fault

_UNSURE = 75.0  # mean confidence below which quotes should be compared with the page
_FAULTS = {
    Fault.EMPTY: "no text (scanned?)",
    Fault.PICTURE: "hardly any text beside the picture of a page (scanned?)",
    Fault.UNREADABLE: "text that cannot be read (fonts without character codes)",
}


class OcrSummary(NamedTuple):
    """Pages (from 1) read by OCR, pages missing, and warnings about both."""

    read: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


def summarise(notes: Sequence[PageNote], choice: Choice) -> OcrSummary:
    """``choice`` is the engine that read the pages, or would have."""
    read = [n for n in notes if n.outcome is OcrOutcome.READ]
    missing = [n for n in notes if n.outcome in (OcrOutcome.MISSING, OcrOutcome.FAILED)]
    warnings = [choice.problem] if notes and choice.problem else []
    if read and choice.reader is not None:
        mean = sum(n.confidence for n in read) / len(read)
        warnings.append(
            f"{_pages(read)} read by OCR ({choice.reader.name}), mean confidence {mean:.0f} %"
        )
        unsure = [n for n in read if n.confidence < _UNSURE]
        if unsure:
            warnings.append(
                f"{_pages(unsure)}: OCR is unsure of much that it read; check quotes against "
                "the page, and ocr.languages against its language"
            )
    nothing = [n for n in notes if n.outcome is OcrOutcome.NOTHING]
    if nothing:
        warnings.append(f"{_pages(nothing)}: OCR found no text in what is drawn there")
    for fault, words in _FAULTS.items():
        affected = [n for n in missing if n.outcome is OcrOutcome.MISSING and n.fault is fault]
        if affected:
            warnings.append(
                f"{_pages(affected)} {_have(affected)} {words}; {choice.remedy} and ingest again "
                f"to read {'it' if len(affected) == 1 else 'them'}"
            )
    failures = dict.fromkeys(n.failure for n in missing if n.outcome is OcrOutcome.FAILED)
    for failure in failures:
        affected = [n for n in missing if n.failure == failure]
        warnings.append(f"{_pages(affected)} could not be read by OCR: {failure}")
    return OcrSummary(tuple(n.page for n in read), tuple(n.page for n in missing), tuple(warnings))


def _pages(notes: Sequence[PageNote]) -> str:
    return numbered_pages([note.page for note in notes])


def _have(notes: Sequence[PageNote]) -> str:
    return "has" if len(notes) == 1 else "have"
