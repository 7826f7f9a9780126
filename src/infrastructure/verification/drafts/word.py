r"""Word drafts: prose, and the citations of fields and content controls.

The text of a draft is that of its paragraphs, a line each, with an empty line between them. A field
has its instruction between ``begin`` and ``separate``, and what it shows from there to ``end``
(ECMA-376 part 1, 17.16 "Fields and Hyperlinks"); a content control is an ``sdt`` element (17.5.2).
Citations of footnotes and endnotes are at the position of their marks; the text of notes is left
out.

Citation fields of Zotero, Mendeley and EndNote: the works that they name. Zotero writes ``ADDIN
ZOTERO_ITEM CSL_CITATION {json}``, Mendeley Desktop ``ADDIN CSL_CITATION {json}``, Mendeley Cite the
same JSON in Base64 as the tag of a content control (``MENDELEY_CITATION_v3_…``). EndNote writes
``ADDIN EN.CITE <EndNote><Cite>…``, or the XML in Base64 as the data of the field or of one inside
it (``EN.CITE.DATA``). Word's own field is ``CITATION Smi20 \p 12 \m Jon21`` (ECMA-376 part 1,
17.16.5.8); its sources are in a custom XML part (22.6, "Bibliography").
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidSource
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.references.works import NamedWork
from citeloom.domain.text.scripts import raised
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Draft,
    InTextCitation,
    is_bibliography,
)
from citeloom.infrastructure.system.word_markup import with_seen_text

from .mask import Mask, cite_typed

_CSL = "CSL_CITATION"
_ENDNOTE = re.compile(r"\s*ADDIN\s+EN\.CITE\b(?!\.DATA)", re.IGNORECASE)
_ENDNOTE_DATA = re.compile(r"\s*ADDIN\s+EN\.CITE\.DATA\b", re.IGNORECASE)
_BIBLIOGRAPHY = re.compile(
    r"ZOTERO_BIBL|CSL_BIBLIOGRAPHY|EN\.REFLIST|^\s*BIBLIOGRAPHY\b|MENDELEY_BIB"
)
_WORD = re.compile(r"\s*CITATION\s+(?P<switches>\S.*)", re.IGNORECASE | re.DOTALL)
_SWITCH = re.compile(r"\\(?P<switch>\w)|\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s\"\\]+)")
_SOURCES = "{http://schemas.openxmlformats.org/officeDocument/2006/bibliography}"
_MENDELEY_TAG = re.compile(r"MENDELEY_CITATION_v\d+_(?P<data>[\w+/=-]+)")
_ITEM_KEY = re.compile(r"[A-Z0-9]{8}")
_ITEM_URI = re.compile(rf"/items/({_ITEM_KEY.pattern})$")
# Ids that are valid only within the document or the manager's own database.
_NO_KEY = re.compile(r"ITEM-\d+|\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_KEY_IN_NOTE = re.compile(r"^\s*citation key:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


class FieldItem(NamedTuple):
    """A cited item at no place yet, and its work."""

    item: CitedItem
    work: NamedWork
    narrative: bool = False


def is_bibliography_field(instruction: str) -> bool:
    return bool(_BIBLIOGRAPHY.search(instruction))


_Sources = Mapping[str, NamedWork]


def items_of_field(instruction: str, data: str, sources: _Sources) -> list[FieldItem]:
    """The items of a field with this instruction and field data; none for other fields.
    ``sources`` are those of Word's own fields, by tag."""
    if own := _WORD.match(instruction):
        return list(_word_items(own["switches"], sources))
    if _CSL in instruction:
        body = instruction.partition(_CSL)[2].strip()
        try:
            return list(_csl_items(json.JSONDecoder().raw_decode(body)[0]))
        except ValueError:
            return []
    if not _ENDNOTE.match(instruction):
        return []
    written = instruction.partition("EN.CITE")[2].strip()
    return list(_endnote_items(written if "<Cite" in written else _decoded(data)))


def _word_items(written: str, sources: _Sources) -> Iterator[FieldItem]:
    r"""Tags, each with the switches behind it: ``\m`` another tag, ``\p`` pages, ``\f`` and
    ``\s`` the words before and after, ``\n`` without the author."""
    cited: list[dict[str, str]] = []
    switch = "m"
    for found in _SWITCH.finditer(written):
        if found["switch"]:
            switch = found["switch"].lower()
            if cited and switch != "m":
                cited[-1].setdefault(switch, "")
            continue
        value = found["quoted"] if found["quoted"] is not None else found["bare"]
        if switch == "m":
            cited.append({"m": value})
        elif cited:
            cited[-1][switch] = f"{cited[-1].get(switch, '')} {value}".strip()
        switch = switch if found["bare"] and switch in "pvfs" else ""
    for one in cited:
        work = sources.get(one["m"]) or NamedWork(keys=(one["m"],))
        words = one.get("f", ""), one.get("s", "")
        yield FieldItem(_item(one["m"], one.get("p", ""), words, alone="n" in one), work)


