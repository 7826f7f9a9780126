"""Text encoding of formats that do not declare it."""

import codecs

# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(raw: bytes) -> tuple[str, str | None]:
    """The text of ``raw``, and a warning where its encoding had to be assumed.

    A byte order mark decides, else UTF-8; what is neither is read as Windows-1252, the
    usual encoding of older Western files, in which every byte stands for something. Line
    ends become ``\\n``.
    """
    warning = None
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        text = "".join(_windows_1252(byte) for byte in raw)
        warning = (
            f"not valid UTF-8 (byte {error.start}); read as Windows-1252: "
            "save the file as UTF-8 if letters look wrong"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n"), warning


def declared_or_utf8(raw: bytes) -> tuple[bytes, str | None]:
    """An HTML page in UTF-8, marked as such, and a warning where its encoding had to be assumed.
    A byte order mark or declaration of the page decides, else ``decode``: readers of HTML guess
    otherwise, which takes a few marks of punctuation for Chinese."""
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(raw, is_html=True)
    if declared and not any(raw.startswith(mark) for mark, _ in _MARKS):
        return raw, None
    text, warning = decode(raw)
    return codecs.BOM_UTF8 + text.encode("utf-8"), warning


def _windows_1252(byte: int) -> str:
    raw = bytes((byte,))
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:  # five bytes are not assigned
        return raw.decode("latin-1")


def is_binary(head: bytes) -> bool:
    """Whether the beginning of a file holds zero bytes, which no text in UTF-8 has."""
    marked = any(head.startswith(mark) for mark, _ in _MARKS)
    return not marked and b"\x00" in head
