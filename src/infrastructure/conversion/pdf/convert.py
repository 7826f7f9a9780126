"""A PDF file to a ``ConversionResult``. Runs inside a conversion worker process."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import ConversionResult as DoclingResult
from docling.document_converter import DocumentConverter, NativePdfFormatOption
from docling.exceptions import ConversionError
from pydantic import SecretStr

from citeloom.domain.conversion import BlockLabel, ConversionResult, Structure
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.outline import HeaderEntry, heading_tree
from citeloom.infrastructure.conversion.pdf.access import FileFacts, inspect_file
from citeloom.infrastructure.conversion.pdf.backend import CellBackend
from citeloom.infrastructure.conversion.pdf.glyphs import squash, unreadable_share
from citeloom.infrastructure.conversion.pdf.identifiers import identifiers
from citeloom.infrastructure.conversion.pdf.labels import page_labels
from citeloom.infrastructure.conversion.pdf.pipeline import (
    LayoutPdfOptions,
    LayoutPdfPipeline,
)
from citeloom.infrastructure.conversion.pdf.result import (
    Body,
    body_of,
    figures_of,
    furniture_of,
    page_map,
    title_of,
)

UNREADABLE = 0.05  # share of characters without meaning that makes a page unreadable
FIRST_PAGES = 2  # pages that are searched for the document's own identifiers
CONVERTER = f"citeloom-layout/1 docling-slim/{version('docling-slim')}"
_POOR_TITLE = re.compile(
    r"^(untitled|microsoft word|document\d*|title|paper|manuscript|\(anonymous\)|no title)\b|"
    r"\.(docx?|tex|dvi|pdf|qxd|indd|rtf|ps)$|^[\W\d_]*$",
    re.IGNORECASE,
)


def convert_pdf(path: Path, doc_id: str, password: str | None = None) -> ConversionResult:
    """Convert ``path``; ``doc_id`` is the sha256 of its content.

    Raises PasswordNeeded, or ConversionFailed with the reason as pdfium gives it.
    """
    facts = inspect_file(path, password)
    docling = _run_docling(path, password, _metadata_title(facts))
    doc, backend = docling.document, docling.input._backend
    body = body_of(doc)
    furniture = furniture_of(doc)
    rows: dict[int, list[str]] = {}
    for piece in furniture:
        rows.setdefault(piece.page, []).append(piece.text)
    labels = page_labels(facts.labels, rows, len(facts.sizes))
    sizes = dict(enumerate(facts.sizes, start=1))
    pages = page_map(body.blocks, sizes, labels)
    title = _title(title_of(doc), _metadata_title(facts))
    return ConversionResult(
        doc_id=doc_id,
        structure=Structure(
            heading_tree=heading_tree(_headers(body), len(body.text)), page_map=pages
        ),
        plain_text=body.text,
        blocks=body.blocks,
        furniture=furniture,
        figures=figures_of(doc),
        title=title,
        identifiers=_identifiers(_metadata(facts, backend), body, rows),
        language=backend.language if isinstance(backend, CellBackend) else None,
        mime_type="application/pdf",
        converter=CONVERTER,
        warnings=_warnings(docling, body, rows, len(facts.sizes)),
    )


def _run_docling(path: Path, password: str | None, title: str | None) -> DoclingResult:
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={
            InputFormat.PDF: NativePdfFormatOption(
                pipeline_cls=LayoutPdfPipeline,
                backend=CellBackend,
                pipeline_options=LayoutPdfOptions(title_hint=title),
                backend_options=PdfBackendOptions(
                    password=SecretStr(password) if password else None
                ),
            )
        },
    )
    try:
        return converter.convert(path)
    except ConversionError as error:
        raise ConversionFailed(
            f"{path.name}: the PDF cannot be parsed ({_first_line(error)}); "
            "print it to a new PDF or download it again"
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0][:200]


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


def _metadata_title(facts: FileFacts) -> str | None:
    title = facts.title
    if title is None or _POOR_TITLE.search(title) or len(squash(title)) < 6:
        return None
    return title


def _title(printed: str | None, metadata: str | None) -> str | None:
    """The title on the first page, spelt as in the metadata if these have the same words:
    they keep the colon between title and subtitle."""
    if printed is None or metadata is None:
        return printed or metadata
    mixed = metadata.upper() != metadata != metadata.lower()
    return metadata if mixed and squash(metadata) == squash(printed) else printed


def _metadata(facts: FileFacts, backend: object) -> list[str]:
    xmp = backend.xmp if isinstance(backend, CellBackend) else None
    return [*([xmp] if xmp else []), *facts.metadata]


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
    return identifiers(metadata, rows, "\n".join(early))


def _warnings(
    docling: DoclingResult, body: Body, furniture: Mapping[int, Sequence[str]], pages: int
) -> tuple[str, ...]:
    text = _text_by_page(body)
    empty = [page for page in range(1, pages + 1) if not text.get(page) and not furniture.get(page)]
    broken = [page for page, found in sorted(text.items()) if unreadable_share(found) > UNREADABLE]
    warnings = []
    if empty:
        warnings.append(
            f"{_counted(empty)} no text (scanned?); install tesseract to read "
            f"{'it' if len(empty) == 1 else 'them'}"
        )
    if broken:
        warnings.append(
            f"{_counted(broken)} text that cannot be read (fonts without character codes); "
            f"install tesseract to read {'it' if len(broken) == 1 else 'them'}"
        )
    warnings += dict.fromkeys(error.error_message for error in docling.errors)
    return tuple(warnings)


def _text_by_page(body: Body) -> dict[int, str]:
    found: dict[int, list[str]] = {}
    for block in body.blocks:
        for line in block.lines:
            found.setdefault(line.page, []).append(body.text[line.start : line.end])
    return {page: "".join(parts) for page, parts in found.items()}


def _counted(pages: Sequence[int]) -> str:
    noun = "page" if len(pages) == 1 else "pages"
    return f"{noun} {page_ranges(pages)} {'has' if len(pages) == 1 else 'have'}"


def page_ranges(pages: Iterable[int]) -> str:
    """Pages in ascending order as compact ranges: ``1-3, 7``."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
