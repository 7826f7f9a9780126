"""Word's markup: accepted changes, symbols and base text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.cases import each

from citeloom.infrastructure.system.word_markup import with_seen_text

NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{NAMESPACE}}}"


def root_of(markup: str) -> etree._Element:
    # Names of elements and attributes without a prefix are Word's here.
    body = markup.replace("</", "\0").replace("<", "<w:").replace("\0", "</w:")
    body = body.replace(" char=", " w:char=").replace(" font=", " w:font=")
    body = body.replace(" ascii=", " w:ascii=")
    return etree.fromstring(f'<w:body xmlns:w="{NAMESPACE}">{body}</w:body>')


def lines_of(root: etree._Element) -> list[str]:
    return [
        "".join(text.text or "" for text in paragraph.iter(f"{W}t"))
        for paragraph in root.iter(f"{W}p")
    ]


def run(words: str) -> str:
    return f"<r><t>{words}</t></r>"


def changed(kind: str, words: str) -> str:
    return f"<{kind}>{run(words)}</{kind}>"


def paragraph(content: str, end: str = "") -> str:
    mark = f"<pPr><rPr><{end}/></rPr></pPr>" if end else ""
    return f"<p>{mark}{content}</p>"


def cell(words: str, mark: str = "") -> str:
    properties = f"<tcPr><{mark}/></tcPr>" if mark else ""
    return f"<tc>{properties}{paragraph(run(words))}</tc>"


def row(cells: str, mark: str = "") -> str:
    return f"<tr>{f'<trPr><{mark}/></trPr>' if mark else ''}{cells}</tr>"


MOSS = run("Moss ")


@each(
    ("markup", "lines"),
    [
        (paragraph(MOSS + changed("ins", "grew")), ["Moss grew"]),
        (paragraph(MOSS + changed("moveTo", "grew")), ["Moss grew"]),
        (paragraph(MOSS + changed("del", "grew")), ["Moss "]),
        (paragraph(MOSS + changed("moveFrom", "grew")), ["Moss "]),
        (paragraph(f"<ins>{MOSS}{changed('del', 'no')}{run('grew')}</ins>"), ["Moss grew"]),
        (paragraph(f"<moveTo>{MOSS}{changed('ins', 'grew')}</moveTo>"), ["Moss grew"]),
        (paragraph(f"<hyperlink>{changed('ins', 'linked')}</hyperlink>"), ["linked"]),
        (paragraph(changed("bdo", "turned")), ["turned"]),
        (paragraph(f"<dir>{changed('bdo', 'twice')}</dir>"), ["twice"]),
    ],
)
def test_changes_in_a_line_are_accepted(markup: str, lines: list[str]) -> None:
    root = root_of(markup)
    assert with_seen_text(root)
    assert lines_of(root) == lines


@pytest.mark.parametrize("mark", ["del", "moveFrom"])
def test_a_paragraph_whose_end_is_deleted_joins_the_next(mark: str) -> None:
    whole = paragraph(changed(mark, "Gone."), mark) + paragraph(run("Next."))
    half = paragraph(MOSS + changed(mark, "x"), mark) + paragraph(run("grew."))
    for markup, lines in ((whole, ["Next."]), (half, ["Moss grew."])):
        root = root_of(markup)
        with_seen_text(root)
        assert lines_of(root) == lines


@pytest.mark.parametrize("mark", ["ins", "moveTo"])
def test_a_paragraph_that_was_added_stays_apart(mark: str) -> None:
    root = root_of(paragraph(changed(mark, "New."), mark) + paragraph(run("Old.")))
    with_seen_text(root)
    assert lines_of(root) == ["New.", "Old."]


def test_rows_and_cells_that_were_deleted_go() -> None:
    rows = [
        row(cell("a") + cell("b", "cellDel") + cell("c", "cellIns")),
        row(cell("d"), "del"),
        row(cell("e"), "moveFrom"),
        row(cell("f"), "ins"),
        row(cell("g", "cellDel")),
    ]
    root = root_of(f"<tbl>{''.join(rows)}</tbl>")
    with_seen_text(root)
    assert lines_of(root) == ["a", "c", "f"]
    assert len(root.findall(f".//{W}tr")) == 2


def test_a_table_without_rows_goes() -> None:
    root = root_of(f"<tbl>{row(cell('d'), 'del')}</tbl>" + paragraph(MOSS))
    with_seen_text(root)
    assert root.find(f"{W}tbl") is None


@each(
    ("font", "code", "char"),
    [
        ("Symbol", "F0B1", "±"),
        ("Symbol", "B1", "±"),
        ("Symbol", "F0A3", "≤"),
        ("Symbol", "F061", "α"),
        ("Symbol", "F0B4", "×"),
        ("Symbol", "F0D7", "⋅"),
        ("Wingdings", "F0FC", "✓"),
        ("Times New Roman", "00B0", "°"),
        ("Cambria Math", "2212", "\N{MINUS SIGN}"),
        ("Webdings", "F04A", "▯"),
        ("Symbol", "", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_symbols_are_characters(font: str, code: str, char: str) -> None:
    symbol = f'<sym font="{font}" char="{code}"/>'
    in_font = f'<rPr><rFonts ascii="{font}"/></rPr>'
    root = root_of(paragraph(f"<r>{in_font}{symbol}</r>" + f"<r><t>3</t>{symbol}<t>4</t></r>"))
    with_seen_text(root)
    assert lines_of(root) == [f"{char}3{char}4"]


def test_letters_in_a_symbol_font_are_characters() -> None:
    run_of = "<r><rPr><rFonts ascii='{}'/></rPr><t>{}</t></r>".format
    markup = run_of("Symbol", "m\uf06d\uf0b3β") + run_of("Arial", "m\xb3")
    root = root_of(paragraph(markup))
    with_seen_text(root)
    assert lines_of(root) == ["μμ≥βm³"]


def test_the_base_of_a_gloss_stays_in_its_line() -> None:
    gloss = f"<ruby><rt>{run('とう')}</rt><rubyBase>{run('東')}</rubyBase></ruby>"
    root = root_of(paragraph(run("In ") + f"<r>{gloss}<t>京</t></r>"))
    with_seen_text(root)
    assert lines_of(root) == ["In 東京"]


WORDS = st.sampled_from(["Moss", "grew", "slowly"]).map(run)
INLINE = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda kind, parts: f"<{kind}>{''.join(parts)}</{kind}>",
        st.sampled_from(["ins", "del", "moveTo", "moveFrom", "bdo", "hyperlink", "sdt"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=8,
)
PARAGRAPHS = st.builds(
    lambda parts, end: paragraph("".join(parts), end),
    st.lists(INLINE, max_size=4),
    st.sampled_from(["", "ins", "del", "moveFrom"]),
)


@given(st.lists(PARAGRAPHS, max_size=5))
def test_what_stays_is_what_stands_in_no_deletion(paragraphs: list[str]) -> None:
    root = root_of("".join(paragraphs))
    gone = {f"{W}del", f"{W}moveFrom"}
    kept = [
        text.text
        for text in root.iter(f"{W}t")
        if not any(outer.tag in gone for outer in text.iterancestors())
    ]
    with_seen_text(root)
    assert [text.text for text in root.iter(f"{W}t")] == kept
