"""Word drafts with Zotero's citation fields.

A field is ``ADDIN ZOTERO_ITEM CSL_CITATION {json}`` between ``begin`` and ``separate``; the text
from there to ``end`` is displayed. (Zotero's word processor plugin, ECMA-376 part 1, 17.16 "Fields
and Hyperlinks".) The draft's text is that of its paragraphs, a line each, with an empty line
between them. Citations of footnotes and endnotes are at the position of their marks; the text of
notes is left out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citeloom.domain.errors import InvalidSource
from citeloom.domain.verification.drafts.bibliography_headings import is_bibliography
from citeloom.domain.verification.drafts.citation_locators import parse_locator
from citeloom.domain.verification.drafts.draft import CitedItem, Draft, InTextCitation
from citeloom.infrastructure.verification.drafts.mask import Mask

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FIELD = "CSL_CITATION"
# Beginnings of the names of styles, in English and German.
_NO_PROSE = ("heading", "berschrift", "title", "titel", "subtitle", "toc", "bibliography")


_Notes = dict[tuple[str, str | None], list[CitedItem]]


class _Field:
    """An open field: its instruction, and the start of the displayed text."""

    def __init__(self) -> None:
        self.instruction = ""
        self.start: int | None = None


def parse_docx(path: Path) -> Draft:
    """Raises InvalidSource for an invalid Word document."""
    from docx import Document

    try:
        document = Document(str(path))
        body, notes = document.element.body, _notes(document.part)
    except Exception as error:  # whatever zip, XML and python-docx raise for damaged files
        raise InvalidSource(f"{path}: cannot be read as a Word document: {error}") from error
    text, blanks, citations = "", list[tuple[int, int]](), list[InTextCitation]()
    open_fields: list[_Field] = []
    for paragraph in body.iter(f"{_W}p"):
        start, citation_count = len(text), len(citations)
        text = _paragraph(paragraph, text, open_fields, citations, notes)
        if _is_not_prose(paragraph):
            blanks.append((start, len(text)))
            del citations[citation_count:]
            if _is_heading(paragraph) and is_bibliography(text[start:]):
                break
        text += "\n\n"
    mask = Mask(text)
    for first, last in blanks:
        mask.blank(first, last)
    for citation in citations:
        mask.cite(citation)
    return Draft(
        path=str(path), format="docx", text=text, prose=mask.prose, citations=mask.in_order()
    )


def _notes(part: Any) -> _Notes:
    """Cited items of footnotes and endnotes, by the tag and id of their marks."""
    from lxml import etree

    notes: _Notes = {}
    for relation in part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in ("footnotes", "endnotes") or relation.is_external:
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        root = etree.fromstring(relation.target_part.blob, parser)
        for note in root:
            cited: list[InTextCitation] = []
            text, open_fields = "", list[_Field]()
            for paragraph in note.iter(f"{_W}p"):
                text = _paragraph(paragraph, text, open_fields, cited, {})
            items = [item for citation in cited for item in citation.items]
            if items:
                notes[f"{_W}{kind[:-1]}Reference", note.get(f"{_W}id")] = items
    return notes


def _paragraph(
    paragraph: Any,
    text: str,
    open_fields: list[_Field],
    citations: list[InTextCitation],
    notes: _Notes,
) -> str:
    for element in paragraph.iter():
        if element.tag == f"{_W}fldChar":
            kind = element.get(f"{_W}fldCharType")
            if kind == "begin":
                open_fields.append(_Field())
            elif kind == "separate" and open_fields:
                open_fields[-1].start = len(text)
            elif kind == "end" and open_fields:
                field = open_fields.pop()
                citations.extend(_cited(field, len(text)))
        elif element.tag == f"{_W}instrText" and open_fields:
            open_fields[-1].instruction += element.text or ""
        elif element.tag == f"{_W}t":
            text += element.text or ""
        elif element.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            text += " "
        elif element.tag == f"{_W}noBreakHyphen":
            text += "-"
        elif note_items := notes.get((element.tag, element.get(f"{_W}id"))):
            span = {"start": len(text), "end": len(text) + 1}
            text += " "
            items = tuple(item.model_copy(update=span) for item in note_items)
            citations.append(InTextCitation(**span, items=items))
    return text


def _cited(field: _Field, end: int) -> Iterator[InTextCitation]:
    if field.start is None or field.start >= end or _FIELD not in field.instruction:
        return
    _, _, body = field.instruction.partition(_FIELD)
    try:
        field_data, _ = json.JSONDecoder().raw_decode(body.strip())
    except ValueError:
        return
    items = []
    for cited_item in field_data.get("citationItems", ()) if isinstance(field_data, dict) else ():
        key = _key(cited_item)
        if key is None:
            continue
        text = str(cited_item.get("locator") or "")
        has_page = str(cited_item.get("label") or "page") == "page"
        locator, suffix = parse_locator(text) if has_page else (None, text)
        items.append(
            CitedItem(
                key=key,
                start=field.start,
                end=end,
                locator=locator,
                prefix=str(cited_item.get("prefix") or "").strip(),
                suffix=" ".join(
                    filter(None, (suffix, str(cited_item.get("suffix") or "").strip()))
                ),
                suppress_author=bool(cited_item.get("suppress-author")),
            )
        )
    if items:
        yield InTextCitation(start=field.start, end=end, items=tuple(items))


def _key(item: Any) -> str | None:
    """The citation key; else Zotero's item key or the DOI, which also identify documents."""
    if not isinstance(item, dict):
        return None
    data = item.get("itemData")
    data = data if isinstance(data, dict) else {}
    uris = [uri for name in ("uris", "uri") for uri in item.get(name) or () if isinstance(uri, str)]
    keys = [uri.rsplit("/", 1)[-1] for uri in uris if "/items/" in uri]
    for key in (data.get("citation-key"), data.get("citekey"), *keys, data.get("DOI")):
        if isinstance(key, str) and key.strip():
            return key.strip()
    return str(data["id"]) if data.get("id") else None


def _is_not_prose(paragraph: Any) -> bool:
    return _is_heading(paragraph) or any(
        ancestor.tag == f"{_W}tbl" for ancestor in paragraph.iterancestors()
    )


def _is_heading(paragraph: Any) -> bool:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    name = (style.get(f"{_W}val") or "") if style is not None else ""
    return name.lower().startswith(
        ("heading", "title", "subtitle", "berschrift", "toc", "bibliography")
    )
