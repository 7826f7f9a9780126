"""Elements within the lines of a page are text, and formulas stand there once."""

from codecs import BOM_UTF8
from html import escape

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.html_text import (
    seen_chapter,
    seen_page,
)
from citeloom.infrastructure.ingest.conversion.formats.source_text import restored


def line_of(markup: str, head: str = "") -> str:
    text = f"<html><head>{head}</head><body><p>{markup}</p></body></html>"
    page, _ = seen_page(BOM_UTF8 + text.encode())
    paragraph = BeautifulSoup(page, "html.parser").p
    assert paragraph is not None
    assert paragraph.find(True) is None
    return restored(paragraph.get_text())


@each(
    ("markup", "text"),
    [
        ("inter<span>disci</span>plinary (<span>quoted</span>), <font>s</font>top", None),
        ("<span class='dropcap'>T</span>HE <small>L</small>OOM <b>was</b>n’t <i>old</i>.", None),
        (
            "<mark>m</mark>ark <cite>c</cite>ite <abbr>DN</abbr>As <a href='#x'>l</a>ink",
            None,
        ),
        ("“curly” — 1990–1995… it’s ‘so’", None),
        ("CO<sub>2</sub>, 10<sup>6</sup> and x<sub>i</sub><sup>2</sup>", "CO₂, 10⁶ and x_i²"),
        ("HCO<span class='sub'>3</span><span class='sup'>−</span>", "HCO₃⁻"),
        ("m<span style='font-size:70%; vertical-align: super'>2</span>", "m²"),
        ("noted.<sup><a href='#r'>12</a></sup> Next", "noted.¹² Next"),
        ("a <span class='sub'>subtitle</span>", "a subtitle"),
        ("<q>one <q>two</q></q>", "“one ‘two’”"),
        ("<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp></ruby>京", "東京"),
        ("<del>old</del><ins>new</ins> words", "new words"),
        ("super<wbr>cali", "supercali"),
    ],
)
def test_a_line_is_its_text(markup: str, text: str | None) -> None:
    expected = text or BeautifulSoup(markup, "html.parser").get_text()
    assert line_of(markup) == expected


def test_a_class_is_a_script_where_the_style_sheet_says_so() -> None:
    sheet = "<style>.up { vertical-align: super } .down { vertical-align: sub }</style>"
    markup = "10<span class='up'>6</span> H<span class='down'>2</span>O"
    assert line_of(markup, sheet) == "10⁶ H₂O"
    assert line_of(markup) == "106 H2O"


def test_a_book_has_its_style_sheets_in_other_files() -> None:
    chapter = b"""<?xml version="1.0" encoding="iso-8859-1"?>
        <html><body><p>10<span class="u">6</span> caf\xe9s</p></body></html>"""
    content = seen_chapter(chapter, ".u { vertical-align: super }").decode()
    assert "10⁶ cafés" in content
    assert "iso-8859-1" not in content
    assert ".u" not in content


MATHML = "<math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math>"
TEX = "<annotation encoding='application/x-tex'>x^2</annotation>"


@each(
    "formula",
    [
        MATHML,
        f"<math><semantics><msup><mi>x</mi><mn>2</mn></msup>{TEX}</semantics></math>",
        "<math alttext='x^2'></math>",
        f"<span class='katex'><span class='katex-mathml'>{MATHML}</span>"
        "<span class='katex-html' aria-hidden='true'><span>x</span><span>2</span></span></span>",
        f"<mjx-container><svg><text>x</text></svg><mjx-assistive-mml>{MATHML}"
        "</mjx-assistive-mml></mjx-container>",
        "<span class='MathJax_Preview'>x2</span><span class='MathJax'><nobr>x2</nobr></span>"
        "<script type='math/tex'>x^2</script>",
        f'<span class="MathJax" data-mathml="{escape(MATHML)}"><nobr>x2</nobr></span>',
        f"<span class='mwe-math-element'><span style='display: none;'>{MATHML}</span>"
        "<img class='mwe-math-fallback-image-inline' alt='x^2' src='x.svg'></span>",
        "<img class='tex' alt='$x^2$' src='x.png'>",
    ],
)
def test_a_formula_stands_once_in_its_line(formula: str) -> None:
    assert line_of(f"It is {formula}, they say.") == "It is x², they say."


def test_source_in_tex_is_a_formula_where_the_page_loads_a_typesetter() -> None:
    markup = r"It is \(x^2\), or $$x^2$$."
    loaded = "<script src='https://cdn.example.org/mathjax@3/tex.js'></script>"
    assert line_of(markup, loaded) == "It is x², or x²."
    assert line_of(markup) == markup


def test_a_displayed_equation_has_its_number() -> None:
    table = (
        "<table class='ltx_equation'><tr><td><math><mi>y</mi><mo>=</mo><mi>k</mi></math></td>"
        "<td><span class='ltx_tag'>(1)</span></td></tr></table>"
    )
    page, _ = seen_page(f"<body>{table}</body>".encode())
    soup = BeautifulSoup(page, "html.parser")
    assert soup.table is None
    assert soup.p is not None
    assert " ".join(soup.p.get_text().split()) == "y = k (1)"


def test_a_note_of_latexml_stands_behind_its_paragraph() -> None:
    mark = "<sup class='ltx_note_mark'>1</sup>"
    note = (
        f"<span class='ltx_note'>{mark}<span class='ltx_note_outer'><span class='ltx_note_content'>"
        f"{mark}<span class='ltx_tag_note'>1</span>By lot.</span></span></span>"
    )
    page, _ = seen_page(f"<body><p>Drawn.{note} Next.</p></body>".encode())
    paragraphs = BeautifulSoup(page, "html.parser").find_all("p")
    assert [one.get_text() for one in paragraphs] == ["Drawn.¹ Next.", "¹By lot."]


@pytest.mark.parametrize("between", ["", "<br>", " "])
def test_lines_that_are_blocks_by_their_style_stay_apart(between: str) -> None:
    head = "<style>span { display: block }</style>"
    body = f"<p>Then: <span>Grey crust</span>{between}<span>on stone</span> end.</p>"
    page, _ = seen_page(f"<html><head>{head}</head><body>{body}</body></html>".encode())
    paragraph = BeautifulSoup(page, "html.parser").p
    assert paragraph is not None
    for line_break in paragraph.find_all("br"):
        line_break.replace_with("/")
    lines = [one.strip() for one in paragraph.get_text().split("/")]
    assert lines == ["Then:", "Grey crust", "on stone", "end."]


def test_a_link_around_blocks_is_one() -> None:
    page, _ = seen_page(b"<body><a href='x'><h2>Head</h2><p>Words.</p></a></body>")
    assert BeautifulSoup(page, "html.parser").select("div > h2")


WORDS = st.text(st.sampled_from("abc é–’. "), max_size=12)
INLINE = st.sampled_from("span font small big tt mark cite abbr b i em strong u a nobr".split())


@given(st.lists(st.tuples(WORDS, INLINE), max_size=6))
def test_elements_within_a_line_change_nothing(parts: list[tuple[str, str]]) -> None:
    markup = "".join(f"<{name}>{words}</{name}>" for words, name in parts)
    text = "".join(words for words, _ in parts) + "."
    assert line_of(f"{markup}.").split() == text.split()
