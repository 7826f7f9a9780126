"""Characters of glyph names: Adobe Glyph List, TeX names, variants and compounds.

The rules are those of "Unicode and Glyph Names" (Adobe Type Tools, agl-specification, section 2)
with two additions: names that TeX and other fonts use, and names whose character is in the private
use area (small capitals, old-style digits, superiors), which stand for the plain character.
"""

import re
import unicodedata
from functools import cache, lru_cache

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import glyph_list

_UNI = re.compile(r"uni((?:[0-9A-Fa-f]{4})+)")
_U = re.compile(r"u([0-9A-Fa-f]{4,6})")
_SIZE = re.compile(r"(.+?)(?:bigg|Bigg|big|Big|text|display)")
_PLAIN = re.compile(r"(.+?)(?:small|oldstyle|superior|inferior)")
_NUMBERED = re.compile(r"[A-Za-z]{1,2}\d{1,4}|(?:cid|char|glyph|index|gid)_?\d{1,5}|[A-D][0-9A-Z]")


def glyph_text(name: str) -> str | None:
    """The character (or characters) that a glyph name stands for, None when it says nothing.

    Ligatures come out as their letters, small capitals as small letters, old-style digits as
    digits. Control characters and the private use area are no answer.
    """
    text = _text(name.partition(".")[0]) if not name.startswith(".") else None
    return unicodedata.normalize("NFKC", text) if text and is_ligature(text) else text


def pdfium_text(name: str) -> str:
    """What pdfium reads from a glyph name in fonts other than Type 3, empty when nothing.

    It has FreeType's Adobe Glyph List, one character a name, with the private use area.
    """
    base = name.partition(".")[0]
    if match := re.fullmatch(r"uni([0-9A-F]{4})|u([0-9A-F]{4,6})", base):
        return _characters([match[1] or match[2]]) or ""
    text = _adobe().get(base, "")
    return text if len(text) == 1 else ""


def adobe_text(char: str) -> str | None:
    """What a character of Adobe's part of the private use area stands for, None for others."""
    name = _private().get(char)
    return glyph_text(name) if name else None


def is_same(first: str, second: str) -> bool:
    """Whether two texts differ in form only: as a ligature and its letters do."""
    return unicodedata.normalize("NFKC", first) == unicodedata.normalize("NFKC", second)


def is_numbered(name: str) -> bool:
    """Whether a name only numbers its glyph: a84, g84, C84, G54, glyph12, BP (base 36)."""
    return _NUMBERED.fullmatch(name) is not None and name not in _adobe()


def is_private(text: str) -> bool:
    """Whether a text has a character of the private use areas."""
    return any(unicodedata.category(char) == "Co" for char in text)


def is_ligature(text: str) -> bool:
    """Whether a text is one of the Latin ligatures U+FB00 to U+FB06."""
    return len(text) == 1 and "\ufb00" <= text <= "\ufb06"


@lru_cache(maxsize=4096)
def _text(name: str) -> str | None:
    if text := _others().get(name) or _public(_adobe().get(name)):
        return text
    if match := _UNI.fullmatch(name):
        return _characters(re.findall("....", match[1]))
    if match := _U.fullmatch(name):
        return _characters([match[1]])
    if "_" in name.strip("_"):
        parts = [glyph_text(part) for part in name.split("_")]
        return "".join(part for part in parts if part) if all(parts) else None
    if (match := _PLAIN.fullmatch(name)) and (plain := _text(match[1])):
        return plain.lower() if name.endswith("small") else plain
    if match := _SIZE.fullmatch(name):
        return _text(match[1])
    return None


def _characters(numbers: list[str]) -> str | None:
    """The characters of hexadecimal code points, None when one is no printable character."""
    codes = [int(number, 16) for number in numbers]
    if any(code < 0x20 or 0xD800 <= code < 0xE000 or code > 0x10FFFF for code in codes):
        return None
    return _public("".join(map(chr, codes)))


def _public(text: str | None) -> str | None:
    return None if text is None or is_private(text) else text


@cache
def _adobe() -> dict[str, str]:
    """The Adobe Glyph List, as pdfium has it: the copy here has one name more."""
    return {name: text for name, text in glyph_list("adobe").items() if name != "mapsto"}


@cache
def _private() -> dict[str, str]:
    return {text: name for name, text in _adobe().items() if is_private(text)}


@cache
def _others() -> dict[str, str]:
    """Names that Adobe's list lacks, or has in the private use area."""
    return glyph_list("tex") | glyph_list("other")
