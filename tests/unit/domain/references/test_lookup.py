"""Whether a record of a public service is of the work that a document is."""

from typing import Any

import pytest
from support.cases import each

from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.lookup import (
    FoundWork,
    RecordJudge,
    RecordVerdict,
    notices_of,
    numbered,
    one_taken,
    own_identifiers,
    retraction_of,
)
from citeloom.infrastructure.references.formats.csl import meta_from_csl

TITLE = "Evaporative cooling by small urban ponds"
PAGE = f"{TITLE}\nAnn Weir and Otto Sluice\nPublished 2020\nAbstract. Ponds cool the air.\n"


def evidence(**values: Any) -> DocumentEvidence:
    stated = {
        "file_name": "a.pdf", "title": TITLE, "authors": ("Ann Weir", "Otto Sluice"), "year": 2020,
        "first_text": PAGE, "identifiers": (),
    }  # fmt: skip
    return DocumentEvidence(**stated | values)


def record(**values: Any) -> dict[str, Any]:
    return {
        "type": "article-journal", "title": TITLE, "DOI": "10.5555/ponds",
        "author": [{"family": "Weir", "given": "Ann"}, {"family": "Sluice", "given": "Otto"}],
        "issued": {"date-parts": [[2020]]},
    } | values  # fmt: skip


def by_title(document: DocumentEvidence, **values: Any) -> str:
    """Why a record is not taken; empty if it is."""
    judged = RecordJudge(document).by_title(
        meta_from_csl(record(**values), "k"), ("10.5555/ponds",)
    )
    assert (judged.verdict is RecordVerdict.TAKEN) == (judged.why == "")
    return judged.why


def test_a_record_that_agrees_is_taken_and_says_how_well() -> None:
    judged = RecordJudge(evidence()).by_title(meta_from_csl(record(), "k"))
    assert judged.verdict is RecordVerdict.TAKEN
    assert str(judged.agreement) == "title 100 %, authors 100 %, year the same"


@each(
    ("values", "why"),
    [
        ({"title": "Evaporative cooling by large urban ponds"}, "the title differs"),
        ({"title": f"Erratum: {TITLE}"}, "the title differs"),
        ({"title": "Ponds"}, "the title is too short to tell works apart"),
        ({"author": [{"family": "Quill", "given": "Bo"}]}, "no author of it is on the first page"),
        ({"author": []}, "no author of it is on the first page"),
        ({"issued": {"date-parts": [[2017]]}}, "the year differs"),
        ({"issued": None}, "the year differs"),
        ({"type": "article"}, "it is a preprint, the document the publication"),
        ({"DOI": "10.5555/other"}, "the document has another DOI: 10.5555/ponds"),
    ],
)
def test_a_record_that_differs_is_proposed_with_the_reason(
    values: dict[str, Any], why: str
) -> None:
    assert by_title(evidence(), **values) == why


def test_a_year_beside_is_near_enough() -> None:
    assert by_title(evidence(), issued={"date-parts": [[2021]]}) == ""
    assert by_title(evidence(), issued={"date-parts": [[2022]]}) == "the year differs"


def test_a_document_without_a_year_must_print_that_of_the_record() -> None:
    assert by_title(evidence(year=None)) == ""
    unstated = evidence(year=None, first_text=PAGE.replace("2020", "12020"))
    assert by_title(unstated) == "the document states no year"


@pytest.mark.parametrize("identifier", ["arXiv:2001.01234", "10.1101/2020.01.01.123456"])
def test_a_preprints_file_is_not_taken_for_the_publication(identifier: str) -> None:
    why = by_title(evidence(identifiers=(identifier,)))
    assert why == "it is the publication, the document a preprint"


def test_an_identifier_alone_is_no_proof() -> None:
    judge = RecordJudge(evidence())

    def taken(**values: Any) -> bool:
        judged = judge.by_identifier(meta_from_csl(record(**values), "k"))
        return judged.verdict is RecordVerdict.TAKEN

    other = [{"family": "Quill", "given": "Bo"}]
    assert taken()
    assert taken(author=other, issued=None)
    assert taken(title="Cooling by urban ponds of the north")
    assert not taken(title="Grids of random points", author=other)
    assert not taken(title="Grids of random points")
    assert not taken(title=f"Erratum: {TITLE}")