def _item(key: str, place: str, words: tuple[str, str], *, alone: bool) -> CitedItem:
    """A cited item with the ``words`` before and after it; ``alone``: without the author."""
    locator, rest = parse_locator(place)
    return CitedItem(
        key=key,
        start=0,
        end=0,
        locator=locator,
        prefix=words[0],
        suffix=" ".join(filter(None, (rest, words[1]))),
        suppress_author=alone,
    )


def _sources(package: Any) -> dict[str, NamedWork]:
    """The works of Word's own fields, by their tags."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    works = {}
    for part in package.iter_parts():
        if "/customXml/" not in str(part.partname) or _SOURCES[1:-1].encode() not in part.blob:
            continue
        root = etree.fromstring(part.blob, parser)
        for source in root.iter(f"{_SOURCES}Source") if root is not None else ():
            tag = _text(source, f"{_SOURCES}Tag")
            year = _YEAR.search(_text(source, f"{_SOURCES}Year"))
            author = source.find(f"{_SOURCES}Author/{_SOURCES}Author")
            names = [
                _words(one)
                for name in ("Last", "Corporate")
                for one in (author.iter(f"{_SOURCES}{name}") if author is not None else ())
            ]
            doi = _text(source, f"{_SOURCES}DOI") or _text(source, f"{_SOURCES}StandardNumber")
            if tag:
                works[tag] = _work(
                    [tag, *filter(None, [normalise_doi(doi)])],
                    names,
                    title=_text(source, f"{_SOURCES}Title"),
                    year=int(year[0]) if year else None,
                    doi=doi,
                )
    return works


def items_of_tag(tag: str) -> list[FieldItem]:
    """The items of a content control of Mendeley Cite; none for other tags."""
    match = _MENDELEY_TAG.match(tag)
    if match is None:
        return []
    try:
        return list(_csl_items(json.loads(_decoded(match["data"]))))
    except ValueError:
        return []


def _decoded(data: str) -> str:
    """The text of Base64 data in either alphabet, with or without padding."""
    compact = "".join(data.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        content = base64.b64decode(compact + "=" * (-len(compact) % 4))
    except (ValueError, binascii.Error):
        return ""
    return content.decode("utf-8", "replace").rstrip("\0")


def _csl_items(citation: Any) -> Iterator[FieldItem]:
    items = citation.get("citationItems") if isinstance(citation, Mapping) else None
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, Mapping):
            continue
        work = _csl_work(item)
        if not (work.keys or work.entry):
            continue
        place, before, after = (
            str(item.get(name) or "") for name in ("locator", "prefix", "suffix")
        )
        words = before.strip(), after.strip()
        if str(item.get("label") or "page") != "page":
            place, words = "", (words[0], " ".join(filter(None, (place, words[1]))))
        alone = bool(item.get("suppress-author"))
        yield FieldItem(_item(_name(work), place, words, alone=alone), work)


def _csl_work(item: Mapping[str, Any]) -> NamedWork:
    data = item.get("itemData")
    data = data if isinstance(data, Mapping) else {}
    uris = [uri for name in ("uris", "uri") for uri in _texts(item.get(name))]
    in_note = _KEY_IN_NOTE.findall(str(data.get("note") or ""))
    found = [
        *_texts(data.get("citation-key")),
        *_texts(data.get("citekey")),
        *in_note,
        *(match[1] for uri in uris if (match := _ITEM_URI.search(uri))),
        *_texts(data.get("DOI")),
        *(one for one in _texts(data.get("id")) if not _NO_KEY.fullmatch(one)),
    ]
    people = data.get("author")
    authors = [
        str(one.get("family") or one.get("literal") or "")
        for one in (people if isinstance(people, list) else ())
        if isinstance(one, Mapping)
    ]
    issued = _YEAR.search(json.dumps(data.get("issued"))) if data.get("issued") else None
    return _work(
        found,
        authors,
        title=" ".join(_texts(data.get("title"))),
        year=int(issued[0]) if issued else None,
        doi=" ".join(_texts(data.get("DOI"))),
    )


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one.strip() for one in map(str, filter(None, values)) if one.strip()]


def _endnote_items(xml: str) -> Iterator[FieldItem]:
    from lxml import etree

    start = xml.find("<EndNote")
    if start < 0:
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(xml[start:].encode(), parser)
    for cite in root.iter("Cite") if root is not None else ():
        record = cite.find("record")
        names = [_words(one) for one in _all(record, "contributors/authors/author")]
        names = names or [name for one in _all(cite, "Author") if (name := _words(one))]
        year = _YEAR.search(_text(record, "dates/year") or _text(cite, "Year"))
        doi = _text(record, "electronic-resource-num")
        work = _work(
            [key for key in (_text(record, "label"), normalise_doi(doi) or "") if key],
            [name.partition(",")[0] for name in names],
            title=_text(record, "titles/title"),
            year=int(year[0]) if year else None,
            doi=doi,
        )
        if not (work.keys or work.entry):
            continue
        words = _text(cite, "Prefix"), _text(cite, "Suffix")
        alone = cite.get("ExcludeAuth") == "1"
        item = _item(_name(work), _text(cite, "Pages"), words, alone=alone)
        yield FieldItem(item, work, narrative=cite.get("AuthorYear") == "1")


def _all(element: Any, path: str) -> list[Any]:
    return list(element.findall(path)) if element is not None else []


def _text(element: Any, path: str) -> str:
    return next((_words(one) for one in _all(element, path)), "")


def _words(element: Any) -> str:
    """The text without EndNote's ``style`` elements."""
    return " ".join("".join(element.itertext()).split())


