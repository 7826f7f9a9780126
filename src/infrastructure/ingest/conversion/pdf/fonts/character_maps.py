"""PDFs with a /ToUnicode for the fonts whose characters pdfium would miss."""

import re
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO

import pikepdf
import pypdfium2
from pikepdf import Dictionary, Name, Object, ObjectStreamMode, Pdf, Stream, StreamDecodeLevel

from .reference_fonts import is_private, private_texts
from .simple_fonts import (
    UNKNOWN,
    composite_font_texts,
    simple_font_texts,
    sure_texts,
    type3_font_texts,
)

_DEEPEST = 20  # forms within forms


def fonts_of(pdf: Pdf) -> Iterator[Dictionary]:
    """The font dictionaries, each once; resources of other types are skipped."""
    seen: set[tuple[int, int]] = set()
    for page in pdf.pages:
        yield from _fonts(_inherited_resources(page.obj), seen, 0)


def _inherited_resources(node: Object) -> Object | None:
    for _ in range(_DEEPEST):
        resources = node.get("/Resources")
        parent = node.get("/Parent")
        if resources is not None or not isinstance(parent, Dictionary):
            return resources
        node = parent
    return None


def _fonts(
    resources: Object | None, seen: set[tuple[int, int]], depth: int
) -> Iterator[Dictionary]:
    if not isinstance(resources, Dictionary) or depth > _DEEPEST or _is_known(resources, seen):
        return
    for font in _values(resources.get("/Font")):
        if isinstance(font, Dictionary) and not _is_known(font, seen):
            yield font
            yield from _fonts(font.get("/Resources"), seen, depth + 1)
    for form in _values(resources.get("/XObject")):
        if (
            isinstance(form, Stream)
            and form.get("/Subtype") == "/Form"
            and not _is_known(form, seen)
        ):
            yield from _fonts(form.get("/Resources"), seen, depth + 1)


def _values(dictionary: Object | None) -> list[Object]:
    if not isinstance(dictionary, Dictionary):
        return []
    return [value for value in dictionary.as_dict().values() if isinstance(value, Object)]


def _is_known(value: Object, seen: set[tuple[int, int]]) -> bool:
    """Whether an indirect object was met before; from now on it was."""
    if not value.is_indirect:
        return False
    known = value.objgen in seen
    seen.add(value.objgen)
    return known


_CHARS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_PAIR = re.compile(rb"<([^>]*)>\s*<([^>]*)>")
_RANGE = re.compile(rb"<([^>]*)>\s*<([^>]*)>\s*(?:<([^>]*)>|\[([^\]]*)\])")
_WIDEST = 0xFF  # the codes of a range differ in the last byte only
_MOST_RANGED = 0x1000
_MOST_CODES = 0x10000
_A_BLOCK = 100  # entries: the limit of the format

_BEGIN = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<{first}> <{last}>
endcodespacerange
"""
_END = """endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""


def is_wide(data: bytes) -> bool:
    """Whether a CMap maps ranges of thousands of codes, as in ``<0000> <FFFF> <0000>``: then the
    codes are characters, and there is nothing to correct."""
    ranges = (match for block in _RANGES.finditer(data) for match in _RANGE.finditer(block[1]))
    ends = ((_number(match[1]) or 0, _number(match[2]) or 0) for match in ranges)
    return sum(max(0, last - first) for first, last in ends) > _MOST_RANGED


def read_cmap(data: bytes) -> dict[int, str]:
    """Characters by code; what cannot be read is left out."""
    texts: dict[int, str] = {}
    for block in _CHARS.finditer(data):
        for code, target in _PAIR.findall(block[1]):
            _add(texts, _number(code), _utf16(target))
    for block in _RANGES.finditer(data):
        for match in _RANGE.finditer(block[1]):
            for code, text in _range(match):
                _add(texts, code, text)
    return texts


def write_cmap(texts: Mapping[int, str], code_bytes: int) -> bytes:
    """A CMap for codes of 1 or 2 bytes."""
    digits = 2 * code_bytes
    lines = [_BEGIN.format(first="0" * digits, last="F" * digits)]
    entries = [
        f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>\n"
        for code, text in sorted(texts.items())
    ]
    for at in range(0, len(entries), _A_BLOCK):
        block = entries[at : at + _A_BLOCK]
        lines += [f"{len(block)} beginbfchar\n", *block, "endbfchar\n"]
    return "".join([*lines, _END]).encode("ascii")


def _range(match: re.Match[bytes]) -> Iterator[tuple[int, str]]:
    first, last = _number(match[1]), _number(match[2])
    if first is None or last is None or last - first > _WIDEST:
        return
    if match[4] is not None:
        targets = re.findall(rb"<([^>]*)>", match[4])
        yield from zip(range(first, last + 1), map(_utf16, targets), strict=False)
    elif start := _utf16(match[3]):
        for code in range(first, last + 1):
            char = ord(start[-1]) + code - first
            if char <= 0x10FFFF:
                yield code, start[:-1] + chr(char)


def _add(texts: dict[int, str], code: int | None, text: str) -> None:
    if code is not None and text and len(texts) < _MOST_CODES:
        texts[code] = text


def _number(hexadecimal: bytes) -> int | None:
    try:
        return int(hexadecimal, 16)
    except ValueError:
        return None


def _utf16(hexadecimal: bytes) -> str:
    digits = re.sub(rb"\s", b"", hexadecimal).decode("latin-1")
    digits = digits.zfill(4) if len(digits) < 4 else digits
    try:
        return bytes.fromhex(digits).decode("utf-16-be", "ignore")
    except ValueError:
        return ""


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
_CODES = range(0x20, 0xD800)  # of two bytes, without surrogates and private use
_ONE_FOR_ALL = 6  # so many codes of one character are not a map


def with_character_maps(source: Path | bytes, password: str | None = None) -> IO[bytes] | None:
    """The PDF with a /ToUnicode added to, or corrected in, the fonts that need one, as a temporary
    file: it goes when it is closed.

    None when no font needs one, and when the file is too damaged, or encrypted with another
    password: then it is to be read as it is. The file given is a PDF that is not encrypted. Codes
    whose character is unknown are mapped to U+FFFD. Raises OSError, as when the disk is full.
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
    sound |= sure_texts(font, sound)
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
    """Characters by code that the font has in addition to its map."""
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
