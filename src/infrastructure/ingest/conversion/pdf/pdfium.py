"""PDF metadata, page sizes, and the page labels that the file declares."""

import ctypes
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.errors import ConversionFailed, PasswordNeeded

_INFO = ("Title", "Author", "CreationDate", "Subject")
_LONGEST_LANGUAGE = 64


class InfoFields(NamedTuple):
    """Fields of the document information dictionary (ISO 32000-1, 14.3.3)."""

    title: str | None = None
    author: str | None = None
    created: str | None = None
    subject: str | None = None


class PdfFacts(NamedTuple):
    """``labels`` is None without /PageLabels; ``sizes`` are those of the displayed pages.
    ``metadata`` holds the XMP packet, if any, and the values that may name an identifier."""

    sizes: tuple[tuple[float, float], ...]
    labels: tuple[str, ...] | None
    info: InfoFields
    metadata: tuple[str, ...]
    xmp: str | None = None
    language: str | None = None


def read_file_facts(name: str, content: bytes, password: str | None) -> PdfFacts:
    """Facts of the PDF ``content`` of a file ``name``; PasswordNeeded or ConversionFailed when
    it cannot be opened."""
    document = _open(name, content, password)
    try:
        count = len(document)
        if count == 0:
            raise ConversionFailed(f"{name}: the PDF has no pages; export it again")
        info = {key: _info(document, key) for key in (*_INFO, "Keywords")}
        sizes = tuple(_size(document, i) for i in range(count))
        declared = tuple(_label(document, i) for i in range(count))
        language = _language(document)
    except pypdfium2.PdfiumError as error:
        raise ConversionFailed(
            f"{name}: its table of pages is damaged ({error}); repair it or download it again"
        ) from error
    finally:
        document.close()
    xmp = _xmp(content, password)
    return PdfFacts(
        sizes=sizes,
        labels=declared if any(declared) else None,
        info=InfoFields(*((info.get(k) or "").strip() or None for k in _INFO)),
        metadata=(
            *([xmp] if xmp else []),
            *(v for k in ("Subject", "Keywords", "Title") if (v := info.get(k))),
        ),
        xmp=xmp,
        language=language,
    )


def _info(document: pypdfium2.PdfDocument, key: str) -> str:
    return _text(partial(pdfium.FPDF_GetMetaText, document, key.encode() + b"\0"))


def _label(document: pypdfium2.PdfDocument, index: int) -> str:
    return _text(partial(pdfium.FPDF_GetPageLabel, document, index))


def _text(read: Callable[[Any, int], int]) -> str:
    """UTF-16 that pdfium writes into a buffer of so many bytes; without noncharacters."""
    length = read(None, 0)
    buffer = ctypes.create_string_buffer(length)
    read(buffer, length)
    return buffer.raw[: max(0, length - 2)].decode("utf-16-le", "ignore")


def _language(document: pypdfium2.PdfDocument) -> str | None:
    units = (ctypes.c_ushort * _LONGEST_LANGUAGE)()  # UTF-16
    pdfium.FPDFCatalog_GetLanguage(document, units, ctypes.sizeof(units))
    return bytes(units).decode("utf-16-le", "ignore").split("\0")[0] or None


def _xmp(content: bytes, password: str | None) -> str | None:
    """The XMP packet; None without one, or in a file that only pdfium opens."""
    try:
        with pikepdf.open(BytesIO(content), password=password or "") as document:
            packet = document.Root.get("/Metadata")
            if isinstance(packet, pikepdf.Stream):
                return packet.read_bytes().decode("utf-8", "ignore")
    except (pikepdf.PdfError, pikepdf.PasswordError, OSError, ValueError, RuntimeError):
        pass
    return None


def _size(document: pypdfium2.PdfDocument, index: int) -> tuple[float, float]:
    width, height = document.get_page_size(index)
    return (round(width, 2), round(height, 2))


def _open(name: str, content: bytes, password: str | None) -> pypdfium2.PdfDocument:
    if not content:
        raise ConversionFailed(f"{name}: the file is empty; download or export it again")
    try:
        return pypdfium2.PdfDocument(content, password=password)
    except pypdfium2.PdfiumError as error:
        raise _open_error(name, content, password, error) from error


def _open_error(
    name: str, content: bytes, password: str | None, error: pypdfium2.PdfiumError
) -> ConversionFailed | PasswordNeeded:
    code = getattr(error, "err_code", None)
    if code == pdfium.FPDF_ERR_PASSWORD or (
        code != pdfium.FPDF_ERR_SECURITY and _asks_for_password(content, password)
    ):
        return PasswordNeeded.of(name, given=bool(password))
    head, tail = content[:1024], content[-2048:]
    refused = code == pdfium.FPDF_ERR_SECURITY
    if refused and b"/Encrypt" in head + tail:  # pdfium says so of some damaged files too
        return ConversionFailed(
            f"{name}: encrypted in a way that cannot be opened here; "
            "open it with the program it was made for and print it to a new PDF"
        )
    if b"%PDF-" not in head:
        return ConversionFailed(f"{name}: this is not a PDF file; download it again")
    if b"%%EOF" not in tail:
        return ConversionFailed(f"{name}: cut off before the PDF's end; download it again")
    return ConversionFailed(f"{name}: the PDF is damaged; repair it or download it again")


def _asks_for_password(content: bytes, password: str | None) -> bool:
    """Whether qpdf, where pdfium names no reason, opens it with another password only."""
    try:
        pikepdf.open(BytesIO(content), password=password or "").close()
    except pikepdf.PasswordError:
        return True
    except (pikepdf.PdfError, OSError, ValueError, RuntimeError):
        pass
    return False
