"""JATS articles as the text that their readers see.

docling takes the label of a section for its title, and leaves out or moves what it has no place
for: formulas, quotations and code within paragraphs, terms, verse, notes of tables, floats. Here
these become paragraphs, lists and sections before docling reads the article (JATS 1.3, Tag
Library).
"""

import re
from typing import Final

from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.formats.source_text import LINE_BREAK

from .formulas import Element, mathml_text, tex_text
from .source_text import detach, etree, parse_xml, raw_text, unwrap

# docling takes an article for JATS by its document type only; many files have none.
_DOCTYPE: Final = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 '
    '20190208//EN" "JATS-journalpublishing1.dtd">'
)
# Elements within a line that are their text.
_INLINE: Final = (
    "italic bold roman sc sans-serif monospace underline overline strike named-content "
    "styled-content abbrev ext-link uri email xref fixed-case chem-struct "
    "term index-term-range private-char inline-supplementary-material related-article "
    "related-object"
).split()
_BLOCKS: Final = (
    "disp-quote verse-group preformat code def-list disp-formula disp-formula-group table-wrap fig "
    "fig-group list speech statement boxed-text supplementary-material media"
).split()
# What has a title or a label, and is a section but for its name.
_SECTIONS: Final = ("app", "app-group", "glossary", "notes", "bio")
_MARK: Final = re.compile(r"[\w*†‡§¶#]{1,3}(?:[,;]\s?\w{1,3})*")


def seen_article(raw: bytes) -> bytes:
    """The article with a JATS document type, as docling reads it best."""
    root = parse_xml(raw)
    if root is None:
        return raw
    _join_floats(root)
    _write_formulas(root)
    _write_front(root)
    _write_lines(root)
    for figure in [one for one in root.iter("fig") if next(one.iterancestors("fig"), None) is None]:
        _move_behind(figure, list(figure.iter("fig", "supplementary-material"))[1:])
    for paragraph in list(root.iter("p")):
        _move_notes(paragraph)
        _split(paragraph)
    for block in reversed(list(root.iter("fn", *_BLOCKS))):  # the innermost first
        _write_block(block)
    for item in list(root.iter("list-item")):
        _move_out(item)
    for section in list(root.iter("sec", *_SECTIONS)):
        _write_heading(section)
    for container in list(root.iter("body", "back", "sec", "ack")):
        _close_sections(container)
    for name in list(root.iter("collab", "string-name")):
        if next(name.iterancestors("element-citation"), None) is not None:
            _write_name(name)
    content: bytes = etree().tostring(
        root, encoding="utf-8", xml_declaration=True, doctype=_DOCTYPE
    )
    return content


def _join_floats(root: Element) -> None:
    """Figures and tables outside the text move to its end."""
    body = root.find("body")
    for group in list(root.iter("floats-group")) if body is not None else ():
        body.extend(list(group))


def _write_front(root: Element) -> None:
    """Abstracts in other languages are abstracts; keywords end the last one. Names in references
    have a space within, as readers see them."""
    for abstract in list(root.iter("trans-abstract")):
        abstract.tag = "abstract"
    abstracts = root.findall("front/article-meta/abstract")
    for group in root.findall("front/article-meta/kwd-group") if abstracts else ():
        words = ["".join(word.itertext()) for word in group.iter("kwd", "compound-kwd")]
        title = " ".join("".join(one.itertext()) for one in group.findall("title")) or "Keywords"
        paragraph = etree().SubElement(abstracts[-1], "p")
        paragraph.text = " ".join(f"{title.rstrip(':')}: {', '.join(words)}".split())
    for name in list(root.iter("name", "string-name")):
        cited = next(name.iterancestors("mixed-citation", "citation"), None)
        for part in list(name)[:-1] if cited is not None else ():
            part.tail = part.tail or " "
    for array in list(root.iter("array")):
        if array.find("tbody") is not None or array.find("tr") is not None:
            table = array.makeelement("table")
            table.extend(list(array.iter("tbody")) or list(array.iter("tr")))
            array.tag = "table-wrap"
            array.append(table)


