"""Documents made from library items without files, and from notes.

The id is the sha256 over content and address of the item or note, so that equal records of two
works are two documents.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Final, NamedTuple

from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Structure,
    heading_tree,
)
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.library.snapshot import LibraryItem, LibraryNote, item_address

#: In place of a converter's fingerprint.
CONVERTER: Final = "library-text 1"
ITEM_TYPE: Final = "application/vnd.zotero.item"
NOTE_TYPE: Final = "application/vnd.zotero.note"

_SEPARATOR = "\n\n"
_MARKUP = re.compile(r"</?(?:jats:)?(?:p|i|b|em|strong|sub|sup|italic|bold|sec|title|br|div)\b")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BREAKING = (
    *("p", "div", "blockquote", "li", "tr", "pre", "ul", "ol", "table", "hr", "section"),
    *("title", "sec"),  # of JATS, in abstracts
)
_BESIDE = ("td", "th", "br")
_SILENT = ("style", "script", "head")
_JATS = "jats:"


def is_library_text(source_path: str) -> bool:
    """Whether a document is an item record or note of the library, whose positions are none in
    the work."""
    return source_path.startswith("zotero://select/")


class _TextPart(NamedTuple):
    label: BlockLabel
    text: str
    level: int | None = None


def item_document(item: LibraryItem) -> ConversionResult:
    """The title as heading, then the abstract, or without one authors, venue and year."""
    citation = item.citation
    parts = [_TextPart(BlockLabel.SECTION_HEADER, _one_line(citation.title), 1)]
    abstract = _abstract(item.abstract or "")
    if abstract:
        parts += abstract
    else:
        published = (citation.container_title, str(citation.year) if citation.year else None)
        who = "; ".join(citation.authors)
        parts.append(_TextPart(BlockLabel.TEXT, ". ".join([who, *filter(None, published)])))
    return _document(
        item.address,
        parts,
        title=_one_line(citation.title),
        mime_type=ITEM_TYPE,
        identifiers=(citation.doi,) if citation.doi else (),
    )


def note_document(note: LibraryNote) -> ConversionResult | None:
    """The text of a note with headings and lists; None if it is empty."""
    parts = _read(note.html)
    if not parts:
        return None
    title = _one_line(note.title) or parts[0].text
    return _document(note_address(note), parts, title=title, mime_type=NOTE_TYPE)


def note_address(note: LibraryNote) -> str:
    """``zotero://select/library/items/KEY``."""
    return item_address(note.library.path, note.key)


def _document(
    address: str,
    parts: Sequence[_TextPart],
    *,
    title: str,
    mime_type: str,
    identifiers: tuple[str, ...] = (),
) -> ConversionResult:
    parts = [part for part in parts if part.text]
    blocks: list[Block] = []
    at = 0
    for part in parts:
        span = CharSpan(start=at, end=at + len(part.text))
        blocks.append(Block(label=part.label, span=span, level=part.level))
        at = span.end + len(_SEPARATOR)
    text = _SEPARATOR.join(part.text for part in parts)
    headers = [
        (part.text, part.level, block.span.start, None)
        for part, block in zip(parts, blocks, strict=True)
        if part.level is not None
    ]
    content = json.dumps([address, CONVERTER, title, parts], ensure_ascii=False)
    return ConversionResult(
        doc_id=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        structure=Structure(heading_tree=heading_tree(headers, len(text)), page_map=()),
        plain_text=text,
        blocks=tuple(blocks),
        title=title,
        identifiers=identifiers,
        mime_type=mime_type,
        converter=CONVERTER,
    )


def _abstract(text: str) -> list[_TextPart]:
    if _MARKUP.search(text):
        return [part._replace(label=BlockLabel.TEXT, level=None) for part in _read(text)]
    paragraphs = (_one_line(paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return [_TextPart(BlockLabel.TEXT, paragraph) for paragraph in paragraphs if paragraph]


def _read(html: str) -> list[_TextPart]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_part()
    return reader.parts


class _Reader(HTMLParser):
    """Blocks of HTML in reading order; characters of style and script are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[_TextPart] = []
        self._text: list[str] = []
        self._label, self._level = BlockLabel.TEXT, 0
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        tag = tag.removeprefix(_JATS)
        if tag in _SILENT:
            self._silent += 1
        elif tag in _HEADINGS:
            self.end_part()
            self._label, self._level = BlockLabel.SECTION_HEADER, _HEADINGS.index(tag) + 1
        elif tag in _BREAKING:
            in_item = tag in ("p", "div") and self._label is BlockLabel.LIST_ITEM
            if not in_item or self._text:
                self.end_part()
            if tag == "li" or in_item:
                self._label = BlockLabel.LIST_ITEM
            elif tag == "pre":
                self._label = BlockLabel.CODE
        elif tag in _BESIDE:
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        tag = tag.removeprefix(_JATS)
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _HEADINGS or tag in _BREAKING:
            self.end_part()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)

    def end_part(self) -> None:
        """End the current block."""
        raw = "".join(self._text)
        text = raw.strip("\n") if self._label is BlockLabel.CODE else _one_line(raw)
        if text.strip():
            self.parts.append(_TextPart(self._label, text, self._level or None))
        self._text = []
        self._label, self._level = BlockLabel.TEXT, 0


def _one_line(text: str) -> str:
    return " ".join(text.split())
