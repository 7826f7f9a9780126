"""ToUnicode CMaps (ISO 32000-1, 9.10.3): codes and the characters they stand for."""

import re
from collections.abc import Iterator, Mapping

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
