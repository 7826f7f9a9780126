from unit.conversion_pdf.made_up import ADVANCE, SIZE, SPACE, words

from citeloom.domain.spans import BBox
from citeloom.infrastructure.conversion.pdf.exact import Reading, exact_words


def _reading(text: str, x: float = 50.0, base: float = 100.0, gap: float = SPACE) -> Reading:
    """What pdfium would see: characters of one width, made-up spaces for gaps."""
    boxes: list[BBox | None] = []
    for char in text:
        if char == " ":
            boxes.append(None)
            x += gap
        else:
            boxes.append((x, base - SIZE, x + ADVANCE, base))
            x += ADVANCE
    return Reading(text, boxes.__getitem__)


def _texts(own: str, seen: str, gap: float = SPACE) -> list[str]:
    return [word.text for word in exact_words(words(own), _reading(seen, gap=gap))]


def test_dashes_and_quotes_get_their_own_characters_back() -> None:
    seen = "\u201cpages 127\u2013130\u201d \u2212 it\u2019s"
    assert _texts('"pages 127-130" - it\'s', seen) == seen.split()


def test_hyphens_beside_a_dash_stay_hyphens() -> None:
    assert _texts("low-cost-high-cost", "low-cost\u2013high-cost") == ["low-cost\u2013high-cost"]


def test_a_word_with_a_gap_in_it_is_two() -> None:
    own = words("3.2Wet")[0]._replace(x1=50.0 + 6 * ADVANCE + SPACE)
    parts = exact_words([own], _reading("3.2 Wet banks"))
    assert [part.text for part in parts] == ["3.2", "Wet"]
    assert parts[0].x1 == 50.0 + 3 * ADVANCE
    assert parts[1].x0 == 50.0 + 3 * ADVANCE + SPACE


def test_a_section_number_is_parted_from_a_short_word() -> None:
    own = words("6.3A")[0]._replace(x1=50.0 + 4 * ADVANCE + SPACE)
    assert [w.text for w in exact_words([own], _reading("6.3 A study"))] == ["6.3", "A"]


def test_a_narrow_gap_in_a_word_is_kerning() -> None:
    assert _texts("ToWards", "To Wards", gap=0.5) == ["ToWards"]


def test_single_letters_are_not_split_off() -> None:
    assert _texts("Table", "T able") == ["Table"]


def test_words_of_another_place_are_left_alone() -> None:
    (word,) = exact_words(words("3.2Wet", base=300.0), _reading("3.2 Wet"))
    assert word.text == "3.2Wet"
