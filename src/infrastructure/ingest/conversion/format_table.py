"""Table of the formats that can be converted, with suffixes and MIME types."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class PageKind(StrEnum):
    """The kind of pages that a format has."""

    NONE = "none"
    PRINTED = "printed"
    SLIDE = "slide"
    SHEET = "sheet"


@dataclass(frozen=True)
class Format:
    """A format: its name for people, file suffixes (the usual one first), MIME type. ``docling`` is
    the name of docling's ``InputFormat``, None for formats read without it. ``text`` formats are
    character data in some encoding, the others are containers."""

    name: str
    suffixes: tuple[str, ...]
    mime: str
    docling: str | None
    pages: PageKind = PageKind.NONE
    text: bool = False


PDF = Format("PDF", (".pdf",), "application/pdf", "PDF", PageKind.PRINTED)
DOCX = Format(
    "Word document",
    (".docx", ".docm", ".dotx", ".dotm"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "DOCX",
)
PPTX = Format(
    "PowerPoint presentation",
    (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "PPTX",
    PageKind.SLIDE,
)
XLSX = Format(
    "Excel workbook",
    (".xlsx", ".xlsm", ".xltx", ".xltm"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "XLSX",
    PageKind.SHEET,
)
HTML = Format("HTML page", (".html", ".htm", ".xhtml"), "text/html", "HTML", text=True)
MARKDOWN = Format(
    "Markdown", (".md", ".markdown", ".qmd", ".rmd"), "text/markdown", "MD", text=True
)
ASCIIDOC = Format(
    "AsciiDoc", (".adoc", ".asciidoc", ".asc"), "text/asciidoc", "ASCIIDOC", text=True
)
CSV = Format("CSV table", (".csv",), "text/csv", "CSV", text=True)
JATS = Format("JATS article", (".xml", ".nxml"), "application/xml", "XML_JATS", text=True)
USPTO = Format("USPTO patent", (".xml", ".txt"), "application/xml", "XML_USPTO", text=True)
LATEX = Format("LaTeX source", (".tex", ".latex"), "text/x-tex", "LATEX", text=True)
EPUB = Format("EPUB book", (".epub",), "application/epub+zip", "EPUB")
ODT = Format(
    "OpenDocument text", (".odt", ".ott"), "application/vnd.oasis.opendocument.text", "ODT"
)
ODS = Format(
    "OpenDocument spreadsheet",
    (".ods", ".ots"),
    "application/vnd.oasis.opendocument.spreadsheet",
    "ODS",
    PageKind.SHEET,
)
ODP = Format(
    "OpenDocument presentation",
    (".odp", ".otp"),
    "application/vnd.oasis.opendocument.presentation",
    "ODP",
)
EMAIL = Format("e-mail message", (".eml",), "message/rfc822", "EMAIL", text=True)
OUTLOOK = Format("Outlook message", (".msg",), "application/vnd.ms-outlook", "EMAIL")
WEBVTT = Format("WebVTT captions", (".vtt",), "text/vtt", "VTT", text=True)
TEXT = Format("plain text", (".txt", ".text"), "text/plain", None, text=True)

#: Every format that can be converted. Where two share a suffix (``.xml``, ``.txt``) the
#: content decides between them.
FORMATS: tuple[Format, ...] = (
    PDF,
    DOCX,
    PPTX,
    XLSX,
    HTML,
    MARKDOWN,
    ASCIIDOC,
    CSV,
    JATS,
    LATEX,
    EPUB,
    ODT,
    ODS,
    ODP,
    EMAIL,
    OUTLOOK,
    WEBVTT,
    TEXT,
    USPTO,
)

_BY_SUFFIX: dict[str, Format] = {
    suffix: format_ for format_ in reversed(FORMATS) for suffix in format_.suffixes
}

#: What to do with files that look convertible and are not.
ALTERNATIVES: dict[str, str] = {
    ".doc": "save it as .docx",
    ".dot": "save it as .docx",
    ".rtf": "save it as .docx",
    ".pages": "export it as PDF or .docx",
    ".ppt": "save it as .pptx",
    ".pps": "save it as .pptx",
    ".key": "export it as PDF or .pptx",
    ".xls": "save it as .xlsx",
    ".numbers": "export it as .xlsx",
    ".tsv": "save it as .csv",
    ".djvu": "convert it to PDF",
    ".mobi": "convert it to EPUB",
    ".ps": "convert it to PDF",
}


def promised_format(source: Path) -> Format | None:
    """The format that the file's suffix promises; None if it is not one of ours."""
    return _BY_SUFFIX.get(source.suffix.lower())
