"""Every reranker does the same: the bundled one, fastembed's, and the one that tests use."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.in_memory.reranker import OverlapReranker

from citeloom.application.ports.models import Reranker
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
from citeloom.infrastructure.models.reranking import rerankers as bundled
from citeloom.infrastructure.models.reranking.rerankers import BundledReranker, FastEmbedReranker

QUERY = "Ponds cool the air in the street on summer evenings."
PASSAGES = [
    "We measured the moisture of the soil in twelve small plots.",
    "Water in the city. On summer evenings the air in the street was cooler beside ponds.",
    "The readers recalled more after two weeks if they had waited.",
    "",
    "   \n ",
    "🦆",
    "池塘使空气变凉。",
    "The grid has the smallest error at every sample size. " * 60,
]


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled weights laid out as fastembed wants a model, with the window they have."""
    folder = tmp_path_factory.mktemp("reranker")
    for path in tokenizer_folder().glob("*.json"):
        shutil.copy(path, folder)
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    config["model_max_length"] = bundled.MAX_TOKENS
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copy(bundled.weights_path(), folder / "model.onnx")
    return folder


@pytest.fixture(scope="module", params=["bundled", "fastembed", "overlap"])
def reranker(request: pytest.FixtureRequest, model_folder: Path) -> Reranker:
    if request.param == "bundled":
        return BundledReranker(tokenizer_folder())
    if request.param == "fastembed":
        return FastEmbedReranker(str(model_folder))
    return OverlapReranker()


def test_each_passage_has_a_score_between_0_and_1(reranker: Reranker) -> None:
    scores = reranker.rerank(QUERY, PASSAGES)
    assert len(scores) == len(PASSAGES)
    assert all(isinstance(score, float) and 0.0 <= score <= 1.0 for score in scores)


def test_no_passages_have_no_scores(reranker: Reranker) -> None:
    assert reranker.rerank(QUERY, []) == []


def test_the_passage_that_answers_is_first(reranker: Reranker) -> None:
    scores = reranker.rerank(QUERY, PASSAGES)
    assert max(scores) == scores[1]
    assert scores[1] > scores[0] + 0.2


def test_a_score_does_not_depend_on_the_other_passages(reranker: Reranker) -> None:
    among_others = reranker.rerank(QUERY, PASSAGES)
    alone = [reranker.rerank(QUERY, [passage])[0] for passage in PASSAGES]
    backwards = reranker.rerank(QUERY, PASSAGES[::-1])[::-1]
    assert among_others == alone == backwards


def test_passages_that_go_on_have_the_scores_they_have_alone(reranker: Reranker) -> None:
    looked: list[float] = []

    def going_on(scores: Sequence[float]) -> Sequence[int]:
        looked.extend(scores)
        return [1, 3]

    scores = reranker.rerank(QUERY, PASSAGES, going_on)
    assert [scores[1], scores[3]] == reranker.rerank(QUERY, [PASSAGES[1], PASSAGES[3]])
    assert len(scores) == len(PASSAGES)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert not looked or (max(looked) == looked[1] and scores[0] == looked[0])


def test_a_query_of_any_length_is_taken(reranker: Reranker) -> None:
    for query in ("", " ", "ponds", QUERY * 100):
        assert all(0.0 <= score <= 1.0 for score in reranker.rerank(query, PASSAGES[:4]))


def test_the_fingerprint_is_a_digest_and_lasts(reranker: Reranker) -> None:
    assert len(bytes.fromhex(reranker.fingerprint)) == 32
    assert reranker.fingerprint == reranker.fingerprint
    assert reranker.name


def test_the_rerankers_have_different_fingerprints(model_folder: Path) -> None:
    known: list[Reranker] = [
        BundledReranker(tokenizer_folder()),
        FastEmbedReranker(str(model_folder)),
        OverlapReranker(),
    ]
    assert len({reranker.fingerprint for reranker in known}) == len(known)


def test_a_folder_that_claims_a_larger_window_than_its_model_names_the_setting(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(model_folder, tmp_path / "wide"))
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(config | {"model_max_length": 4096}), encoding="utf-8"
    )
    reranker = FastEmbedReranker(str(folder))
    assert len(reranker.rerank(QUERY, PASSAGES[:2])) == 2
    with pytest.raises(ModelUnavailable, match=r"wide: .* set model_max_length in its"):
        reranker.rerank(QUERY, PASSAGES)
