"""Content type of a file, detected by its bytes and checked against its suffix."""

import io
import re
import zipfile
from pathlib import Path

from citeloom.domain.errors import (
    ConversionFailed,
    DocumentFailed,
    PasswordNeeded,
    UnsupportedFormat,
)
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.format_table import Format
from citeloom.infrastructure.ingest.conversion.formats.text_encoding import is_binary

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
    """A supported format, the name of another one, or None if the bytes do not tell."""
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
        return "save it in the present format (.docx, .pptx, .xlsx)"
    if detected == "RTF document":
        return "save it as .docx"
    if detected in ("PostScript file", "DjVu document"):
        return "convert it to PDF"
    if "archive" in detected:
        return "unpack it and ingest what is inside"
    return "it holds no text that can be read"


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
