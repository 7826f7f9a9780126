"""Numbers and ordinals as a style writes them."""

from citeloom.infrastructure.citation.csl.rendering.variables import is_numeric, roman


def test_numeric_values_are_distinguished_from_text() -> None:
    assert all(
        map(is_numeric, ("12", "12a", "1-2", "1, 3", "1 & 3", "e1234", "2nd", "xii", "viii, 284"))
    )
    assert not any(map(is_numeric, ("", "XII", "Second", "3-4 ed.", "supp 1", "mix", "xiv, 236 p")))
    assert (roman(1994), roman(4000)) == ("mcmxciv", "4000")
