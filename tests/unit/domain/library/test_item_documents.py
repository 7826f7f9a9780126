"""Notes and items as documents: what stands in them, and what their id depends on."""

import pytest
from support.builders import a_citation
from support.cases import each

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.library import (
    KeySource,
    LibraryItem,
    LibraryNote,
    LibraryRef,
    item_document,
    note_document,
)


def a_note(html: str, **changes: object) -> LibraryNote:
    values = {"key": "NOTE2345", "library": LibraryRef(), "html": html}
    return LibraryNote.model_validate(values | changes)


def an_item(abstract: str | None = None, **citation: object) -> LibraryItem:
    return LibraryItem(
        key="ITEM2345",
        library=LibraryRef(),
        digest="1",
        citation=a_citation(item_key="ITEM2345", **citation),
        key_source=KeySource.NATIVE,
        abstract=abstract,
    )


def parts(document: ConversionResult | None) -> list[tuple[str, str]]:
    assert document is not None
    return [(block.label.value, document.text_of(block.span)) for block in document.blocks]


@each(
    ("html", "expected"),
    [
        ("plain words", [("text", "plain words")]),
        ("<p>a<br/>b</p>\n<p>c</p>", [("text", "a b"), ("text", "c")]),
        ("<div>a <b>b</b>&nbsp;&amp; c</div>", [("text", "a b & c")]),
        ("<ul><li>a</li><li><p>b</p></li></ul>c", [("list_item", "a"), ("list_item", "b"),
                                                  ("text", "c")]),
        ("<style>p {}</style><p>a</p><script>x<y</script>", [("text", "a")]),
        ("<pre>x = 1\n  y</pre>", [("code", "x = 1\n  y")]),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
         [("text", "a b"), ("text", "c")]),
        ("<h2>Doubts</h2><blockquote><p>q</p></blockquote>", [("section_header", "Doubts"),
                                                             ("text", "q")]),
        ("<p>unclosed <i>words", [("text", "unclosed words")]),
    ],
)  # fmt: skip
def test_a_note_is_read_block_by_block(html: str, expected: list[tuple[str, str]]) -> None:
    assert parts(note_document(a_note(html))) == expected


@pytest.mark.parametrize("html", ["", "<p> &nbsp;</p>", "<script>x</script>"])
def test_a_note_that_says_nothing_is_no_document(html: str) -> None:
    assert note_document(a_note(html)) is None


def test_an_item_is_its_title_and_the_paragraphs_of_its_abstract() -> None:
    document = item_document(an_item("First.\nStill first.\n\nSecond."))
    assert parts(document) == [
        (BlockLabel.SECTION_HEADER, "On ponds"),
        (BlockLabel.TEXT, "First. Still first."),
        (BlockLabel.TEXT, "Second."),
    ]
    assert [heading.title for heading in document.structure.headings()] == ["On ponds"]


def test_markup_of_an_abstract_is_no_part_of_it() -> None:
    marked = item_document(an_item("<jats:title>Aims</jats:title><jats:p>H<sub>2</sub>O</jats:p>"))
    assert [text for _, text in parts(marked)][1:] == ["Aims", "H2O"]
    assert parts(item_document(an_item("if a < b and c > d")))[1][1] == "if a < b and c > d"


def test_without_abstract_it_is_told_who_wrote_it_and_where() -> None:
    document = item_document(an_item(container_title="Mires"))
    assert parts(document)[1] == ("text", "Smith, Jane. Mires. 2020")


def test_the_id_is_of_the_words_and_of_whose_they_are() -> None:
    note = a_note("<p>a</p>")
    same = a_note("<div>a</div>", version=7, tags=("x",))
    other = a_note("<p>a</p>", key="NOTE2346")
    ids = [one.doc_id for n in (note, same, other) if (one := note_document(n))]
    assert ids[0] == ids[1] != ids[2]
    assert item_document(an_item("A.", year=2021)).doc_id == item_document(an_item("A.")).doc_id
    assert item_document(an_item("B.")).doc_id != item_document(an_item("A.")).doc_id
