"""Conversion of a PDF file to a ``ConversionResult``, in a worker process."""

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from citeloom.domain.citation.page_numbers import page_labels
from citeloom.domain.documents.conversion import (
    BlockLabel,
    ConversionResult,
    Furniture,
    HeaderEntry,
    Structure,
    heading_tree,
)
from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.protocol import (
    Options,
    PageProgress,
    Phase,
    Report,
    ignore_progress,
)

from .front_matter.bibliography import judge_bibliography, pdf_identifiers
from .front_matter.stated import FileMetadata
from .front_matter.title import TitleEvidence
from .pdfium import read_file_facts
from .reading import Body, PdfFile, PdfReader, PdfReading, page_map

FIRST_PAGES = 2  # pages that are searched for the document's own identifiers


def convert_pdf(
    path: Path,
    doc_id: str,
    password: str | None = None,
    options: Options | None = None,
    report: Report = ignore_progress,
    content: bytes | None = None,
) -> ConversionResult:
    """Convert ``path``; ``doc_id`` is the sha256 of its content, ``content`` that content if
    already read. The result's ``converter`` is empty, or names the OCR engine that read some pages
    (``none`` if pages are missing for lack of one). Raises PasswordNeeded, ConversionFailed with
    pdfium's reason, or ModelUnavailable."""
    options = options or Options()
    content = path.read_bytes() if content is None else content
    facts = read_file_facts(path.name, content, password)
    evidence = TitleEvidence.of([facts.info.title], path.stem)
    report(PageProgress(Phase.PAGES, 0, 0, len(facts.sizes)))
    reading = _reader(options)(PdfFile(path.name, content, password, evidence), options, report)
    body, furniture, ocr = reading.body, reading.furniture, reading.ocr
    rows = _rows(furniture)
    labels = page_labels(facts.labels, reading.numbers, len(facts.sizes))
    pages = page_map(body.blocks, dict(enumerate(facts.sizes, start=1)), labels)
    metadata = FileMetadata(*facts.info, facts.xmp, path.stem)
    front = reading.front_matter, metadata, body.text, body.blocks, rows
    work = judge_bibliography(*front, is_doubtful=_is_doubtful(reading))
    return ConversionResult(
        doc_id=doc_id,
        structure=Structure(
            heading_tree=heading_tree(_headers(body), len(body.text)), page_map=pages
        ),
        plain_text=body.text,
        blocks=body.blocks,
        furniture=furniture,
        figures=reading.figures,
        **work._replace(identifiers=_identifiers(facts.metadata, body, rows))._asdict(),
        language=facts.language,
        mime_type="application/pdf",
        converter=f"ocr={reading.ocr_engine}" if reading.ocr_engine else "",
        warnings=(
            *ocr.warnings,
            *_uncertain(reading.fidelity, ocr.missing),
            *dict.fromkeys(reading.warnings),
        ),
        ocr_pages=ocr.read,
        missing_pages=ocr.missing,
        fidelity=reading.fidelity,
        disputed=body.disputed,
    )


def _is_doubtful(reading: PdfReading) -> bool:
    """Whether letters of the first page may be wrong."""
    uncertain = (one.page for one in reading.fidelity if one.is_uncertain)
    return reading.is_scan or 1 in {*reading.ocr.read, *uncertain}


def _reader(options: Options) -> PdfReader:
    """The reader that the settings name. docling is imported where it reads only: that takes 3 s
    and 170 MB."""
    if options.pdf == "docling-standard":
        from .neural import read
    else:
        from .native import read
    return read


def _rows(furniture: Sequence[Furniture]) -> dict[int, list[str]]:
    """The texts of page furniture by page."""
    rows: dict[int, list[str]] = {}
    for piece in furniture:
        rows.setdefault(piece.page, []).append(piece.text)
    return rows


def _uncertain(fidelity: Sequence[PageFidelity], missing: Container[int]) -> Iterator[str]:
    """A warning about the uncertain pages, except those already reported ``missing``."""
    pages = [one.page for one in fidelity if one.is_uncertain and one.page not in missing]
    if pages:
        yield (
            f"{numbered_pages(pages)}: the text is uncertain (two readings of it differ); check "
            "quotes against the page"
        )


def _headers(body: Body) -> list[HeaderEntry]:
    return [
        (
            body.text[block.span.start : block.span.end],
            block.level or 1,
            block.span.start,
            block.lines[0].page if block.lines else None,
        )
        for block in body.blocks
        if block.label == BlockLabel.SECTION_HEADER
    ]


def _identifiers(
    metadata: Sequence[str], body: Body, furniture: Mapping[int, Sequence[str]]
) -> tuple[str, ...]:
    early = [
        body.text[line.start : line.end]  # a DOI may be broken at its end
        for block in body.blocks
        if block.label != BlockLabel.REFERENCE
        for line in block.lines
        if block.lines[0].page <= FIRST_PAGES
    ]
    rows = [row for page in sorted(furniture) if page <= FIRST_PAGES for row in furniture[page]]
    return pdf_identifiers(metadata, rows, "\n".join(early))
