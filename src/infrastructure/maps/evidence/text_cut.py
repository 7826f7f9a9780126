"""Excerpts of text files by lines, byte for byte."""

import codecs
import re
from collections.abc import Sequence
from pathlib import Path

from citeloom.domain.errors import ConversionFailed, InvalidRequest
from citeloom.domain.maps.resource_map import Location
from citeloom.infrastructure.system.files import ordinary_file

#: A larger file is not text that a person reads by its lines.
MAX_BYTES = 256 * 1024 * 1024
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
# Of the encodings whose line ends are not the bytes CR and LF; the longer marks go first.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def write_lines(source: Path, location: Location, target: Path) -> Sequence[str]:
    """Lines from 1, both ends inclusive, with their own ends (LF, CRLF or CR); the last line
    may lack one. A range that goes beyond the last line ends there, with a warning."""
    if location.lines is None:
        raise InvalidRequest(
            f"{source.name}: no line numbers; name the lines, as in #lines=5-25",
            parameter="lines",
        )
    if source.stat().st_size > MAX_BYTES:
        raise InvalidRequest(f"{source.name}: over {MAX_BYTES:,} bytes are not cut by lines")
    start, end = location.lines
    with ordinary_file(source) as file:
        content = file.read()
    mark, encoding = next(
        ((mark, name) for mark, name in _WIDE if content.startswith(mark)), (b"", "")
    )
    if mark:
        content = _narrow(source.name, content[len(mark) :], encoding)
    lines = _LINE.findall(content)
    if start > len(lines):
        raise InvalidRequest(
            f"Start line {start} is beyond file length {len(lines)}.", parameter="lines"
        )
    slice_ = b"".join(lines[start - 1 : end])
    target.write_bytes(mark + slice_.decode().encode(encoding) if mark else slice_)
    if end > len(lines):
        return [f"{source.name}: has {len(lines)} lines; cut from {start} to {len(lines)}"]
    return []


def _narrow(name: str, content: bytes, encoding: str) -> bytes:
    try:
        return content.decode(encoding).encode()
    except UnicodeError as error:
        raise ConversionFailed(
            f"{name}: not the {encoding.upper()} that it begins as; save it as UTF-8"
        ) from error
