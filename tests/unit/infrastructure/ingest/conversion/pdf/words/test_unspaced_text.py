import pytest

from citeloom.infrastructure.ingest.conversion.pdf.words.unspaced_text import UnspacedText


@pytest.mark.parametrize("gap", ["", " ", "\u00a0", "\n", "\r\n", " \r\n"])
def test_a_word_is_found_with_a_gap_in_it(gap: str) -> None:
    text = f"see 3.2{gap}Wet banks"
    (places,) = UnspacedText(text).find("3.2Wet")
    assert "".join(text[place] for place in places) == "3.2Wet"


@pytest.mark.parametrize("gap", ["  ", "\n\n", "\r", " x "])
def test_what_stands_further_apart_is_no_word(gap: str) -> None:
    assert not list(UnspacedText(f"3.2{gap}Wet").find("3.2Wet"))


def test_a_word_is_found_wherever_it_stands() -> None:
    assert list(UnspacedText("ab cab a b").find("ab")) == [[0, 1], [4, 5], [7, 9]]
