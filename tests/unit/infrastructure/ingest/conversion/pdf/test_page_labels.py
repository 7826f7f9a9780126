from citeloom.domain.documents.conversion import LabelSource
from citeloom.infrastructure.ingest.conversion.pdf.pdfium import page_labels, printed_labels


def test_labels_of_the_pdf_come_first() -> None:
    found = page_labels(["xii", "1"], {1: ["127"], 2: ["128"]}, 2)
    assert found == {1: ("xii", LabelSource.PDF), 2: ("1", LabelSource.PDF)}


def test_printed_numbers_that_go_up_with_the_pages_are_labels() -> None:
    rows = {page: [f"{126 + page} Journal of Lines"] for page in range(1, 5)}
    assert printed_labels(rows, 4) == {1: "127", 2: "128", 3: "129", 4: "130"}


def test_a_page_without_its_number_gets_a_label_only_between_others() -> None:
    rows = {2: ["12"], 3: ["13"], 5: ["15"]}
    assert printed_labels(rows, 6) == {2: "12", 3: "13", 4: "14", 5: "15"}


def test_numbers_that_do_not_go_up_are_no_labels() -> None:
    rows = {1: ["Vol. 7"], 2: ["Vol. 7"], 3: ["Vol. 7"]}
    assert printed_labels(rows, 3) == {}


def test_a_year_in_every_foot_does_not_disturb_the_numbers() -> None:
    rows = {page: [f"Smith et al. 2024 {page + 40}"] for page in range(1, 6)}
    assert printed_labels(rows, 5)[5] == "45"


def test_one_contrary_page_number_makes_all_uncertain() -> None:
    rows = {1: ["11"], 2: ["12"], 3: ["13"], 4: ["99"]}
    assert printed_labels(rows, 4) == {}


def test_a_single_page_has_no_certain_label() -> None:
    assert page_labels(None, {1: ["127"]}, 1) == {}
