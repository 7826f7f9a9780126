"""Encodings and glyph names in font programs: CFF, TrueType, simple fonts."""

import re
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from pikepdf import Array, Dictionary, Name, Object, Stream

from .data.font_files import table
from .reference_fonts import glyph_text, is_private

_CHARSET, _ENCODING, _CHAR_STRINGS, _ROS = 15, 16, 17, 0x0C1E  # operators of a Top DICT

_BLANK = 4  # bytes of an outline: a width of up to 3 and endchar


class CffProgram(NamedTuple):
    """``names`` by glyph, empty in a CID-keyed font; ``encoding``: glyph names by code, empty
    when it is one of the predefined encodings; ``blank``: names of glyphs without an outline."""

    names: tuple[str, ...]
    encoding: dict[int, str]
    blank: frozenset[str]


def read_cff(data: bytes) -> CffProgram:
    """The names of a CFF font program; ValueError or IndexError when it is damaged."""
    _, at = _index(data, data[2])
    tops, at = _index(data, at)
    strings, at = _index(data, at)
    top = dict(_dict(tops[0]))
    if _ROS in top:
        return CffProgram((), {}, frozenset())
    outlines, _ = _index(data, top[_CHAR_STRINGS])
    sids = _charset(data, top.get(_CHARSET, 0), len(outlines))
    own = [string.decode("latin-1") for string in strings]
    names = tuple(_string(sid, own) for sid in sids)
    encoding = _encoding(data, top.get(_ENCODING, 0), names, own)
    blank = (n for n, outline in zip(names, outlines, strict=True) if len(outline) <= _BLANK)
    named = {code: name for code, name in encoding.items() if name != ".notdef"}
    return CffProgram(names, named, frozenset(blank))


def _index(data: bytes, at: int) -> tuple[list[bytes], int]:
    """The objects of an INDEX and the offset after it."""
    count = int.from_bytes(data[at : at + 2], "big")
    if count == 0:
        return [], at + 2
    size = data[at + 2]
    first, base = at + 3, at + 2 + (count + 1) * size
    offsets = [
        int.from_bytes(data[first + i * size : first + (i + 1) * size], "big")
        for i in range(count + 1)
    ]
    if offsets[-1] > len(data):
        raise ValueError("an INDEX beyond the end of the font")
    objects = [data[base + start : base + end] for start, end in pairwise(offsets)]
    return objects, base + offsets[-1]


def _dict(data: bytes) -> Iterator[tuple[int, int]]:
    """Operators of a DICT with their last operand, if that is an integer."""
    at, operand = 0, 0
    while at < len(data):
        byte = data[at]
        at += 1
        if byte <= 21:
            operator = byte
            if byte == 12:
                operator = 0x0C00 | data[at]
                at += 1
            yield operator, operand
        elif byte == 28:
            operand, at = int.from_bytes(data[at : at + 2], "big", signed=True), at + 2
        elif byte == 29:
            operand, at = int.from_bytes(data[at : at + 4], "big", signed=True), at + 4
        elif byte == 30:
            while data[at] & 0x0F != 0x0F and data[at] >> 4 != 0x0F:
                at += 1
            at += 1
        elif byte <= 246:
            operand = byte - 139
        elif byte <= 250:
            operand, at = (byte - 247) * 256 + data[at] + 108, at + 1
        else:
            operand, at = -(byte - 251) * 256 - data[at] - 108, at + 1


def _charset(data: bytes, at: int, count: int) -> list[int]:
    """String identifiers by glyph."""
    if at <= 2:  # predefined; only ISOAdobe has names that are SIDs in order
        return list(range(count)) if at == 0 else [0] * count
    form, at = data[at], at + 1
    if form > 2:
        raise ValueError("an unknown format of a charset")
    sids = [0]
    while len(sids) < count:
        sid = int.from_bytes(data[at : at + 2], "big")
        left = 0 if form == 0 else int.from_bytes(data[at + 2 : at + 2 + form], "big")
        at += 2 + form
        sids.extend(range(sid, sid + left + 1))
        if at > len(data):
            raise ValueError("a charset beyond the end of the font")
    return sids[:count]


