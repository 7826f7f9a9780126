"""Lines of text files."""

import codecs
import re
from pathlib import Path

from citeloom.domain.errors import ConversionFailed

#: A larger file is no text that a person wrote.
MAX_BYTES = 64 * 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")


def read_lines(path: Path) -> tuple[str, ...]:
    """The lines of ``path`` without their ends, which are ``\\n``, ``\\r\\n`` or ``\\r`` as in
    editors; what follows the last end is a line unless it is empty.

    Read as UTF-8, or as a byte order mark says, else as Windows-1252. Raises
    ConversionFailed for what is no text, OSError.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ConversionFailed(
            f"{path.name}: {path.stat().st_size:,} bytes are too many for a text to be mapped "
            f"(at most {MAX_BYTES:,}); split it"
        )
    return lines_of(_decoded(path.name, path.read_bytes()))


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text without their ends."""
    lines = _LINE_END.split(text)
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def _decoded(name: str, raw: bytes) -> str:
    encoding = next((candidate for mark, candidate in _BOMS if raw.startswith(mark)), None)
    if encoding is None and b"\0" in raw:
        raise ConversionFailed(
            f"{name}: not a text but a binary file; give it the suffix of what it is"
        )
    for candidate in [encoding] if encoding else ["utf-8", "cp1252"]:
        try:
            return raw.decode(candidate)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")
