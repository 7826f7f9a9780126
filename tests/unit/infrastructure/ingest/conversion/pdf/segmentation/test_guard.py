"""A page whose text differs from its reading is laid out in plain order, or is uncertain."""

from support.pdf.page_lines import PITCH, words

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.layout import DocumentLayout, lay_out
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import UNREADABLE

ROWS = range(12)


def woven_line(row: int) -> tuple[list[Word], list[Word]]:
    """Two lines on one baseline, the words of one between those of the other: no geometry can
    part them, but their order does."""
    long, short = [], []
    x = 50.0
    for letter in "abcdefg":
        long += words(f"{letter * 3}{chr(97 + row)}", x=x, base=100 + PITCH * row)
        short += words(f"{letter}{chr(97 + row)}", x=x + 25, base=100 + PITCH * row)
        x += 40.0
    return long, short


def text_of(line: list[Word]) -> str:
    return " ".join(word.text for word in line)


def woven_page() -> PageRecord:
    lines = [line for row in ROWS for line in woven_line(row)]
    return PageRecord(
        1,
        600.0,
        800.0,
        tuple(word for line in lines for word in line),
        plain_text="\r\n".join(map(text_of, lines)),
    )


def stored(layout: DocumentLayout) -> str:
    return " ".join(" ".join(block.joined.text.split()) for block in layout.blocks)


def test_a_page_that_fails_is_rebuilt_in_plain_order() -> None:
    record = woven_page()
    woven = lay_out([record._replace(plain_text="")])
    assert "aaaa aa bbba ba" in stored(woven)
    assert woven.fidelity == ()
    rebuilt = lay_out([record])
    assert "aaaa bbba ccca" in stored(rebuilt)
    (page,) = rebuilt.fidelity
    assert page.rebuilt
    assert not page.is_uncertain


def test_a_page_that_fails_in_plain_order_too_stays_as_it_is_and_is_uncertain() -> None:
    record = woven_page()
    layout = lay_out([record._replace(plain_text=record.plain_text[::-1])])
    assert "aaaa aa bbba ba" in stored(layout)
    (page,) = layout.fidelity
    assert page.is_uncertain
    assert not page.rebuilt


def test_other_pages_of_the_document_keep_their_layout() -> None:
    sound = [
        word for row in ROWS for word in words(f"row {row} of a sound page", base=100 + PITCH * row)
    ]
    second = PageRecord(2, 600.0, 800.0, tuple(sound), plain_text=text_of(sound))
    layout = lay_out([woven_page(), second])
    assert [(page.page, page.rebuilt) for page in layout.fidelity] == [(1, True), (2, False)]
    assert not any(page.is_uncertain for page in layout.fidelity)


def test_undecodable_text_makes_a_page_uncertain_though_both_readings_have_it() -> None:
    line = words("the depth \ue001\ue002\ue003 of the \ue004\ue005\ue001 was low that day")
    layout = lay_out([PageRecord(1, 600.0, 800.0, tuple(line), plain_text=text_of(line))])
    (page,) = layout.fidelity
    assert page.undecodable > 0.1
    assert page.is_uncertain


def test_signs_that_are_not_read_part_no_cells() -> None:
    def page(sign: str) -> DocumentLayout:
        cells = ("Since each one", sign, "has its share", sign, sign, "of them all", sign)
        placed = [
            word
            for row in ROWS
            for at, cell in enumerate(cells)
            for word in words(cell, x=50 + 75.0 * at, base=100 + PITCH * row)
        ]
        return lay_out([PageRecord(1, 600.0, 800.0, tuple(placed))])

    assert BlockLabel.TABLE in {block.label for block in page("12").blocks}
    assert {block.label for block in page(UNREADABLE).blocks} == {BlockLabel.TEXT}
