"""Works by authors and year, and by entries of a reference list."""

from typing import Any

from support.cases import each

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.works import NamedWork, WorkMatch, WorkMatcher


def work(key: str, people: str, year: int | None, title: str, **more: Any) -> CitationMeta:
    names = [person.split("/") for person in people.split("; ")]
    author = [
        {"family": name[0], "given": name[1] if len(name) > 1 else "Ann"}
        if name[0] != "World Health Organization"
        else {"literal": name[0]}
        for name in names
    ]
    return CitationMeta(
        citekey=key,
        title=title,
        authors=tuple(" ".join(reversed(name)) for name in names),
        year=year,
        doi=more.pop("doi", None),
        csl={"author": author, **more},
    )


WORKS = [
    work("barba2018", "Barba; Forsyth", 2018, "Flow in the open classroom and its tools"),
    work("boeing2018", "Boeing/Geoff", 2018, "Street networks of cities drawn by machine"),
    work("berg2001", "van der Berg", 2001, "Ponds of the low countries and their frogs"),
    work("lech2019", "Lechtenbörger/Jens", 2019, "Slides as open educational resources"),
    work("smithA", "Smith/Adam", 2020, "Markets of ponds and the price of water"),
    work("smithB", "Smith/Betty", 2020, "Rivers that cool the streets of a city"),
    work("lee2019", "Lee; Kim; Ro", 2019, "Evening cooling by many small waters"),
    work("who2020", "World Health Organization", 2020, "Guidance on heat and health in cities"),
    work("govan", "Govan", None, "Reliability for those who repair machines", doi="10.5555/rel"),
]
MATCHER = WorkMatcher(WORKS)


def match(*authors: str, year: int | None = None, **more: Any) -> WorkMatch:
    named = NamedWork(authors=authors, years=(year,) if year else (), **more)
    return MATCHER.match(f"{' & '.join(authors)}, {year or 'n.d.'}", named)


@each(
    ("authors", "year", "others", "key"),
    [
        (("Barba", "Forsyth"), 2018, False, "barba2018"),
        (("BARBA", "Forsyth"), 2018, False, "barba2018"),
        (("Geoff Boeing",), 2018, False, "boeing2018"),
        (("G. Boeing",), 2018, False, "boeing2018"),
        (("van der Berg",), 2001, False, "berg2001"),
        (("Berg",), 2001, False, "berg2001"),
        (("Lechtenborger",), 2019, False, "lech2019"),
        (("Lechtenboerger",), 2019, False, "lech2019"),
        (("Lee",), 2019, True, "lee2019"),
        (("Lee", "Kim", "Ro"), 2019, False, "lee2019"),
        (("WHO",), 2020, False, "who2020"),
        (("World Health Organization",), 2020, False, "who2020"),
        (("Govan",), None, False, "govan"),
        (("Adam Smith",), 2020, False, "smithA"),
    ],
)
def test_names_and_year_find_the_work(authors, year, others, key):
    assert match(*authors, year=year, others=others).key == key


@each(
    ("authors", "year", "others", "told"),
    [
        (("Boeing",), 2017, False, "boeing2018 (Boeing, 2018: another year)"),
        (("Barba",), 2018, False, "barba2018 (Barba & Forsyth, 2018: other authors)"),
        (("Barba", "Lee"), 2018, False, "barba2018 (Barba & Forsyth, 2018: other authors)"),
        (("Boeing",), 2018, True, "boeing2018 (Boeing, 2018: other authors)"),
        (("Tom Boeing",), 2018, False, "boeing2018 (Boeing, 2018)"),
        (("Boing",), 2018, False, "boeing2018 (Boeing, 2018)"),
        (("Govan",), 2020, False, "govan (Govan, n.d.: another year)"),
    ],
)
def test_what_differs_is_no_match_but_told(authors, year, others, told):
    found = match(*authors, year=year, others=others)
    assert found.key is None
    assert told in found.reason


