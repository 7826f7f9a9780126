"""Names in the words of people, and back again."""

from typing import Any
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.references.fields.names import (
    authors_of,
    display_name,
    inverted_name,
    personal_name,
)


@each(
    ("family", "given_name", "name", "shown"),
    [
        ("van den Berg", "Jan",
         {"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"},
         "Jan van den Berg"),
        ("La Fontaine", "Jean de",
         {"family": "La Fontaine", "given": "Jean", "dropping-particle": "de"},
         "Jean de La Fontaine"),
        ("King", "M. L., Jr.", {"family": "King", "given": "M. L.", "suffix": "Jr."},
         "M. L. King, Jr."),
        ("d’Aubigné", "Agrippa",
         {"family": "Aubigné", "given": "Agrippa", "non-dropping-particle": "d’"},
         "Agrippa d’Aubigné"),
        ("al-Rashid", "Harun",
         {"family": "Rashid", "given": "Harun", "non-dropping-particle": "al-"},
         "Harun al-Rashid"),
        ("hooks", "bell", {"family": "hooks", "given": "bell"}, "bell hooks"),
        ('"van X"', "A", {"family": "van X", "given": "A"}, "A van X"),
        ("World Bank", "", {"family": "World Bank"}, "World Bank"),
    ],
)  # fmt: skip
def test_particles_and_suffixes_are_told_from_names(
    family: str, given_name: str, name: dict[str, str], shown: str
) -> None:
    assert personal_name(family, given_name) == name
    assert display_name(name) == shown


@each(
    ("text", "name"),
    [
        ("Doe, Jane", {"family": "Doe", "given": "Jane"}),
        ("King, Martin Luther, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("King, Jr., Martin", {"family": "King", "given": "Martin", "suffix": "Jr."}),
        ("Davis, Jr.", {"family": "Davis", "suffix": "Jr."}),
        ("Lenin, VI", {"family": "Lenin", "given": "VI"}),
        ("World Health Organization", {"literal": "World Health Organization"}),
        ("Doe,", {"literal": "Doe"}),
        (" ", {}),
    ],
)
def test_inverted_names_are_read(text: str, name: dict[str, str]) -> None:
    assert inverted_name(text) == name


words = st.text(st.characters(categories=["Lu", "Ll"]), min_size=1, max_size=8)


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=3))
def test_no_word_of_a_name_is_lost(family: list[str], given_names: list[str]) -> None:
    name = personal_name(" ".join(family), " ".join(given_names))
    assert display_name(name).split() == normalize("NFC", " ".join((*given_names, *family))).split()


@each(
    ("item", "authors"),
    [
        ({"author": [{"family": "Martin", "given": "Robert"}]}, ("Robert Martin",)),
        (
            {"author": [{"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"}]},
            ("Jan van den Berg",),
        ),
        ({"author": [{"family": "King", "given": "M. L.", "suffix": "Jr."}]}, ("M. L. King, Jr.",)),
        ({"author": [{"literal": "World Health Organization"}]}, ("World Health Organization",)),
        ({"author": [{"family": "毛", "given": "泽东", "static-ordering": True}]}, ("毛 泽东",)),
        ({"author": ["Doe, Jane", {"family": ""}, None]}, ("Jane Doe",)),
        ({"author": "Jane Doe and John Roe"}, ("Jane Doe", "John Roe")),
        ({"author": [], "editor": [{"family": "Ed"}]}, ("Ed",)),
        ({"translator": [{"family": "Tr"}], "publisher": "P"}, ("Tr",)),
        ({"publisher": "Elsevier", "container-title": "J"}, ("Elsevier",)),
        ({"container-title": "Journal"}, ("Journal",)),
        ({"author": 3}, ("[no author]",)),
        ({}, ("[no author]",)),
    ],
)
def test_somebody_always_answers_for_an_item(item: Any, authors: tuple[str, ...]) -> None:
    assert authors_of(item) == authors
