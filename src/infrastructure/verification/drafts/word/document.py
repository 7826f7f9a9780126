"""Word documents: prose, and the citations of fields and content controls.

The text of a draft is that of its paragraphs, a line each, with an empty line between them. A
field has its instruction between ``begin`` and ``separate``, and what it shows from there to
``end`` (ECMA-376 part 1, 17.16 "Fields and Hyperlinks"); a content control is an ``sdt`` element
(17.5.2). Citations of footnotes and endnotes are at the position of their marks; the text of notes
is left out.
"""

from pathlib import Path
from typing import Any

from citeloom.domain.errors import InvalidSource
from citeloom.domain.verification.drafts.bibliography_headings import is_bibliography
from citeloom.domain.verification.drafts.draft import Draft, InTextCitation
from citeloom.infrastructure.verification.drafts.mask import Mask
from citeloom.infrastructure.verification.drafts.typed_citations import cite_typed
from citeloom.infrastructure.verification.drafts.word.fields import (
    FieldItem,
    is_bibliography_field,
    is_endnote_data,
    items_of_field,
    items_of_tag,
)

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Beginnings of the names of styles, in English and German.
_NO_PROSE = ("heading", "berschrift", "title", "titel", "subtitle", "toc")
_LISTED = ("bibliography", "endnotebibliography", "literaturverzeichnis")


_Notes = dict[tuple[str, str | None], list[FieldItem]]


class _Field:
    """An open field or content control: its instruction and data, and the start of what it
    shows."""

    def __init__(self, instruction: str = "", start: int | None = None) -> None:
        self.instruction = instruction
        self.data = ""
        self.start = start


class _Story:
    """The text of a document, or of a note, and what was found in it."""

    def __init__(self, notes: _Notes) -> None:
        self.text = ""
        self.found: list[tuple[int, int, list[FieldItem]]] = []
        self.superscripts: list[tuple[int, int]] = []
        self._notes = notes
        self._open: list[_Field] = []
        self._listed = False

    def paragraph(self, paragraph: Any) -> bool:
        """Add its text; whether it has a part of a reference list."""
        from lxml import etree

        self._listed = False
        for event, element in etree.iterwalk(paragraph, events=("start", "end")):
            if element.tag == f"{_W}sdt":
                self._control(element, event)
            elif element.tag == f"{_W}fldSimple":
                self._simple(element, event)
            elif event == "start":
                self._read(element)
        return self._listed or any(is_bibliography_field(one.instruction) for one in self._open)

    def _control(self, element: Any, event: str) -> None:
        if event == "start":
            tag = element.find(f"{_W}sdtPr/{_W}tag")
            value = tag.get(f"{_W}val") if tag is not None else None
            self._open.append(_Field(value or "", len(self.text)))
        elif self._open:
            control = self._open.pop()
            self._shown(control, items_of_tag(control.instruction))

    def _simple(self, element: Any, event: str) -> None:
        if event == "start":
            self._open.append(_Field(element.get(f"{_W}instr") or "", len(self.text)))
        elif self._open:
            self._close()

    def _read(self, element: Any) -> None:
        if element.tag == f"{_W}fldChar":
            self._character(element)
        elif element.tag == f"{_W}fldData" and self._open:
            self._open[-1].data += element.text or ""
        elif element.tag == f"{_W}instrText" and self._open:
            self._open[-1].instruction += element.text or ""
        elif element.tag == f"{_W}t":
            self._add(element)
        elif element.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            self.text += " "
        elif element.tag == f"{_W}noBreakHyphen":
            self.text += "-"
        elif items := self._notes.get((element.tag, element.get(f"{_W}id"))):
            self.found.append((len(self.text), len(self.text) + 1, items))
            self.text += " "

    def _character(self, element: Any) -> None:
        kind = element.get(f"{_W}fldCharType")
        if kind == "begin":
            self._open.append(_Field())
        elif kind == "separate" and self._open:
            self._open[-1].start = len(self.text)
        elif kind == "end" and self._open:
            self._close()

    def _close(self) -> None:
        """The data of a field inside one of EndNote's belong to that."""
        field = self._open.pop()
        if is_endnote_data(field.instruction) and self._open:
            self._open[-1].data = self._open[-1].data or field.data
        else:
            self._shown(field, items_of_field(field.instruction, field.data))

    def _shown(self, field: _Field, items: list[FieldItem]) -> None:
        self._listed |= is_bibliography_field(field.instruction)
        if items and field.start is not None and field.start < len(self.text):
            self.found.append((field.start, len(self.text), items))

    def _add(self, element: Any) -> None:
        start = len(self.text)
        self.text += element.text or ""
        raised = element.getparent().find(f"{_W}rPr/{_W}vertAlign")
        if raised is not None and raised.get(f"{_W}val") == "superscript":
            if self.superscripts and self.superscripts[-1][1] == start:
                start = self.superscripts.pop()[0]
            self.superscripts.append((start, len(self.text)))


