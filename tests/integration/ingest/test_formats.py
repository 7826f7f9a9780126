"""Each format, in a small file made here: the text whole, in order, in its place."""

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.paths import SHARED

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.errors import ConversionFailed, PasswordNeeded, UnsupportedFormat
from citeloom.infrastructure.ingest.conversion.convert import convert_file

Convert = Callable[[str, bytes | str], ConversionResult]

SAMPLES = SHARED / "documents"


@pytest.fixture
def convert(tmp_path: Path) -> Convert:
    def run(name: str, content: bytes | str) -> ConversionResult:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return convert_file(path, hashlib.sha256(path.read_bytes()).hexdigest())

    return run


def blocks(result: ConversionResult) -> list[tuple[str, str]]:
    return [(block.label.value, result.text_of(block.span)) for block in result.blocks]


def headings(result: ConversionResult) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in result.structure.headings()]


def section_of(result: ConversionResult, words: str) -> str:
    return str(result.structure.section_path_at(result.plain_text.index(words)))


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name, content in parts.items():
            zipped.writestr(name, content)
    return stream.getvalue()


def word_file() -> bytes:
    from docx import Document

    document = Document()
    document.core_properties.identifier = "doi:10.1234/word.7"
    document.add_heading("A study of looms", 0)
    document.add_heading("Methods", 1)
    paragraph = document.add_paragraph("We spun 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" threads of un")
    paragraph.add_run("believ").bold = True
    paragraph.add_run("able ")
    paragraph.add_run("quality").italic = True
    paragraph.add_run(".")
    document.add_heading("Materials", 2)
    document.add_paragraph("wool", style="List Bullet")
    document.add_paragraph("flax", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells], ["fibre", "n", "wool", "3"], strict=True
    ):
        cell.text = text
    document.add_heading("Results", 1)
    document.add_paragraph("Слово и 漢字.")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def test_word_documents_keep_headings_lists_and_tables(convert: Convert) -> None:
    result = convert("study.docx", word_file())
    assert result.title == "A study of looms"
    assert result.identifiers == ("10.1234/word.7",)
    assert headings(result) == [(1, "Methods"), (2, "Materials"), (1, "Results")]
    found = blocks(result)
    assert ("text", "We spun 10⁶ threads of unbelievable quality.") in found
    assert ("list_item", "flax") in found
    assert ("table", "| fibre | n |\n| wool | 3 |") in found
    assert section_of(result, "| wool") == "Methods > Materials"
    assert section_of(result, "Слово") == "Results"
    assert result.structure.page_map == ()
    assert result.mime_type.endswith("wordprocessingml.document")


def test_what_a_reader_does_not_see_is_told_of_and_left_out(convert: Convert) -> None:
    from docx import Document
    from docx.shared import RGBColor

    document = Document()
    paragraph = document.add_paragraph("Ten looms were oiled ")
    paragraph.add_run("say nothing of this ").font.color.rgb = RGBColor(255, 255, 255)
    paragraph.add_run("in the autumn.")
    stream = io.BytesIO()
    document.save(stream)
    page = (
        "<html><head><style>.n{font-size:1px}</style></head><body><h1>Looms</h1><p>Ten looms were "
        'oiled <span class="n">say nothing of this</span> in the autumn.</p></body></html>'
    )
    for name, content, reason in (
        ("looms.docx", stream.getvalue(), "invisible against the background"),
        ("looms.html", page, "too small"),
    ):
        result = convert(name, content)
        assert "Ten looms were oiled in the autumn." in " ".join(result.plain_text.split())
        assert "nothing" not in result.plain_text
        assert result.warnings == (f"4 hidden words were left out ({reason})",)


