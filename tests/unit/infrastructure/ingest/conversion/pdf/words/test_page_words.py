"""Words that pdfium reads from written pages: places, spaces, directions, styles."""

from pathlib import Path
from random import Random

import numpy as np
import pikepdf
import pypdfium2
import pytest
from support.pdf.unreadable_fonts import type3, with_fonts
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import with_character_maps
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import (
    ASCENT,
    DESCENT,
    FontHeights,
    PageCharacters,
    TextStyle,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.decode_page import PageDecoder
from citeloom.infrastructure.ingest.conversion.pdf.words.page_words import page_words
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import join_words


def adobe_name(code: int) -> str:
    return "space" if code == 32 else f"uni{code:04X}"


def read(path: Path | bytes, number: int = 1) -> PageRecord:
    document = pypdfium2.PdfDocument(path)
    try:
        return PageDecoder().read(document[number - 1], number)
    finally:
        document.close()


def drawn(path: Path, content: str, **page: object) -> PageRecord:
    """The record of a page with this content stream; F1 is Helvetica, F2 its bold face."""
    write_pdf(path, [[Text(72, 700, "x")]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Contents = pdf.make_stream(content.encode("latin-1"))
        for key, value in page.items():
            pdf.pages[0][f"/{key}"] = value
        pdf.save(path)
    return read(path)


def test_a_word_reaches_from_ascent_to_descent_whatever_its_letters(tmp_path: Path) -> None:
    record = drawn(tmp_path / "a.pdf", "BT /F1 10 Tf 72 700 Td (can Taking gap) Tj ET")
    assert [word.text for word in record.words] == ["can", "Taking", "gap"]
    base = 792 - 700
    for word in record.words:
        assert (word.top, word.bottom) == pytest.approx((base - 7.0, base + 2.1), abs=0.02)
    assert record.words[0].x0 == pytest.approx(72, abs=0.1)


def test_the_em_is_that_of_font_and_matrix(tmp_path: Path) -> None:
    record = drawn(tmp_path / "a.pdf", "BT /F1 1 Tf 12 0 0 12 72 700 Tm (scaled) Tj ET")
    assert record.words[0].size == pytest.approx(12 * (ASCENT + DESCENT), abs=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_small_gaps_of_a_compressed_line_are_spaces(tmp_path: Path, seed: int) -> None:
    made = Random(seed)
    gap = made.randint(80, 170)
    words = made.choices("the order meets this robust efficient network phase".split(), k=12)
    pieces = f" -{gap} ".join(f"({word})" for word in words)
    usual = f"({' '.join(f'{word}o' for word in words)}) Tj 0 -12 Td " * 3
    content = f"BT /F1 9 Tf 36 700 Td {usual} [{pieces}] TJ ET"
    assert [word.text for word in drawn(tmp_path / "a.pdf", content).words][36:] == words


@pytest.mark.parametrize("spacing", [0.3, 0.8, 1.2])
def test_letters_that_are_spaced_alike_are_one_word(tmp_path: Path, spacing: float) -> None:
    record = drawn(tmp_path / "a.pdf", f"BT /F1 10 Tf {spacing} Tc 72 700 Td (introduction) Tj ET")
    assert [word.text for word in record.words] == ["introduction"]


def test_kerned_pieces_are_one_word_and_gaps_are_spaces(tmp_path: Path) -> None:
    record = drawn(
        tmp_path / "a.pdf",
        "BT /F1 10 Tf 72 700 Td [(V) 80 (arious) -300 (words) -20 (worth) -195 (is)] TJ ET",
    )
    assert join_words(record.words) == "Various wordsworth is"


def test_a_change_of_face_or_a_raised_figure_ends_a_word_without_a_space(tmp_path: Path) -> None:
    record = drawn(
        tmp_path / "a.pdf",
        "BT /F1 10 Tf 72 700 Td (value) Tj /F1 7 Tf 4 Ts (2) Tj 0 Ts /F2 10 Tf (bold) Tj ET",
    )
    assert [(word.text, word.spaced) for word in record.words] == [
        ("value", True),
        ("2", False),
        ("bold", False),
    ]
    assert [word.bold for word in record.words] == [False, False, True]


def test_the_order_is_that_of_the_content(tmp_path: Path) -> None:
    below = "BT /F1 10 Tf 72 500 Td (first written) Tj ET "
    record = drawn(tmp_path / "a.pdf", below + "BT /F1 10 Tf 72 700 Td (then above) Tj ET")
    assert [word.text for word in record.words] == ["first", "written", "then", "above"]
    assert [word.order for word in record.words] == [0, 1, 2, 3]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_read_as_displayed(tmp_path: Path, turn: int) -> None:
    upright = read(write_pdf(tmp_path / "a.pdf", [paragraph(8, 700)]))
    turned = read(write_pdf(tmp_path / "b.pdf", [paragraph(8, 700)], rotate=turn))
    expected = {
        90: lambda x0, top, x1, bottom: (792 - bottom, x0, 792 - top, x1),
        180: lambda x0, top, x1, bottom: (612 - x1, 792 - bottom, 612 - x0, 792 - top),
        270: lambda x0, top, x1, bottom: (top, 612 - x1, bottom, 612 - x0),
    }[turn]
    boxes = {(w.text, *map(round, expected(*w.box))) for w in upright.words}
    assert {(w.text, *map(round, turned.as_displayed(w.box))) for w in turned.words} == boxes


def test_words_on_a_cropped_page_count_from_its_corner(tmp_path: Path) -> None:
    box = pikepdf.Array([50, 100, 550, 750])
    content = "BT /F1 10 Tf 72 700 Td (cropped) Tj ET"
    record = drawn(tmp_path / "a.pdf", content, CropBox=box)
    assert (record.width, record.height) == (500, 650)
    assert record.words[0].x0 == pytest.approx(22, abs=0.1)
    assert record.words[0].bottom == pytest.approx(750 - 700 + 2.1, abs=0.05)


def test_a_stamp_along_the_edge_is_no_word_of_the_text(tmp_path: Path) -> None:
    stamp = "BT /F1 10 Tf 0 1 -1 0 20 300 Tm (arXiv stamp) Tj ET "
    record = drawn(tmp_path / "a.pdf", stamp + "BT /F1 10 Tf 72 700 Td (level text) Tj ET")
    assert [word.text for word in record.words] == ["level", "text"]
    assert {word.text for word in record.rotated_words} == {"arXiv", "stamp"}


def test_words_of_a_type_3_font_are_as_high_as_its_letters(tmp_path: Path) -> None:
    """Its em counts in units of its own matrix."""
    plain = write_pdf(tmp_path / "plain.pdf", [paragraph(8, 700)])
    names = with_fonts(plain, tmp_path / "t3.pdf", [1], lambda pdf, _: type3(pdf, adobe_name))
    mapped = with_character_maps(names)
    assert mapped is not None
    words = read(mapped).words
    assert len(words) > 50
    (size,) = {round(word.size, 1) for word in words}
    assert 7.0 < size < 15.0, "its boxes are seven points high"


def test_a_negative_size_turns_the_text_about(tmp_path: Path) -> None:
    content = "BT /F1 -10 Tf -1 0 0 -1 72 700 Tm (upright after all) Tj ET"
    record = drawn(tmp_path / "a.pdf", content)
    assert [word.text for word in record.words] == ["upright", "after", "all"]
    assert record.rotation == 0


def test_text_of_no_size_has_a_height(tmp_path: Path) -> None:
    record = drawn(tmp_path / "a.pdf", "BT /F1 0.001 Tf 72 700 Td (dot) Tj ET 3 Tr")
    assert all(word.size > 0 for word in record.words)


@pytest.mark.parametrize(
    ("before", "accent", "x", "after", "read_as"),
    [
        ("(operator O) Tj", "\\303", 40.6, "Td (which) Tj", "operator Ô which"),  # hat of a formula
        ("(of Filliatre) Tj", "\\303", 27.2, "Td (and) Tj", "of Filliâtre and"),
        ("(in Schr) Tj", "\\310", 31.5, None, "in Schrödinger"),  # drawn before its letter
    ],
)
def test_an_accent_drawn_over_a_letter_of_another_word_is_that_letters(
    before: str, accent: str, x: float, after: str | None, read_as: str, tmp_path: Path
) -> None:
    rest = f"132 700 {after}" if after else "101.2 700 Td (odinger) Tj"
    record = drawn(
        tmp_path / "a.pdf",
        f"BT /F1 10 Tf 72 700 Td {before} ET "
        f"BT /F2 10 Tf {72 + x} 701 Td ({accent}) Tj ET BT /F1 10 Tf {rest} ET",
    )
    assert join_words(record.words) == read_as


@pytest.mark.parametrize(
    ("text", "gap", "overhang", "reach", "read_as"),
    [
        ("can ob jectively", 0.5, 0.5, 0.0, ["can", "objectively"]),
        ("can of forms", 2.0, 1.7, 0.0, ["can", "of", "forms"]),  # an f of an italic face
        ("can of forms", 2.4, 0.0, 2.0, ["can", "of", "forms"]),  # letters beyond their advance
    ],
)
def test_a_kern_within_a_word_is_no_space(
    text: str, gap: float, overhang: float, reach: float, read_as: list[str]
) -> None:
    """pdfium puts a space into any gap of a Type 3 font, whose em it takes for a point."""
    places, x = list[float](), 72.0
    for at, char in enumerate(text):
        places.append(x)
        x += gap if at == 6 else 3.0 if char == " " else 5.0
    edges = [at - overhang * (number == 7) for number, at in enumerate(places)]
    ends = [at + 5.0 + reach for at in places]
    characters = PageCharacters(
        [*map(ord, text)],
        np.array([(edge, 90.0, end, 100.0) for edge, end in zip(edges, ends, strict=True)]),
        np.array([(at, 100.0) for at in places]),
        [0] * len(text),
        [1] * len(text),
        [TextStyle("unnamed-1", 10.0, False, False, 0, 0)],
        is_generated=lambda at: at == 6,
        edges=lambda at: (0.0, 0.0),
        upright=True,
    )
    words = page_words(characters, 612.0, 792.0, str, float)
    assert [one.word.text for one in words] == read_as


def test_a_ring_wider_than_its_letter_stays_within_the_word(tmp_path: Path) -> None:
    record = drawn(
        tmp_path / "a.pdf",
        "BT /F1 10 Tf 72 700 Td (Brug) Tj 1 0 0 1 91.8 700 Tm 200 Tz (\\312) Tj "
        "100 Tz 1 0 0 1 92.2 700 Tm (ard sang) Tj ET",
    )
    assert join_words(record.words) == "Brugård sang"


@pytest.mark.parametrize(("height", "em"), [(18.6, 26.6), (0.2, 0.12), (0.084, 0.12)])
def test_the_em_of_a_font_of_one_letter_is_that_of_the_letter_if_it_is_far_off(
    height: float, em: float
) -> None:
    page = PageCharacters(
        [ord("T")],
        np.zeros((1, 4)),
        np.zeros((1, 2)),
        [0],
        [1],
        [TextStyle("unnamed-1", 0.12, False, False, 0, 0)],
        is_generated=lambda at: False,
        edges=lambda at: (0.0, height),
        upright=True,
    )
    assert FontHeights().corrected(page).table[0].em == em


@pytest.mark.parametrize(
    ("sign", "inside", "read_as"),
    [
        ("80 697 m 81 699 l 83 695 l S 83 695 m 86 709 l 98 709 l S", "N", "O(√N) steps"),
        ("80 697 m 81 699 l 83 695 l S 83 695 m 86 709 l 98 709 l S", "a b", "O(√(a b)) steps"),
        ("86 709 m 98 709 l S", "N", "O(N) steps"),  # a line alone
        ("82 695 16 14 re S", "N", "O(N) steps"),  # a frame
    ],
)
def test_a_root_that_is_drawn_is_before_what_is_below_its_line(
    sign: str, inside: str, read_as: str, tmp_path: Path
) -> None:
    record = drawn(
        tmp_path / "a.pdf",
        f"BT /F1 10 Tf 68 700 Td (O\\() Tj 31 0 Td (\\) steps) Tj ET {sign} "
        f"BT /F1 8 Tf 87 700 Td ({inside}) Tj ET",
    )
    words = sorted(record.words, key=lambda word: word.x0)
    assert "".join(word.text for word in words) == read_as.replace(" ", "")


def test_an_accent_written_before_the_words_of_its_line_is_found_over_its_letter(
    tmp_path: Path,
) -> None:
    record = drawn(
        tmp_path / "a.pdf",
        "BT /F2 10 Tf 137 701 Td (\\302) Tj ET BT /F1 10 Tf 72 700 Td (ascribed to Suarez) Tj ET",
    )
    assert [word.text for word in record.words] == ["ascribed", "to", "Suárez"]


def test_what_has_no_character_is_a_mark(tmp_path: Path) -> None:
    word = read(write_pdf(tmp_path / "a.pdf", [[Text(72, 700, "abc")]])).words[0]
    unread = word._replace(text="a\ufffd\ue001b", order=-1)
    assert join_words([unread]) == "a▯▯b"
