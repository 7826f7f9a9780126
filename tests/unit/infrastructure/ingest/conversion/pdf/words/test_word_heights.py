from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    rotated,
    unrotated,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.word_heights import normalise_heights


def _word(text: str, top: float, bottom: float, x: float = 50.0) -> Word:
    return Word(text, x, top, x + 20, bottom, "Font", False, False)


def test_words_measured_by_their_glyphs_get_the_height_of_their_font() -> None:
    low, tall, deep = (
        _word("can", 95.5, 100.0),
        _word("table", 93.0, 100.0),
        _word("gap", 95.5, 102.1),
    )
    record = PageRecord(1, 600, 800, words=(low, tall, deep) * 5)
    sizes = {round(word.size, 2) for word in normalise_heights([record])[0].words}
    assert len(sizes) == 1


def test_a_superscript_in_the_same_word_does_not_make_it_taller() -> None:
    plain = tuple(_word(f"word{i}", 92.0, 100.0, 50.0 + 30 * i) for i in range(10))
    record = PageRecord(1, 600, 800, words=(*plain, _word("theory1", 90.0, 100.0, 345.0)))
    assert normalise_heights([record])[0].words[-1].size == 8.0


def test_boxes_of_turned_pages_go_back_where_they_are_seen() -> None:
    box = (10.0, 20.0, 30.0, 60.0)
    for turn in (0, 90, 270):
        assert unrotated(rotated(box, turn, 600, 800), turn, 600, 800) == box


def test_a_heading_level_with_a_line_of_another_column_keeps_its_height() -> None:
    plain = tuple(_word(f"word{i}", 93.0, 100.0, 50.0) for i in range(10))
    heading = (_word("3.", 92.2, 100.0, 300.0), _word("Results", 92.2, 100.0, 323.0))
    record = PageRecord(1, 600, 800, words=(*plain, *heading))
    assert round(normalise_heights([record])[0].words[-1].size, 1) == 7.8


def test_a_font_that_tells_half_its_height_is_as_high_as_its_letters_are_wide() -> None:
    squat = tuple(_word("word", 95.5, 100.0) for _ in range(20))
    record = PageRecord(1, 600, 800, words=squat)
    word = normalise_heights([record])[0].words[0]
    assert 8.0 < word.size < 11.0
    assert word.top < 93.0
    assert word.bottom > 101.0