def test_changes_symbols_and_formulas_of_word_are_read_as_they_are_seen(convert: Convert) -> None:
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    m = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>".format
    lowered = "<w:r><w:rPr><w:vertAlign w:val='subscript'/></w:rPr><w:t>2</w:t></w:r>"
    symbol = '<w:r><w:sym w:font="Symbol" w:char="F0B1"/></w:r>'
    formula = f'<m:oMath xmlns:m="{m}"><m:r><m:t>p&lt;0.05</m:t></m:r></m:oMath>'
    cells = "".join(f"<w:tc><w:p>{run(one)}</w:p></w:tc>" for one in ("quarry", "0.4"))
    inserted = f"<w:ins>{run('new')}</w:ins>"
    paragraphs = [
        run("Moss lost ") + f"<w:moveFrom>{run('9 to ')}</w:moveFrom>" + run("CO") + lowered,
        run("It grew 3 ") + symbol + run(" 1 mm (") + formula + run("; CO") + lowered + run(")."),
        f"<w:moveTo>{run('Moved here.')}</w:moveTo>",
    ]
    table = (
        f"<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{cells}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cells}</w:tr>"
        f"<w:tr><w:tc><w:p>{inserted}</w:p></w:tc><w:tc><w:p>{formula}</w:p></w:tc></w:tr></w:tbl>"
    )
    body = "".join(f"<w:p>{one}</w:p>" for one in paragraphs) + table
    with zipfile.ZipFile(io.BytesIO(word_file())) as zipped:
        parts: dict[str, str | bytes] = {one: zipped.read(one) for one in zipped.namelist()}
    parts["word/document.xml"] = f'<w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>'
    assert [text for _, text in blocks(convert("changed.docx", archive(parts)))] == [
        "Moss lost CO₂",
        "It grew 3 ± 1 mm (p < 0.05; CO₂).",
        "Moved here.",
        "| quarry | 0.4 |\n| new | p < 0.05 |",
    ]


def slides_file() -> bytes:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Opening"
    first.placeholders[1].text = "warp\nweft"
    first.notes_slide.notes_text_frame.text = "say hello"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    box = second.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "a slide without title"
    third = deck.slides.add_slide(deck.slide_layouts[5])
    third.shapes.title.text = "Numbers"
    data = CategoryChartData()
    data.categories = ["east", "west"]
    data.add_series("yield", (19.2, 21.4))
    third.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data
    )
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def test_slides_are_pages_with_headings(convert: Convert) -> None:
    result = convert("talk.pptx", slides_file())
    assert headings(result) == [(1, "Opening"), (1, "Numbers")]
    assert result.title == "Opening"
    assert [(e.page, e.label, e.width, e.height) for e in result.structure.page_map] == [
        (1, None, 720.0, 540.0),
        (2, None, 720.0, 540.0),
        (3, None, 720.0, 540.0),
    ]
    by_page = [
        "\n".join(result.text_of(span) for span in entry.spans)
        for entry in result.structure.page_map
    ]
    assert by_page[0].splitlines()[0] == "Opening"
    assert "say hello" in by_page[0]
    assert by_page[1] == "a slide without title"
    assert "19.2" in by_page[2]
    assert result.structure.section_path_at(result.plain_text.index("a slide without")) is None
    box = next(b for b in result.blocks if "without title" in result.text_of(b.span))
    assert box.lines[0].bbox == pytest.approx((72, 144, 288, 216), abs=0.1)


def test_sheets_are_tables_and_hidden_ones_are_left_out(convert: Convert) -> None:
    from openpyxl import Workbook

    book = Workbook()
    yields = book.active
    yields.title = "Yields"
    for row in (["region", "kg"], ["east", 12], ["west", 30.5]):
        yields.append(row)
    secret = book.create_sheet("Lookup")
    secret.append(["hidden value"])
    secret.sheet_state = "hidden"
    book.create_sheet("Notes").append(["only one cell"])
    stream = io.BytesIO()
    book.save(stream)
    result = convert("data.xlsx", stream.getvalue())
    assert [entry.label for entry in result.structure.page_map] == ["Yields", "Lookup", "Notes"]
    assert "| region | kg |\n| east | 12 |\n| west | 30.5 |" in result.plain_text
    assert "hidden value" not in result.plain_text
    assert result.warnings == ("Lookup: hidden by its author, left out",)
    notes = result.plain_text.index("only one cell")
    block = next(b for b in result.blocks if b.span.start <= notes < b.span.end)
    assert block.pages is not None
    assert block.pages.as_tuple() == (3, 3)
    assert section_of(result, "east") == "Yields"