def test_authors_suffice_for_an_identifier_of_a_document_without_a_title() -> None:
    judge = RecordJudge(evidence(title=None))
    judged = judge.by_identifier(meta_from_csl(record(title="Kühlung durch Teiche"), "k"))
    assert judged.verdict is RecordVerdict.TAKEN


def test_of_two_works_that_fit_none_is_taken() -> None:
    judge = RecordJudge(evidence())
    found = [
        FoundWork(item=record(DOI=doi), service="Crossref")
        for doi in ("10.5555/ponds", "10.5555/again")
    ]
    judged = [(one, judge.by_title(meta_from_csl(one.item, "k"))) for one in found]
    best = one_taken(judged)
    assert best is not None
    assert best[1].verdict is RecordVerdict.PROPOSED
    assert best[1].why == "several works fit: 10.5555/again, 10.5555/ponds"
    assert one_taken(judged[:1]) == judged[0]
    assert one_taken([]) is None


def test_identifiers_of_cited_works_are_not_looked_up() -> None:
    page = PAGE + "[1] Quill et al. Grids. doi:10.5555/grids\n"
    names = ("10.5555/grids", "pmid: 123", "isbn:978-0-262-03561-3", "x", "10.5555/ponds")
    found = own_identifiers(evidence(first_text=page, identifiers=names))
    assert found == ("pmid: 123", "isbn:978-0-262-03561-3", "10.5555/ponds")


@each(
    ("text", "number"),
    [
        ("pmid:38799228", ("pmid", "38799228")),
        ("ISBN: 978-0-262-03561-3", ("isbn", "9780262035613")),
        ("isbn:0-19-853453-x", ("isbn", "019853453X")),
        ("isbn:12345", None),
        ("pmid:123456789", None),
        ("10.5555/ponds", None),
    ],
)
def test_pmids_and_isbns_are_numbers(text: str, number: tuple[str, str] | None) -> None:
    assert numbered(text) == number


def test_notices_and_versions_are_kept_in_the_item() -> None:
    custom = {
        "source": "Crossref",
        "updates": [
            {"type": "correction"},
            {"type": "retraction", "DOI": "10.5555/notice", "date": "2022-03-01"},
        ],
        "versions": [{"relation": "has-preprint", "id": "10.1101/1"}],
    }
    item = record(custom=custom)
    assert notices_of(item) == (
        "correction, as Crossref says",
        "retraction 2022-03-01, doi:10.5555/notice, as Crossref says",
        "has preprint 10.1101/1, as Crossref says",
    )
    assert retraction_of(item) == "retracted 2022-03-01, doi:10.5555/notice"
    assert retraction_of(record()) is None
    assert notices_of(record(custom="none")) == ()


@pytest.mark.parametrize(
    "before",
    [
        "A short notice on the address of its authors, who are many and live far apart. "
        "© 2003 Elsevier B.V. All rights reserved. doi:",
        "This work is licensed under a licence that has a long name and an address on the web. "
        "Proceedings of Ponds, Vol. 14, No. 3 ISSN 2150-8097. doi:",
        "ARTICLE in JOURNAL OF EXPERIMENTAL PONDS, THEORETICAL WEIRS AND ARTIFICIAL INTELLIGENCE "
        "· APRIL 2001 Impact Factor: 1 · DOI: ",
        "Article in Journal of Experimental Ponds, Theoretical Weirs and Artificial Intelligence "
        "· April 2001 DOI: ",
        "Weir, O., & Lock, A. (2021). Ponds cool the evening street. Information Processing and "
        "Management of Ponds and Weirs. doi:",
    ],
)
def test_a_doi_after_an_imprint_or_the_own_title_is_the_documents_own(before: str) -> None:
    doi = "10.5555/ponds"
    page = f"Ponds cool the evening street\nOriana Weir\n\n{before}{doi}\n\nA pond cools."
    given = evidence(title="Ponds cool the evening street", first_text=page, identifiers=(doi,))
    assert own_identifiers(given) == (doi,)


def test_a_doi_after_another_works_title_is_not() -> None:
    doi = "10.5555/grids"
    cited = (
        "Quill, B., & Lock, A. (2021). Grids of points and what they miss, in a long survey of the "
        "northern fields."
    )
    page = f"Ponds cool the evening street\nOriana Weir\n\n{cited} Annals of Grids. doi:{doi}\n\nA."
    given = evidence(title="Ponds cool the evening street", first_text=page, identifiers=(doi,))
    assert own_identifiers(given) == ()