def _write_formulas(root: Element) -> None:
    """Formulas as text; images and TeX beside MathML are removed."""
    for formula in list(root.iter("inline-formula", "disp-formula", "tex-math", "{*}math")):
        outer = next(formula.iterancestors("inline-formula", "disp-formula"), None)
        if formula.getparent() is None or outer is not None:
            continue
        text = _formula_text(formula)
        if formula.tag == "disp-formula":
            label = formula.findtext("label") or ""
            for child in list(formula):
                formula.remove(child)
            formula.text = f"{text} {label}".strip()
        else:
            formula.tail = text + (formula.tail or "")
            detach(formula)


def _formula_text(formula: Element) -> str:
    math = next(formula.iter("{*}math"), None)
    if math is not None and (text := mathml_text(math)):
        return text
    tex = "".join(part for one in formula.iter("tex-math") for part in one.itertext())
    inner = re.search(r"\\begin\{document\}(.*?)\\end\{document\}", tex, re.DOTALL)
    tex = (inner[1] if inner else tex).strip().strip("$").strip()
    if tex:
        return tex_text(tex)
    for label in formula.findall("label"):
        label.text = None
    _write_lines(formula)
    texts = (part for part in formula.itertext())
    return " ".join("".join(texts).split())


def _write_lines(root: Element) -> None:
    """Elements within lines as their text, scripts in the notation of ``domain.text.scripts``."""
    for mark in list(root.iterfind(".//title-group//xref")) + list(
        root.iterfind(".//title-group//fn")
    ):
        detach(mark)
    for element in list(root.iter("xref")):
        text = "".join(element.itertext())
        is_mark = element.get("ref-type") in ("fn", "table-fn") and _MARK.fullmatch(text)
        if (
            is_mark
            and next(element.iterancestors("sup"), None) is None
            and element.find("sup") is None
        ):
            element.tag = "sup"
    for element in list(root.iter("break")):
        element.tail = f" {element.tail or ''}"
        detach(element)
    for element in list(root.iter(etree().Comment, etree().ProcessingInstruction)):
        if element.getparent() is not None:
            detach(element)
    for element in list(root.iter(*_INLINE)):
        is_term = element.tag == "term" and element.getparent().tag == "def-item"
        # docling finds the affiliations of authors by them.
        is_link = element.tag == "xref" and next(element.iterancestors("contrib"), None) is not None
        if not (is_term or is_link):
            unwrap(element)
    for graphic in list(root.iter("inline-graphic")):
        before = graphic.getprevious()
        head = (before.tail if before is not None else graphic.getparent().text) or " "
        if head[-1:].isspace():
            graphic.tail = (graphic.tail or "").lstrip()
        detach(graphic)
    for script in list(root.iter("sup", "sub")):
        if script.getparent() is not None:
            _write_script(script)
    for cell in root.iter("td", "th"):
        for paragraph in list(cell.iter("p", "list-item")):
            paragraph.tail = f" {paragraph.tail or ''}"
        for table in list(cell.iter("table", "table-wrap")):
            tail, table.tail = table.tail, None
            table.tail = " ".join(raw_text(table).split()) + (tail or "")
            detach(table)


def _write_script(script: Element) -> None:
    before = script.getprevious()
    head = (before.tail if before is not None else script.getparent().text) or ""
    inner = "".join(script.itertext())
    write = raised if script.tag == "sup" else lowered
    tail = script.tail or ""
    script.tail = write(inner, head[-24:], tail[:1]) + tail
    detach(script)


def _move_notes(paragraph: Element) -> None:
    """Notes within a paragraph move behind it; their marks stay."""
    notes = [note for note in paragraph.iter("fn") if next(note.iterancestors("p")) is paragraph]
    for note in notes:
        mark = "".join(note.find("label").itertext()) if note.find("label") is not None else ""
        note.tail = (raised(mark.strip()) if mark.strip() else "") + (note.tail or "")
    _move_behind(paragraph, notes)