HTML = """<!doctype html><html><head><title>Site | Looms</title>
<meta name="citation_title" content="On looms"><meta name="citation_doi" content="10.1234/html.1">
</head><body><nav><a href="/">Home</a></nav>
<p>A standfirst before any heading.</p><h1>Looms</h1><h2>First</h2>
<p>H<sub>2</sub>O and <b>bold</b>, <a href="x">linked</a> text.</p>
<ol><li>one<ul><li>inner</li></ul></li><li>two</li></ol>
<table><caption>Yields</caption><tr><th>a</th><th>b</th></tr>
<tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>
<pre>x = 1
  y = 2</pre></body></html>"""


def test_html_keeps_text_and_leaves_navigation_out(convert: Convert) -> None:
    result = convert("page.html", HTML)
    found = blocks(result)
    assert result.title == "On looms"
    assert result.identifiers == ("10.1234/html.1",)
    assert "Home" not in result.plain_text
    assert ("text", "A standfirst before any heading.") in found
    assert ("text", "H₂O and bold, linked text.") in found
    assert [text for label, text in found if label == "list_item"] == ["1. one", "inner", "2. two"]
    assert (
        found.index(("caption", "Yields"))
        == found.index(("table", "| a | b |\n| 1 | 2 |\n| 1 | 3 |")) - 1
    )
    assert ("code", "x = 1\n  y = 2") in found
    assert section_of(result, "x = 1") == "First"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"The weft &#x30C4;cloth&#xE049; crosses.", "The weft \u30c4cloth\ue049 crosses."),
        ("Ab wann gilt Größe? Zoë fragt.".encode(), "Ab wann gilt Größe? Zoë fragt."),
        ("A naïve café of 30 €.".encode("cp1252"), "A naïve café of 30 €."),
        ("<p>naïve</p>".encode("utf-8-sig"), "naïve"),
    ],
)
def test_html_that_declares_no_encoding_is_not_guessed_at(
    convert: Convert, body: bytes, text: str
) -> None:
    """A few marks of punctuation are not evidence for an encoding."""
    assert text in convert("page.html", body + b"<p>Looms</p>").plain_text


def test_html_in_another_encoding(convert: Convert) -> None:
    page = '<html><head><meta charset="koi8-r"></head><body><p>Слово</p></body></html>'
    assert convert("page.htm", page.encode("koi8-r")).plain_text == "Слово"


def test_markdown_keeps_front_matter_headings_lists_tables_and_code(convert: Convert) -> None:
    text = (
        "---\ntitle: Front title\ndoi: 10.1234/md.2\n---\n\n# One\n\nA *styled*word and "
        "`code`, a [link](http://example.org).\n\n## Two\n\n- item\n  - nested\n\n"
        "| h | i |\n|---|---|\n| 1 | 2 |\n\n```python\nprint()\n```\n\n# References\n\n"
        "Doe. doi:10.9/none\n"
    )
    result = convert("notes.md", text)
    found = blocks(result)
    assert headings(result) == [(1, "One"), (2, "Two"), (1, "References")]
    assert ("text", "A styledword and code, a link.") in found
    assert ("table", "| h | i |\n| 1 | 2 |") in found
    assert ("code", "print()") in found
    assert found[-1] == ("reference", "Doe. doi:10.9/none")
    assert (found[0], result.title) == (("section_header", "One"), "Front title")
    assert "10.1234/md.2" in result.identifiers
    assert "10.9/none" not in result.identifiers


def test_asciidoc_keeps_title_sections_and_lists(convert: Convert) -> None:
    text = "= Title\n\n== Section\n\nSome text.\n\n// a comment\n\n* item\n** inner\n"
    result = convert("notes.adoc", text)
    assert result.title == "Title"
    assert headings(result) == [(1, "Section")]
    assert [text for _, text in blocks(result)] == [
        "Title",
        "Section",
        "Some text.",
        "item",
        "inner",
    ]


def test_csv_in_another_encoding_is_one_table_and_a_warning(convert: Convert) -> None:
    result = convert("data.csv", 'name;note\nAnn;"two\nlines"\nBob;Grüße\n'.encode("cp1252"))
    assert result.plain_text == "| name | note |\n| Ann | two lines |\n| Bob | Grüße |"
    assert "Windows-1252" in result.warnings[0]


