"""Citations made of what a document itself says."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.metadata import CitationSource, CiteKey
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.provisional import (
    NOTE,
    free_key,
    made_key,
    printed_name,
    provisional_citation,
)


def free(_: str) -> bool:
    return False


def test_the_item_has_what_the_document_says_and_names_what_it_does_not() -> None:
    made = provisional_citation(
        DocumentEvidence(
            file_name="a.pdf",
            title="The Cooling of Ponds",
            authors=("Ana B. de la Rosa", "C. D. WEIR"),
            identifiers=("10.5555/ponds",),
            first_text="The Cooling of Ponds\nAna B. de la Rosa\ndoi:10.5555/ponds\n",
        ),
        free,
    )
    assert made.citekey == "delarosandCooling"
    assert made.source is CitationSource.DOCUMENT
    assert made.uncertain == ("year",)
    assert made.authors == ("Ana B. de la Rosa", "C. D. Weir")
    assert made.csl == {
        "id": "delarosandCooling",
        "type": "document",
        "title": "The Cooling of Ponds",
        "author": [
            {"family": "Rosa", "given": "Ana B.", "non-dropping-particle": "de la"},
            {"family": "Weir", "given": "C. D."},
        ],
        "DOI": "10.5555/ponds",
        "note": NOTE,
    }


def test_a_preprint_is_linked_by_its_number() -> None:
    made = provisional_citation(
        DocumentEvidence(file_name="a.pdf", title="T", identifiers=("arXiv:2302.07302v2",)), free
    )
    assert (made.type, made.doi) == ("article", None)
    assert made.url == "https://arxiv.org/abs/2302.07302"


def test_venue_volume_and_pages_make_the_type() -> None:
    evidence = DocumentEvidence(
        file_name="a.pdf", title="T", container_title="Weir Letters", volume="3", issue="2",
        pages="63-75", uncertain=("year", "volume"),
    )  # fmt: skip
    made = provisional_citation(evidence, free)
    assert (made.type, made.container_title, made.page) == (
        "article-journal", "Weir Letters", "63-75",
    )  # fmt: skip
    assert (made.csl["volume"], made.csl["issue"]) == ("3", "2")
    assert made.uncertain == ("authors", "year", "volume")
    for name in ("Proceedings of the 3rd Weir", "OSDI 2006", "SOSP ’03", "HotOS 2001"):
        meeting = evidence.model_copy(update={"container_title": name})
        assert provisional_citation(meeting, free).type == "paper-conference"
    book = DocumentEvidence(file_name="b.epub", title="T", identifiers=("isbn:9780306406157",))
    assert provisional_citation(book, free).csl["ISBN"] == "9780306406157"
    assert provisional_citation(book, free).type == "book"


def test_without_a_title_the_name_of_the_file_stands_for_it() -> None:
    made = provisional_citation(DocumentEvidence(file_name="Scan 12.pdf"), free)
    assert (made.citekey, made.title) == ("anonndScan", "Scan 12.pdf")
    assert made.uncertain == ("title", "authors", "year")
    assert made.authors == ("[no author]",)


def test_an_identifier_of_a_cited_work_is_not_the_document_s() -> None:
    evidence = DocumentEvidence(
        file_name="a.pdf",
        title="T",
        identifiers=("10.5555/other",),
        first_text="T\n[3] Weir et al. Other works. doi:10.5555/other\n",
    )
    assert provisional_citation(evidence, free).doi is None


@each(
    ("name", "parts"),
    [
        (
            "Rafael P\u00e9rez y P\u00e9rez",
            {"family": "P\u00e9rez y P\u00e9rez", "given": "Rafael"},
        ),
        (
            "Guido van der Berg",
            {"family": "Berg", "given": "Guido", "non-dropping-particle": "van der"},
        ),
        ("World Health Organization", {"literal": "World Health Organization"}),
        ("Plato", {"literal": "Plato"}),
        ("Martin Luther King, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("Ada Byron III", {"family": "Byron", "given": "Ada", "suffix": "III"}),
        ("Weir, Ann", {"family": "Weir", "given": "Ann"}),
        ("JEAN-LUC O'BRIEN", {"family": "O'Brien", "given": "Jean-Luc"}),
        ("NASA", {"literal": "NASA"}),
    ],
)
def test_printed_names_are_read(name: str, parts: dict[str, str]) -> None:
    assert printed_name(name) == parts


def test_a_taken_key_gets_a_letter() -> None:
    taken = {"weir2020Ponds", "weir2020Pondsa"}
    assert free_key("weir2020Ponds", taken.__contains__) == "weir2020Pondsb"


@given(st.text(max_size=200), st.none() | st.integers(1, 3000), st.text(max_size=200))
def test_every_key_is_valid(name: str, year: int | None, title: str) -> None:
    evidence = DocumentEvidence(
        file_name="a.pdf", title=title.strip() or None, authors=(name,) if name.strip() else (),
        year=year,
    )  # fmt: skip
    assert CiteKey.is_valid(provisional_citation(evidence, free).citekey)
    assert CiteKey.is_valid(made_key("", year, title))
