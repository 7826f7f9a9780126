"""Source facts that docling does not return: raw text, encoding, the work stated, JATS."""

import codecs
import html
import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from typing import TYPE_CHECKING, Any, Final

from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.format_table import Format
from citeloom.infrastructure.ingest.conversion.formats.formulas import Element
from citeloom.infrastructure.ingest.conversion.formats.stated_work import (
    front_matter_work,
    html_work,
    jats_work,
    properties_work,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.stated import StatedWork

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


# Elements that are white space, and those that end a line of text.
_BLANK = {"s", "tab", "br", "cr", "line-break"}
_ENDS = {"p", "h", "li", "td", "th", "tr", "div", "title", "sec", "tc", "table-cell", "label"}


def etree() -> Any:
    """The module ``lxml.etree``: loaded where it is used, in worker processes."""
    from lxml import etree as module  # type: ignore[import-untyped, unused-ignore]

    return module


def parse_xml(raw: bytes) -> Element | None:
    """The root of an XML file; None if it cannot be parsed even with error recovery."""
    parser = etree().XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        return etree().fromstring(raw, parser)
    except etree().XMLSyntaxError:
        return None


def raw_text(root: Element | None) -> str:
    """All character data below ``root``, with white space where the markup means some."""
    if root is None:
        return ""
    parts: list[str] = []
    for event, element in etree().iterwalk(root, events=("start", "end", "comment", "pi")):
        name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
        if event == "start":
            parts.append(" " if name in _BLANK else "")
            parts.append(element.text or "")
        else:
            parts.append("\n" if name in _ENDS else "")
            parts.append(element.tail or "")
    return "".join(parts)


def detach(element: Element) -> None:
    """Take an element out of its parent; the text behind it stays where it is."""
    parent, before = element.getparent(), element.getprevious()
    tail = element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    element.tail = None
    parent.remove(element)


def unwrap(element: Element) -> None:
    """The content of an element in its place."""
    parent, before = element.getparent(), element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (element.text or "")
    else:
        parent.text = (parent.text or "") + (element.text or "")
    children = list(element)
    if children:
        children[-1].tail = (children[-1].tail or "") + (element.tail or "")
        element.tail = None
    at = parent.index(element)
    for child in reversed(children):
        parent.insert(at + 1, child)
    detach(element)


def rewritten_parts(raw: bytes, names: re.Pattern[str], change: Callable[[bytes], bytes]) -> bytes:
    """The archive, with each part named here replaced by what ``change`` returns."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        contents = [(one, archive.read(one)) for one in archive.infolist()]
    changed = {
        entry.filename: change(data) for entry, data in contents if names.fullmatch(entry.filename)
    }
    if all(changed.get(entry.filename, data) == data for entry, data in contents):
        return raw
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for entry, data in contents:
            archive.writestr(entry, changed.get(entry.filename, data))
    return written.getvalue()


#: The parts of a book that hold its text.
CHAPTERS = re.compile(r".*\.x?html?", re.IGNORECASE)
_PARTS: dict[Format, re.Pattern[str]] = {
    format_table.DOCX: re.compile(r"word/(?:document|footnotes|endnotes)\.xml"),
    format_table.PPTX: re.compile(r"ppt/slides/slide\d+\.xml"),
    format_table.EPUB: CHAPTERS,
    format_table.ODT: re.compile(r"content\.xml"),
    format_table.ODP: re.compile(r"content\.xml"),
    format_table.ODS: re.compile(r"content\.xml"),
}
# Notes of OpenDocument stand within their line.
_NOTE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}note"
_PROPERTIES = re.compile(r"docProps/core\.xml|meta\.xml|.*\.opf")


@dataclass
class SourceFacts:
    """``text`` for spacing, ``title`` for want of one in the text, and the ``work`` stated."""

    text: str = ""
    title: str | None = None
    work: StatedWork = field(default_factory=StatedWork)


def source_facts(format_: Format, raw: bytes) -> SourceFacts:
    """Read the facts of a file. A damaged part is skipped."""
    if format_ in _PARTS or format_ is format_table.XLSX:
        return _archive(format_, raw)
    if format_ is format_table.HTML:
        return _html(raw)
    if format_ is format_table.JATS:
        return _jats(raw)
    if format_ is format_table.EMAIL:
        subject = message_from_bytes(raw, policy=policy.default)["subject"]
        return SourceFacts(title=str(subject) if subject else None)
    if format_ is format_table.LATEX:
        return _latex(raw.decode("utf-8", "replace"))
    if format_ is format_table.MARKDOWN:
        return _markdown(raw.decode("utf-8", "replace"))
    return SourceFacts()


def _archive(format_: Format, raw: bytes) -> SourceFacts:
    facts = SourceFacts()
    texts: list[str] = []
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for name in sorted(archive.namelist()):
            pattern = _PARTS.get(format_)
            if pattern is not None and pattern.fullmatch(name):
                root = parse_xml(archive.read(name))
                if root is not None:
                    for note in list(root.iter(_NOTE)):
                        detach(note)
                        root.append(note)
                texts.append(raw_text(root))
            elif _PROPERTIES.fullmatch(name):
                facts.work = facts.work.or_else(properties_work(parse_xml(archive.read(name))))
    facts.text = "\n".join(texts)
    if "title" in facts.work.uncertain:
        facts.title, facts.work = facts.work.title, facts.work._replace(title=None)
    return facts


def _html(raw: bytes) -> SourceFacts:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(raw, "html.parser")
    work = html_work(soup)
    title = " ".join(soup.title.get_text().split()) if soup.title is not None else ""
    for line_break in soup.find_all("br"):
        line_break.replace_with("\n")
    return SourceFacts(text=soup.get_text(), title=title or None, work=work)


def _jats(raw: bytes) -> SourceFacts:
    root = parse_xml(raw)
    if root is None:
        return SourceFacts()
    return SourceFacts(text=raw_text(root), work=jats_work(root))


def _latex(text: str) -> SourceFacts:
    lines = (re.sub(r"(?<!\\)%.*", "", line) for line in text.split("\n"))
    stripped = "\n".join(lines)
    doi = re.search(r"\\(?:doi|acmDOI)\{([^}]*)\}", stripped)
    return SourceFacts(work=StatedWork(identifiers=(doi.group(1),) if doi else ()))


def _markdown(text: str) -> SourceFacts:
    plain = re.sub(r"\]\([^)\s]*\)|\\(?=[!-/:-@\[-`{-~])", "", text)
    facts = SourceFacts(text=html.unescape(re.sub(r"<br\s*/?>", "\n", plain)))
    front = re.match(r"\ufeff?---\n(.*?)\n(?:---|\.\.\.)\s*\n", text, re.S)
    facts.work = front_matter_work(front.group(1)) if front else StatedWork()
    return facts


# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(raw: bytes) -> tuple[str, str | None]:
    """The text of ``raw``, and a warning if its encoding was assumed.

    A byte order mark decides, else UTF-8; other bytes are read as Windows-1252, the usual encoding
    of older Western files, in which every byte is a character. Line ends become ``\\n``.
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


_TYPOGRAPHIC: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201c\u201d\u2026"
#: By code: hyphens, dashes, quotation marks and the ellipsis of HTML.
STAND_INS: Final = {ord(char): 0xE7A0 + at for at, char in enumerate(_TYPOGRAPHIC)}
#: The end of a line of verse or code, which is not white space meanwhile.
LINE_BREAK: Final = "\ue7af"
#: The sign of a cell of LaTeX, which ends no cell.
AMPERSAND: Final = "\ue7ae"
#: The sign of a comment of LaTeX, which begins none.
PERCENT: Final = "\ue7ad"
#: Signs of LaTeX that are text.
BACKSLASH: Final = "\ue7ab"
TILDE: Final = "\ue7b0"
#: Brackets of Markdown that are text.
BRACKETS: Final = {"[": "\ue7b1", "]": "\ue7b2"}
_BACK: Final = {private: char for char, private in STAND_INS.items()} | {
    ord(LINE_BREAK): "\n",
    ord(AMPERSAND): "&",
    ord(PERCENT): "%",
    ord(BACKSLASH): "\\",
    ord(TILDE): "~",
    **{ord(private): char for char, private in BRACKETS.items()},
}


def restored(text: str) -> str:
    """The text with the characters themselves."""
    return text.translate(_BACK)


def restore_document(document: "DoclingDocument") -> None:
    for item in document.texts:
        item.text = restored(item.text)
    for table in document.tables:
        for cell in table.data.table_cells:
            cell.text = restored(cell.text)