JATS = """<?xml version="1.0"?><article><front><article-meta>
<article-id pub-id-type="doi">10.1234/JATS.3</article-id>
<title-group><article-title>Threads</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Doe</surname>
<given-names>Ann</given-names></name></contrib></contrib-group>
<abstract><p>Short.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>10<sup>6</sup> cells (<italic>n</italic> = 3).</p>
<fig id="f1"><label>Figure 1.</label><caption><title>Outer.</title></caption>
<p><fig id="f2"><label>Figure 1S.</label><caption><title>Inner supplement.</title></caption></fig>
</p></fig></sec></body>
<back><ref-list><title>References</title><ref><mixed-citation>Roe 2001.
<pub-id pub-id-type="doi">10.9999/cited</pub-id></mixed-citation></ref></ref-list></back>
</article>"""


def test_jats_without_a_document_type(convert: Convert) -> None:
    result = convert("article.xml", JATS)
    found = blocks(result)
    assert result.title == "Threads"
    assert result.identifiers == ("10.1234/jats.3",)
    assert ("authors", "Ann Doe") in found
    assert ("text", "10⁶ cells (n = 3).") in found
    captions = [text for label, text in found if label == "caption"]
    assert captions == ["Figure 1. Outer.", "Figure 1S. Inner supplement."]
    assert found[-1][0] == "reference"
    assert headings(result)[-1] == (1, "References")


def test_patents_keep_title_description_and_claims(convert: Convert) -> None:
    text = (
        '<?xml version="1.0"?>\n<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45.dtd">\n'
        "<us-patent-grant><us-bibliographic-data-grant><invention-title>A loom"
        "</invention-title></us-bibliographic-data-grant><description><heading level='1'>"
        "BACKGROUND</heading><p>Old looms.</p></description><claims><claim num='1'>"
        "<claim-text>A better loom.</claim-text></claim></claims></us-patent-grant>"
    )
    result = convert("patent.xml", text)
    assert result.title == "A loom"
    assert "Old looms." in result.plain_text
    assert "A better loom." in result.plain_text


def test_latex_keeps_sections_and_formulas(convert: Convert) -> None:
    text = (
        r"\documentclass{article}\title{Weaving}\begin{document}\maketitle"
        "\n\\section{Intro}\nText with $a^2$ inside.\n\n\\begin{equation}E = mc^2\\end{equation}\n"
        "\\subsection{Deeper}\nMore.\n\\end{document}\n"
    )
    result = convert("paper.tex", text)
    assert result.title == "Weaving"
    assert headings(result) == [(1, "1 Intro"), (2, "1.1 Deeper")]
    assert ("formula", "E = mc² (1)") in blocks(result)
    assert "Text with a² inside." in result.plain_text


def test_epub_chapters_come_in_the_order_of_the_spine(convert: Convert) -> None:
    chapter = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title></head><body>'
        "<h1>{0}</h1><p>Text of <i>{0}</i>.</p></body></html>"
    )
    content = archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:'
            'opendocument:xmlns:container"><rootfiles><rootfile full-path="c.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Book</dc:title>'
            "<dc:identifier>doi:10.1234/book.9</dc:identifier></metadata>"
            '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
            "a.xhtml": chapter.format("Alpha"),
            "b.xhtml": chapter.format("Beta"),
        }
    )
    result = convert("book.epub", content)
    assert [title for _, title in headings(result)] == ["Alpha", "Beta"]
    assert ("text", "Text of Beta.") in blocks(result)
    assert result.title == "The Book"
    assert result.identifiers == ("10.1234/book.9",)


def test_opendocument_text_keeps_headings_and_paragraphs(convert: Convert) -> None:
    from odfdo import Document, Header, Paragraph

    document = Document("text")
    document.body.clear()
    document.body.append(Header(1, "Intro"))
    document.body.append(Paragraph("Some text."))
    stream = io.BytesIO()
    document.save(stream)
    result = convert("text.odt", stream.getvalue())
    assert headings(result) == [(1, "Intro")]
    assert ("text", "Some text.") in blocks(result)


def test_opendocument_sheets_are_tables(convert: Convert) -> None:
    from odfdo import Document, Table

    document = Document("spreadsheet")
    document.body.clear()
    table = Table("Yields", width=2, height=2)
    table.set_values([["region", "kg"], ["east", 12]])
    document.body.append(table)
    stream = io.BytesIO()
    document.save(stream)
    result = convert("data.ods", stream.getvalue())
    assert [entry.label for entry in result.structure.page_map] == ["Yields"]
    assert "| region | kg |\n| east | 12 |" in result.plain_text


