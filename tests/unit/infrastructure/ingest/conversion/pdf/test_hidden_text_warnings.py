"""What a document says of text that a reader does not see."""

from citeloom.infrastructure.ingest.conversion.pdf.native import (
    control_warnings,
    hidden_text_warnings,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden


def test_a_page() -> None:
    assert hidden_text_warnings({3: {Hidden.NO_CONTRAST: 14}}) == [
        "page 3: 14 hidden words were left out (invisible against the background)"
    ]


def test_one_word() -> None:
    assert hidden_text_warnings({3: {Hidden.COVERED: 1}}) == [
        "page 3: 1 hidden word was left out (covered)"
    ]


def test_several_pages_are_one_warning() -> None:
    pages = {7: {Hidden.COVERED: 2}, 2: {}, 4: {Hidden.OFF_PAGE: 1}, 3: {Hidden.COVERED: 5}}
    assert hidden_text_warnings(pages) == [
        "pages 3-4, 7: 8 hidden words were left out (off the page, covered)"
    ]


def test_nothing_hidden_is_not_worth_a_word() -> None:
    assert hidden_text_warnings({1: {}, 2: {Hidden.COVERED: 0}}) == []


def test_controls() -> None:
    assert control_warnings({2: 1, 5: 0}) == [
        "page 2: characters that turn or hide text (bidirectional controls, tags) were left out of "
        "1 word"
    ]
    assert control_warnings({}) == []
