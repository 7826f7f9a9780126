"""Cutting what is too long for one passage."""

from collections.abc import Sequence

import pytest
from support.in_memory.embedder import WordTokens

from citeloom.infrastructure.ingest.chunking.units import TokenMeasure


class FragileTokens:
    """Pieces of 6 characters in a long text, of 3 in a short one: as with byte pairs, the
    beginning of a word may take more tokens alone than within the word."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        step = 6 if len(text) >= 70 else 3
        return [*range(step, len(text), step), len(text)] if text else []


def pieces(measure: TokenMeasure, text: str, limit: int) -> list[str]:
    return [text[a:b] for a, b in measure.fitting(text, 0, len(text), limit)]


def test_a_part_of_a_word_that_takes_more_tokens_alone_is_made_shorter() -> None:
    measure = TokenMeasure(FragileTokens())
    found = pieces(measure, "x" * 500, 10)
    assert "".join(found) == "x" * 500
    assert max(measure.size(piece) for piece in found) <= 10


@pytest.mark.parametrize("pause", ["、", "，", "；"])
def test_unspaced_text_is_cut_after_a_pause(pause: str) -> None:
    text = ("池" * 29 + pause) * 4
    assert pieces(TokenMeasure(WordTokens()), text, 5) == ["池" * 29 + pause] * 4


def test_words_are_kept_whole() -> None:
    text = "alpha beta gamma delta " * 20
    found = pieces(TokenMeasure(WordTokens()), text.strip(), 7)
    assert " ".join(found) == text.strip()
    assert all(len(piece.split()) <= 7 for piece in found)