def parse_docx(path: Path) -> Draft:
    """Raises InvalidSource for an invalid Word document."""
    from docx import Document

    try:
        document = Document(str(path))
        body, notes = document.element.body, _notes(document.part)
    except Exception as error:  # whatever zip, XML and python-docx raise for damaged files
        raise InvalidSource(f"{path}: cannot be read as a Word document: {error}") from error
    story, blanks, entries = _Story(notes), list[tuple[int, int]](), list[str]()
    in_list, numbered_styles = False, _numbered_styles(document)
    for paragraph in body.iter(f"{_W}p"):
        start, found = len(story.text), len(story.found)
        style = _style(paragraph)
        listed = in_list or _is_in_bibliography(paragraph) or style.startswith(_LISTED)
        listed |= story.paragraph(paragraph)
        words = story.text[start:]
        heading = style.startswith(_NO_PROSE)
        if is_bibliography(words):
            in_list, listed = True, False
            heading = True
        elif heading:
            in_list, listed = False, listed and not in_list
        if listed:
            is_numbered = style in numbered_styles or _is_numbered(paragraph)
            number = f"{len(entries) + 1}. " if is_numbered else ""
            entries.append(number + words)
        if listed or heading or _is_in_table(paragraph):
            blanks.append((start, len(story.text)))
            del story.found[found:]
        story.text += "\n\n"
    mask = Mask(story.text)
    for first, last in blanks:
        mask.blank(first, last)
    for first, last, items in story.found:
        _cite(mask, first, last, items)
    mask.superscripts = story.superscripts
    mask.bibliography = "\n\n".join(entries)
    cite_typed(mask)
    return Draft(
        path=str(path),
        format="docx",
        text=story.text,
        prose=mask.prose,
        citations=mask.in_order(),
        works=mask.works,
    )


def _cite(mask: Mask, start: int, end: int, found: list[FieldItem]) -> None:
    items = []
    for item, work, _ in found:
        key, title = item.key, work.entry.title if work.entry else None
        if mask.works.get(key, work) != work and title:  # another work of these authors and year
            key = f"{key}, {title}"
        items.append(item.model_copy(update={"key": key, "start": start, "end": end}))
        mask.works[key] = work
    narrative = found[0].narrative
    mask.cite(InTextCitation(start=start, end=end, items=tuple(items), narrative=narrative))


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
            story = _Story({})
            for paragraph in note.iter(f"{_W}p"):
                story.paragraph(paragraph)
            items = [item for _, _, found in story.found for item in found]
            if items:
                notes[f"{_W}{kind[:-1]}Reference", note.get(f"{_W}id")] = items
    return notes


def _is_in_table(paragraph: Any) -> bool:
    return any(ancestor.tag == f"{_W}tbl" for ancestor in paragraph.iterancestors())


def _is_in_bibliography(paragraph: Any) -> bool:
    """Whether a content control around the paragraph is a reference list."""
    return any(
        is_bibliography_field(tag.get(f"{_W}val") or "")
        for control in paragraph.iterancestors(f"{_W}sdt")
        for tag in control.findall(f"{_W}sdtPr/{_W}tag")
    )


def _is_numbered(paragraph: Any) -> bool:
    return paragraph.find(f"{_W}pPr/{_W}numPr") is not None


def _numbered_styles(document: Any) -> set[str]:
    styles = document.styles.element.iter(f"{_W}style")
    return {(style.get(f"{_W}styleId") or "").lower() for style in styles if _is_numbered(style)}


def _style(paragraph: Any) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return ((style.get(f"{_W}val") or "") if style is not None else "").lower()