def test_two_works_that_fit_are_told_not_chosen():
    found = match("Smith", year=2020)
    assert found.key is None
    assert found.candidates == ("smithA", "smithB")
    assert "fits 2 works" in found.reason
    assert "Rivers that cool" in found.reason


def test_a_letter_is_not_guessed():
    alone = match("Boeing", year=2018, letter="a")
    assert alone.key is None
    assert alone.candidates == ("boeing2018",)
    assert "letter" in alone.reason
    lettered = WorkMatcher(
        [
            work("x2019a", "Fisher", 2019, "Draggles of the first kind, simulated"),
            work("x2019b", "Fisher", 2019, "Draggles of the second kind, simulated"),
        ]
    )
    named = NamedWork(authors=("Fisher",), years=(2019,), letter="b")
    assert lettered.match("Fisher, 2019b", named).key == "x2019b"


def test_words_of_the_sentence_before_loose_names_do_not_count():
    assert match("Networks", "Barba", "Forsyth", year=2018, loose=True).key == "barba2018"
    assert match("Networks", "Barba", "Forsyth", year=2018).key is None


def entry(text: str) -> NamedWork:
    (listed,) = works_in_text(text)
    return NamedWork(entry=listed)


@each(
    ("text", "key"),
    [
        ("[3] Govan, A. Something else. doi:10.5555/rel", "govan"),
        ("[3] Smith, B. (2020). Rivers that cool the streets of a city. J. Ponds, 1.", "smithB"),
        ("3. B. Smith, “Rivers that cool the streets of a city,” J. Ponds, 2020.", "smithB"),
        ("[3] Smith B. Rivers that cool the streets of a city. J Ponds. 2020;1:2-3.", "smithB"),
    ],
)
def test_an_entry_of_the_list_finds_its_work(text, key):
    assert MATCHER.match("[3]", entry(text)).key == key


def test_an_entry_of_another_work_is_no_match():
    found = MATCHER.match("[3]", entry("[3] Smith, B. (2020). Ponds seen from space. Space, 2."))
    assert found.key is None
    assert "Ponds seen from space" in found.reason
    (listed,) = works_in_text("Boeing, G. (2018). Planes of a very large size. Air, 1, 2-3.")
    named = NamedWork(authors=("Boeing",), years=(2018,), entry=listed)
    other = MATCHER.match("Boeing, 2018", named)
    assert other.key is None
    assert other.candidates == ("boeing2018",)
    assert "another title" in other.reason


def test_an_entry_of_a_chapter_is_not_its_book():
    matcher = WorkMatcher(
        [
            work("book", "Marsh", 2006, "Handbook of waters and of those who swim in them"),
            work("chapter", "Marsh", 2006, "Swimming"),
        ]
    )
    text = (
        "Marsh, C. (2006). Swimming. In C. Marsh (Ed.), Handbook of waters and of those who swim "
        "in them. Wet."
    )
    assert matcher.match("[1]", entry(f"[1] {text}")).key == "chapter"
    (other,) = works_in_text(text.replace("Swimming.", "Diving."))
    named = NamedWork(authors=("Marsh",), years=(2006,), entry=other)
    found = matcher.match("Marsh, 2006", named)
    assert found.key is None
    assert set(found.candidates) == {"book", "chapter"}


def test_a_work_without_author_is_told_by_its_title():
    nobody = CitationMeta(
        citekey="x", title="Ponds of the town", authors=("[no author]",), year=2013
    )
    for text in ("[1] Ponds of the towns. Town, 2013.", "[1] Lee, A. (2019). Ponds of the towns."):
        found = WorkMatcher([nobody]).match("[1]", entry(text))
        assert found.key is None
        assert "x (Ponds of the town, 2013)" in found.reason


def test_an_entry_tells_works_of_one_year_apart():
    (listed,) = works_in_text("Smith, B. (2020). Rivers that cool the streets of a city. Ponds, 1.")
    named = NamedWork(authors=("Smith",), years=(2020,), entry=listed)
    assert MATCHER.match("Smith, 2020", named).key == "smithB"
