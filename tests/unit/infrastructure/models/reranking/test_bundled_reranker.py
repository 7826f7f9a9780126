"""The bundled reranker: its weights are what they should be, and what it reads of a pair."""

from pathlib import Path

import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
from citeloom.infrastructure.models.onnx import checked
from citeloom.infrastructure.models.reranking import rerankers as bundled
from citeloom.infrastructure.models.reranking.rerankers import BundledReranker, FastEmbedReranker

QUERY = "Statins lower the risk of stroke."


def test_the_weights_are_small_enough_to_ship() -> None:
    sizes = [bundled.weights_path(name).stat().st_size for name in bundled.WEIGHTS]
    assert sum(sizes) <= 24_300_000


def test_other_weights_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other")
    with pytest.raises(ModelUnavailable, match=r"not the weights.*reinstall citeloom"):
        checked(other, bundled.WEIGHTS["model.onnx"], bundled.NAME)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"model\.onnx.*No such file"):
        checked(tmp_path / "model.onnx", bundled.WEIGHTS["model.onnx"], bundled.NAME)


def test_a_missing_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json"):
        BundledReranker(tmp_path).rerank(QUERY, ["Stroke was rarer with statins."])


def test_what_lies_beyond_the_window_is_not_read() -> None:
    reranker = BundledReranker(tokenizer_folder())
    full = "stroke " * bundled.MAX_TOKENS
    short, long = reranker.rerank(QUERY, [full, full + "Statins lower the risk. " * 50])
    assert short == long


def test_one_thread_gives_what_several_give() -> None:
    passages = ["Stroke was rarer with statins.", "Ponds cool the street.", "Statins."] * 4
    one = BundledReranker(tokenizer_folder(), threads=1).rerank(QUERY, passages)
    assert BundledReranker(tokenizer_folder(), threads=4).rerank(QUERY, passages) == one


def test_claims_are_told_from_what_is_only_near_them() -> None:
    answers, near, far = BundledReranker(tokenizer_folder()).rerank(
        QUERY,
        [
            "Among 20,536 patients, simvastatin reduced the rate of first stroke by a quarter.",
            "Stroke units differ widely in how soon physiotherapy begins after admission.",
            "The readers recalled more after two weeks if they had waited.",
        ],
    )
    assert answers > near > far


def test_an_unknown_catalogue_name_is_refused_with_what_to_do() -> None:
    with pytest.raises(ModelUnavailable, match=r"nobody/nothing: no such reranker; name"):
        FastEmbedReranker("nobody/nothing").rerank(QUERY, ["x"])


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="holds no ONNX file"):
        FastEmbedReranker(str(tmp_path)).rerank(QUERY, ["x"])
