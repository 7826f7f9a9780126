"""Word documents with Zotero's fields."""

import json
from pathlib import Path

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.verification.drafts.claim_extraction import extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles


def add_field(paragraph, instruction: str, shown: str) -> None:
    """A complex field as Word writes it; the instruction in two pieces, as Word may cut it."""

    def run(tag: str, text: str | None = None, **attributes: str) -> None:
        element = OxmlElement(tag)
        for name, value in attributes.items():
            element.set(qn(f"w:{name}"), value)
        if text is not None:
            element.text = text
        paragraph.add_run()._r.append(element)

    run("w:fldChar", fldCharType="begin")
    half = len(instruction) // 2
    run("w:instrText", instruction[:half])
    run("w:instrText", instruction[half:])
    run("w:fldChar", fldCharType="separate")
    paragraph.add_run(shown)
    run("w:fldChar", fldCharType="end")


def zotero(*items: dict[str, object]) -> str:
    return f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': items})} "


@pytest.fixture
def draft(tmp_path: Path):
    document = Document()
    document.add_heading("Ponds, 2020", 1)
    first = document.add_paragraph("Ponds cool the air by 1.7 K ")
    one = {"itemData": {"citation-key": "a"}, "locator": "12", "label": "page", "prefix": "see"}
    other = {"uris": ["http://zotero.org/users/1/items/ABCD2345"], "suppress-author": True}
    add_field(first, zotero(one, other), "(see Smith 2020, 12; 2021)")
    first.add_run(". Grids win.")
    chapter = document.add_paragraph("It is known ")
    add_field(chapter, zotero({"itemData": {"id": "b"}, "locator": "3", "label": "chapter"}), "(B)")
    document.add_table(1, 1).cell(0, 0).text = "12 ponds"
    document.add_heading("References", 1)
    document.add_paragraph("Smith (2020). Ponds.")
    path = tmp_path / "draft.docx"
    document.save(str(path))
    return DraftFiles().read(path)


def test_fields_are_citations_and_what_they_show_is_no_claim(draft):
    claims = [(one.text, [item.key for item in one.cited]) for one in extract_claims(draft)]
    assert claims == [
        ("Ponds cool the air by 1.7 K.", ["a", "ABCD2345"]),
        ("Grids win.", []),
        ("It is known", ["b"]),
    ]


def test_pages_and_other_parts_of_a_citation(draft):
    (one, other), (chapter,) = (citation.items for citation in draft.citations)
    assert one.locator is not None
    assert one.locator.pages == (("12", "12"),)
    assert one.prefix == "see"
    assert other.suppress_author
    assert chapter.locator is None
    assert chapter.suffix == "3"


def test_positions_are_those_of_its_text(draft):
    claim = extract_claims(draft)[0]
    assert draft.text[claim.start : claim.end].startswith("Ponds cool the air by 1.7 K (see")


def test_files_that_are_no_drafts(tmp_path: Path):
    (tmp_path / "x.docx").write_bytes(b"PK no zip")
    (tmp_path / "x.md").write_bytes(b"caf\xe9 [@a]")
    (tmp_path / "x.pdf").write_bytes(b"%PDF")
    for name in ("x.docx", "x.md", "gone.md"):
        with pytest.raises(InvalidSource, match=name):
            DraftFiles().read(tmp_path / name)
    with pytest.raises(UnsupportedFormat, match="Markdown"):
        DraftFiles().read(tmp_path / "x.pdf")


def note(id: int, *content: object):
    element = OxmlElement("w:footnote")
    element.set(qn("w:id"), str(id))
    element.extend(content)
    return element


def test_what_a_footnote_cites_stands_at_its_mark(tmp_path):
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from lxml import etree

    document = Document()
    scratch = document.add_paragraph("See ")
    add_field(
        scratch, zotero({"itemData": {"citation-key": "a"}, "locator": "3"}), "Smith, Ponds, 3"
    )
    notes = OxmlElement("w:footnotes")
    notes.append(note(0, OxmlElement("w:p")))
    notes.append(note(2, scratch._p))
    body = document.add_paragraph("Ponds cool the air.")
    mark = OxmlElement("w:footnoteReference")
    mark.set(qn("w:id"), "2")
    body.add_run()._r.append(mark)
    body.add_run(" Grids win.")
    part = Part(
        PackURI("/word/footnotes.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
        etree.tostring(notes),
        document.part.package,
    )
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    path = tmp_path / "notes.docx"
    document.save(str(path))
    draft = DraftFiles().read(path)
    claims = [(one.text, [item.key for item in one.cited]) for one in extract_claims(draft)]
    assert claims == [("Ponds cool the air.", ["a"]), ("Grids win.", [])]
    (citation,) = draft.citations
    assert citation.items[0].locator is not None
    assert draft.text[citation.start : citation.end] == " "