def _encoding(data: bytes, at: int, names: tuple[str, ...], own: list[str]) -> dict[int, str]:
    if at <= 1:
        return {}
    form, count, at = data[at] & 0x7F, data[at + 1], at + 2
    supplemented = data[at - 2] & 0x80
    codes: list[int] = []
    for _ in range(count):
        left = data[at + 1] if form == 1 else 0
        codes.extend(range(data[at], data[at] + left + 1))
        at += 2 if form == 1 else 1
    encoding = dict(zip(codes, names[1:], strict=False))
    if supplemented:
        for i in range(data[at]):
            entry = data[at + 1 + 3 * i : at + 4 + 3 * i]
            encoding[entry[0]] = _string(int.from_bytes(entry[1:], "big"), own)
    return encoding


def _string(sid: int, own: list[str]) -> str:
    standard = _standard_strings()
    if sid < len(standard):
        return standard[sid]
    return own[sid - len(standard)] if sid - len(standard) < len(own) else ".notdef"


@cache
def _standard_strings() -> tuple[str, ...]:
    return tuple(table("cff_strings.txt").partition("\n")[2].split())


_UNICODE = ((3, 10), (3, 1), (0, 6), (0, 4), (0, 3), (0, 2), (0, 1), (0, 0))  # the best first
_MACINTOSH_GLYPHS = 258
_MOST_CHARACTERS = 0x20000


def truetype_texts(program: bytes) -> dict[int, str]:
    """Characters by glyph; struct.error, ValueError or IndexError when the program is damaged.

    Where several characters share a glyph, the lowest that is not a control, space or private
    one stands for it.
    """
    tables = _tables(program)
    texts: dict[int, str] = {}
    if "post" in tables:
        names = _post_names(program[slice(*tables["post"])])
        texts = {glyph: text for glyph, name in names if (text := glyph_text(name))}
    if "cmap" in tables:
        mapped = islice(_unicode_cmap(program[slice(*tables["cmap"])]), _MOST_CHARACTERS)
        characters = sorted(mapped, reverse=True)
        texts |= {glyph: char for char, glyph in characters if char.isprintable()}
    return {glyph: text for glyph, text in texts.items() if glyph and not is_private(text)}


def _tables(program: bytes) -> dict[str, tuple[int, int]]:
    """Start and end of the tables."""
    (count,) = struct.unpack_from(">H", program, 4)
    tables = {}
    for i in range(count):
        tag, _, start, length = struct.unpack_from(">4sLLL", program, 12 + 16 * i)
        tables[tag.decode("latin-1")] = (start, start + length)
    return tables


def _unicode_cmap(table: bytes) -> Iterator[tuple[str, int]]:
    """Characters and glyphs of the best Unicode subtable."""
    (count,) = struct.unpack_from(">H", table, 2)
    records = [struct.unpack_from(">HHL", table, 4 + 8 * i) for i in range(count)]
    offsets = {(platform, encoding): at for platform, encoding, at in records}
    for kind in _UNICODE:
        if kind in offsets:
            subtable = table[offsets[kind] :]
            (form,) = struct.unpack_from(">H", subtable)
            if form == 4:
                yield from _format_4(subtable)
                return
            if form == 12:
                yield from _format_12(subtable)
                return


def _format_4(table: bytes) -> Iterator[tuple[str, int]]:
    (twice,) = struct.unpack_from(">H", table, 6)
    count = twice // 2
    ends = struct.unpack_from(f">{count}H", table, 14)
    starts = struct.unpack_from(f">{count}H", table, 16 + twice)
    deltas = struct.unpack_from(f">{count}H", table, 16 + 2 * twice)
    if sum(end - start for start, end in zip(starts, ends, strict=True)) > 0xFFFF:
        raise ValueError("segments of a cmap that overlap")
    at = 16 + 3 * twice
    ranges = struct.unpack_from(f">{count}H", table, at)
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if ranges[i]:
                position = at + 2 * i + ranges[i] + 2 * (code - start)
                (glyph,) = struct.unpack_from(">H", table, position)
                if glyph == 0:
                    continue
            yield chr(code), (glyph + deltas[i]) & 0xFFFF