def _split(paragraph: Element) -> None:
    """Blocks within a paragraph separate its parts."""
    parent = paragraph.getparent()
    if parent is None or parent.tag in ("td", "th", "caption"):
        return
    part, at = paragraph, parent.index(paragraph) + 1
    for child in list(paragraph):
        if child.tag in _BLOCKS:
            tail, child.tail = child.tail, None
            parent.insert(at, child)
            part = paragraph.makeelement("p")
            part.text = tail
            parent.insert(at + 1, part)
            at += 2
        elif part is not paragraph:
            part.append(child)
    for one in [paragraph, *parent.findall("p")]:
        if one.getparent() is parent and len(one) == 0 and not (one.text or "").strip():
            detach(one)


def _write_block(block: Element) -> None:
    write = {
        "disp-quote": _write_quote, "verse-group": _write_verse, "preformat": _write_code,
        "code": _write_code, "def-list": _write_terms, "speech": _write_named,
        "statement": _write_named, "supplementary-material": _write_legend, "media": _write_legend,
        "table-wrap": _write_table_notes, "fn": _write_note, "boxed-text": _write_box,
        "list": _write_list,
    }.get(block.tag)  # fmt: skip
    if block.tag == "disp-formula":
        block.tag = "p"
    elif write is not None and block.getparent() is not None:
        write(block)


def _write_quote(quote: Element) -> None:
    for attribution in quote.findall("attrib"):
        attribution.tag = "p"
        quote.append(attribution)
    for title in quote.findall("title") + quote.findall("label"):
        title.tag = "p"
    unwrap(quote)


def _write_verse(verse: Element) -> None:
    attributions = verse.findall("attrib")
    for attribution in attributions:
        detach(attribution)
    texts = [verse.text, *(text for row in verse for text in ("".join(row.itertext()), row.tail))]
    lines = [" ".join(text.split()) for text in texts if text and text.strip()]
    outer = verse.getparent()
    if outer.tag == "verse-group":  # a stanza within a poem
        verse.tag, verse.text = "verse-line", LINE_BREAK.join(lines)
    else:
        verse.tag, verse.text = "p", LINE_BREAK.join(lines)
    for child in list(verse):
        verse.remove(child)
    for attribution in reversed(attributions):
        attribution.tag, attribution.tail = "p", None
        outer.insert(outer.index(verse) + 1, attribution)


def _write_code(code: Element) -> None:
    lines = "".join(code.itertext()).strip("\n").split("\n")
    if code.getparent().tag in ("td", "th", "caption"):
        unwrap(code)
        return
    for child in list(code):
        code.remove(child)
    code.tag, code.text = "p", LINE_BREAK.join(lines)


def _write_terms(terms: Element) -> None:
    """A list of definitions as one of terms, each with its definition behind it."""
    terms.tag = "list"
    _write_list(terms)
    for item in terms.findall("def-item"):
        for part in reversed(list(item)):
            entry = item.makeelement("list-item")
            if part.tag == "def":
                entry.extend(list(part))
            else:
                part.tag = "p"
                entry.append(part)
            terms.insert(terms.index(item) + 1, entry)
        detach(item)


def _write_named(block: Element) -> None:
    """A statement's label and title, or a speaker, begin the first paragraph."""
    heads = [child for child in block if child.tag in ("label", "title", "speaker")]
    words = " ".join(" ".join("".join(head.itertext()).split()) for head in heads)
    for head in heads:
        detach(head)
    first = next(block.iter("p"), None)
    if first is None:
        first = etree().SubElement(block, "p")
    first.text = f"{words} {first.text or ''}".strip()
    unwrap(block)


def _write_legend(supplement: Element) -> None:
    """A supplementary file's label and legend as a paragraph, without its link."""
    legend = " ".join(
        text
        for part in supplement
        if part.tag in ("label", "caption", "p") and (text := " ".join(raw_text(part).split()))
    )
    for child in list(supplement):
        supplement.remove(child)
    supplement.tag, supplement.text = "p", legend


