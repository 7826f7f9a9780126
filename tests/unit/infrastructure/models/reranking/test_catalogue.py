"""Which rerankers there are: bundled, in fastembed's catalogue, fetched, in folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.models.reranking import rerankers as bundled
from citeloom.infrastructure.models.reranking.rerankers import FastEmbedReranker, RerankerCatalogue

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"


@pytest.fixture
def catalogue(tmp_path: Path) -> RerankerCatalogue:
    return RerankerCatalogue(tmp_path / "cache")


def put_in_cache(cache: Path) -> None:
    """Weights (none that load), where fastembed would put them."""
    weights = cache / f"models--{NAME.replace('/', '--')}" / "snapshots" / "abc" / "onnx"
    weights.mkdir(parents=True)
    (weights / "model.onnx").write_bytes(b"no weights")


def found(catalogue: RerankerCatalogue, name: str) -> KnownModel:
    model = catalogue.find(name)
    assert model is not None
    return model


def test_every_reranker_has_what_one_chooses_by(catalogue: RerankerCatalogue) -> None:
    models = catalogue.models()
    assert (models[0].name, models[0].availability) == (bundled.NAME, Availability.BUNDLED)
    assert len({m.name for m in models}) == len(models) > 3
    assert all(m.kind is ModelKind.RERANKER and m.size_mb and m.licence for m in models)


def test_the_bundled_one_has_its_name_and_the_size_of_its_weights(
    catalogue: RerankerCatalogue,
) -> None:
    assert found(catalogue, "bundled") == found(catalogue, bundled.NAME.upper())
    sizes = [bundled.weights_path(name).stat().st_size for name in bundled.WEIGHTS]
    assert round(sum(sizes) / 1e6) == bundled.SIZE_MB
    assert catalogue.fetch("bundled").availability is Availability.BUNDLED


def test_a_reranker_is_fetched_when_its_weights_are_in_the_cache(tmp_path: Path) -> None:
    catalogue = RerankerCatalogue(tmp_path)
    assert found(catalogue, NAME.lower()).availability is Availability.TO_FETCH
    put_in_cache(tmp_path)
    assert found(catalogue, NAME).availability is Availability.FETCHED
    assert catalogue.find("no-such-model") is None


def test_a_folder_is_a_reranker_if_its_model_scores_texts(
    catalogue: RerankerCatalogue, tmp_path: Path
) -> None:
    config = tmp_path / "config.json"
    assert catalogue.find(str(tmp_path)) is None
    config.write_text(json.dumps({"architectures": ["BertModel"]}), encoding="utf-8")
    assert catalogue.find(str(tmp_path)) is None
    config.write_text(
        json.dumps({"architectures": ["BertForSequenceClassification"]}), encoding="utf-8"
    )
    assert found(catalogue, str(tmp_path)).availability is Availability.MISSING
    (tmp_path / "model.onnx").write_bytes(b"0" * 2_000_000)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    there = found(catalogue, str(tmp_path))
    assert (there.availability, there.size_mb) == (Availability.FOLDER, 2)


def test_fetching_downloads_into_the_cache_and_loads(
    catalogue: RerankerCatalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, str]] = []
    loaded: list[str] = []

    def download(description: Any, cache: str, **_: Any) -> None:
        asked.append((description.model, cache))
        put_in_cache(tmp_path / "cache")

    monkeypatch.setattr(FastEmbedReranker, "rerank", lambda self, *_: loaded.append(self.name))
    monkeypatch.setattr("fastembed.rerank.cross_encoder.TextCrossEncoder.download_model", download)
    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE forbids"):
        catalogue.fetch(NAME)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert catalogue.fetch(NAME.lower()).availability is Availability.FETCHED
    assert catalogue.fetch(NAME).availability is Availability.FETCHED
    assert asked == [(NAME, str(tmp_path / "cache"))]
    assert loaded == [NAME, NAME]
    with pytest.raises(ModelUnavailable) as refused:
        catalogue.fetch("no-such-model")
    assert refused.value.next_step == NextStep(Action.LIST_MODELS)


@pytest.mark.usefixtures("no_network")
def test_a_reranker_that_was_not_fetched_is_not_asked_of_the_network(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable) as raised:
        FastEmbedReranker(NAME, cache=tmp_path).rerank("question", ["passage"])
    assert raised.value.next_step == NextStep(Action.FETCH_MODEL, model=NAME)
