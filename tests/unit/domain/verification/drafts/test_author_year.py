"""Typed author-year citations."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.verification.drafts.typed_citations import TypedCitation, find_author_year


def found(prose: str, bibliography: str = "") -> list[TypedCitation]:
    entries = works_in_text(bibliography)
    return sorted(find_author_year(prose, entries), key=lambda one: one.citation.start)


def cited(prose: str) -> list[tuple[str, str | None]]:
    return [
        (item.key, item.locator.text if item.locator else None)
        for citation, _ in found(prose)
        for item in citation.items
    ]


@each(
    ("prose", "expected"),
    [
        ("Grids win (Barba & Forsyth, 2018).", [("Barba & Forsyth, 2018", None)]),
        ("Grids win (Knuth 1985).", [("Knuth, 1985", None)]),
        ("Boeing (2018) shows it.", [("Boeing, 2018", None)]),
        ("Boeing's (2018) streets.", [("Boeing, 2018", None)]),
        ("Barba and Forsyth (2018, p. 5) say so.", [("Barba and Forsyth, 2018", "p. 5")]),
        (
            "So it is (see Smith et al., 2019a; Jones, 2020, pp. 3–5).",
            [("Smith et al., 2019a", None), ("Jones, 2020", "pp. 3–5")],
        ),
        ("So it is (Smith, Jones & Lee, 2019).", [("Smith, Jones & Lee, 2019", None)]),
        ("As Smith, Jones & Lee, 2019 say.", [("Smith, Jones & Lee, 2019", None)]),
        ("It holds (van der Berg, 2001: 12).", [("van der Berg, 2001", "12")]),
        ("It holds [Toffano-Nioche, 2021].", [("Toffano-Nioche, 2021", None)]),
        ("O’Brien (in press) and Lee (n.d.).", [("O’Brien, in press", None), ("Lee, n.d.", None)]),
        (
            "Often (Boeing, 2017, 2018a,b).",
            [("Boeing, 2017", None), ("Boeing, 2018a", None), ("Boeing, 2018b", None)],
        ),
        (
            "Both (K. J. Miller et al., 2009; Kai J. Miller et al., 2012).",
            [("K. J. Miller et al., 2009", None), ("Kai J. Miller et al., 2012", None)],
        ),
        ("It runs (R Core Team, 2022).", [("R Core Team, 2022", None)]),
        ("It runs (The MathWorks, Inc., 2018).", [("MathWorks, Inc., 2018", None)]),
        ("Recently, Boeing (2018) said.", [("Boeing, 2018", None)]),
        ("As WHO (2020) said.", [("WHO, 2020", None)]),
        ("Reprinted (Darwin, 1859/2003).", [("Darwin, 1859/2003", None)]),
        (
            "Both (Hu and Tan 1972, Garey 1974).",
            [("Hu and Tan, 1972", None), ("Garey, 1974", None)],
        ),
    ],
)
def test_forms_of_the_common_styles(prose, expected):
    assert cited(prose) == expected


@each(
    "prose",
    [
        "It was later (12 June 2017).",
        "Table 3 (2018 data) shows it.",
        "It came in 2018.",
        "Users grew (2020: 300).",
        "We use Python (3.11).",
        "Alan Turing (1912–1954) lived.",
        "A sample (N = 2018) of it.",
        "A firm (founded in 1998) grew.",
        "A report (of the Environment- and Water Board, Lund 2012) says so.",
        "A book (Chicago: University Press, 2018) sold.",
        "A grant (CEN-20091026) paid.",
        "Both 2018 (a) and 2019 (b) differ.",
        "It is free, Springer Science & Business Media, 2007.",
        "In Paris and London, 2019 was hot.",
        "It is so (Latour [2005] 2008).",
    ],
)
def test_dates_and_names_that_are_no_citations(prose):
    assert cited(prose) == []


@each(
    ("prose", "key"),
    [
        ("It was later (May 2018).", "May, 2018"),
        ("Figure (2018) shows it.", "Figure, 2018"),
        ("We use Windows (2000).", "Windows, 2000"),
        ("The Data Protection Regulation (2016) applies.", "Data Protection Regulation, 2016"),
    ],
)
def test_words_that_often_stand_before_a_year_are_tentative(prose, key):
    ((_, works),) = found(prose)
    assert works[key].tentative
    ((_, works),) = found("Ponds cool (May & Figure, 2018).")
    assert not works["May & Figure, 2018"].tentative


def test_a_month_that_the_reference_list_names_is_an_author():
    (one,) = found("It was so (May, 2018).", "May, R. (2018). Stability in large ponds. Ponds, 1.")
    work = one.works["May, 2018"]
    assert not work.tentative
    assert work.entry is not None
    assert work.entry.title == "Stability in large ponds"


def test_the_letter_chooses_the_entry():
    bibliography = "Lee, A. (2019a). Ponds at night.\n\nLee, A. (2019b). Ponds at noon."
    (one,) = found("It is so (Lee, 2019b).", bibliography)
    entry = one.works["Lee, 2019b"].entry
    assert entry is not None
    assert entry.title == "Ponds at noon"
    (open_,) = found("It is so (Lee, 2019).", bibliography)
    assert open_.works["Lee, 2019"].entry is None


def test_brackets_with_other_words_keep_them():
    (one,) = found("It is (as we know from Knuth, 1985, and as 1990 showed).")
    assert one.citation.end < len("It is (as we know from Knuth, 1985, and")


def test_names_and_years_of_a_citation():
    ((_, works),) = found("It is so (D'Ignazio & Klein, 2020a).")
    (work,) = works.values()
    assert (work.authors, work.years, work.letter) == (("D'Ignazio", "Klein"), (2020,), "a")
    ((_, works),) = found("Wagner and colleagues (2026) said.")
    (work,) = works.values()
    assert work.authors == ("Wagner",)
    assert work.others
    assert work.loose


_NAMES = st.sampled_from(
    ["Boeing", "Toffano-Nioche", "O’Brien", "van der Berg", "Lechtenbörger", "García", "Yi", "Łoś"]
)


@given(
    people=st.lists(_NAMES, min_size=1, max_size=4, unique=True),
    others=st.booleans(),
    year=st.integers(1900, 2030),
    letter=st.sampled_from(["", "a", "b"]),
    page=st.none() | st.integers(1, 999),
    narrative=st.booleans(),
)
def test_what_is_written_in_the_style_is_read_again(people, others, year, letter, page, narrative):
    last = " and " if narrative else " & "
    names = ", ".join(people[:-1]) + last + people[-1] if len(people) > 1 else people[0]
    names = f"{people[0]} et al." if others else names
    where = f", p. {page}" if page else ""
    written = (
        f"{names} ({year}{letter}{where})" if narrative else f"({names}, {year}{letter}{where})"
    )
    text = f"It is known that {written} holds."
    (one,) = found(text)
    (item,) = one.citation.items
    (work,) = one.works.values()
    assert text[one.citation.start : one.citation.end] == written
    assert work.authors == (tuple(people[:1]) if others else tuple(people))
    assert (work.others, work.years, work.letter) == (others, (year,), letter)
    assert (item.locator.text if item.locator else None) == (f"p. {page}" if page else None)
    assert one.citation.narrative == narrative


_PIECES = st.sampled_from(
    ["(", ")", "[", "]", "Boeing", " & ", "et al.", ", ", "; ", "2018", "2019a", " ", "\n\n",
     "see ", "p. 5", "n.d.", "van ", "'s ", "\u2060", "–", "J. ", "and ", "The ", "in press", "€"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=80))
def test_any_text_is_read_and_citations_lie_in_it_apart(text):
    last = 0
    for citation, works in found(text):
        assert last <= citation.start < citation.end <= len(text)
        assert {item.key for item in citation.items} == works.keys()
        last = citation.end
