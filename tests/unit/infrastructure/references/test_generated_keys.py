"""Keys made for items without one."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.metadata import CiteKey
from citeloom.domain.text.phrasing import letter_suffix
from citeloom.infrastructure.references.citation_keys import generated_key


@given(st.text(), st.text(), st.integers(1, 2100))
def test_a_made_key_is_valid_and_depends_on_the_item_alone(
    name: str, title: str, year: int
) -> None:
    item = {"title": title, "author": [{"family": name}], "issued": {"date-parts": [[year]]}}
    assert CiteKey.is_valid(generated_key(item))
    assert generated_key(item) == generated_key(dict(item))


def test_a_made_key_is_author_year_and_first_telling_word() -> None:
    item = {"title": "The  Öko-System", "author": [{"family": "van Dürer"}], "issued": "1999"}
    assert generated_key(item) == "vandurer1999Oko"
    assert generated_key({}) == "anonnd"
    assert [letter_suffix(n) for n in (0, 25, 26, 52)] == ["a", "z", "aa", "ba"]


@each(
    ("author", "made"),
    [
        ({"literal": "World Health Organization"}, "worldhealthorganization2020Tides"),
        ({"literal": "The Weir Authority"}, "weirauthority2020Tides"),
        ({"literal": "NASA"}, "nasa2020Tides"),
        (
            {"literal": "Intergovernmental Panel on Climate Change and Its Many Weirs"},
            "intergovernmentalpanelon2020Tides",
        ),
        ({"literal": "世界卫生组织"}, "世界卫生组织2020Tides"),
    ],
)
def test_an_institution_is_named_in_full(author: dict[str, str], made: str) -> None:
    item = {"title": "Tides", "author": [author], "issued": {"date-parts": [[2020]]}}
    assert generated_key(item) == made
    assert CiteKey.is_valid(made)
