"""Word documents: fields and content controls of reference managers, and what is typed."""

from pathlib import Path

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from support.files.word_fields import (
    add_control,
    add_field,
    endnote,
    endnote_cite,
    endnote_data,
    mendeley_cite,
    mendeley_desktop,
    zotero,
)

from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.verification.drafts.draft import extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles


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


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("See Smith (2019).", [["Smith, 2019"], []]),
        ("(Smith & Lund, 2019, p. 3)", [["Smith & Lund, 2019"], []]),
        ("Smith et al. (2019) and Moss (2018).", [["Smith et al., 2019", "Moss, 2018"], []]),
        ("Our own measurement.", [[], []]),
    ],
)
def test_typed_citations_of_a_footnote_stand_at_its_mark(tmp_path, typed, expected):
    document = Document()
    note_text = document.add_paragraph(typed)
    draft = with_footnote(tmp_path, document, note_text)
    assert [[item.key for item in one.cited] for one in extract_claims(draft)] == expected


def test_what_a_footnote_cites_stands_at_its_mark(tmp_path):
    document = Document()
    scratch = document.add_paragraph("See ")
    add_field(
        scratch, zotero({"itemData": {"citation-key": "a"}, "locator": "3"}), "Smith, Ponds, 3"
    )
    draft = with_footnote(tmp_path, document, scratch)
    claims = [(one.text, [item.key for item in one.cited]) for one in extract_claims(draft)]
    assert claims == [("Ponds cool the air.", ["a"]), ("Grids win.", [])]
    (citation,) = draft.citations
    assert citation.items[0].locator is not None
    assert draft.text[citation.start : citation.end] == " "


