"""Encoding and format of a reference file, detected from its content."""

import codecs
import re
from enum import Enum


class ReferenceFileKind(Enum):
    """Formats of reference files that are supported, by their display names."""

    JSON = "JSON"
    BIB = "BibTeX"
    YAML = "YAML"
    RIS = "RIS"
    MEDLINE = "MEDLINE"


_BINARY = (
    (b"%PDF-", "a PDF"),
    (b"SQLite format 3", "a database (zotero.sqlite?)"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
)
# Unsupported formats, by their beginning.
_FOREIGN = (
    (re.compile(r"%[0-9A-Z] \S"), "EndNote (Refer)"),
    (re.compile(r"(?:FN |PT [JBSP]\r?\n)"), "Web of Science text"),
    (re.compile(r"<!doctype html|<html", re.IGNORECASE), "HTML"),
    (re.compile(r"<(?:\?xml|xml|rdf:RDF)", re.IGNORECASE), "XML (EndNote, MODS or Zotero RDF)"),
)
_JSON = re.compile(r'[\[{"]|-?\d[\d.eE+-]*\s*$')
_YAML = re.compile(
    r"(?:#[^\n]*\n\s*)*(?:---[ \t]*\r?\n|references:|-[ \t]+[\w'\"-]+:(?:\s|$)|%YAML)"
)
# These may begin with comments, BibTeX with any text.
_MEDLINE = re.compile(r"^PMID ?- ", re.MULTILINE)
_RIS = re.compile(r"^\s{0,3}TY {0,2}-(?: |\r|$)", re.MULTILINE)
_BIB = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.MULTILINE)
_MAX_SEARCHED = 100_000

# Declarations of JabRef, BibDesk and TeX editors at the top of a file.
_DECLARED = re.compile(rb"(?:Encoding:|-\*-\s*coding:|BOM encoding)\s*([\w.-]+)", re.IGNORECASE)
_LEGACY = re.compile(r"(?:iso|cp|windows|latin|mac)[\w.-]*", re.IGNORECASE)


def unsupported_format(content: bytes | str) -> str | None:
    """The name of an unsupported format, if the content is of a known one."""
    if isinstance(content, bytes):
        return next((name for magic, name in _BINARY if content.startswith(magic)), None)
    start = content[:2000].lstrip("\ufeff \t\r\n")
    return next((name for pattern, name in _FOREIGN if pattern.match(start)), None)


def detect_format(text: str) -> ReferenceFileKind | None:
    """The format of ``text``; None if it resembles none of them."""
    start = text[:_MAX_SEARCHED].lstrip("\ufeff \t\r\n")
    if _YAML.match(start):
        return ReferenceFileKind.YAML
    if _JSON.match(start):
        return ReferenceFileKind.JSON
    for pattern, kind in (
        (_MEDLINE, ReferenceFileKind.MEDLINE),
        (_RIS, ReferenceFileKind.RIS),
        (_BIB, ReferenceFileKind.BIB),
    ):
        if pattern.search(start):
            return kind
    # The first entry may follow a long comment.
    return ReferenceFileKind.BIB if _BIB.search(text) else None


def decoded(content: bytes) -> str:
    """The text: UTF-8 with or without byte order mark, UTF-16 or UTF-32 with one or with an ASCII
    beginning, or a legacy encoding that the file declares (JabRef).

    Raises UnicodeDecodeError, which names the encoding tried and the offset of the byte.
    """
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return content.decode("utf-32")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    # RFC 4627, section 3: where the zeros of the first two characters are.
    zeros = tuple(byte == 0 for byte in content[:4])
    if encoding := _BY_ZEROS.get(zeros):
        return content.decode(encoding)
    text = content.removeprefix(codecs.BOM_UTF8)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        if declared := _declared_encoding(content):
            return content.decode(declared)
        skipped = len(content) - len(text)
        raise UnicodeDecodeError(
            "utf-8", content, error.start + skipped, error.end + skipped, error.reason
        ) from None


_BY_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
}


def _declared_encoding(content: bytes) -> str | None:
    match = _DECLARED.search(content[:2000])
    name = match[1].decode("ascii", "replace") if match else ""
    if not _LEGACY.fullmatch(name):
        return None
    try:
        return codecs.lookup(name.replace("ISO8859_", "ISO8859-")).name
    except LookupError:
        return None
