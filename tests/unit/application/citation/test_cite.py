"""Citations for a manuscript, in each form and style."""

import pytest
from support.world import HERE, World, an_item

from citeloom.application.citation.cite import Citations, NamedWorks
from citeloom.application.ports.citation import CitationMarkup
from citeloom.domain.citation.in_text import InText
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.citation.csl.styles import csl_style


@pytest.fixture
def citations(library: World) -> Citations:
    return Citations(
        works=NamedWorks(documents=library.documents, references=library.references),
        bundles=library.bundles,
        styles=csl_style,
    )


@pytest.mark.parametrize(
    ("form", "made"),
    [
        (InText.PANDOC, "[@grids, pp. 3–4; @szelkuti2022]"),
        (InText.LATEX, r"\autocites[3--4]{grids}{szelkuti2022}"),
        (InText.TYPST, "@grids[pp. 3–4] @szelkuti2022"),
        (InText.TEXT, "(Grids, 2020, pp. 3–4; Szelkuti2022, 2022)"),
        (
            InText.MARKDOWN,
            "[(Grids, 2020, pp. 3–4)](https://doi.org/10.5555/grids) "
            "[(Szelkuti2022, 2022)](https://doi.org/10.5555/ponds)",
        ),
    ],
)
def test_several_works_are_one_citation(citations: Citations, form: InText, made: str) -> None:
    places = [citations.place(HERE, "grids", "3-4"), citations.place(HERE, "szelkuti2022")]
    assert citations.together(places, form) == made


def test_a_work_of_the_reference_file_is_cited_without_a_file_of_it(citations: Citations) -> None:
    place = citations.place(HERE, "unread", "xii-xv")
    assert citations.together([place], InText.TEXT, "chicago") == "(Unread 2001, xii–xv)"
    assert citations.together([place], None, "chicago") == "(Unread 2001, xii–xv)"
    assert citations.together([place], None).startswith("[@")


@pytest.mark.parametrize(
    ("key", "pages", "told"),
    [
        ("paged", "580", None),
        ("paged", "577-579, 583", None),
        ("paged", "9999", "9999 is not a page of paged, which has 576–583"),
        ("paged", "580, 590, 591", "590–591 are not pages of paged, which has 576–583"),
        ("paged", "abc", "abc is not a page of paged, which has 576–583"),
        ("numbered", "12", None),  # e70012 is the number of an article
        ("grids", "12", None),  # nothing is known of its pages
    ],
)
def test_pages_that_a_work_has_not_are_told(
    citations: Citations, library: World, key: str, pages: str, told: str | None
) -> None:
    works = [
        an_item("grids", "10.5555/grids"),
        {**an_item("paged", "10.5555/paged"), "page": "576–583"},
        {**an_item("numbered", "10.5555/numbered"), "page": "e70012"},
    ]
    library.ingest(references=library.cite(*works))
    assert citations.place(HERE, key, pages).warnings == ((told,) if told else ())
    assert citations.place(HERE, key).warnings == ()


def test_what_is_not_there_is_told(citations: Citations, library: World) -> None:
    with pytest.raises(DocumentNotFound):
        citations.place(HERE, "nobody1900")
    with pytest.raises(ProjectNotFound):
        citations.place(ProjectId.parse("other"), "grids")
    with pytest.raises(InvalidRequest, match="no such style"):
        citations.together([citations.place(HERE, "grids")], InText.TEXT, "nope")
    library.write("loose.md", "# Loose\n\nA text of nobody.\n")
    library.ingest()
    loose = citations.place(HERE, "loose.md")
    assert (loose.work.citekey, loose.work.is_provisional) == ("anonndLoose", True)


def test_hits_are_cited_where_they_are_and_listed_once(
    citations: Citations, library: World
) -> None:
    result = library.query("cooling falls with distance", top_k=5)
    places = citations.places(result)
    made = citations.each(places, InText.TEXT)
    assert len(made) == result.count
    assert made[0] is not None
    assert made[0].startswith("(Szelkuti2022, 2022, sec. “Results”, para. ")
    entries = citations.bibliography(places, "apa", CitationMarkup.MARKDOWN)
    assert [entry.citekey for entry in entries] == ["grids", "szelkuti2022"]
    assert entries[0].text.startswith("Grids, A. (2020). *The paper grids*. https://doi.org/")


def test_passages_without_printed_pages_say_so_in_every_language(
    citations: Citations, library: World
) -> None:
    library.write("paged.txt", "Ponds cool the street.\f\nThe grid is best of all.")
    library.ingest(references=library.cite(an_item("paged", "10.5555/p", title="Paged")))
    hits = library.query("grid best", "citekey=paged")
    item = hits.items[0]
    assert item.place is not None
    assert item.place.startswith("PDF p")
    places = citations.places(hits)
    for form in (InText.PANDOC, InText.LATEX, InText.TYPST, InText.TEXT):
        made = citations.each(places, form)[0]
        assert made is not None
        assert "PDF p" in made
