"""What a file's bytes say about it: its encoding, and which kind of reference file it is."""

import codecs
import re
from enum import Enum


class ReferenceFileKind(Enum):
    """Kinds of reference files that are read, by the names that people know them by."""

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
# Told by their beginning, and not read.
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
# These may begin with remarks, BibTeX with any text.
_MEDLINE = re.compile(r"^PMID ?- ", re.MULTILINE)
_RIS = re.compile(r"^\s{0,3}TY {0,2}-(?: |\r|$)", re.MULTILINE)
_BIB = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.MULTILINE)
_SEARCHED = 100_000

# What JabRef, BibDesk and TeX editors write at the top of a file.
_DECLARED = re.compile(rb"(?:Encoding:|-\*-\s*coding:|BOM encoding)\s*([\w.-]+)", re.IGNORECASE)
_LEGACY = re.compile(r"(?:iso|cp|windows|latin|mac)[\w.-]*", re.IGNORECASE)


def other_kind(content: bytes | str) -> str | None:
    """The name of a kind of file that is often given and not read, if it is one."""
    if isinstance(content, bytes):
        return next((name for magic, name in _BINARY if content.startswith(magic)), None)
    start = content[:2000].lstrip("\ufeff \t\r\n")
    return next((name for pattern, name in _FOREIGN if pattern.match(start)), None)


def kind_of(text: str) -> ReferenceFileKind | None:
    """Which kind of reference file ``text`` is; None if it is like none of them."""
    start = text[:_SEARCHED].lstrip("\ufeff \t\r\n")
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
    # An entry may stand far down, after a long remark.
    return ReferenceFileKind.BIB if _BIB.search(text) else None


def decoded(content: bytes) -> str:
    """The text: UTF-8 with or without byte order mark, UTF-16 or UTF-32 with one or with a
    beginning in ASCII, or a legacy encoding that the file declares (JabRef).

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
        if declared := _declared(content):
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


def _declared(content: bytes) -> str | None:
    found = _DECLARED.search(content[:2000])
    name = found[1].decode("ascii", "replace") if found else ""
    if not _LEGACY.fullmatch(name):
        return None
    try:
        return codecs.lookup(name.replace("ISO8859_", "ISO8859-")).name
    except LookupError:
        return None
