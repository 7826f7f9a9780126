"""What embedded font programs say of their glyphs."""

import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.ingest.conversion.pdf.fonts.font_programs import (
    read_cff,
    truetype_texts,
    type1_encoding,
)

STANDARD = 391  # the first string identifier of a font's own strings


def index(objects: Sequence[bytes]) -> bytes:
    if not objects:
        return b"\0\0"
    offsets = [1]
    for data in objects:
        offsets.append(offsets[-1] + len(data))
    head = len(objects).to_bytes(2, "big") + b"\2"
    return head + b"".join(at.to_bytes(2, "big") for at in offsets) + b"".join(objects)


def integer(number: int) -> bytes:
    return b"\x1d" + number.to_bytes(4, "big", signed=True)


def cff(encoding: bytes, charset: bytes, outlines: Sequence[bytes], ros: bytes = b"") -> bytes:
    """A CFF program with the strings f_i and g7, and the tables given."""
    start = b"\1\0\4\2" + index([b"Font"])
    strings = index([b"f_i", b"g7"]) + index([])
    tables = (charset, encoding, index(outlines))
    at = len(start) + len(index([ros + integer(0) * 3 + b"\0" * 3])) + len(strings)
    top = ros
    for operator, table in zip((15, 16, 17), tables, strict=True):
        top += integer(at) + bytes([operator])
        at += len(table)
    return start + index([top]) + strings + b"".join(tables)


OUTLINES = [b"\x0e", b"\x8b\x8b\x15\x0e" * 3, b"\x8b\x0e"]  # .notdef, one drawn, one blank
CHARSET = b"\0" + struct.pack(">HH", STANDARD, STANDARD + 1)


@pytest.mark.parametrize("encoding", [b"\0\2\x41\x42", b"\1\1\x41\1"])
def test_encoding_of_a_cff_program(encoding: bytes) -> None:
    program = read_cff(cff(encoding, CHARSET, OUTLINES))
    assert program.names == (".notdef", "f_i", "g7")
    assert program.encoding == {0x41: "f_i", 0x42: "g7"}
    assert program.blank == {".notdef", "g7"}


def test_a_charset_of_ranges_and_a_supplement() -> None:
    charset = b"\1" + struct.pack(">HB", STANDARD, 1)
    program = read_cff(cff(b"\x80\1\x41" + b"\1\x50" + struct.pack(">H", 34), charset, OUTLINES))
    assert program.names == (".notdef", "f_i", "g7")
    assert program.encoding == {0x41: "f_i", 0x50: "A"}


def test_a_cid_keyed_program_has_no_names() -> None:
    ros = integer(0) * 3 + b"\x0c\x1e"
    assert read_cff(cff(b"\0\0", CHARSET, OUTLINES, ros)).names == ()


def test_encoding_of_a_type_1_program() -> None:
    program = (
        b"%!PS-AdobeFont-1.0: CMSY10\n/Encoding 256 array\n"
        b"0 1 255 {1 index exch /.notdef put} for\n"
        b"dup 48 /prime put\ndup 104 /angbracketleft put\nreadonly def\neexec dup 49 /no put"
    )
    assert type1_encoding(program) == {48: "prime", 104: "angbracketleft"}
    assert type1_encoding(b"/Encoding StandardEncoding def eexec") == {}


def cmap_4(glyphs: Mapping[int, int]) -> bytes:
    codes = [*sorted(glyphs), 0xFFFF]
    deltas = [(glyphs.get(code, 0) - code) & 0xFFFF for code in codes]
    words = [*codes, 0, *codes, *deltas, *[0] * len(codes)]
    body = struct.pack(f">{len(words)}H", *words)
    return struct.pack(">7H", 4, 14 + len(body), 0, 2 * len(codes), 0, 0, 0) + body


def cmap_12(glyphs: Mapping[int, int]) -> bytes:
    groups = [struct.pack(">LLL", code, code, glyph) for code, glyph in glyphs.items()]
    size = 16 + 12 * len(groups)
    return struct.pack(">HHLLL", 12, 0, size, 0, len(groups)) + b"".join(groups)


def truetype(tables: Mapping[str, bytes]) -> bytes:
    at = 12 + 16 * len(tables)
    head = struct.pack(">LHHHH", 0x00010000, len(tables), 0, 0, 0)
    for tag, table in tables.items():
        head += struct.pack(">4sLLL", tag.encode(), 0, at, len(table))
        at += len(table)
    return head + b"".join(tables.values())


def cmap(platform: int, encoding: int, subtable: bytes) -> bytes:
    return struct.pack(">HHHHL", 0, 1, platform, encoding, 12) + subtable


def test_characters_by_the_unicode_table() -> None:
    glyphs = {ord("a"): 5, ord("b"): 6, 0xA0: 7, ord("-"): 8, 0xAD: 8}
    texts = {5: "a", 6: "b", 8: "-"}
    assert truetype_texts(truetype({"cmap": cmap(3, 1, cmap_4(glyphs))})) == texts
    assert truetype_texts(truetype({"cmap": cmap(3, 10, cmap_12(glyphs))})) == texts


def test_the_table_of_a_symbol_font_tells_nothing() -> None:
    assert truetype_texts(truetype({"cmap": cmap(3, 0, cmap_4({0xF061: 3}))})) == {}


def test_characters_by_names_where_there_is_no_unicode_table() -> None:
    post = struct.pack(">L28xH3H", 0x00020000, 3, 0, 258, 259) + b"\3f_i\3g77"
    assert truetype_texts(truetype({"post": post})) == {1: "fi"}


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damaged_programs_are_read_or_one_of_the_errors_named(data: bytes, at: int) -> None:
    whole = cff(b"\0\2\x41\x42", CHARSET, OUTLINES), truetype({"cmap": cmap(3, 1, cmap_4({97: 5}))})
    for read, program in zip((read_cff, truetype_texts), whole, strict=True):
        for damaged in (data, program[:at] + data + program[at + len(data) :], program[:at]):
            with suppress(ValueError, LookupError, struct.error):
                assert read(damaged) is not None
