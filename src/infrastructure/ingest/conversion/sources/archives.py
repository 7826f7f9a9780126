"""Bounds of archives (Office, OpenDocument, EPUB), checked before anything is expanded.

A directory that understates its members gains nothing: Python's zipfile reads no more than what
is stated there.
"""

import re
import zipfile
from collections.abc import Iterator

from citeloom.domain.errors import DocumentTooLarge
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.format_table import Format
from citeloom.infrastructure.ingest.conversion.sources.content import most_text

MOST_MEMBERS = 20_000
#: How many times its stored size a large text may be. Deflate reaches 1,032; prose has 3 to 5, a
#: sheet of equal rows 50.
MOST_RATIO = 200
_BY_MEMORY = ", or raise ingest.worker_memory_mb"
#: Texts below this size are small at any ratio.
_SMALL = 2**20
#: Cells of a sheet between the first and the last one used: each becomes an object.
MOST_CELLS = 2_000_000

_TEXTS = re.compile(r".*\.(?:xml|x?html?|rels|opf|ncx|vml|svg|txt)", re.I)
_SHEETS = re.compile(r"xl/worksheets/[^/]+\.xml", re.I)
_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Za-z]{1,3})([0-9]{1,7})"')
_ROW_OR_CELL = re.compile(rb"<table:table-(row|(?:covered-)?cell)\b([^>]*?)(/?)>")
_REPEATED = re.compile(rb'table:number-(?:rows|columns)-repeated="([0-9]{1,9})"')


def check_archive(name: str, archive: zipfile.ZipFile, format_: Format, memory_mb: int) -> None:
    """Raises DocumentTooLarge for the file ``name`` if its members, their expanded size or the
    cells of its sheets are more than are read with ``memory_mb`` megabytes."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise _too_large(name, f"holds {len(members):,} files, more than {MOST_MEMBERS:,}")
    whole, most_whole = sum(one.file_size for one in members), memory_mb * 2**20
    texts = [one for one in members if _TEXTS.fullmatch(one.filename)]
    text, most = sum(one.file_size for one in texts), most_text(memory_mb)
    if text > most:
        reason = f"holds {sized(text)} of text and markup, more than {sized(most)}"
        raise _too_large(name, reason, _BY_MEMORY)
    if whole > most_whole:
        raise _too_large(
            name, f"expands to {sized(whole)}, more than {sized(most_whole)}", _BY_MEMORY
        )
    for one in texts:
        if one.file_size > max(_SMALL, one.compress_size * MOST_RATIO):
            ratio = one.file_size // max(1, one.compress_size)
            raise _too_large(
                name, f"its part {one.filename} expands {ratio} times; no written text does"
            )
    cells = max(_sheet_sizes(archive, format_), default=0)
    if cells > MOST_CELLS:
        raise _too_large(name, f"a sheet of it spans {cells:,} cells, more than {MOST_CELLS:,}")


def _too_large(name: str, reason: str, otherwise: str = "") -> DocumentTooLarge:
    return DocumentTooLarge(
        f"{name}: {reason}, which is too much to convert; split it or delete what is not "
        f"needed{otherwise}"
    )


def _sheet_sizes(archive: zipfile.ZipFile, format_: Format) -> Iterator[int]:
    """Of each sheet the cells of the rectangle from its first to its last cell."""
    if format_ is format_table.XLSX:
        for name in archive.namelist():
            if _SHEETS.fullmatch(name):
                yield _rectangle(archive.read(name))
    elif format_ is format_table.ODS and "content.xml" in archive.namelist():
        for table in archive.read("content.xml").split(b"<table:table ")[1:]:
            yield _repeated(table)


def _rectangle(sheet: bytes) -> int:
    columns = rows = 0
    for column, row in _CELL.findall(sheet):
        number = 0
        for letter in column.upper():
            number = number * 26 + letter - ord("A") + 1
        columns, rows = max(columns, number), max(rows, int(row))
    return columns * rows


def _repeated(table: bytes) -> int:
    """Cells up to the last with content, as OpenDocument repeats rows and cells."""
    height = width = rows = columns = times = 0
    for kind, attributes, empty in _ROW_OR_CELL.findall(table):
        found = _REPEATED.search(attributes)
        count = int(found.group(1)) if found else 1
        if kind == b"row":
            rows, times, columns = rows + times, count, 0
            continue
        columns += count
        if not empty:
            width, height = max(width, columns), max(height, rows + times)
    return width * height
