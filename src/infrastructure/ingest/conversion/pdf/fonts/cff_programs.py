"""Built-in encodings and glyph names of CFF font programs (Adobe Technical Note 5176)."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import table

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
