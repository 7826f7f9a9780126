"""OCR of pages without readable text, into the records of the layout."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2

from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.unreadable_text import (
    Fault,
    fault_of,
    is_lost,
)
from citeloom.infrastructure.ingest.conversion.protocol import PageProgress, Phase, Report

from .engine_choice import Choice
from .ocr_words import words_of
from .page_reader import OcrFailed, Reading, uprighted

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 300
MAX_PIXELS = 20_000_000  # A3 at 300 dpi; larger pages are rendered coarser
_GLANCE_DPI = 36
_INK = 60  # least contrast between ink and paper, in grey levels
_MARGIN = 0.02  # of the page's edge, where scans have shadows
# Least mean confidence for OCR to replace partly readable text, and to count as text at all (on
# noise it reaches 27).
_TRUSTED, _NOISE = 60.0, 40.0


class OcrOutcome(StrEnum):
    """Outcome of a page without readable text."""

    READ = "read"
    NOTHING = "nothing"  # OCR found no text in the picture
    KEPT = "kept"  # the page's own text is more than OCR finds
    FAILED = "failed"
    MISSING = "missing"  # there is no engine


class PageNote(NamedTuple):
    """``confidence`` is set for a page that was read, ``failure`` is the reason for one that
    was not."""

    page: int
    fault: Fault
    outcome: OcrOutcome = OcrOutcome.MISSING
    confidence: float = 0.0
    failure: str = ""


class Readings(NamedTuple):
    """All records, with OCR text for pages without text, and a note for each of these."""

    records: list[PageRecord]
    notes: tuple[PageNote, ...]


def read_missing(
    records: Sequence[PageRecord],
    content: bytes,
    password: str | None,
    choice: Callable[[], Choice],
    report: Report,
) -> Readings:
    """Read the pages without readable text by OCR. ``content`` is opened only if there are any.

    Unreadable text that OCR could not replace is left out.
    """
    faults = {r.page: fault for r in records if (fault := fault_of(r)) is not None}
    if not faults:
        return Readings(list(records), ())
    document = pypdfium2.PdfDocument(content, password=password)
    try:
        faults = {p: f for p, f in faults.items() if f != Fault.EMPTY or _has_ink(document, p)}
        reader = choice().reader if faults else None
        read_records: list[PageRecord] = []
        notes: list[PageNote] = []
        for record in records:
            fault = faults.get(record.page)
            if fault is None:
                read_records.append(record)
                continue
            note = PageNote(record.page, fault)
            if reader is not None:
                try:
                    image, dpi = render(document, record.page)
                    reading = reader.read(image, dpi)
                    record, note = _with_reading(record, reading, (image, dpi), note)
                except (OcrFailed, pypdfium2.PdfiumError) as error:
                    note = note._replace(outcome=OcrOutcome.FAILED, failure=str(error))
                report(PageProgress(Phase.OCR, record.page, len(notes) + 1, len(faults)))
            read_records.append(
                record if note.outcome is OcrOutcome.READ else _without_lost(record)
            )
            notes.append(note)
    finally:
        document.close()
    return Readings(read_records, tuple(notes))


def render(document: pypdfium2.PdfDocument, page: int) -> tuple["Image", int]:
    """The page as displayed, in grey, and its resolution."""
    loaded = document[page - 1]
    try:
        width, height = loaded.get_size()
        square = max(1.0, width / 72) * max(1.0, height / 72)
        dpi = max(18, min(DPI, int((MAX_PIXELS / square) ** 0.5)))
        image: Image = loaded.render(scale=dpi / 72, grayscale=True).to_pil().convert("L")
    finally:
        loaded.close()
    return image, dpi


def _has_ink(document: pypdfium2.PdfDocument, page: int) -> bool:
    """Whether anything is visible on a page, apart from its outermost edge."""
    loaded = document[page - 1]
    try:
        width, height = loaded.get_size()
        dpi = min(_GLANCE_DPI, 72 * 2000 / max(width, height, 1.0))
        image = loaded.render(scale=dpi / 72, grayscale=True).to_pil().convert("L")
    except (pypdfium2.PdfiumError, ValueError):
        return False
    finally:
        loaded.close()
    across, down = int(_MARGIN * image.width), int(_MARGIN * image.height)
    inner = image.crop((across, down, image.width - across, image.height - down))
    darkest, brightest = inner.getextrema() if inner.width and inner.height else (0, 0)
    return bool(brightest - darkest > _INK)


def _without_lost(record: PageRecord) -> PageRecord:
    """The record without unreadable text."""
    lost = is_lost([word.text for word in record.words])
    return record._replace(words=(), plain_text="") if lost else record


def _with_reading(
    record: PageRecord, reading: Reading, picture: tuple["Image", int], note: PageNote
) -> tuple[PageRecord, PageNote]:
    """The record with the words that OCR read, if they are more than it had."""
    image, dpi = picture
    words = words_of(reading, uprighted(image, reading.rotation), dpi)
    old_characters = sum(len(word.text) for word in record.words)
    if not words:
        return record, note._replace(outcome=OcrOutcome.NOTHING)
    if note.fault is Fault.PICTURE and sum(len(w.text) for w in words) < 2 * old_characters:
        return record, note._replace(outcome=OcrOutcome.KEPT)
    if reading.confidence < (_TRUSTED if note.fault is Fault.UNREADABLE else _NOISE):
        failure = f"unsure of the text ({reading.confidence:.0f} %); check ocr.languages"
        return record, note._replace(outcome=OcrOutcome.FAILED, failure=failure)
    with_words = record._replace(
        words=words,
        rotated_words=(),
        rotation=reading.rotation,
        plain_text=_text_in_order(words),
    )
    if note.fault is not Fault.UNREADABLE:  # the picture is the page, not a figure on it
        with_words = with_words._replace(pictures=(), drawings=(), rules=())
    return with_words, note._replace(outcome=OcrOutcome.READ, confidence=reading.confidence)


def _text_in_order(words: Sequence[Word]) -> str:
    """The text of words in OCR's reading order, with line breaks."""
    text = words[0].text if words else ""
    for before, word in pairwise(words):
        text += ("\n" if word.x0 < before.x1 else " ") + word.text
    return text


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
            have, them = ("has", "it") if len(affected) == 1 else ("have", "them")
            remedy = f"{choice.remedy} and ingest again to read {them}"
            warnings.append(f"{_pages(affected)} {have} {words}; {remedy}")
    failures = dict.fromkeys(n.failure for n in missing if n.outcome is OcrOutcome.FAILED)
    for failure in failures:
        affected = [n for n in missing if n.failure == failure]
        warnings.append(f"{_pages(affected)} could not be read by OCR: {failure}")
    return OcrSummary(tuple(n.page for n in read), tuple(n.page for n in missing), tuple(warnings))


def _pages(notes: Sequence[PageNote]) -> str:
    return numbered_pages([note.page for note in notes])
