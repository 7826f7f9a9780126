"""Source files of conversions: their content, its type, and how much of it is read.

Bounds of archives (Office, OpenDocument, EPUB), checked before anything is expanded. A directory
that understates its members gains nothing: Python's zipfile reads no more than what is stated
there.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from citeloom.domain.errors import (
    ConversionFailed,
    DocumentFailed,
    DocumentTooLarge,
    PasswordNeeded,
    SourceChanged,
    UnsupportedFormat,
)
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.system.files import ordinary_file

from . import format_table
from .format_table import Format
from .formats.source_text import is_binary

# Text and markup become some fifty times as much in memory (measured: 30 MB of Word paragraphs
# need more than 2 GB); a PDF is read as it lies on the disk, and at times once more.
_TEXT_SHARE = 64
_FILE_SHARE = 2


def most_text(memory_mb: int) -> int:
    """Bytes of text and markup that are read with ``memory_mb`` megabytes."""
    return memory_mb * 2**20 // _TEXT_SHARE


def read_content(source: Path, digest: str, memory_mb: int) -> bytes:
    """The whole content of ``source``, which has the sha256 ``digest``.

    Raises SourceChanged if it has another one: the file was replaced, or written to while it was
    read; DocumentTooLarge if it is larger than can be converted with ``memory_mb`` megabytes;
    ConversionFailed if it cannot be read.
    """
    promised = format_table.promised_format(source)
    is_text = promised is not None and promised.text
    most = most_text(memory_mb) if is_text else memory_mb * 2**20 // _FILE_SHARE
    try:
        with ordinary_file(source) as file:
            content = file.read(most + 1)
            size = len(content) if len(content) <= most else file.seek(0, 2)
    except OSError as error:
        raise ConversionFailed(
            f"{source.name}: cannot be read ({error.strerror or error}); "
            "check that the file exists and that you may read it",
            path=str(source),
        ) from error
    if size > most:
        what = " of text" if is_text else ""
        raise DocumentTooLarge(
            f"{source.name}: {sized(size)}{what}, more than {sized(most)}, is too much to convert; "
            "split it, or raise ingest.worker_memory_mb"
        )
    if hashlib.sha256(content).hexdigest() != digest:
        raise SourceChanged(
            f"{source.name}: changed after it was found, or while it was read; "
            "run it again once nothing writes to it"
        )
    return content


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
    """Raises DocumentTooLarge for the file ``name`` if it has too many members or cells, or
    expands too far, for a reader with ``memory_mb`` megabytes."""
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
                name, f"its part {one.filename} expands {ratio} times, more than text does"
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
    """For each sheet, the number of cells in the rectangle from its first to its last cell."""
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


#: Bytes at the beginning of a file that are examined.
HEAD_BYTES = 8192

_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "JPEG image"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"GIF8", "GIF image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"\x1f\x8b", "gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!", "RAR archive"),
    (b"AT&TFORM", "DjVu document"),
    (b"ID3", "MP3 recording"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"\x7fELF", "program"),
)
_FOREIGN_TEXT: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "RTF document"),
    (b"%!PS", "PostScript file"),
)
_OFFICE = {"word": format_table.DOCX, "ppt": format_table.PPTX, "xl": format_table.XLSX}
_BY_MIME = {
    one.mime: one
    for one in (format_table.EPUB, format_table.ODT, format_table.ODS, format_table.ODP)
}
_HTML = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+)?html\b", re.I | re.S
)
_ROOT = re.compile(rb"<([A-Za-z][\w:.-]*)")
_PATENT_ROOTS = {
    b"us-patent-grant",
    b"us-patent-application",
    b"patent-application-publication",
    b"PATDOC",
}


def checked_format(source: Path, raw: bytes) -> Format:
    """The format to read ``raw`` as, the whole content of ``source``.

    Raises UnsupportedFormat if the suffix is unknown or the content is of another format than
    the suffix, ConversionFailed for a file that is empty or damaged, PasswordNeeded for an
    encrypted Office file.
    """
    promised = format_table.promised_format(source)
    if promised is None:
        raise UnsupportedFormat(_unknown_suffix(source), suffix=source.suffix)
    if not raw:
        raise ConversionFailed(
            f"{source.name}: the file is empty (0 bytes); download or export it again"
        )
    detected = _detected_format(raw, promised)
    if isinstance(detected, str):
        raise _foreign_content(source, promised, detected)
    if promised is format_table.TEXT and detected is format_table.USPTO:
        return format_table.USPTO
    if isinstance(detected, Format) and not _matches_promise(detected, promised):
        usual = detected.suffixes[0]
        raise UnsupportedFormat(
            f"{source.name}: this is {_with_article(detected.name)} by its content; "
            f"its name must end in {usual}",
            found=detected.name,
            promised=promised.name,
        )
    if promised.text and is_binary(raw[:HEAD_BYTES]):
        raise _foreign_content(source, promised, "binary file")
    if promised is format_table.JATS:
        return _xml_format(source, raw, detected)
    if detected is None and not promised.text and promised is not format_table.PDF:
        raise ConversionFailed(
            f"{source.name}: not {_with_article(promised.name)}, the file is damaged or has a "
            "wrong name; open it in the program that wrote it, or download it again"
        )
    return promised


def is_pdf(head: bytes, promised: Format) -> bool:
    """Whether a file that begins with ``head`` is a PDF.

    Its signature may be anywhere in the first 1,024 bytes; in a text format, only at the very
    beginning, since the text may be about PDF.
    """
    return head.lstrip().startswith(b"%PDF-") or (not promised.text and b"%PDF-" in head[:1024])


def _detected_format(raw: bytes, promised: Format) -> Format | str | None:
    """A supported format, the name of another one, or None if the bytes do not say."""
    head = raw[:HEAD_BYTES]
    if is_pdf(head, promised):
        return format_table.PDF
    if head.startswith(_ZIP):
        return _zip_content(raw)
    if head.startswith(_OLE2):
        return _ole_content(raw)
    if head[4:8] == b"ftyp" and is_binary(head):
        return "video or audio recording"
    if head.startswith(b"RIFF") and is_binary(head):
        return "recording or image"
    marks = _FOREIGN_TEXT if promised.text and not is_binary(head) else _FOREIGN + _FOREIGN_TEXT
    foreign = next((name for mark, name in marks if head.startswith(mark)), None)
    if foreign:
        return foreign
    if head.startswith((b"PATN\n", b"PATN\r\n")):
        return format_table.USPTO
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        return format_table.HTML
    return None


def _zip_content(raw: bytes) -> Format | str | None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
            if "mimetype" in names:
                mime = archive.read("mimetype")[:100].decode("ascii", "replace").strip()
                mime = mime.removesuffix("-template")
                if mime in _BY_MIME:
                    return _BY_MIME[mime]
            if "[Content_Types].xml" in names:
                folders = {name.split("/", 1)[0] for name in names}
                return next((format_ for key, format_ in _OFFICE.items() if key in folders), None)
            if "META-INF/container.xml" in names:
                return format_table.EPUB
            return "ZIP archive"
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, NotImplementedError):
        return None


def _ole_content(raw: bytes) -> Format | str:
    if "EncryptedPackage".encode("utf-16-le") in raw:
        return "encrypted Office document"
    if "__properties_version1.0".encode("utf-16-le") in raw:
        return format_table.OUTLOOK
    for stream, name in (
        ("WordDocument", "Word 97–2003 document"),
        ("PowerPoint Document", "PowerPoint 97–2003 presentation"),
        ("Workbook", "Excel 97–2003 workbook"),
    ):
        if stream.encode("utf-16-le") in raw:
            return name
    return "document of an old Office version"


def _xml_format(source: Path, raw: bytes, detected: Format | None) -> Format:
    if detected is format_table.HTML:
        raise UnsupportedFormat(
            f"{source.name}: this is an HTML page by its content; its name must end in .html",
            found=format_table.HTML.name,
        )
    root = _ROOT.search(re.sub(rb"<!--.*?-->", b"", raw, flags=re.S))
    name = root.group(1) if root else b""
    if name == b"article":
        return format_table.JATS
    if name in _PATENT_ROOTS:
        return format_table.USPTO
    raise UnsupportedFormat(
        f"{source.name}: XML that is neither a JATS article nor a USPTO patent "
        f"(its root is <{name.decode('utf-8', 'replace')}>); export it as PDF or HTML",
        root=name.decode("utf-8", "replace"),
    )


def _matches_promise(detected: Format, promised: Format) -> bool:
    if detected is promised:
        return True
    # Markdown, AsciiDoc, captions, … may begin with HTML or with a patent's first line.
    return detected.text and promised.text


def _foreign_content(source: Path, promised: Format, detected: str) -> DocumentFailed:
    if detected == "encrypted Office document":
        return PasswordNeeded(
            f"{source.name}: the Office document is encrypted; "
            "save it without a password and ingest it again"
        )
    return UnsupportedFormat(
        f"{source.name}: this is {_with_article(detected)} by its content, "
        f"not {_with_article(promised.name)}; {_advice(detected)}",
        found=detected,
        promised=promised.name,
    )


def _advice(detected: str) -> str:
    if "image" in detected:
        return "convert the image to PDF to have its text recognised"
    if "97–2003" in detected or "old Office" in detected:
        return "save it in the current format (.docx, .pptx, .xlsx)"
    if detected == "RTF document":
        return "save it as .docx"
    if detected in ("PostScript file", "DjVu document"):
        return "convert it to PDF"
    if "archive" in detected:
        return "unpack it and ingest what is inside"
    return "it has no readable text"


def _unknown_suffix(source: Path) -> str:
    suffix = source.suffix.lower()
    if suffix in format_table.ALTERNATIVES:
        return (
            f"{source.name}: {suffix} files are not supported; {format_table.ALTERNATIVES[suffix]}"
        )
    suffixes = " ".join(dict.fromkeys(format_.suffixes[0] for format_ in format_table.FORMATS))
    subject = f"{suffix} files are" if suffix else "a file without a suffix is"
    return f"{source.name}: {subject} not supported; supported are {suffixes}"


def _with_article(noun: str) -> str:
    """The noun with its article: *an e-mail message*, *a PDF*; none for uncountable nouns."""
    if noun in ("Markdown", "AsciiDoc", "plain text", "LaTeX source", "WebVTT captions"):
        return noun
    vowel = noun[0].lower() in "aeio" or noun.startswith(("HTML", "RTF", "RAR", "MP3", "SQL"))
    return f"{'an' if vowel else 'a'} {noun}"
