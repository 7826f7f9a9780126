"""What readers of columns do: the bundled one is the only one."""

from pathlib import Path

import pytest

from citeloom.application.ports.models import AnswerReader
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
from citeloom.infrastructure.models.onnx import checked
from citeloom.infrastructure.models.reranking import answer_reader as bundled

QUESTION = "What do the authors admit does not work well?"
SENTENCES = [
    "Ponds and heat. Methods. We measured the moisture of the soil in twelve small plots.",
    "Ponds and heat. Discussion. A drawback of our method is that it fails in heavy rain.",
    "Ponds and heat. Introduction. The city has many streets, and some of them are old.",
    "",
    "🦆",
    "池塘使空气变凉。",
    "The grid has the smallest error at every sample size. " * 60,
]


@pytest.fixture(scope="module")
def reader() -> AnswerReader:
    return bundled.BundledAnswerReader(tokenizer_folder())


def test_the_sentence_that_answers_is_first(reader: AnswerReader) -> None:
    odds = reader.odds(QUESTION, SENTENCES)
    assert len(odds) == len(SENTENCES)
    assert odds.index(max(odds)) == 1


def test_no_sentences_have_no_odds(reader: AnswerReader) -> None:
    assert reader.odds(QUESTION, []) == []


def test_odds_do_not_depend_on_the_other_sentences_or_on_threads(reader: AnswerReader) -> None:
    together = reader.odds(QUESTION, SENTENCES)
    alone = bundled.BundledAnswerReader(tokenizer_folder(), threads=1)
    assert together == [alone.odds(QUESTION, [one])[0] for one in SENTENCES]
    assert reader.fingerprint == alone.fingerprint


def test_the_weights_are_small_verified_and_the_rerankers_below(tmp_path: Path) -> None:
    assert bundled.weights_path().stat().st_size <= 6_000_000
    other = tmp_path / "columns.onnx"
    other.write_bytes(b"other")
    with pytest.raises(ModelUnavailable, match=r"not the weights.*reinstall citeloom"):
        checked(other, bundled.WEIGHTS_SHA256, bundled.NAME)