def test_opendocument_slides_keep_their_text(convert: Convert) -> None:
    from odfdo import Document, DrawPage, Frame

    document = Document("presentation")
    document.body.clear()
    for number in (1, 2):
        page = DrawPage(f"page{number}", name=f"Page {number}")
        page.append(Frame.text_frame(f"text of slide {number}", size=("7cm", "5cm")))
        document.body.append(page)
    stream = io.BytesIO()
    document.save(stream)
    result = convert("talk.odp", stream.getvalue())
    assert "text of slide 1" in result.plain_text
    assert "text of slide 2" in result.plain_text


def test_email(convert: Convert) -> None:
    message = (
        "From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\n"
        "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: 8bit\r\n\r\nFirst Слово.\r\n\r\nSecond.\r\n"
    )
    result = convert("mail.eml", message)
    assert result.title == "Grüße"
    assert "First Слово.\n\nSecond." in result.plain_text


def test_captions_of_one_sentence_are_one_block(convert: Convert) -> None:
    text = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\nWe are at the hotel,\n\n"
        "00:02.000 --> 00:04.000\ndown the street.\n\n00:04.000 --> 00:06.000\nThank you\n"
    )
    assert blocks(convert("talk.vtt", text)) == [
        ("text", "We are at the hotel,\ndown the street."),
        ("text", "Thank you"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "kind", "said"),
    [
        (
            "notes.docx",
            b"%PDF-1.7\n...",
            UnsupportedFormat,
            "by its content; its name must end in .pdf",
        ),
        ("page.pdf", b"<!DOCTYPE html><html>", UnsupportedFormat, "its name must end in .html"),
        ("scan.pdf", b"\xff\xd8\xff\xe0\x00", UnsupportedFormat, "this is a JPEG image by its"),
        ("zero.pdf", b"", ConversionFailed, "zero.pdf: the file is empty (0 bytes); "),
        ("cut.docx", b"PK\x03\x04broken", ConversionFailed, "the file is damaged"),
        ("old.doc", b"x", UnsupportedFormat, ".doc files are not supported; save it as .docx"),
        ("no_suffix", b"x", UnsupportedFormat, "a file without a suffix is not supported"),
        ("feed.xml", b"<?xml version='1.0'?><rss/>", UnsupportedFormat, "(its root is <rss>)"),
        ("bin.txt", b"abc\x00def", UnsupportedFormat, "this is a binary file by its content"),
        ("bad.vtt", b"no signature", ConversionFailed, "bad.vtt: cannot be read as WebVTT"),
    ],
)
def test_files_that_are_not_what_they_say(
    convert: Convert, name: str, content: bytes, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=re.escape(said)):
        convert(name, content)


@pytest.mark.parametrize("text", ["Rar! is a mark.", "About files:\n%PDF-1.7 begins them.", "ID3"])
def test_text_may_be_about_file_signatures(convert: Convert, text: str) -> None:
    assert convert("notes.txt", text).plain_text == text


def test_an_encrypted_office_file_needs_a_password(convert: Convert) -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
    content += "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(PasswordNeeded, match="is encrypted"):
        convert("secret.docx", content)


def test_a_word_file_named_as_slides(convert: Convert) -> None:
    with pytest.raises(UnsupportedFormat, match=r"must end in \.docx"):
        convert("talk.pptx", word_file())


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no sample documents in {SAMPLES}")
def test_sample_documents_convert_whole() -> None:
    suffixes = {".docx", ".pptx", ".xlsx", ".html", ".md", ".asciidoc", ".csv", ".xml", ".epub"}
    suffixes |= {".odt", ".vtt"}
    sources = [path for path in sorted(SAMPLES.iterdir()) if path.suffix in suffixes]
    for source in sources:
        result = convert_file(source, hashlib.sha256(source.read_bytes()).hexdigest())
        texts = [result.text_of(block.span) for block in result.blocks]
        assert texts, source.name
        assert "\n\n".join(texts) == result.plain_text
        assert any(b.label is not BlockLabel.SECTION_HEADER for b in result.blocks)


