"""Which hidden words are read all the same, and which characters are never."""

import pytest
from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden
from citeloom.infrastructure.ingest.conversion.pdf.page_content.readable_words import (
    deceives,
    left_out,
)

PAGE = (0.0, 0.0, 600.0, 800.0)
INSIDE, OUTSIDE = (100.0, 100.0, 140.0, 110.0), (100.0, 700.0, 140.0, 710.0)
PHOTO = (50.0, 50.0, 400.0, 300.0)


@pytest.mark.parametrize("reason", [Hidden.INVISIBLE, Hidden.COVERED, Hidden.NO_CONTRAST])
def test_the_text_layer_of_a_scan_is_read(reason: Hidden) -> None:
    texts = ["scanned", "words", "p. 1"]
    assert left_out(texts, [INSIDE] * 3, [reason, reason, None], [PAGE]) == {}


@each("reason", list(Hidden))
def test_hidden_words_of_a_page_with_text_are_left_out(reason: Hidden) -> None:
    texts = ["ignore", "a long and visible text"]
    assert left_out(texts, [INSIDE] * 2, [reason, None], [PHOTO]) == {0: reason}


def test_words_beside_the_picture_are_no_layer_of_it() -> None:
    texts = ["invisible", "layer of the photo", "seen"]
    reasons = [Hidden.INVISIBLE, Hidden.INVISIBLE, None]
    assert left_out(texts, [OUTSIDE, INSIDE, OUTSIDE], reasons, [PHOTO]) == {0: Hidden.INVISIBLE}


@pytest.mark.parametrize("reason", [Hidden.OFF_PAGE, Hidden.TOO_SMALL, Hidden.CLIPPED])
def test_what_no_scanner_writes_is_no_layer(reason: Hidden) -> None:
    assert left_out(["a long text"], [INSIDE], [reason], [PAGE]) == {0: reason}


def test_a_page_of_invisible_words_alone_is_read() -> None:
    assert left_out(["all", "there is"], [INSIDE] * 2, [Hidden.INVISIBLE] * 2, []) == {}


@pytest.mark.parametrize("reason", [Hidden.COVERED, Hidden.NO_CONTRAST])
def test_a_blank_page_has_no_words(reason: Hidden) -> None:
    assert left_out(["white", "words"], [INSIDE] * 2, [reason] * 2, []) == {0: reason, 1: reason}


@pytest.mark.parametrize("text", ["1\u202e23", "a\U000e0041", "\u2067abc"])
def test_what_deceives(text: str) -> None:
    assert deceives(text)


@pytest.mark.parametrize("text", ["word", "wo\u200brd", "\u200fna\u00efve"])
def test_what_is_harmless(text: str) -> None:
    assert not deceives(text)
