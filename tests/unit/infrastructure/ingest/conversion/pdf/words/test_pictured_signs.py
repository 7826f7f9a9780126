"""Signs that are drawn as pictures leave a mark in their line."""

from collections.abc import Sequence

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.pictured_signs import with_pictured_signs
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import join_words

OTHERS: Sequence[BBox] = ((5, 300, 9, 305), (5, 310, 12, 314))  # far from any word


def words_of(*placed: tuple[str, float, float]) -> list[Word]:
    return [
        Word(text, x, top, x + 5 * len(text), top + 10, "Times", False, False, order=order)
        for order, (text, x, top) in enumerate(placed)
    ]


def test_a_picture_in_a_line_is_a_mark() -> None:
    words = words_of(("flow", 0, 100), ("of", 42, 100), ("node", 0, 112))
    marked = with_pictured_signs(words, [(23, 103, 28, 110), (28, 101, 31, 104), *OTHERS])
    assert join_words(marked[:4]) == "flow ▯▯ of"
    assert [word.order for word in marked] == [*range(5)]


def test_a_picture_at_the_beginning_of_a_line_is_a_mark_and_a_bullet_is_none() -> None:
    words = words_of(("by", 0, 100), ("instead", 12, 112))
    marked = with_pictured_signs(words, [(4, 115, 9, 120), *OTHERS])
    assert [word.text for word in marked] == ["by", "▯", "instead"]
    assert with_pictured_signs(words, [(1, 115, 6, 120), *OTHERS]) == words


def test_icons_of_one_size_and_pieces_of_a_scan_are_none() -> None:
    words = words_of(("Jane", 0, 100), ("Doe", 30, 100))
    icons = [(21.0, 101, 27, 107), (46.0, 101, 52, 107)]
    scan = [(x, 101.0, x + 2 + x / 10, 108.0) for x in range(0, 20, 4)]
    assert with_pictured_signs(words, icons) == words
    assert with_pictured_signs(words, [*scan, (21, 101, 27, 107)]) == words