def with_footnote(tmp_path: Path, document, content):
    """A draft of two sentences; ``content``, a paragraph, is the note of the first."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from lxml import etree

    notes = OxmlElement("w:footnotes")
    notes.append(note(0, OxmlElement("w:p")))
    notes.append(note(2, content._p))
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
    return DraftFiles().read(path)


def read(tmp_path: Path, document):
    document.save(str(tmp_path / "draft.docx"))
    return DraftFiles().read(tmp_path / "draft.docx")


ITEM = {
    "id": "ITEM-1",
    "title": "Ponds at night",
    "DOI": "10.5555/Ponds",
    "author": [{"family": "Lee"}, {"family": "Kim"}],
    "issued": {"date-parts": [["2019", 4]]},
}


@pytest.mark.parametrize(
    "item",
    [
        {"id": 12, "itemData": ITEM | {"id": 12}},
        {"id": "ITEM-1", "uris": ["http://www.mendeley.com/documents/?uuid=b1"], "itemData": ITEM},
    ],
)
def test_all_that_a_field_says_of_its_work_is_kept(tmp_path, item):
    document = Document()
    add_field(document.add_paragraph("Ponds cool "), mendeley_desktop(item), "(Lee & Kim, 2019)")
    draft = read(tmp_path, document)
    (citation,) = draft.citations
    assert [one.key for one in citation.items] == ["Lee & Kim, 2019"]
    work = draft.works["Lee & Kim, 2019"]
    assert work.keys == ("10.5555/Ponds",)
    assert work.entry is not None
    assert (work.entry.doi, work.entry.title) == ("10.5555/ponds", "Ponds at night")
    assert (work.authors, work.years) == (("Lee", "Kim"), (2019,))


def test_a_key_in_zoteros_extra_field_and_item_keys(tmp_path):
    data = ITEM | {"note": "PMID: 1\nCitation Key: lee2019"}
    item = {"uris": ["http://zotero.org/users/1/items/ABCD2345"], "itemData": data}
    document = Document()
    add_field(document.add_paragraph("Ponds cool "), zotero(item), "(Lee & Kim, 2019)")
    draft = read(tmp_path, document)
    assert draft.citations[0].items[0].key == "lee2019"
    assert draft.works["lee2019"].keys == ("lee2019", "ABCD2345", "10.5555/Ponds")


def test_content_controls_of_mendeley_cite(tmp_path):
    document = Document()
    paragraph = document.add_paragraph("Ponds cool ")
    item = {"id": "0b5c9a30-1111-3157-8d0e-9b7583534869", "itemData": ITEM, "locator": "3"}
    add_control(paragraph, mendeley_cite(item), "(Lee & Kim, 2019, p. 3)")
    paragraph.add_run(". Rivers do not.")
    add_control(document.add_paragraph(), "MENDELEY_BIBLIOGRAPHY", "Lee, A. (2019). Ponds.")
    claims = extract_claims(read(tmp_path, document))
    assert [one.text for one in claims] == ["Ponds cool.", "Rivers do not."]
    (item_,) = claims[0].cited
    assert item_.key == "Lee & Kim, 2019"
    assert item_.locator is not None
    assert item_.locator.pages == (("3", "3"),)


def test_endnotes_fields_with_the_xml_inside_and_as_data(tmp_path):
    document = Document()
    inside = endnote(endnote_cite("Lee, Ann", 2019, "Ponds", "doi:10.5555/Ponds", pages="3-4"))
    add_field(document.add_paragraph("Ponds cool "), f" ADDIN EN.CITE {inside}", "(Lee, 2019)")
    both = endnote(
        endnote_cite("Kim, Bo & Co", 2020, "Rivers", more=' AuthorYear="1"').replace("&", "&amp;"),
        endnote_cite("Ro, Chi", 2021, "Lakes", "10.5555/lakes"),
    )
    paragraph = document.add_paragraph()
    add_field(paragraph, " ADDIN EN.CITE ", "Kim (2020); Ro (2021)", endnote_data(both))
    paragraph.add_run(" see none.")
    draft = read(tmp_path, document)
    first, second = draft.citations
    assert [item.key for item in first.items] == ["Lee, 2019"]
    assert first.items[0].locator is not None
    assert first.items[0].locator.text == "3-4"
    assert draft.works["Lee, 2019"].keys == ("10.5555/ponds",)
    assert [item.key for item in second.items] == ["Kim, 2020", "Ro, 2021"]
    assert second.narrative
    assert not first.narrative


@pytest.mark.parametrize(
    "instruction",
    [
        "ADDIN CSL_CITATION {broken",
        'ADDIN CSL_CITATION {"citationItems": [3, {}, {"itemData": []}]}',
        "ADDIN EN.CITE <EndNote><Cite><Author>",
        "ADDIN EN.CITE ",
        "PAGEREF _Toc1",
    ],
)
def test_damaged_fields_leave_what_they_show(tmp_path, instruction):
    document = Document()
    add_field(document.add_paragraph("Ponds cool "), instruction, "(Lee, 2019)", "%%no base64")
    (citation,) = read(tmp_path, document).citations
    assert citation.items[0].key == "Lee, 2019"


def test_works_of_the_same_authors_and_year_stay_apart(tmp_path):
    document = Document()
    items = [{"itemData": ITEM | {"title": title, "DOI": ""}} for title in ("Ponds", "Rivers")]
    add_field(document.add_paragraph("It is so "), mendeley_desktop(*items), "(Lee & Kim, 2019)")
    draft = read(tmp_path, document)
    assert [item.key for item in draft.citations[0].items] == [
        "Lee & Kim, 2019",
        "Lee & Kim, 2019, Rivers",
    ]


def test_typed_citations_and_a_numbered_list(tmp_path):
    document = Document()
    document.add_paragraph("Ponds cool (Lee & Kim, 2019, p. 3). Rivers do not [2].")
    raised = document.add_paragraph("Lakes do.")
    for piece in ("1", ",2"):
        raised.add_run(piece).font.superscript = True
    document.add_paragraph("References")
    document.add_paragraph("Lee, A. (2019). Ponds at night.", style="List Number")
    document.add_paragraph("Kim, B. (2020). Rivers at noon.", style="List Number")
    document.add_heading("Appendix", 1)
    document.add_paragraph("Frogs sing.")
    draft = read(tmp_path, document)
    told = [(one.text, [item.key for item in one.cited]) for one in extract_claims(draft)]
    assert told == [
        ("Ponds cool.", ["Lee & Kim, 2019"]),
        ("Rivers do not.", ["[2]"]),
        ("Lakes do.", ["[1]", "[2]"]),
        ("Frogs sing.", []),
    ]
    entry = draft.works["[2]"].entry
    assert entry is not None
    assert entry.title == "Rivers at noon"


def test_a_moved_paragraph_stands_once_and_what_was_deleted_does_not(tmp_path: Path):
    document = Document()
    for kind, words in (("moveTo", "Ponds are 2 K cooler."), ("moveFrom", "Ponds are 2 K cooler.")):
        change = OxmlElement(f"w:{kind}")
        change.append(document.add_paragraph(words).runs[0]._r)
        document.paragraphs[-1]._p.append(change)
    paragraph = document.add_paragraph("Moss ")
    deleted = OxmlElement("w:del")
    deleted.append(paragraph.add_run("never ")._r)
    paragraph._p.append(deleted)
    symbol = OxmlElement("w:sym")
    symbol.set(qn("w:font"), "Symbol")
    symbol.set(qn("w:char"), "F0B1")
    last = paragraph.add_run("grew 3 ")
    last._r.append(symbol)
    paragraph.add_run(" 1 mm.")
    path = tmp_path / "draft.docx"
    document.save(str(path))
    text = DraftFiles().read(path).text
    assert text.split("\n\n") == ["Ponds are 2 K cooler.", "", "Moss grew 3 ± 1 mm.", ""]
