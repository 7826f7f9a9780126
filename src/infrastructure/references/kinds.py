"""What a file's bytes say about it: its encoding, and whether it is something else than JSON."""

import codecs
import re

_BINARY = (
    (b"%PDF-", "a PDF"),
    (b"SQLite format 3", "a database (zotero.sqlite?)"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
)
_TEXT = (
    (re.compile(r"(?:%[^0-9\n][^\n]*\n\s*)*@\s*[A-Za-z]+\s*[{(]"), "BibTeX"),
    (re.compile(r"TY {0,2}- "), "RIS"),
    (re.compile(r"%[0-9A-Z] \S"), "EndNote (Refer)"),
    (re.compile(r"PMID ?- "), "MEDLINE"),
    (re.compile(r"(?:FN |PT [JBSP]\r?\n)"), "Web of Science text"),
    (re.compile(r"<!doctype html|<html", re.IGNORECASE), "HTML"),
    (re.compile(r"<(?:\?xml|xml|rdf:RDF)", re.IGNORECASE), "XML (EndNote, MODS or Zotero RDF)"),
    (re.compile(r"---\s*\n|references:\s*\n"), "YAML"),
)


def other_kind(content: bytes) -> str | None:
    """The name of the kind of file that is often given in place of JSON, if it is one."""
    for magic, name in _BINARY:
        if content.startswith(magic):
            return name
    start = content[:2000].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return next((name for pattern, name in _TEXT if pattern.match(start)), None)


def decoded(content: bytes) -> str:
    """The text: UTF-8 with or without byte order mark, UTF-16 or UTF-32 with one.

    Raises UnicodeDecodeError, which names the encoding tried and the offset of the byte.
    """
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return content.decode("utf-32")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    text = content.removeprefix(codecs.BOM_UTF8)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        skipped = len(content) - len(text)
        raise UnicodeDecodeError(
            "utf-8", content, error.start + skipped, error.end + skipped, error.reason
        ) from None