def _write_table_notes(wrap: Element) -> None:
    """The notes of a table, and its further tables, move behind it."""
    parent, at = wrap.getparent(), wrap.getparent().index(wrap) + 1
    behind: list[Element] = []
    for table in (wrap.findall("table") or wrap.findall("alternatives/table"))[1:]:
        other = wrap.makeelement("table-wrap")
        other.append(table)
        behind.append(other)
    for foot in wrap.findall("table-wrap-foot"):
        for note in foot.iter("p", "attrib"):
            paragraph = wrap.makeelement("p")
            paragraph.text = "".join(note.itertext())
            behind.append(paragraph)
        wrap.remove(foot)
    for one in reversed(behind):
        parent.insert(at, one)


def _write_note(note: Element) -> None:
    """A note's label begins it; a note within the text becomes a paragraph behind its own."""
    label = note.find("label")
    first = next(note.iter("p"), None)
    if label is not None and first is not None:
        mark = "".join(label.itertext()).strip()
        first.text = f"{raised(mark)} {first.text or ''}".lstrip()
        detach(label)
    if note.getparent().tag not in ("fn-group", "table-wrap-foot", "author-notes"):
        unwrap(note)


def _write_box(box: Element) -> None:
    """A box ends no section: its headings are paragraphs."""
    for outer in [box, *box.iter("sec")]:
        heads = [outer.find("label"), outer.find("caption/title"), outer.find("title")]
        words = " ".join("".join(head.itertext()) for head in heads if head is not None)
        for head in heads:
            if head is not None:
                detach(head)
        if words.strip():
            paragraph = outer.makeelement("p")
            paragraph.text = " ".join(words.split())
            outer.insert(0, paragraph)
    for inner in [*box.iter("sec", "caption"), box]:
        unwrap(inner)


def _write_list(items: Element) -> None:
    """docling puts what follows a list into it, unless that is within a paragraph."""
    parent = items.getparent()
    if parent.tag not in ("p", "list-item", "td", "th"):
        paragraph = items.makeelement("p")
        paragraph.tail, items.tail = items.tail, None
        parent.replace(items, paragraph)
        paragraph.append(items)
        for head in items.findall("title") + items.findall("label"):
            head.tag = "p"
            paragraph.addprevious(head)


def _close_sections(container: Element) -> None:
    """What follows a section, and is none, ends it: docling puts it there, before its tables."""
    last: Element | None = None
    for child in list(container):
        if child.tag in ("sec", "ack"):
            last = child
        elif child.tag in ("ref-list", "fn-group"):
            last = None
        elif last is not None:
            last.append(child)


def _write_heading(section: Element) -> None:
    """Label and title as one title. A block with a title is a section."""
    label, title = section.find("label"), section.find("title")
    if label is not None and title is not None:
        title.text = f"{' '.join(''.join(label.itertext()).split())} {title.text or ''}".strip()
        detach(label)
    elif title is None and label is not None:
        label.tag = "title"
    if section.tag in _SECTIONS and (title is not None or label is not None):
        section.tag = "sec"
    elif section.tag == "app-group":
        unwrap(section)


def _move_out(item: Element) -> None:
    """Figures and tables of a list's items move behind the list."""
    outermost = next(reversed(list(item.iterancestors("list"))), None)
    blocks = [child for child in item if child.tag in ("fig", "table-wrap")]
    if outermost is not None:
        _move_behind(outermost, blocks)


def _write_name(name: Element) -> None:
    surname = name.find("surname")
    if surname is None:
        words = " ".join("".join(name.itertext()).split())
        for child in list(name):
            name.remove(child)
        name.text = None
        etree().SubElement(name, "surname").text = words
    name.tag = "name"


def _move_behind(element: Element, inner: list[Element]) -> None:
    parent = element.getparent()
    for one in reversed(inner):  # the innermost first
        detach(one)
        parent.insert(parent.index(element) + 1, one)