def _format_12(table: bytes) -> Iterator[tuple[str, int]]:
    (count,) = struct.unpack_from(">L", table, 12)
    for i in range(min(count, len(table) // 12)):
        start, end, glyph = struct.unpack_from(">LLL", table, 16 + 12 * i)
        for code in range(start, min(end, start + 0xFFFF, 0x10FFFF) + 1):
            yield chr(code), glyph + code - start


def _post_names(table: bytes) -> Iterator[tuple[int, str]]:
    """Names by glyph, without those of the standard order (format 2 only)."""
    (form,) = struct.unpack_from(">L", table)
    if form != 0x00020000:
        return
    (count,) = struct.unpack_from(">H", table, 32)
    numbers = struct.unpack_from(f">{count}H", table, 34)
    names, at = [], 34 + 2 * count
    while at < len(table):
        names.append(table[at + 1 : at + 1 + table[at]].decode("latin-1"))
        at += 1 + table[at]
    for glyph, number in enumerate(numbers):
        if _MACINTOSH_GLYPHS <= number < _MACINTOSH_GLYPHS + len(names):
            yield glyph, names[number - _MACINTOSH_GLYPHS]


_ENTRY = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/\[\](){}<>%]+)\s+put")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")


def encoded_names(font: Dictionary) -> dict[int, str]:
    """Glyph names by code, from FirstChar to LastChar; those of a predefined encoding left out.

    What a predefined encoding says pdfium knows.
    """
    encoding = font.get("/Encoding")
    names = differences(encoding)
    if not isinstance(encoding, Name) and not _has_base(encoding):
        descriptor = font.get("/FontDescriptor")
        if isinstance(descriptor, Dictionary):
            names = _built_in_names(descriptor) | names
    first, last = int(font.get("/FirstChar", 0)), int(font.get("/LastChar", 255))
    return {code: name for code, name in names.items() if first <= code <= last}


def blank_names(font: Dictionary) -> frozenset[str]:
    """Names of glyphs that show nothing, if the font program is a CFF one."""
    descriptor = font.get("/FontDescriptor")
    program = descriptor.get("/FontFile3") if isinstance(descriptor, Dictionary) else None
    return _cff(program).blank if isinstance(program, Stream) else frozenset()


def differences(encoding: Object | None) -> dict[int, str]:
    """Glyph names by code of an encoding's /Differences, without .notdef."""
    entries = encoding.get("/Differences") if isinstance(encoding, Dictionary) else None
    names: dict[int, str] = {}
    code = 0
    for entry in entries.as_list() if isinstance(entries, Array) else ():
        if isinstance(entry, Name):
            names[code] = plain_name(entry)
            code += 1
        else:
            code = int(entry)
    return _named(names)


def plain_name(name: Name) -> str:
    """A name without its slash and escapes, one character a byte."""
    written = bytes(name.unparse())[1:]
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), written).decode("latin-1")


def type1_encoding(program: bytes) -> dict[int, str]:
    """Glyph names by code, from the array /Encoding in the clear text of a Type 1 program.

    Empty when the program says StandardEncoding.
    """
    clear = program.partition(b"eexec")[0]
    at = clear.find(b"/Encoding")
    entries = _ENTRY.findall(clear, at) if at >= 0 else []
    return _named({int(code): name.decode("latin-1") for code, name in entries})


def _named(names: dict[int, str]) -> dict[int, str]:
    return {code: name for code, name in names.items() if code < 256 and name != ".notdef"}


def _has_base(encoding: Object | None) -> bool:
    return isinstance(encoding, Dictionary) and "/BaseEncoding" in encoding


def _built_in_names(descriptor: Dictionary) -> dict[int, str]:
    if isinstance(program := descriptor.get("/FontFile"), Stream):
        return type1_encoding(_beginning(program))
    program = descriptor.get("/FontFile3")
    return _cff(program).encoding if isinstance(program, Stream) else {}


def _cff(program: Stream) -> CffProgram:
    if program.get("/Subtype") != "/Type1C":
        return CffProgram((), {}, frozenset())
    return read_cff(program.read_bytes())


def _beginning(program: Stream) -> bytes:
    """The clear text of a Type 1 program, without decoding the rest where that is easy."""
    length = int(program.get("/Length1", 0))
    if program.get("/Filter") != "/FlateDecode" or "/DecodeParms" in program or length <= 0:
        return program.read_bytes()
    return zlib.decompressobj().decompress(program.read_raw_bytes(), length)
