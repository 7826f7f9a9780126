from collections import Counter

from support.cases import each
from support.pdf.page_lines import words

from citeloom.infrastructure.ingest.conversion.pdf.ocr.ocr_words import (
    FONT,
    TextLayer,
    is_implausible,
    text_layer_warnings,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord


@each("word", ["l0gic", "pr1nted,", "18l4", "fu~ction", "v{riable", "thrgh"])
def test_digits_signs_and_missing_vowels_tell_misread_words(word: str) -> None:
    assert is_implausible(word)


@each(
    "word",
    """logic (printed) 1984 x2 3rd don't state-of-the-art RPCs, TCP/IP http://www.g4tv.com größte
    слово e.g. 50%""".split(),
)
def test_words_numbers_abbreviations_and_addresses_are_plausible(word: str) -> None:
    assert not is_implausible(word)


_LAYER = TextLayer(
    frozenset({1}), Counter("the of the of the of in in in plate plate plate plates".split())
)


@each(
    "sentence",
    [
        "the cu bic cavity",
        "a level o f the plate",
        "th is is the plate",
        "Actors mus t be",
        "of l0gic",
    ],
)
def test_words_in_parts_tell_a_sentence_that_is_misread(sentence: str) -> None:
    assert _LAYER.is_misread(sentence)


@each(
    "sentence", ["The plate in the cavity", "a set of p in the plate", "A cavity I saw", "Q. E. D."]
)
def test_letters_that_stand_alone_are_variables_and_words(sentence: str) -> None:
    assert not _LAYER.is_misread(sentence)


def test_the_layer_is_that_of_pages_which_were_not_read_here() -> None:
    text = tuple(words("The plate of the cavity"))
    page = PageRecord(page=1, width=600, height=800, words=text)
    read = page._replace(page=2, words=tuple(word._replace(font=FONT) for word in text))
    layer = TextLayer.of([page, read])
    assert (layer.pages, layer.words["the"]) == ({1}, 2)


def test_the_warning_counts_the_words_and_names_the_worst_pages() -> None:
    pages = {2: ["l0gic", "of", "programs"], 3: ["computer"] * 997}
    assert text_layer_warnings(pages) == [
        "pages 2-3 are scans with a text layer: 1 of 1,000 words looks misread, "
        "most on page 2; check quotes against the page"
    ]
    assert text_layer_warnings({4: ["pr1nted", "18l4"]}) == [
        "page 4 is a scan with a text layer: 2 of 2 words look misread; "
        "check quotes against the page"
    ]
    assert text_layer_warnings({4: ["computer"]}) == text_layer_warnings({}) == []
