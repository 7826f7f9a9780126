"""PDF readers side by side: each reads files and says what stands on each page.

usage: python benchmarks/readers.py READER FILE...

Prints one JSON document: version, peak memory in MB, and for each file the seconds that it
took by the clock and of processor time, the text of its pages, what the reader keeps apart
from it (heads and feet), and its headings as [title, level, page], if the reader finds any.
Run in a process of its own for each reader, so that memory is that of one reader.
"""

import hashlib
import importlib.metadata
import json
import logging
import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Pages = list[str]
Heading = tuple[str, int, int | None]


class Read(NamedTuple):
    pages: Pages
    headings: list[Heading] | None = None
    aside: Sequence[str] = ()


def citeloom() -> Callable[[Path], Read]:
    from citeloom.domain.documents.conversion import ConversionResult
    from citeloom.infrastructure.ingest.conversion.convert import convert_file

    def read(path: Path) -> Read:
        found = convert_file(path, hashlib.sha256(path.read_bytes()).hexdigest())
        aside = [""] * found.page_count
        for one in found.furniture:
            aside[one.page - 1] += f"{one.text}\n"
        headings = [(one.title, one.level, one.page) for one in found.structure.headings()]
        return Read(_pages(found), headings, aside)

    def _pages(found: ConversionResult) -> Pages:
        pages = [""] * found.page_count
        before = -1
        for block in found.blocks:
            for line in block.lines:
                # Where a hyphen was dropped, the word's halves stand next to each other.
                joint = "" if line.start == before else "\n"
                pages[line.page - 1] += joint + found.plain_text[line.start : line.end]
                before = line.end
        return pages

    return read


def docling_native() -> Callable[[Path], Read]:
    from docling.datamodel.base_models import InputFormat
    from docling.document_converter import DocumentConverter, NativePdfFormatOption

    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={InputFormat.PDF: NativePdfFormatOption()},
    )
    return lambda path: _from_docling(converter.convert(path).document)


def docling_rs() -> Callable[[Path], Read]:
    from docling_rs import DocumentConverter

    converter = DocumentConverter(text_layer_only=True)
    return lambda path: _from_docling(converter.convert(str(path)).document)


def _from_docling(document: Any) -> Read:
    pages: list[list[str]] = [[] for _ in range(max(document.pages, default=0))]
    headings: list[Heading] = []
    unplaced: list[str] = []
    for item, _ in document.iterate_items():
        label = str(getattr(item.label, "value", item.label))
        text = getattr(item, "text", "") or _cells(item)
        page = item.prov[0].page_no if item.prov else None
        for prov in item.prov:
            start, end = prov.charspan
            slice_ = text[start:end] if len(item.prov) > 1 else text
            while len(pages) < prov.page_no:
                pages.append([])
            pages[prov.page_no - 1].append(slice_)
        if not item.prov:
            unplaced.append(text)
        if label == "section_header":
            headings.append((text, getattr(item, "level", 1), page))
    if unplaced and not any(pages):
        pages = [unplaced]
    return Read(["\n".join(lines) for lines in pages], headings)


def _cells(item: Any) -> str:
    data = getattr(item, "data", None)
    return "\n".join(cell.text for cell in data.table_cells) if data else ""


def pypdf() -> Callable[[Path], Read]:
    import pypdf

    return lambda path: Read([page.extract_text() for page in pypdf.PdfReader(path).pages])


def pdfminer() -> Callable[[Path], Read]:
    from pdfminer.high_level import extract_pages
    from pdfminer.layout import LTTextContainer

    def read(path: Path) -> Read:
        return Read(
            [
                "".join(item.get_text() for item in page if isinstance(item, LTTextContainer))
                for page in extract_pages(path)
            ]
        )

    return read


def pypdfium2() -> Callable[[Path], Read]:
    import pypdfium2

    def read(path: Path) -> Read:
        document = pypdfium2.PdfDocument(path)
        try:
            return Read([page.get_textpage().get_text_bounded() for page in document])
        finally:
            document.close()

    return read


# Reader, and the distribution whose version is shown.
READERS = {
    "citeloom": (citeloom, "pypdfium2"),
    "docling native": (docling_native, "docling-slim"),
    "docling-rs": (docling_rs, "docling-rs"),
    "pypdf": (pypdf, "pypdf"),
    "pdfminer.six": (pdfminer, "pdfminer.six"),
    "pypdfium2": (pypdfium2, "pypdfium2"),
}
PRODUCT = ("citeloom", "docling native")
"""Readers that run in the product's environment; the others in that of the peers."""


def main(name: str, paths: list[Path]) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    make, distribution = READERS[name]
    read = make()
    read(paths[0])  # imports and caches are not what is measured
    files = []
    for path in paths:
        began, worked = time.perf_counter(), time.process_time()
        try:
            found, error = read(path), None
        except Exception as failure:
            found, error = Read([]), f"{type(failure).__name__}: {failure}"
        seconds, cpu = time.perf_counter() - began, time.process_time() - worked
        files.append(
            {"file": path.name, "seconds": seconds, "cpu": cpu, "error": error, **found._asdict()}
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    json.dump(
        {
            "version": f"{distribution} {importlib.metadata.version(distribution)}",
            "peak_mb": peak // (1024 if sys.platform == "linux" else 1024**2),
            "files": files,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(sys.argv[1], [Path(argument) for argument in sys.argv[2:]])
