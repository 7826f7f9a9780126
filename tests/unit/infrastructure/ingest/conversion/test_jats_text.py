"""JATS articles: sections, formulas, quotations and notes as their readers see them."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.jats_text import seen_article
from citeloom.infrastructure.ingest.conversion.formats.source_text import restored

HEAD = (
    '<article xmlns:mml="http://www.w3.org/1998/Math/MathML" '
    'xmlns:xlink="http://www.w3.org/1999/xlink">'
)


def article(body: str, back: str = "", front: str = "") -> etree._Element:
    source = f"{HEAD}{front}<body>{body}</body><back>{back}</back></article>"
    return etree.fromstring(seen_article(source.encode()))


def lines(root: etree._Element) -> list[str]:
    """The texts of paragraphs and headings of body and back, in order."""
    found = (
        " ".join(restored(element.text or "").split())
        for part in ("body", "back")
        for element in root.find(part).iter("p", "title", "td")
    )
    return [one for one in found if one]


def section(label: str, title: str, content: str = "<p>Words.</p>", name: str = "sec") -> str:
    return f"<{name}>{label}{title}{content}</{name}>"


@each(
    ("markup", "title"),
    [
        (section("<label>2</label>", "<title>Methods</title>"), "2 Methods"),
        (section("<label>2.1</label>", "<title><italic>On</italic> moss</title>"), "2.1 On moss"),
        (section("<label>A.</label>", ""), "A."),
        (section("", "<title>CO<sub>2</sub></title>"), "CO₂"),
        (
            section("<label>Appendix A.</label>", "<title>Walls</title>", name="app"),
            "Appendix A. Walls",
        ),
    ],
)
def test_a_section_has_its_label_and_title(markup: str, title: str) -> None:
    for root in (article(markup), article("", markup)):
        assert lines(root) == [title, "Words."]
        assert root.find(".//sec/title") is not None
        assert root.find(".//app") is None


MATH = "<mml:math><mml:mi>P</mml:mi><mml:mo>=</mml:mo><mml:mn>0.03</mml:mn></mml:math>"
DOCUMENT = (
    r"\documentclass[12pt]{minimal}\usepackage{amsmath}\begin{document}$$P = 0.03$$\end{document}"
)


@each(
    "formula",
    [
        f"<inline-formula>{MATH}</inline-formula>",
        MATH,
        f"<inline-formula><alternatives><tex-math>{DOCUMENT}</tex-math>{MATH}</alternatives></inline-formula>",
        f"<inline-formula><tex-math>{DOCUMENT}</tex-math></inline-formula>",
        "<tex-math>P = 0.03</tex-math>",
        "<inline-formula><italic>P</italic> = 0.03</inline-formula>",
        f"<inline-formula><inline-graphic xlink:href='x.gif'/>{MATH}</inline-formula>",
    ],
)
def test_a_formula_is_text_once(formula: str) -> None:
    assert lines(article(f"<p>It was so ({formula}).</p>")) == ["It was so (P = 0.03)."]
    table = f"<table-wrap><table><tr><td>{formula}</td></tr></table></table-wrap>"
    assert lines(article(table)) == ["P = 0.03"]


def test_a_displayed_formula_has_its_number() -> None:
    formula = f"<disp-formula><label>(1)</label>{MATH}</disp-formula>"
    assert lines(article(f"<sec>{formula}</sec>")) == ["P = 0.03 (1)"]
    assert lines(article(f"<p>Then {formula} holds.</p>")) == ["Then", "P = 0.03 (1)", "holds."]


@each(
    ("block", "texts"),
    [
        ("<disp-quote><p>No slate.</p><attrib>N.</attrib></disp-quote>", ["No slate.", "N."]),
        (
            "<verse-group><verse-line>Grey</verse-line><verse-line>stone</verse-line></verse-group>",
            ["Grey stone"],
        ),
        ("<preformat>a  &lt;- 1\nb</preformat>", ["a <- 1 b"]),
        (
            "<def-list><def-item><term>Thallus</term><def><p>A body.</p></def></def-item>"
            "</def-list>",
            ["Thallus", "A body."],
        ),
        ("<statement><label>Lemma 1.</label><p>It is.</p></statement>", ["Lemma 1. It is."]),
        ("<speech><speaker>Q.</speaker><p>Why?</p></speech>", ["Q. Why?"]),
        (
            "<boxed-text><sec><title>Box 1</title><p>Boxed.</p></sec></boxed-text>",
            ["Box 1", "Boxed."],
        ),
        ("<list><list-item><p>one</p></list-item></list>", ["one"]),
    ],
)
def test_a_block_stands_in_its_place(block: str, texts: list[str]) -> None:
    assert lines(article(f"<p>Before: {block} after.</p>")) == ["Before:", *texts, "after."]
    assert lines(article(f"<p>Before.</p>{block}<p>After.</p>")) == ["Before.", *texts, "After."]


def test_a_note_stands_behind_its_paragraph() -> None:
    note = "<fn><label>1</label><p>A note.</p></fn>"
    assert lines(article(f"<p>Drawn.{note} Next.</p>")) == ["Drawn.¹ Next.", "¹ A note."]
    bare = "<fn><p>A note.</p></fn>"
    assert lines(article(f"<p>Drawn{bare}.</p>")) == ["Drawn.", "A note."]


def test_code_and_verse_keep_their_lines() -> None:
    (paragraph,) = article("<preformat>if a:\n    b</preformat>").find("body")
    assert restored(paragraph.text) == "if a:\n    b"


def test_marks_and_notes_of_tables() -> None:
    cells = "<tr><td>0.4<xref ref-type='table-fn'>a</xref></td><td>10<sup>6</sup></td></tr>"
    foot = "<table-wrap-foot><fn><label>a</label><p>Mean of 12.</p></fn></table-wrap-foot>"
    root = article(f"<table-wrap><table>{cells}</table>{foot}</table-wrap><p>Next.</p>")
    assert lines(root) == ["0.4^a", "10⁶", "^a Mean of 12.", "Next."]
    assert [child.tag for child in root.find("body")] == ["table-wrap", "p", "p"]


def test_tables_within_and_beside_tables_stay() -> None:
    inner = "<table><tr><td>in</td></tr></table>"
    wrap = f"<table-wrap><table><tr><td>out {inner}</td></tr></table>{inner}</table-wrap>"
    root = article(wrap)
    assert lines(root) == ["out in", "in"]
    assert [len(one.findall("table")) for one in root.iter("table-wrap")] == [1, 1]


def test_floats_come_at_the_end_of_the_text() -> None:
    source = (
        f"{HEAD}<body><p>Text.</p></body><floats-group><fig><caption><p>Fig.</p></caption></fig>"
        "</floats-group></article>"
    )
    root = etree.fromstring(seen_article(source.encode()))
    assert [child.tag for child in root.find("body")] == ["p", "fig"]


def test_a_title_is_whole_and_has_no_marks() -> None:
    front = (
        "<front><article-meta><title-group><article-title>On <italic>Xanthoria</italic> growth"
        "<xref ref-type='fn'>*</xref></article-title></title-group></article-meta></front>"
    )
    title = article("", front=front).find(".//article-title")
    assert (title.text, len(title)) == ("On Xanthoria growth", 0)


def test_authors_keep_the_links_to_their_affiliations() -> None:
    front = (
        "<front><article-meta><contrib-group><contrib><xref ref-type='aff' rid='a1'/></contrib>"
        "</contrib-group><aff id='a1'>Moss</aff></article-meta></front>"
    )
    assert article("", front=front).find(".//contrib/xref") is not None


def test_what_follows_a_section_stands_in_it() -> None:
    root = article(f"<sec>{section('', '<title>A</title>')}<p>After.</p><fig/></sec>")
    assert [child.tag for child in root.find("body/sec/sec")] == ["title", "p", "p", "fig"]


WORDS = st.text(st.sampled_from("ab ."), min_size=1, max_size=6)


def elements(names: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        st.sampled_from(names.split()),
        st.lists(inner, max_size=3),
    )


LINES = elements("p p p title label attrib term verse-line preformat speaker", WORDS)
NODES = st.recursive(
    LINES,
    lambda inner: elements(
        "list list-item disp-quote def-list def-item def sec fn table-wrap td fig caption "
        "boxed-text verse-group statement speech app p",
        inner,
    ),
    max_leaves=10,
)


@given(st.lists(NODES, max_size=4))
def test_no_letter_is_lost_whatever_the_order_of_elements(nodes: list[str]) -> None:
    markup = "".join(nodes)
    letters = "".join(etree.fromstring(f"<body>{markup}</body>").itertext())
    text = "".join(article(markup).find("body").itertext())
    assert [text.count(one) for one in "ab"] == [letters.count(one) for one in "ab"]
