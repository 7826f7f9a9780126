"""Characters of the codes of Type 3 fonts: pdfium reads none of their glyph names."""

from collections.abc import Mapping

from pikepdf import Dictionary, Name, Object, Stream

from citeloom.infrastructure.ingest.conversion.pdf.fonts.encodings import differences, plain_name
from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import glyph_text, is_numbered
from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import Glyph
from citeloom.infrastructure.ingest.conversion.pdf.fonts.simple_fonts import (
    UNKNOWN,
    numbered_texts,
    widths_by_code,
)

_MOST_BOXES = 24  # glyphs whose procedures are read for their boxes


def type3_font_texts(font: Dictionary, mapped: Mapping[int, str]) -> dict[int, str]:
    """Characters by code, for codes beside those ``mapped`` already; U+FFFD where unknown."""
    names = differences(font.get("/Encoding"))
    if not names.keys() - mapped.keys():
        return {}
    procedures = _procedures(font.get("/CharProcs"))
    names = {code: name for code, name in names.items() if name in procedures}
    texts = _texts(font, names, procedures)
    missing = names.keys() - mapped.keys() - texts.keys()
    blank = {code for code in missing if _is_blank(procedures[names[code]])}
    found = dict.fromkeys(missing, UNKNOWN) | dict.fromkeys(blank, " ") | texts
    return {code: text for code, text in found.items() if code not in mapped}


def _texts(
    font: Dictionary, names: Mapping[int, str], procedures: Mapping[str, Object]
) -> dict[int, str]:
    words = [name for name in names.values() if len(name) > 1]
    telling = [name for name in words if glyph_text(name) and not is_numbered(name)]
    by_name = {code: text for code, name in names.items() if (text := glyph_text(name))}
    if words and 2 * len(telling) >= len(words):
        return by_name
    letters = all(len(name) == 1 and name.isalpha() for name in names.values())
    if letters and not any(map(_is_bitmap, procedures.values())):
        return by_name  # in a bitmap font a letter may be but the code of its glyph
    return numbered_texts(names, _glyphs(font, names, procedures))


def _procedures(procedures: Object | None) -> dict[str, Object]:
    if not isinstance(procedures, Dictionary):
        return {}
    return {plain_name(Name(key)): value for key, value in procedures.as_dict().items()}


def _glyphs(
    font: Dictionary, names: Mapping[int, str], procedures: Mapping[str, Object]
) -> dict[int, Glyph]:
    """Widths, and the boxes of some, by code."""
    widths = widths_by_code(font)
    codes = sorted(code for code in names if code in widths)
    boxed = set(codes[:: 1 + len(codes) // _MOST_BOXES])
    return {
        code: Glyph(widths[code], *(_edges(procedures[names[code]]) if code in boxed else ()))
        for code in codes
    }


def _is_bitmap(procedure: Object) -> bool:
    return isinstance(procedure, Stream) and b"BI" in procedure.read_bytes()[:200].split()


def _is_blank(procedure: Object) -> bool:
    """Whether there is nothing after the operator d0 (with 2 numbers) or d1 (with 6)."""
    words = procedure.read_bytes()[:200].split() if isinstance(procedure, Stream) else []
    return words[2:] == [b"d0"] or words[6:] == [b"d1"]


def _edges(procedure: Object) -> tuple[float, float] | tuple[()]:
    """Lower and upper edge by the operator d1: wx wy llx lly urx ury d1."""
    words = procedure.read_bytes()[:200].split() if isinstance(procedure, Stream) else []
    if len(words) < 7 or words[6] != b"d1":
        return ()
    low, high = float(words[3]), float(words[5])
    return (low, high) if low < high else ()
