"""Characters of the codes of Type 0, 1 and 3 and TrueType fonts, where pdfium misses them.

pdfium reads /ToUnicode first, then glyph names by the Adobe Glyph List. What it reads rightly gets
no entry here.

Of Type 0 fonts without a sound /ToUnicode only those whose codes are glyph numbers (Identity-H,
Identity-V) are concerned; pdfium knows the character collections of Adobe.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from pikepdf import Array, Dictionary, Name, Object, Stream

from .data.font_files import character_metrics
from .font_programs import (
    blank_names,
    differences,
    encoded_names,
    plain_name,
    read_cff,
    truetype_texts,
)
from .reference_fonts import (
    Glyph,
    draws_lines,
    glyph_text,
    is_numbered,
    is_same,
    pdfium_text,
    texts_by_font_name,
    texts_by_likeness,
    texts_by_metrics,
    texts_of_plain_text,
)

UNKNOWN = "\ufffd"
_CONTROLS = {
    name: code
    for code, name in enumerate(
        "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB "
        "CAN EM SUB ESC FS GS RS US".split()
    )
}
_RENAMED = re.compile(r"macmillan|\bmc(?:bx|mi|r|sy|ti)", re.IGNORECASE)
_NO_CHARACTER = " "
_MARKS = frozenset("‘’‚“”„‹›«»–—…•†‡")
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


def sure_texts(font: Dictionary, mapped: Mapping[int, str]) -> dict[int, str]:
    """What is ``mapped`` to another letter than the glyph is sure to be, by code."""
    if font.get("/Subtype") == "/Type3":
        return _of_metrics(font, mapped)
    usual = texts_by_font_name(str(font.get("/BaseFont", "")))
    if texts := _of_renamed_glyphs(font):
        return {code: text for code, text in texts.items() if mapped.get(code) != text}
    letters = {code: text for code, text in mapped.items() if text.isalpha()}
    doubted = {
        code: text
        for code, text in letters.items()
        if not text.isascii() or (code in usual and not is_same(text, usual[code]))
    }
    if not doubted:
        return {}
    named = {code: text for code, n in encoded_names(font).items() if (text := glyph_text(n))}
    return _of_usual_encoding(doubted, named, usual) | _marks_of_names(doubted, named, mapped)


def _of_renamed_glyphs(font: Dictionary) -> dict[int, str]:
    """Characters by code of a font of TeX whose glyphs have the names that their numbers have in
    other fonts, as in papers of Elsevier: FF for fi, semicolon for a comma of formulas."""
    names, base_font = encoded_names(font), str(font.get("/BaseFont", ""))
    controls = {*names.values()} & _CONTROLS.keys() - {"CR", "NUL"}  # blank glyphs of many fonts
    if not (controls or _RENAMED.search(base_font)):
        return {}
    numbers = _CONTROLS | {m.name: m.code for m in reversed(character_metrics("cmr10"))}
    texts = texts_by_font_name("CMMI10" if "math" in base_font.lower() else "CMR10")
    return {
        code: text
        for code, name in names.items()
        if (text := texts.get(numbers.get(name, -1))) is not None
    }


def _of_metrics(font: Dictionary, mapped: Mapping[int, str]) -> dict[int, str]:
    """What the glyphs of a bitmap font are by their metrics, where its map but repeats the codes:
    some programs write one for the codes that are printable, as x for §. What no font fits and has
    not the shape of letters is unknown, as brackets mapped to f and g."""
    repeats = mapped and all(text == chr(code) for code, text in mapped.items())
    measured = type3_font_texts(font, {}) if repeats else {}
    known = {code: text for code, text in measured.items() if text not in (UNKNOWN, _NO_CHARACTER)}
    if measured and not known and not _are_letters(font):
        return {code: UNKNOWN for code, text in mapped.items() if text.isalnum()}
    return {code: known[code] for code, text in mapped.items() if known.get(code, text) != text}


def _are_letters(font: Dictionary) -> bool:
    """Whether none of the letters that hang below the line, if any, is as high as b or d."""
    procedures = _procedures(font.get("/CharProcs"))
    names = {
        k: name for k, name in differences(font.get("/Encoding")).items() if name in procedures
    }
    high = {chr(k): g.high for k, g in _glyphs(font, names, procedures).items() if g.high}
    tall, hanging = ([high[c] for c in letters if c in high] for letters in ("bdfhkl", "gpqy"))
    return not (tall and hanging) or max(hanging) < min(tall)


def _of_usual_encoding(
    letters: Mapping[int, str], named: Mapping[int, str], usual: Mapping[int, str]
) -> dict[int, str]:
    """Letters that both the glyph's name and the usual encoding of the font say otherwise, as
    Ghostscript maps the epsilon of TeX's fonts to ǫ."""
    return {
        code: usual[code]
        for code, text in letters.items()
        if code in usual and named.get(code) == usual[code] and not is_same(text, usual[code])
    }


def _marks_of_names(
    letters: Mapping[int, str], named: Mapping[int, str], mapped: Mapping[int, str]
) -> dict[int, str]:
    """Letters whose glyphs are named as quotation marks and dashes, in a font whose other names
    agree with its map, as Ghostscript maps “ to ł, ” to ž and — to Ð."""
    wrong = {code: named[code] for code in letters if named.get(code, "") in _MARKS}
    both = [code for code in named if code in mapped and code not in wrong]
    agreeing = sum(is_same(mapped[code], named[code]) for code in both)
    return {code: text for code, text in wrong.items() if 4 * agreeing >= 3 * len(both)}


def numbered_texts(names: Mapping[int, str], glyphs: Mapping[int, Glyph]) -> dict[int, str]:
    """Characters of glyphs whose names only number them; unknown ones are left out.

    Programs that write bitmap fonts name a glyph after its code: as one character, in decimal
    (``84``, ``a84``, ``g84``, ``C84``), in hexadecimal (``G54``) or in base 36 (``CC``). If the
    number is not the code, it may be that of another encoding. The metrics of the font decide, also
    for an unknown text font with plain codes.
    """
    readings = [{code: code for code in glyphs}, *(_numbers(names, *kind) for kind in _KINDS)]
    for texts_of in (texts_by_metrics, texts_by_likeness, texts_of_plain_text):
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
    """Characters by names; where these say nothing, the ``usual`` ones of the font, by code."""
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
