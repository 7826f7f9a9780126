"""Formats of reference files, a row for each; format and encoding of a file, from its content."""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import Final

from citeloom.application.ports.citation import ReadItems, ReferenceFileFormat
from citeloom.infrastructure.plugins import plugins


def _read_json(text: str) -> ReadItems:
    from .formats.csl_json import read_csl_json

    return read_csl_json(text)


def _read_yaml(text: str) -> ReadItems:
    from .formats.csl_json import read_csl_yaml

    return read_csl_yaml(text)


def _read_bib(text: str) -> ReadItems:
    from .bibtex.reader import read_bib

    items, warnings = read_bib(text)
    return ReadItems(items, warnings=warnings)


def _read_ris(text: str) -> ReadItems:
    from .formats.ris import read_ris

    return ReadItems(read_ris(text))


def _read_medline(text: str) -> ReadItems:
    from .formats.medline import read_medline

    return ReadItems(read_medline(text))


_YAML = r"""\A(?:\#[^\n]*\n\s*)*(?:---[ \t]*\r?\n|references:|-[ \t]+[\w'"-]+:(?:\s|$)|%YAML)"""
#: In the order in which they are listed. JSON and YAML are what begins so; the others may begin
#: with comments, BibTeX with any text.
FORMATS: Final = (
    ReferenceFileFormat(
        ("CSL-JSON",),
        (".json",),
        re.compile(r'\A(?:[\[{"]|-?\d[\d.eE+-]*\s*$)'),
        _read_json,
        plain=False,
    ),
    ReferenceFileFormat(
        ("CSL-YAML",), (".yaml", ".yml"), re.compile(_YAML), _read_yaml, 16, plain=False
    ),
    ReferenceFileFormat(
        ("BibTeX", "BibLaTeX"),
        (".bib",),
        re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.MULTILINE),
        _read_bib,
        64,
    ),
    ReferenceFileFormat(
        ("RIS",),
        (".ris",),
        re.compile(r"^\s{0,3}TY {0,2}-(?: |\r|$)", re.MULTILINE),
        _read_ris,
        64,
    ),
    ReferenceFileFormat(
        ("MEDLINE",), (".nbib",), re.compile(r"^PMID ?- ", re.MULTILINE), _read_medline, 64
    ),
)

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


def detect_format(text: str) -> ReferenceFileFormat | None:
    """The format of ``text``, else a plugin's format; None if it resembles none."""
    ours = None if unsupported_format(text) else _first(FORMATS, text)
    return ours or _first(tuple(_formats_of_plugins()), text)


def _first(formats: Sequence[ReferenceFileFormat], text: str) -> ReferenceFileFormat | None:
    """The format that matches first; the first entry may follow a long comment."""
    start = text[:_MAX_SEARCHED].lstrip("\ufeff \t\r\n")
    for searched in (start, text):
        found = [
            (match.start(), number)
            for number, one in enumerate(formats)
            if (match := one.pattern.search(searched))
        ]
        if found:
            return formats[min(found)[1]]
    return None


def read_suffixes() -> frozenset[str]:
    """The suffixes of reference files, in lower case."""
    formats = (*FORMATS, *_formats_of_plugins())
    return frozenset(suffix for one in formats for suffix in one.suffixes)


def _formats_of_plugins() -> Iterator[ReferenceFileFormat]:
    return (one for plugin in plugins() for one in plugin.reference_formats())


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
