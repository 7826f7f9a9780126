"""Inputs of the kinds that users of other tools report, in each format: the text as it is seen."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.files.one_paper import opendocument

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.ingest.conversion.convert import convert_file

Convert = Callable[[str, bytes | str], list[str]]


def converted(path: Path) -> ConversionResult:
    return convert_file(path, hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture
def convert(tmp_path: Path) -> Convert:
    def run(name: str, content: bytes | str) -> list[str]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        result = converted(path)
        return [result.text_of(block.span) for block in result.blocks]

    return run


_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def word(body: str) -> bytes:
    from docx import Document

    empty, written = io.BytesIO(), io.BytesIO()
    Document().save(empty)
    with zipfile.ZipFile(empty) as parts, zipfile.ZipFile(written, "w") as out:
        for name in parts.namelist():
            text = f"<w:document {_NAMES}><w:body>{body}<w:sectPr/></w:body></w:document>"
            out.writestr(name, text if name == "word/document.xml" else parts.read(name))
    return written.getvalue()


def p(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def r(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def control(inner: str) -> str:
    return f"<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{one}</w:tc>' for one in cells)}</w:tr>"


def table(*rows: str) -> str:
    grid = "<w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>"
    return f"<w:tbl><w:tblPr/>{grid}{''.join(rows)}</w:tbl>"


def maths(text: str) -> str:
    return f"<m:oMath><m:r><m:t>{text}</m:t></m:r></m:oMath>"


def symbol(font: str, code: str) -> str:
    return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'


def in_font(font: str, text: str) -> str:
    return r(text, f'<w:rFonts w:ascii="{font}" w:hAnsi="{font}"/>')


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (table(row(p(r("a")), p(r("b"))), control(row(p(r("moss")), p(r("slate"))))),
         ["| a | b |\n| moss | slate |"]),
        (table(row(p(r("a")), p(r("x ") + control(r("in line"))))), ["| a | x in line |"]),
        (table(row(p(r("a")), control(p(r("of a cell"))))), ["| a | of a cell |"]),
        (control(control(p(r("Nested."))) + p(r("More."))), ["Nested.", "More."]),
        (p(r("Before ") + control(r("controlled")) + r(" after.")), ["Before controlled after."]),
        (f"<w:customXml>{p(r('Own words.'))}</w:customXml>", ["Own words."]),
        (p(r("In ") + f"<w:smartTag>{r('Lund')}</w:smartTag>" + r(".")), ["In Lund."]),
        (p(maths("a=b") + maths("c=d") + maths("e=f")), ["a = b c = d e = f"]),
        (p(r("1") + "<w:r><w:noBreakHyphen/></w:r>" + r("24 hours")), ["1-24 hours"]),
        (p(r("10") + r("6", '<w:position w:val="6"/>') + r(" cells")), ["10⁶ cells"]),
        (p(r("CO") + r("2", '<w:position w:val="-4"/>') + r(".")), ["CO₂."]),
        (p(r("10") + r("6", '<w:position w:val="3pt"/>')), ["10⁶"]),
        (p(r("10") + r("6", '<w:position w:val="2"/>')), ["106"]),
    ],
)  # fmt: skip
def test_word(body: str, texts: list[str], convert: Convert) -> None:
    assert convert("a.docx", word(body)) == texts


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (symbol("Webdings", "F061"), "✔"),
        (symbol("MT Extra", "F04C"), "⋯"),
        (symbol("Wingdings 2", "0052"), "☑"),
        (symbol("Wingdings 3", "F067"), "→"),
        (symbol("ZapfDingbats", "F033"), "✓"),
        (symbol("Unknown Font", "F041"), "▯"),
        (in_font("Wingdings 2", "PO"), "✓✗"),
        (in_font("Webdings", "Q"), "▯"),
        (in_font("Wingdings 3", "fA"), "←▯"),
        (in_font("Marlett", "a"), "▯"),
        (in_font("Arial", "a"), "a"),
    ],
)
def test_codes_of_symbol_fonts_are_no_letters(run: str, text: str, convert: Convert) -> None:
    assert convert("a.docx", word(p(r("so ") + run + r(" it is")))) == [f"so {text} it is"]


def slides() -> bytes:
    from pptx import Presentation

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    cell = slide.shapes.add_table(1, 1, 0, 0, 9, 9).table.cell(0, 0).text_frame.paragraphs[0]
    for place, text, baseline in (
        (paragraph, "3.2 × 10", 0), (paragraph, "6", 30000), (paragraph, " cells, CO", 0),
        (paragraph, "2", -25000), (cell, "10", 0), (cell, "−3", 30000),
    ):  # fmt: skip
        run = place.add_run()
        run.text = text
        run.font._element.set("baseline", str(baseline))
    written = io.BytesIO()
    deck.save(written)
    return written.getvalue()


def sheet() -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    book = Workbook()
    high, low = (InlineFont(vertAlign=f"{one}script") for one in ("super", "sub"))
    book.active["A1"] = "n"
    book.active["A2"] = CellRichText("10", TextBlock(high, "6"), " of CO", TextBlock(low, "2"))
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def test_powers_and_indices_of_slides_and_sheets(convert: Convert) -> None:
    assert {"3.2 × 10⁶ cells, CO₂", "| 10⁻³ |"} <= set(convert("a.pptx", slides()))
    assert convert("a.xlsx", sheet())[-1] == "| n |\n| 10⁶ of CO₂ |"
    assert convert("a.adoc", "= T\n\n10^6^ of CO~2~ and `x^2^`.\n")[-1] == "10⁶ of CO₂ and x^2^."


def item(*paragraphs: str) -> str:
    return f"<text:list-item>{''.join(paragraphs)}</text:list-item>"


def tp(text: str, style: str = "S") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


_BOX = "<draw:frame><draw:text-box>{}</draw:text-box></draw:frame>"


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (f"<text:list>{item(tp('one'), tp('more of one'))}</text:list>", ["one", "more of one"]),
        (f"<text:list>{item(tp('one'), tp('two'), tp('three'))}{item(tp('four'))}</text:list>",
         ["one", "two", "three", "four"]),
        ("<text:list>" + item(tp("one"), tp("two"), f"<text:list>{item(tp('in'))}</text:list>")
         + "</text:list>", ["one", "two", "in"]),
        (f"<text:list><text:list-header>{tp('Head')}</text:list-header>{item(tp('a'))}</text:list>",
         ["Head", "a"]),
        (f"<text:numbered-paragraph>{tp('Numbered.')}</text:numbered-paragraph>", ["Numbered."]),
        (_BOX.format(tp("Top box.")) + tp("x"), ["Top box.", "x"]),
        (tp("See " + _BOX.format(tp("Boxed.") + tp("Twice.")) + "end."),
         ["See end.", "Boxed.", "Twice."]),
        (tp("Gone.", "H") + tp('x<text:span text:style-name="H">gone</text:span>y'), ["xy"]),
        (tp("Shown <text:hidden-text>gone</text:hidden-text>."), ["Shown ."]),
    ],
)  # fmt: skip
def test_opendocument(body: str, texts: list[str], convert: Convert) -> None:
    hidden = "".join(
        f'<style:style style:name="H" style:family="{family}">'
        '<style:text-properties text:display="none"/></style:style>'
        for family in ("paragraph", "text")
    )
    assert convert("a.odt", opendocument(body, hidden)) == texts


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("<blockquote>Bare.<footer>— A. Lund</footer></blockquote>", ["Bare.", "— A. Lund"]),
        ("<article><p>Bare.</p><footer>By A. Lund</footer></article>", ["Bare.", "By A. Lund"]),
        ("<section><header>By A. Lund</header><p>Bare.</p></section>", ["By A. Lund", "Bare."]),
        (
            "<ol start=4><li>four</li><li value=9>nine</li><li>ten</li></ol>",
            ["4. four", "9. nine", "10. ten"],
        ),
        ("<ol><li value=3>three</li><li>four</li></ol>", ["3. three", "4. four"]),
        (
            "<ol><li>one</li><li value=7>seven</li><li value=20>x</li></ol>",
            ["1. one", "7. seven", "20. x"],
        ),
        ("<p>Walls<a role=doc-noteref href=#f>1</a> are bare.", ["Walls¹ are bare."]),
        ("<p>In 1998<a epub:type=noteref href=#f>4</a>.", ["In 1998 ⁴."]),
        ("<p>Walls<sup><a role=doc-noteref href=#f>2</a></sup>.", ["Walls²."]),
        ("<p><math><mtext>if </mtext><mi>x</mi></math>", ["if x"]),
        ("<p><math><mi>x</mi><mtext>&nbsp;or&nbsp;</mtext><mi>y</mi></math>", ["x or y"]),
    ],
)
def test_pages(body: str, texts: list[str], convert: Convert) -> None:
    head = "<!DOCTYPE html><html><head><meta charset=utf-8></head><body>"
    assert convert("a.html", head + body) == texts


_ABSTRACT = (
    "<front><article-meta><title-group><article-title>T</article-title></title-group>{}"
    "</article-meta></front>"
)


@pytest.mark.parametrize(
    ("front", "body", "back", "texts"),
    [
        ("<abstract><p>A.</p></abstract><trans-abstract><p>Kurz.</p></trans-abstract>"
         "<kwd-group><title>Keywords:</title><kwd>moss</kwd><kwd>slate</kwd></kwd-group>", "", "",
         ["A.", "Kurz.", "Keywords: moss, slate"]),
        ("", "<sec><title>S</title><array><tbody><tr><td>a</td><td>b</td></tr></tbody></array>"
         "</sec>", "", ["| a | b |"]),
        ("", "", "<back><ref-list><title>References</title><ref><mixed-citation><name><surname>"
         "Lund</surname><given-names>A</given-names></name>, <string-name><surname>Berg</surname>"
         "<given-names>B</given-names></string-name>. Moss. 2019.</mixed-citation></ref></ref-list>"
         "</back>", ["Lund A, Berg B. Moss. 2019."]),
    ],
)  # fmt: skip
def test_articles(front: str, body: str, back: str, texts: list[str], convert: Convert) -> None:
    article = f"<article>{_ABSTRACT.format(front)}<body>{body}</body>{back}</article>"
    found = convert("a.xml", article)
    assert [text for text in found if text in texts] == texts


@pytest.mark.parametrize(
    "page",
    [
        "<p>Walls—old, “green”, it’s 10<sup>6</sup> CO<sub>2</sub> inter<b>disci</b>plinary.</p>",
        "<div>Walls—old, “green”, <span>it’s</span> 10<sup>6</sup> CO<sub>2</sub> "
        "inter<i>disci</i>plinary.</div>",
        "<p>Walls&mdash;old, &ldquo;green&rdquo;, it&rsquo;s 10<sup>6</sup> CO<sub>2</sub> "
        "inter<font color=red>disci</font>plinary.</p>",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_messages_in_html(page: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    head = (
        f"From: a@b.c\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/html; charset={encoding}"
    )
    path.write_bytes(f"{head}\nContent-Transfer-Encoding: 8bit\n\n{page}\n".encode(encoding))
    text = converted(path).plain_text
    assert "Walls—old, “green”, it’s 10⁶ CO₂ interdisciplinary." in text
