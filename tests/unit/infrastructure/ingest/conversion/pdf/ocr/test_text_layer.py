from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.ocr.ocr_words import (
    is_implausible,
    text_layer_warnings,
)


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
