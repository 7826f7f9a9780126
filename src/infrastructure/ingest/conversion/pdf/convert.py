"""Conversion of a PDF file to a ``ConversionResult``, in a worker process."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import DocumentStream, InputFormat
from docling.datamodel.document import ConversionResult as DoclingResult
from docling.document_converter import DocumentConverter, NativePdfFormatOption
from docling.exceptions import ConversionError
from pydantic import SecretStr

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Furniture, Structure
from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.domain.documents.outline import HeaderEntry, heading_tree
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.failure_reasons import failure_reason
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.ingest.conversion.pdf import neural
from citeloom.infrastructure.ingest.conversion.pdf.docling_backend import (
    ContentStream,
    RecordBackend,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import (
    Bibliography,
    FileMetadata,
    judge_bibliography,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.identifiers import pdf_identifiers
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.printed import FrontMatter
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import TitleEvidence
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice, choose_engine
from citeloom.infrastructure.ingest.conversion.pdf.ocr.ocr_warnings import OcrSummary, summarise
from citeloom.infrastructure.ingest.conversion.pdf.page_labels import page_labels
from citeloom.infrastructure.ingest.conversion.pdf.pdfium import PdfFacts, read_file_facts
from citeloom.infrastructure.ingest.conversion.pdf.pipeline import (
    LayoutPdfOptions,
    LayoutPdfPipeline,
    RecordedPage,
)
from citeloom.infrastructure.ingest.conversion.pdf.result import (
    Body,
    body_of,
    figures_of,
    furniture_of,
    page_map,
    title_of,
)
from citeloom.infrastructure.ingest.conversion.progress import (
    PageProgress,
    Phase,
    Report,
    ignore_progress,
)

FIRST_PAGES = 2  # pages that are searched for the document's own identifiers


def convert_pdf(
    path: Path,
    doc_id: str,
    password: str | None = None,
    options: Options | None = None,
    report: Report = ignore_progress,
    content: bytes | None = None,
) -> ConversionResult:
    """Convert ``path``; ``doc_id`` is the sha256 of its content. ``content`` is that content,
    where it was read already.

    The result's ``converter`` is empty, or names the OCR engine that read some pages
    (``none`` where pages are missing for lack of one). Raises PasswordNeeded, ConversionFailed
    with pdfium's reason, or what ``neural.convert`` raises.
    """
    options = options or Options()
    content = path.read_bytes() if content is None else content
    facts = read_file_facts(path.name, content, password)
    engine = cache(partial(choose_engine, options))
    if options.pdf == "docling-standard":
        docling = neural.convert(path.name, content, password, options)
    else:
        report(PageProgress(Phase.PAGES, 0, 0, len(facts.sizes)))
        evidence = TitleEvidence.of([facts.info.title], path.stem)
        docling = _run_docling(path.name, content, password, evidence, engine, report)
    doc = docling.document
    body, furniture = body_of(doc), furniture_of(doc)
    rows = _rows(furniture)
    labels = page_labels(facts.labels, rows, len(facts.sizes))
    pages = page_map(body.blocks, dict(enumerate(facts.sizes, start=1)), labels)
    bibliography = _bibliography(docling, path, facts, body, rows)
    recorded = [page for page in docling.pages if isinstance(page, RecordedPage)]
    notes = [page._note for page in recorded if page._note]
    fidelity = tuple(page._fidelity for page in recorded if page._fidelity)
    ocr = summarise(notes, engine()) if notes else OcrSummary()
    return ConversionResult(
        doc_id=doc_id,
        structure=Structure(
            heading_tree=heading_tree(_headers(body), len(body.text)), page_map=pages
        ),
        plain_text=body.text,
        blocks=body.blocks,
        furniture=furniture,
        figures=figures_of(doc),
        title=bibliography.title,
        authors=bibliography.authors,
        year=bibliography.year,
        identifiers=_identifiers(facts.metadata, body, rows),
        language=facts.language,
        mime_type="application/pdf",
        converter=f"ocr={engine().fingerprint}" if ocr.read or ocr.missing else "",
        warnings=(
            *ocr.warnings,
            *_uncertain(fidelity, ocr.missing),
            *dict.fromkeys(e.error_message for e in docling.errors),
        ),
        ocr_pages=ocr.read,
        missing_pages=ocr.missing,
        fidelity=fidelity,
    )


def _rows(furniture: Sequence[Furniture]) -> dict[int, list[str]]:
    """The texts of page furniture by page."""
    rows: dict[int, list[str]] = {}
    for piece in furniture:
        rows.setdefault(piece.page, []).append(piece.text)
    return rows


def _uncertain(fidelity: Sequence[PageFidelity], missing: Container[int]) -> Iterator[str]:
    """A warning about the uncertain pages, but for those told to be ``missing`` already."""
    pages = [one.page for one in fidelity if one.is_uncertain and one.page not in missing]
    if pages:
        yield (
            f"{numbered_pages(pages)}: the text is uncertain (two readings of it differ); check "
            "quotes against the page"
        )


def _run_docling(
    name: str,
    content: bytes,
    password: str | None,
    evidence: TitleEvidence,
    engine: Callable[[], Choice],
    report: Report,
) -> DoclingResult:
    secret = SecretStr(password) if password else None
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={
            InputFormat.PDF: NativePdfFormatOption(
                pipeline_cls=LayoutPdfPipeline,
                backend=RecordBackend,
                pipeline_options=LayoutPdfOptions(
                    title_evidence=evidence, password=secret, engine=engine, report=report
                ),
                backend_options=PdfBackendOptions(password=secret),
            )
        },
    )
    try:
        return converter.convert(DocumentStream(name=name, stream=ContentStream(content)))
    except ConversionError as error:
        raise ConversionFailed(
            f"{name}: the PDF cannot be parsed ({failure_reason(error)}); "
            "print it to a new PDF or download it again"
        ) from error


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


def _bibliography(
    docling: DoclingResult,
    path: Path,
    facts: PdfFacts,
    body: Body,
    furniture: Mapping[int, Sequence[str]],
) -> Bibliography:
    found = (p._front_matter for p in docling.pages if isinstance(p, RecordedPage))
    printed = next(filter(None, found), None)
    return judge_bibliography(
        printed or FrontMatter(title_of(docling.document)),
        FileMetadata(*facts.info, facts.xmp, path.stem),
        body.text,
        body.blocks,
        furniture,
    )


def _identifiers(
    metadata: Sequence[str], body: Body, furniture: Mapping[int, Sequence[str]]
) -> tuple[str, ...]:
    early = [
        body.text[block.span.start : block.span.end]
        for block in body.blocks
        if block.label != BlockLabel.REFERENCE
        and block.lines
        and block.lines[0].page <= FIRST_PAGES
    ]
    rows = [row for page in sorted(furniture) if page <= FIRST_PAGES for row in furniture[page]]
    return pdf_identifiers(metadata, rows, "\n".join(early))
