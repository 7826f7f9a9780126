"""PDFs with a /ToUnicode for the fonts whose characters pdfium would miss."""

import struct
import tempfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import IO

import pikepdf
import pypdfium2
from pikepdf import Dictionary, Name, ObjectStreamMode, Pdf, Stream, StreamDecodeLevel

from citeloom.infrastructure.ingest.conversion.pdf.fonts.composite_fonts import (
    composite_font_texts,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.font_resources import fonts_of
from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import is_private
from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import private_texts
from citeloom.infrastructure.ingest.conversion.pdf.fonts.simple_fonts import (
    UNKNOWN,
    simple_font_texts,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.to_unicode import (
    is_wide,
    read_cmap,
    write_cmap,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.type3_fonts import type3_font_texts

# Raised by pikepdf and by the readers here on objects that are not what the format says.
_MALFORMED = (
    pikepdf.PasswordError,
    pikepdf.PdfError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_CODES = range(0x20, 0xD800)  # of two bytes, that are no surrogates and no private use
_ONE_FOR_ALL = 6  # so many codes of one character are no map


def with_character_maps(source: Path | bytes, password: str | None = None) -> IO[bytes] | None:
    """The PDF with a /ToUnicode added to, or corrected in, the fonts that need one, as a
    temporary file: it goes when it is closed.

    None when no font needs one, and when the file is too damaged, or encrypted with another
    password: then it is to be read as it is. The file given is a PDF that is not encrypted.
    Codes whose character nothing tells are mapped to U+FFFD. Raises OSError, as when the disk is
    full.
    """
    file = BytesIO(source) if isinstance(source, bytes) else source
    try:
        with pikepdf.open(file, password=password or "", suppress_warnings=True) as pdf:
            if not [font for font in fonts_of(pdf) if _corrected(pdf, font)]:
                return None
            damaged = bool(pdf.get_warnings())
            mapped = _saved(pdf)
    except _MALFORMED:
        return None
    if damaged and _page_count(source, password) != _page_count(mapped, None):
        mapped.close()
        return None
    return mapped


def _corrected(pdf: Pdf, font: Dictionary) -> bool:
    """Whether the font got a map."""
    try:
        texts = character_map(font)
        if not texts:
            return False
        composite = font.get("/Subtype") == "/Type0"
        font["/ToUnicode"] = pdf.make_stream(write_cmap(texts, 2 if composite else 1))
    except _MALFORMED:
        return False
    return True


def character_map(font: Dictionary) -> dict[int, str]:
    """The whole map of a font that needs another than it has, otherwise empty."""
    own = font.get("/ToUnicode")
    if isinstance(own, Name) and font.get("/Subtype") == "/Type0":
        return _identity(font)
    data = own.read_bytes() if isinstance(own, Stream) else b""
    if is_wide(data):
        return {}
    stated = read_cmap(data)
    sound = _sound(stated)
    wrong = {code: text for code, text in stated.items() if code not in sound}
    found = _texts(font, sound, wrong)
    unsure = {code: text if text.isspace() else UNKNOWN for code, text in wrong.items()}
    unsure |= private_texts(str(font.get("/BaseFont", "")), wrong)
    better = {code: t for code, t in found.items() if t != UNKNOWN or code not in unsure}
    texts = sound | unsure | better
    return {} if texts == stated else texts


def _identity(font: Dictionary) -> dict[int, str]:
    """Characters by code of a font whose /ToUnicode is a name (Identity-H): its codes are
    characters, unless the font itself says otherwise of most."""
    found = _texts(font, {}, {})
    told = {code: text for code, text in found.items() if text != UNKNOWN}
    if 2 * sum(chr(code) == text for code, text in told.items()) < len(told):
        return found
    return {code: chr(code) for code in _CODES} | told


def _texts(font: Dictionary, sound: Mapping[int, str], wrong: Mapping[int, str]) -> dict[int, str]:
    """Characters by code that the font tells beside its map."""
    match str(font.get("/Subtype")):
        case "/Type0":
            return {} if sound and not wrong else composite_font_texts(font, wrong)
        case "/Type3":
            return type3_font_texts(font, sound)
        case _:
            return simple_font_texts(font, sound)


def _sound(texts: dict[int, str]) -> dict[int, str]:
    """A map without entries that are plainly wrong: control characters, U+FFFD, private use, and
    one character for everything."""
    if len(texts) >= _ONE_FOR_ALL and len(set(texts.values())) == 1:
        return {}
    return {code: text for code, text in texts.items() if _is_sound(text)}


def _is_sound(text: str) -> bool:
    controls = any(char < " " or "\x7f" <= char <= "\x9f" for char in text)
    return not controls and UNKNOWN not in text and not is_private(text)


def _page_count(source: Path | bytes | IO[bytes], password: str | None) -> int:
    """As pdfium sees it: two programs may restore a damaged file differently."""
    document = pypdfium2.PdfDocument(source, password=password)
    try:
        return len(document)
    finally:
        document.close()


def _saved(pdf: Pdf) -> IO[bytes]:
    output = tempfile.TemporaryFile(prefix="citeloom-")  # noqa: SIM115 (the caller closes it)
    try:
        pdf.save(
            output,
            compress_streams=False,
            stream_decode_level=StreamDecodeLevel.none,
            object_stream_mode=ObjectStreamMode.preserve,
            encryption=False,
        )
    except BaseException:
        output.close()
        raise
    return output