def _work(
    keys: list[str], authors: list[str], *, title: str, year: int | None, doi: str
) -> NamedWork:
    names = tuple(name for name in authors if name)
    entry = None
    if title or names:
        entry = CitedWork(
            text=f"{', '.join(names)} ({year or 'n.d.'}). {title}.",
            span=CharSpan(start=0, end=0),
            doi=normalise_doi(doi),
            year=year,
            author=names[0] if names else None,
            title=title or None,
        )
    return NamedWork(
        keys=tuple(dict.fromkeys(keys)),
        authors=names,
        years=(year,) if year else (),
        entry=entry,
    )


def _name(work: NamedWork) -> str:
    """The citation key; else the authors and year; else any key, or the title."""
    first = work.keys[0] if work.keys else ""
    if first and not (_ITEM_KEY.fullmatch(first) or normalise_doi(first)):
        return first
    if not work.authors:
        return first or (work.entry.title if work.entry and work.entry.title else "untitled")
    people = f"{work.authors[0]} et al." if len(work.authors) > 2 else " & ".join(work.authors)
    return f"{people}, {work.years[0] if work.years else 'n.d.'}"


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

    def __init__(self, notes: _Notes, sources: _Sources) -> None:
        self._sources = sources
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
        if _ENDNOTE_DATA.match(field.instruction) and self._open:
            self._open[-1].data = self._open[-1].data or field.data
        else:
            self._shown(field, items_of_field(field.instruction, field.data, self._sources))

    def _shown(self, field: _Field, items: list[FieldItem]) -> None:
        self._listed |= is_bibliography_field(field.instruction)
        if items and field.start is not None and field.start < len(self.text):
            self.found.append((field.start, len(self.text), items))

    def _add(self, element: Any) -> None:
        start = len(self.text)
        script = element.getparent().find(f"{_W}rPr/{_W}vertAlign")
        is_raised = script is not None and script.get(f"{_W}val") == "superscript"
        text = element.text or ""
        self.text += raised(text, self.text[-24:]) if is_raised else text
        if is_raised:
            if self.superscripts and self.superscripts[-1][1] == start:
                start = self.superscripts.pop()[0]
            self.superscripts.append((start, len(self.text)))


def parse_docx(path: Path) -> Draft:
    """Raises InvalidSource for an invalid Word document."""
    from docx import Document

    try:
        document = Document(str(path))
        sources = _sources(document.part.package)
        body, notes = document.element.body, _notes(document.part, sources)
        with_seen_text(body)
    except Exception as error:  # whatever zip, XML and python-docx raise for damaged files
        raise InvalidSource(f"{path}: cannot be read as a Word document: {error}") from error
    story, blanks, entries = _Story(notes, sources), list[tuple[int, int]](), list[str]()
    in_list, numbered_styles, unread = False, _numbered_styles(document), list[tuple[int, str]]()
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
            if not listed:
                unread += [(at, items[0].item.key) for at, _, items in story.found[found:]]
            del story.found[found:]
        story.text += "\n\n"
    mask = Mask(story.text)
    for first, last in blanks:
        mask.blank(first, last)
    for first, last, items in story.found:
        _cite(mask, first, last, items)
    mask.superscripts, mask.unread = story.superscripts, unread
    mask.bibliography = "\n\n".join(entries)
    return mask.draft(str(path), "docx")


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


def _notes(part: Any, sources: _Sources) -> _Notes:
    """Cited items of footnotes and endnotes, by the tag and id of their marks, from fields and from
    typed citations."""
    from lxml import etree

    notes: _Notes = {}
    for relation in part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in ("footnotes", "endnotes") or relation.is_external:
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        root = etree.fromstring(relation.target_part.blob, parser)
        with_seen_text(root)
        for note in root:
            story = _Story({}, sources)
            for paragraph in note.iter(f"{_W}p"):
                story.paragraph(paragraph)
            items = [item for _, _, found in story.found for item in found]
            items += _typed(story)
            if items:
                notes[f"{_W}{kind[:-1]}Reference", note.get(f"{_W}id")] = items
    return notes


def _typed(story: _Story) -> Iterator[FieldItem]:
    """The typed citations of a note (*Smith 2020, p. 3*) that no field shows."""
    mask = Mask(story.text)
    for first, last, _ in story.found:
        mask.blank(first, last)
    cite_typed(mask)
    for citation in mask.in_order():
        for item in citation.items:
            if work := mask.works.get(item.key):
                yield FieldItem(item, work)


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
