"""Characters of the glyphs of TrueType programs, by their tables ``cmap`` and ``post``."""

import struct
from collections.abc import Iterator
from itertools import islice

from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import glyph_text, is_private

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
