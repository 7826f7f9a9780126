"""Finding words in a text that was read by another program."""

import pytest

from citeloom.domain.text.letter_positions import Letters, count_letters


def found(text: str, quote: str) -> list[str]:
    return [text[span.start : span.end] for span in Letters(text).find(quote)]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The cool-\ning falls with distance.", "cooling falls"),
        ("The cool\u00ading falls with distance.", "cooling falls"),
        ("an e\ufb03cient \ufb01lter is best", "efficient filter"),
        ("an efficient filter is best", "e\ufb03cient \ufb01lter"),
        ("she said \u201cnever\u201d twice", 'said "never" twice'),
        ("in  the\n\nstreet of Szelk\u00fati", "in the street of Szelku\u0301ti"),
        ("the well\u2010known grid", "the well-known grid"),
        ("CO\u2082 falls by 10 %", "CO2 falls by 10%"),
        ("Die Stra\u00dfe ist k\u00fchl", "DIE STRASSE IST"),
        ("\u6771\u4eac\u306e\u6c60", "\u6771\u4eac"),
    ],
)
def test_another_way_to_write_the_same_words_is_found(text: str, quote: str) -> None:
    (words,) = found(text, quote)
    assert count_letters(words) == count_letters(quote)
    assert words == words.strip()


def test_the_punctuation_around_belongs_to_the_quote_that_has_it() -> None:
    text = "It cools (by far). It warms."
    assert found(text, "cools (by far).") == ["cools (by far)."]
    assert found(text, "by far") == ["by far"]


def test_every_place_is_told_in_order() -> None:
    assert found("pond, pond; Pond", "pond") == ["pond", "pond", "Pond"]


def test_parts_of_words_are_found_only_where_no_whole_words_are() -> None:
    assert Letters("party art").find("art")[0].start == 6
    assert found("party", "art") == ["art"]


@pytest.mark.parametrize("quote", ["", " \n", "\u2192 \u2026", "pool"])
def test_what_has_no_letters_or_is_not_there_is_nowhere(quote: str) -> None:
    assert found("A pond \u2192 a street \u2026", quote) == []


def test_a_quote_with_a_running_head_in_its_middle_is_found_by_its_ends() -> None:
    begin, end = (
        "the cooling falls with the distance from",
        "the water and is gone at one hundred m",
    )
    text = f"We saw that {begin} {end}. The end."
    (span,) = Letters(text).find_ends(f"{begin} 128 A. Smith and others, On ponds {end}.")
    assert text[span.start : span.end] == f"{begin} {end}."
    assert Letters(text).find(f"{begin} 128 A. Smith {end}") == []


def test_ends_that_are_too_short_or_too_far_apart_say_nothing() -> None:
    begin, end = "the cooling falls with the distance", "from the water and is gone at one"
    assert Letters(f"{begin} {end}").find_ends(f"{begin} x") == []
    far = f"{begin} {'and so on ' * 20} {end}"
    assert Letters(far).find_ends(f"{begin} {end}") == []
    near = f"{begin[:30]} {end[-30:]}"
    assert Letters(near).find_ends(f"{begin} {'and so on ' * 20} {end}") == []
