"""Characters of the codes of Type 0 fonts that have no sound /ToUnicode.

Only fonts whose codes are glyph numbers (Identity-H, Identity-V) are concerned; pdfium knows the
character collections of Adobe.
"""

from collections.abc import Collection
from typing import Any

from pikepdf import Array, Dictionary, Object, Stream

from citeloom.infrastructure.ingest.conversion.pdf.fonts.cff_programs import read_cff
from citeloom.infrastructure.ingest.conversion.pdf.fonts.font_metrics import texts_by_metrics
from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import glyph_text
from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import Glyph
from citeloom.infrastructure.ingest.conversion.pdf.fonts.simple_fonts import UNKNOWN
from citeloom.infrastructure.ingest.conversion.pdf.fonts.truetype_programs import truetype_texts

_MOST_CODES = 0x10000
# The first glyphs of most TrueType fonts are those of the Macintosh (TrueType reference manual,
# table post): three without a character, then the printable ASCII characters.
_BEFORE_ASCII = 3 - 32


def composite_font_texts(font: Dictionary, wrong: Collection[int]) -> dict[int, str]:
    """Characters by code, U+FFFD where unknown, for the codes that are ``wrong`` in the font's map.

    Of a font without a map, when none is wrong, for all codes that have a width.
    """
    descendants = font.get("/DescendantFonts")
    if font.get("/Encoding") not in ("/Identity-H", "/Identity-V") or not descendants:
        return {}
    descendant = descendants[0]
    if not isinstance(descendant, Dictionary) or not _is_identity(descendant):
        return {}
    widths = _widths(descendant.get("/W"))
    missing = wrong or widths.keys()
    texts = _program_texts(descendant) or _texts_by_widths(widths)
    return {code: texts.get(code, UNKNOWN) for code in missing}


def _is_identity(descendant: Dictionary) -> bool:
    """Whether the codes are of no character collection."""
    info = descendant.get("/CIDSystemInfo")
    ordering = str(info.get("/Ordering", "")) if isinstance(info, Dictionary) else "Identity"
    return ordering in ("Identity", "UCS", "")


def _program_texts(descendant: Dictionary) -> dict[int, str]:
    descriptor = descendant.get("/FontDescriptor")
    if not isinstance(descriptor, Dictionary):
        return {}
    if isinstance(program := descriptor.get("/FontFile2"), Stream):
        texts = truetype_texts(program.read_bytes())
        return _by_code(texts, descendant.get("/CIDToGIDMap"))
    program = descriptor.get("/FontFile3")
    if isinstance(program, Stream) and program.get("/Subtype") in ("/CIDFontType0C", "/Type1C"):
        names = enumerate(read_cff(program.read_bytes()).names)
        return {glyph: text for glyph, name in names if (text := glyph_text(name))}
    return {}


def _by_code(texts: dict[int, str], glyph_map: Object | None) -> dict[int, str]:
    """Characters by code, where a map of two bytes a code leads to the glyphs."""
    if not isinstance(glyph_map, Stream):
        return texts
    data = glyph_map.read_bytes()
    glyphs = (int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data) - 1, 2))
    return {code: texts[glyph] for code, glyph in enumerate(glyphs) if glyph in texts}


def _texts_by_widths(widths: dict[int, float]) -> dict[int, str]:
    """Characters by code of a font that is not embedded, if its first glyphs are ASCII."""
    ascii_codes = {code: code - _BEFORE_ASCII for code in widths if 3 <= code <= 97}
    glyphs = {char: Glyph(widths[code]) for code, char in ascii_codes.items() if widths[code]}
    texts = texts_by_metrics(glyphs)
    return {code: texts[char] for code, char in ascii_codes.items() if char in texts}


def _widths(array: Object | None) -> dict[int, float]:
    """Widths by code of the array W: c [w1 w2 ...] or first last w."""
    entries: list[Any] = list(array.as_list()) if isinstance(array, Array) else []
    widths: dict[int, float] = {}
    at = 0
    while at + 1 < len(entries) and len(widths) < _MOST_CODES:
        first, second = int(entries[at]), entries[at + 1]
        if isinstance(second, Array):
            widths |= {first + i: float(width) for i, width in enumerate(second.as_list())}
            at += 2
        elif at + 2 < len(entries):
            codes = range(first, min(int(second), first + _MOST_CODES) + 1)
            widths |= dict.fromkeys(codes, float(entries[at + 2]))
            at += 3
        else:
            break
    return {code: width for code, width in widths.items() if 0 <= code < _MOST_CODES}
