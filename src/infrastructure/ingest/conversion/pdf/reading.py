"""What a reader of PDFs returns, and the parts of a ``ConversionResult`` made from it.

``PdfReader`` is the port. Its adapters are ``native`` (CiteLoom's layout) and ``neural``
(docling's models); the contract that both keep is in
``tests/contract/ingest/test_pdf_readers_contract.py``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from citeloom.domain.citation.page_numbers import PageLabels, PageNumber
from citeloom.domain.documents.conversion import Block, BlockLabel, Figure, Furniture, PageEntry
from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.infrastructure.ingest.conversion.protocol import Options, Report

from .front_matter.bibliography import FrontMatter
from .front_matter.title import TitleEvidence
from .ocr.page_ocr import OcrSummary

BETWEEN_BLOCKS = "\n\n"
NESTED = "  "  # indent of a list item for each list around its own


class PdfFile(NamedTuple):
    """A PDF that was read into memory; ``evidence`` is that of its metadata and name for its
    title."""

    name: str
    content: bytes
    password: str | None = None
    evidence: TitleEvidence = TitleEvidence()


class PdfPiece(NamedTuple):
    """A block before its place in the document is known.

    Offsets of its ``lines`` and ``disputed`` sentences are into ``text``. A list item is nested
    in ``nesting`` others; ``aside`` marks margin notes.
    """

    label: BlockLabel
    text: str
    lines: tuple[Line, ...]
    level: int | None = None
    nesting: int = 0
    aside: bool = False
    disputed: tuple[CharSpan, ...] = ()


class Body(NamedTuple):
    """The document's text, the blocks in it, and its disputed sentences."""

    text: str
    blocks: tuple[Block, ...]
    disputed: tuple[CharSpan, ...] = ()


class PdfReading(NamedTuple):
    """A document as its reader found it. ``numbers`` are the printed ones of the pages (from 1).
    ``ocr_engine`` names the engine that read pages or would have; ``ocr`` says which. ``is_scan``:
    the first page is a picture with a text layer of another program."""

    body: Body
    furniture: tuple[Furniture, ...]
    figures: tuple[Figure, ...]
    front_matter: FrontMatter
    numbers: Mapping[int, PageNumber]
    warnings: tuple[str, ...] = ()
    fidelity: tuple[PageFidelity, ...] = ()
    ocr: OcrSummary = OcrSummary()
    ocr_engine: str = ""
    is_scan: bool = False


#: Reads a PDF. Raises ConversionFailed, or ModelUnavailable where it needs models.
PdfReader = Callable[[PdfFile, Options, Report], PdfReading]


def body_of(pieces: Iterable[PdfPiece]) -> Body:
    """Pieces in reading order, joined by an empty line; those without text are left out.

    Items of nested lists are indented; the indent is part of no block.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    disputed: list[CharSpan] = []
    at = 0
    for piece in pieces:
        if not piece.text:
            continue
        indent = NESTED * piece.nesting
        at += len(indent)
        blocks.append(
            Block(
                label=piece.label,
                span=CharSpan(start=at, end=at + len(piece.text)),
                level=piece.level,
                lines=tuple(
                    Line(at + line.start, at + line.end, line.page, line.bbox)
                    for line in piece.lines
                ),
                aside=piece.aside,
            )
        )
        disputed += (CharSpan(start=at + s.start, end=at + s.end) for s in piece.disputed)
        parts.append(indent + piece.text)
        at += len(piece.text) + len(BETWEEN_BLOCKS)
    return Body(BETWEEN_BLOCKS.join(parts), tuple(blocks), tuple(disputed))


def in_page_order(
    furniture: Iterable[Furniture], figures: Iterable[Figure]
) -> tuple[tuple[Furniture, ...], tuple[Figure, ...]]:
    """Heads and feet, and figures: page by page, from the top."""
    return (
        tuple(sorted(furniture, key=lambda f: (f.page, f.bbox[1], f.bbox[0]))),
        tuple(sorted(figures, key=lambda f: (f.page, f.bbox[1], f.bbox[0]))),
    )


def page_map(
    blocks: Iterable[Block],
    sizes: Mapping[int, tuple[float, float]],
    labels: PageLabels,
) -> tuple[PageEntry, ...]:
    """An entry for every page (from 1), with the slices of the text on it."""
    spans: dict[int, list[CharSpan]] = {page: [] for page in sizes}
    for block in blocks:
        for page, start, end in _runs(block.lines):
            spans.setdefault(page, []).append(CharSpan(start=start, end=end))
    entries = []
    for page in sorted(spans):
        width, height = sizes.get(page, (0.0, 0.0))
        label, source = labels.get(page, (None, None))
        entries.append(
            PageEntry(
                page=page,
                label=label,
                label_source=source,
                width=width,
                height=height,
                spans=tuple(spans[page]),
            )
        )
    return tuple(entries)


def _runs(lines: Iterable[Line]) -> list[tuple[int, int, int]]:
    """Page, start and end of each run of lines on one page."""
    runs: list[tuple[int, int, int]] = []
    for line in lines:
        if runs and runs[-1][0] == line.page:
            runs[-1] = (line.page, runs[-1][1], line.end)
        else:
            runs.append((line.page, line.start, line.end))
    return runs
