from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import pdf_identifiers


def test_metadata_comes_before_furniture() -> None:
    assert pdf_identifiers(["doi:10.1000/ABC"], ["https://doi.org/10.2000/x.y."], "") == (
        "10.1000/abc",
        "10.2000/x.y",
    )


def test_an_arxiv_stamp_gives_the_id_without_its_version() -> None:
    assert pdf_identifiers([], ["arXiv:2305.03393v1 [cs.CV] 5 May 2023"], "") == (
        "arXiv:2305.03393",
    )


def test_old_arxiv_ids_are_read() -> None:
    assert pdf_identifiers([], ["arXiv:quant-ph/9802040v2"], "") == ("arXiv:quant-ph/9802040",)


def test_several_dois_in_the_text_are_those_of_other_works() -> None:
    assert pdf_identifiers([], [], "see 10.1000/a1 and 10.1000/b2") == ()


def test_the_one_doi_of_the_first_pages_is_the_documents() -> None:
    assert pdf_identifiers([], [], "DOI: 10.1016/S0305-4403(99)90449-7.") == (
        "10.1016/s0305-4403(99)90449-7",
    )


def test_an_arxiv_doi_gives_both_forms() -> None:
    assert pdf_identifiers(["10.48550/arXiv.2305.03393"], [], "") == (
        "10.48550/arxiv.2305.03393",
        "arXiv:2305.03393",
    )


def test_a_doi_broken_at_a_line_end_does_not_count_beside_the_whole_one() -> None:
    assert pdf_identifiers(["10.21105/jose.00302"], ["https://doi.org/10.21105/jose"], "") == (
        "10.21105/jose.00302",
    )


def test_a_doi_that_a_head_breaks_over_two_rows_is_joined() -> None:
    rows = ["Loom, On Lines. https://doi.org/10.1145/2505515.", "2505671"]
    assert pdf_identifiers([], rows, "") == ("10.1145/2505515.2505671",)
