"""Characters of the codes of Type 1 and TrueType fonts, where pdfium misses them.

pdfium reads /ToUnicode first, then glyph names by the Adobe Glyph List. What it reads rightly gets
no entry here.
"""

import re
from collections.abc import Mapping

from pikepdf import Array, Dictionary

from citeloom.infrastructure.ingest.conversion.pdf.fonts.encodings import blank_names, encoded_names
from citeloom.infrastructure.ingest.conversion.pdf.fonts.font_metrics import (
    texts_by_metrics,
    texts_of_plain_text,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import (
    glyph_text,
    is_numbered,
    is_same,
    pdfium_text,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import (
    Glyph,
    draws_lines,
    texts_by_font_name,
)

UNKNOWN = "\ufffd"
_NO_CHARACTER = " "
_DINGBATS = re.compile(r"dingbats", re.IGNORECASE)
_KINDS = (  # of names that are numbers: pattern, base
    (re.compile(r"(?:(?:[A-Za-z]{1,2}|cid|char|glyph|index|gid)_?)?(\d{1,5})"), 10),
    (re.compile(r"[A-Za-z]?([0-9A-Fa-f]{2})"), 16),
)


def simple_font_texts(font: Dictionary, mapped: Mapping[int, str]) -> dict[int, str]:
    """Characters by code, for codes beside those ``mapped`` already; U+FFFD where unknown."""
    base_font = str(font.get("/BaseFont", ""))
    if _DINGBATS.search(base_font):  # pdfium knows the names of these
        return {}
    names = {code: name for code, name in encoded_names(font).items() if code not in mapped}
    if draws_lines(base_font):
        return dict.fromkeys(names, _NO_CHARACTER)
    usual = texts_by_font_name(base_font)
    texts = _named_texts(font, names, usual)
    if not names and not _is_embedded(font) and "/Encoding" not in font:
        texts = dict(usual)
    return {code: text for code, text in texts.items() if code not in mapped}


def numbered_texts(names: Mapping[int, str], glyphs: Mapping[int, Glyph]) -> dict[int, str]:
    """Characters of glyphs whose names only number them; those that cannot be told are left out.

    Programs that write bitmap fonts name a glyph after its code: as one character, in decimal
    (``84``, ``a84``, ``g84``, ``C84``), in hexadecimal (``G54``) or in base 36 (``CC``). Where the
    number is not the code, it may be that of another encoding. The metrics of the font decide; of
    an unknown text font with plain codes too.
    """
    readings = [{code: code for code in glyphs}, *(_numbers(names, *kind) for kind in _KINDS)]
    for texts_of in (texts_by_metrics, texts_of_plain_text):
        for numbers in readings:
            told = {numbers[code]: glyph for code, glyph in glyphs.items() if code in numbers}
            if len(told) == len(glyphs) and (texts := texts_of(told)):
                return {code: texts[numbers[code]] for code in glyphs if numbers[code] in texts}
    return {}


def widths_by_code(font: Dictionary) -> dict[int, float]:
    """The array Widths."""
    widths = font.get("/Widths")
    first = int(font.get("/FirstChar", 0))
    values = widths.as_list() if isinstance(widths, Array) else ()
    return {first + i: float(width) for i, width in enumerate(values)}


def _is_embedded(font: Dictionary) -> bool:
    descriptor = font.get("/FontDescriptor")
    programs = ("/FontFile", "/FontFile2", "/FontFile3")
    return isinstance(descriptor, Dictionary) and any(key in descriptor for key in programs)


def _named_texts(
    font: Dictionary, names: Mapping[int, str], usual: Mapping[int, str]
) -> dict[int, str]:
    """Characters by names; where these tell nothing, the ``usual`` ones of the font, by code."""
    texts: dict[int, str] = {}
    unknown: dict[int, str] = {}
    for code, name in names.items():
        text = glyph_text(name) or usual.get(code)
        if text is None:
            unknown[code] = name
        elif not is_same(text, pdfium_text(name)):
            texts[code] = text
    if 2 * sum(map(is_numbered, unknown.values())) > len(names):
        widths = widths_by_code(font)
        glyphs = {code: Glyph(widths[code]) for code in unknown if widths.get(code)}
        texts |= numbered_texts(unknown, glyphs)
    if unknown.keys() - texts.keys():
        blank = blank_names(font)
        texts |= {code: " " for code, name in unknown.items() if name in blank}
    return dict.fromkeys(unknown, UNKNOWN) | texts


def _numbers(names: Mapping[int, str], pattern: re.Pattern[str], base: int) -> dict[int, int]:
    matches = {code: pattern.fullmatch(name) for code, name in names.items()}
    return {code: int(match[1], base) for code, match in matches.items() if match}