SCRIPTED = (
    "We saw 3.2 × 10⁶ cells at 10⁻³ mol of CO₂ and Ca²⁺ on 5 m² in the survey.¹² They stayed "
    "green in 1998 ³ where x_i² = 4."
)
_HIGH = {"⁶": "6", "⁻³": "\u22123", "²⁺": "2+", "²": "2", "¹²": "12", " ³": "3"}
_LOW = {"₂": "2", "_i": "i"}


def scripted(raised: str, lowered: str) -> str:
    """The text with its scripts in another notation, ``{}`` for what is raised or lowered."""
    pieces = re.split("(" + "|".join([*_HIGH, *_LOW]) + ")", SCRIPTED)
    return "".join(
        raised.format(_HIGH[one])
        if one in _HIGH
        else lowered.format(_LOW[one])
        if one in _LOW
        else one
        for one in pieces
    )


def scripted_word_file() -> bytes:
    from docx import Document

    document = Document()
    paragraph = document.add_paragraph()
    for piece in re.split(r"(<su[pb]>[^<]*</su[pb]>)", scripted("<sup>{}</sup>", "<sub>{}</sub>")):
        run = paragraph.add_run(re.sub("<[^<>]*>", "", piece))
        run.font.superscript = piece.startswith("<sup>") or None
        if piece.startswith("<sub>"):
            run.font.subscript = True
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    "name", ["a.html", "a.docx", "a.md", "pandoc.md", "a.tex", "maths.tex", "a.xml"]
)
def test_super_and_subscripts_are_the_same_text_in_every_format(
    convert: Convert, name: str
) -> None:
    tags = scripted("<sup>{}</sup>", "<sub>{}</sub>")
    in_text = scripted(r"\textsuperscript{{{}}}", r"\textsubscript{{{}}}")
    in_maths = scripted("$^{{{}}}$", "$_{{{}}}$").replace("}$$^", "}^")
    content = {
        "a.html": f"<html><body><p>{tags}</p></body></html>",
        "a.docx": scripted_word_file(),
        "a.md": tags,
        "pandoc.md": scripted("^{}^", "~{}~"),
        "a.tex": rf"\documentclass{{article}}\begin{{document}}{in_text}\end{{document}}",
        "maths.tex": rf"\documentclass{{article}}\begin{{document}}{in_maths}\end{{document}}",
        "a.xml": f"<article><body><sec><title>T</title><p>{tags}</p></sec></body></article>",
    }[name]
    assert ("text", SCRIPTED) in blocks(convert(name.replace("maths", "a"), content))


MATHML = "<math><mi>k</mi><mo>=</mo><mn>0.42</mn><mo>±</mo><mn>0.03</mn></math>"


@pytest.mark.parametrize(
    "formula",
    [
        MATHML,
        MATHML.replace(
            "</math>", '<annotation encoding="application/x-tex">k=1</annotation></math>'
        ),
        f'<span class="katex"><span class="katex-mathml">{MATHML}</span>'
        '<span class="katex-html" aria-hidden="true"><span>k</span></span></span>',
        f'<span class="mwe-math-element"><span style="display: none;">{MATHML}</span>'
        '<img alt="k" src="k.svg"></span>',
        '<span class="MathJax_Preview">k</span>'
        r'<script type="math/tex">k = 0.42 \pm 0.03</script>',
    ],
)
def test_a_formula_of_a_page_is_text_once_and_in_its_place(convert: Convert, formula: str) -> None:
    page = f"<html><body><p>The rate was {formula} per day.</p></body></html>"
    assert blocks(convert("a.html", page)) == [("text", "The rate was k = 0.42 ± 0.03 per day.")]


def test_formulas_of_jats_are_text_whether_mathml_or_tex(convert: Convert) -> None:
    tex = r"<tex-math>\documentclass{a}\begin{document}$$x^{2} \le 4$$\end{document}</tex-math>"
    body = (
        f"<p>So <inline-formula><alternatives>{tex}{MATHML}</alternatives></inline-formula> and "
        f"<inline-formula>{tex}</inline-formula> hold.</p>"
        "<disp-formula><label>(1)</label><math><msup><mi>y</mi><mn>2</mn></msup></math>"
        "</disp-formula>"
    )
    article = f"<article><body><sec><title>T</title>{body}</sec></body></article>"
    found = blocks(convert("a.xml", article))
    assert ("text", "So k = 0.42 ± 0.03 and x² ≤ 4 hold.") in found
    assert ("text", "y² (1)") in found
