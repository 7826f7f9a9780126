"""Parts of names: particles, suffixes, initials."""

from support.cases import each

from citeloom.infrastructure.citation.csl.rendering.variables import initials, read_people


@each(
    ("name", "parts"),
    [
        ({"family": "van der Berg", "given": "Jan"}, ("van der", "Berg", "Jan", "", "")),
        ({"family": "Beethoven", "given": "Ludwig van"}, ("", "Beethoven", "Ludwig", "van", "")),
        ({"family": "King", "given": "Martin Luther, Jr."},
         ("", "King", "Martin Luther", "", "Jr.")),
        ({"family": "d'Alembert", "given": "J"}, ("d’", "Alembert", "J", "", "")),
        ({"family": '"van der Berg"', "given": "Jan"}, ("", "van der Berg", "Jan", "", "")),
        ({"family": "Von Neumann", "given": "J"}, ("", "Von Neumann", "J", "", "")),
        ({"family": "Kowalski", "given": "Jan Łukasz"}, ("", "Kowalski", "Jan Łukasz", "", "")),
        ({"family": "Şahin", "given": "Ali İsmet"}, ("", "Şahin", "Ali İsmet", "", "")),
        ({"family": "Řeháková Šimková", "given": "Eva"}, ("", "Řeháková Šimková", "Eva", "", "")),
        ({"family": "Иванова", "given": "Анна Павловна"}, ("", "Иванова", "Анна Павловна", "", "")),
        ({"family": "Παππάς", "given": "Νίκος Άρης"}, ("", "Παππάς", "Νίκος Άρης", "", "")),
        ({"family": "фон Берг", "given": "Ян"}, ("фон", "Берг", "Ян", "", "")),
        ({"family": "van Łódź Kowalski", "given": "J"}, ("van", "Łódź Kowalski", "J", "", "")),
        ({"family": "كوهين", "given": "موشيه بن"}, ("", "كوهين", "موشيه بن", "", "")),
    ],
)  # fmt: skip
def test_particles_and_suffixes_are_told(
    name: dict[str, str], parts: tuple[str, str, str, str, str]
) -> None:
    (person,) = read_people([name])
    assert parts == (
        person.particle, person.family, person.given, person.dropping, person.suffix
    )  # fmt: skip


@each(
    ("given", "spaced", "close"),
    [
        ("Jean-Paul", "J.-P.", "JP"),
        ("J.R.", "J. R.", "JR"),
        ("Th.", "Th.", "Th"),
        ("Guo-ping", "G.", "G"),
        ("A. and B.", "A. and B.", "A and B"),
        ("Éric A", "É. A.", "ÉA"),
    ],
)
def test_given_names_become_initials(given: str, spaced: str, close: str) -> None:
    assert initials(given, ". ", hyphen=True) == spaced
    assert initials(given, "", hyphen=False) == close
