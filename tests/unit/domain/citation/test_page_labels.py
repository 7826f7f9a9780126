from support.builders import a_document, paragraph
from support.cases import each

from citeloom.domain.citation.locators import labels_in, labels_outside, pages_of, parse_locator
from citeloom.domain.citation.metadata import confirm_labels, labels_of, locator, page_range
from citeloom.domain.documents.conversion import LabelSource, PageEntry
from citeloom.domain.documents.spans import PageSpan


def _pages(*labels: str | None, source: LabelSource = LabelSource.PRINTED) -> list[PageEntry]:
    return [
        PageEntry(page=n, label=label, label_source=source if label else None)
        for n, label in enumerate(labels, start=1)
    ]


def _labels(entries: tuple[PageEntry, ...]) -> list[str | None]:
    return [entry.label for entry in entries]


def test_page_ranges_are_read_as_libraries_write_them() -> None:
    assert page_range("127-130") == ("", 127, 130)
    assert page_range("127\u201330") == ("", 127, 130)
    assert page_range("pp. 127--130") == ("", 127, 130)
    assert page_range("S12-S19") == ("S", 12, 19)
    assert [page_range(text) for text in (None, "", "104356", "e12", "9-3", "1-4, 8")] == [None] * 6


def test_a_first_page_without_number_is_labelled_when_the_range_agrees() -> None:
    entries = confirm_labels(_pages(None, "128", "129", None), "127-130")
    assert _labels(entries) == ["127", "128", "129", "130"]
    assert [e.label_source for e in entries] == [
        LabelSource.CSL,
        LabelSource.PRINTED,
        LabelSource.PRINTED,
        LabelSource.CSL,
    ]


def test_a_range_that_contradicts_the_printed_numbers_changes_nothing() -> None:
    pages = _pages(None, "128", "129")
    assert confirm_labels(pages, "301-303") == tuple(pages)


def test_pages_without_any_number_take_a_range_of_exactly_their_length() -> None:
    assert _labels(confirm_labels(_pages(None, None, None), "12-14")) == ["12", "13", "14"]
    assert _labels(confirm_labels(_pages(None, None, None), "12-15")) == [None] * 3


def test_a_page_beyond_the_range_stays_without_label() -> None:
    assert _labels(confirm_labels(_pages(None, "128", None), "127-128")) == ["127", "128", None]


def test_labels_of_the_file_itself_are_left_alone() -> None:
    pages = _pages(None, "2", source=LabelSource.PDF)
    assert confirm_labels(pages, "1-2") == tuple(pages)


def test_counted_labels_are_confirmed_by_a_range_as_printed_ones_are() -> None:
    entries = confirm_labels(_pages(None, "128", "129", source=LabelSource.COUNTED), "127-129")
    assert entries[0].label == "127"


def test_a_page_of_the_file_that_shows_two_pages_has_both_labels() -> None:
    both = {1: "12\u201313", 2: "14\u201315"}
    assert locator(labels_of(PageSpan(start=1, end=1), both)) == "pp. 12\u201313"
    assert locator(labels_of(PageSpan(start=1, end=2), both)) == "pp. 12\u201315"
    assert labels_of(PageSpan(start=1, end=1), {1: "Jan\u2013May"}) == ("Jan\u2013May",)


@each(
    ("labels", "cited", "pages"),
    [
        ({1: "12\u201313", 2: "14\u201315"}, "p. 13", {1}),
        ({1: "12\u201313", 2: "14\u201315"}, "pp. 13-14", {1, 2}),
        ({1: "39:1", 2: "39:2"}, "p. 39:2", {2}),
        ({1: "39:1", 2: "39:2"}, "pp. 39:1-39:2", {1, 2}),
        ({1: "39:1", 2: "39:2"}, "p. 2", {2}),
        ({1: "A-1", 2: "A-2", 3: "A-3"}, "pp. A-1\u2013A-3", {1, 2, 3}),
    ],
)
def test_labels_are_found_as_they_are_cited(
    labels: dict[int, str], cited: str, pages: set[int]
) -> None:
    document = a_document([paragraph("Words.", page) for page in labels], labels=labels)
    named, rest = parse_locator(cited)
    assert named is not None
    assert rest == ""
    assert pages_of(document, named) == pages
    known = [label for entry in document.structure.page_map for label in entry.labels]
    assert labels_outside(named.labels, known) == []


@each(
    ("written", "pages"),
    [
        ("053401-2", [("053401-2", "053401-2")]),
        ("p. 143001-3", [("143001-3", "143001-3")]),
        ("p. 3-2", [("3-2", "3-2")]),
        ("pp. 3-2–3-5", [("3-2", "3-5")]),
        ("127-30", [("127", "130")]),
        ("12345–50", [("12345", "12350")]),
        ("pp. iv, (xv)-(xvii)", [("iv", "iv"), ("xv", "xvii")]),
        (r"p.\,3", [("3", "3")]),
        (r"p.\ 3", [("3", "3")]),
        ("S.&nbsp;3", [("3", "3")]),
        (r"\pno~S3", [("S3", "S3")]),
        (r"12\psqq", [("12", "13")]),
    ],
)
def test_pages_are_read_as_they_are_written(written: str, pages: object) -> None:
    locator, rest = parse_locator(written)
    assert locator is not None
    assert (list(locator.pages), rest, locator.text) == (pages, "", written)


def test_a_label_with_a_hyphen_is_the_page_that_prints_it() -> None:
    labels = ("3-1", "3-2", "3-12", "053401-2", "(xv)")
    numbered = dict(enumerate(labels, start=1))
    blocks = [paragraph("Words.", page) for page in numbered]
    document = a_document(blocks, labels=numbered)
    for page, label in enumerate(labels, start=1):
        locator, _ = parse_locator(f"p. {label}")
        assert locator is not None
        assert pages_of(document, locator) == {page}
    assert labels_in("3-2, 053401-2, 127-30")[:3] == ("3-2", "053401-2", "127")
