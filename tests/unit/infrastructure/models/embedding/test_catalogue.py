"""Which models there are: bundled, in fastembed's catalogue, fetched, in folders."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom.infrastructure.models.embedding.catalogue import EmbeddingCatalogue, FastEmbedEmbedder
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure.shared_files import SharedModels

NAME = "BAAI/bge-small-en-v1.5"


@pytest.fixture
def catalogue(tmp_path: Path) -> EmbeddingCatalogue:
    return EmbeddingCatalogue(tmp_path / "cache")


def put_in_cache(cache: Path, name: str) -> Path:
    """The weights of a model (none that load), where fastembed would put them."""
    from fastembed import TextEmbedding

    (found,) = [m for m in TextEmbedding.list_supported_models() if m["model"] == name]
    folder = cache / f"models--{found['sources']['hf'].replace('/', '--')}" / "snapshots" / "abc"
    folder.mkdir(parents=True)
    (folder / found["model_file"]).write_bytes(b"no weights")
    return folder


def test_every_model_has_what_one_chooses_by(catalogue: EmbeddingCatalogue) -> None:
    models = catalogue.models()
    assert models[0].name == bundled.NAME
    assert models[0].availability is Availability.BUNDLED
    assert len({m.name for m in models}) == len(models) > 30
    for model in models:
        assert model.kind is ModelKind.EMBEDDING
        assert model.dimension
        assert model.size_mb
        assert model.licence
        assert model.languages, model.description
        assert "token" not in model.languages


@pytest.mark.parametrize(
    ("name", "languages", "tokens"),
    [
        (NAME, "English", 512),
        ("intfloat/multilingual-e5-large", "Multilingual (~100 languages)", 512),
        ("jinaai/jina-embeddings-v2-base-de", "Multilingual (German, English)", 8192),
        ("nomic-ai/nomic-embed-text-v1.5", "English", 8192),
        ("thenlper/gte-base", "English only", 512),
    ],
)
def test_languages_and_window_are_read_from_the_description(
    catalogue: EmbeddingCatalogue, name: str, languages: str, tokens: int
) -> None:
    found = catalogue.find(name.upper())
    assert found is not None
    assert (found.name, found.languages, found.max_tokens) == (name, languages, tokens)


def test_a_model_is_fetched_when_its_weights_are_in_the_cache(tmp_path: Path) -> None:
    catalogue = EmbeddingCatalogue(tmp_path)
    assert found(catalogue, NAME).availability is Availability.TO_FETCH
    assert not found(catalogue, NAME).offline
    folder = put_in_cache(tmp_path, NAME)
    assert found(catalogue, NAME).availability is Availability.FETCHED
    assert found(catalogue, NAME).place == str(folder)
    (folder / "model_optimized.onnx").unlink()
    assert found(catalogue, NAME).availability is Availability.TO_FETCH


def test_the_bundled_model_and_folders_are_found_but_not_downloaded(
    catalogue: EmbeddingCatalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("all-minilm-l6-v2", "fastembed/all-MiniLM-L6-v2"):
        assert found(catalogue, name).name == bundled.NAME
    assert catalogue.fetch(bundled.NAME).availability is Availability.BUNDLED
    folder = tmp_path / "mine"
    folder.mkdir()
    assert found(catalogue, str(folder)).availability is Availability.MISSING
    (folder / "model.onnx").write_bytes(b"0" * 3_000_000)
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 99}), "utf-8")
    monkeypatch.chdir(tmp_path)
    there = found(catalogue, "mine")
    assert (there.name, there.availability) == (str(folder), Availability.FOLDER)
    assert (there.size_mb, there.max_tokens) == (3, 99)
    assert catalogue.find("no-such-model") is None


def test_fetching_the_bundled_model_checks_what_moves_its_questions(
    catalogue: EmbeddingCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, "ASKED_SHA256", "0" * 64)
    bundled.towards_answers.cache_clear()
    with pytest.raises(ModelUnavailable, match=r"asked\.npy: these are not the weights"):
        catalogue.fetch(bundled.NAME)


def test_fetching_downloads_into_the_cache_and_loads(
    catalogue: EmbeddingCatalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, str]] = []

    def download(description: Any, cache: str, **_: Any) -> None:
        asked.append((description.model, cache))
        put_in_cache(tmp_path / "cache", NAME)

    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr("fastembed.TextEmbedding.download_model", download)
    monkeypatch.setattr(FastEmbedEmbedder, "model", BundledEmbedder().model)
    assert catalogue.fetch(NAME.lower()).availability is Availability.FETCHED
    assert catalogue.fetch(NAME).availability is Availability.FETCHED
    assert asked == [(NAME, str(tmp_path / "cache"))]


def test_a_model_that_another_machine_fetched_is_taken_without_the_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def download(description: Any, cache: str, **_: Any) -> None:
        assert cache == str(tmp_path / "one"), "the other machine asks no network"
        put_in_cache(tmp_path / "one", NAME)

    share = SharedModels(FolderBlobs(tmp_path / "shared"))
    monkeypatch.setattr(FastEmbedEmbedder, "model", BundledEmbedder().model)
    monkeypatch.setattr("fastembed.TextEmbedding.download_model", download)
    with monkeypatch.context() as online:
        online.delenv("HF_HUB_OFFLINE")
        EmbeddingCatalogue(tmp_path / "one", share=share).fetch(NAME)
    other = EmbeddingCatalogue(tmp_path / "two", share=share)
    assert other.fetch(NAME).availability is Availability.FETCHED
    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE forbids"):
        other.fetch("BAAI/bge-base-en-v1.5")


def test_a_model_that_is_here_already_is_shared_by_fetching_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(FastEmbedEmbedder, "model", BundledEmbedder().model)
    put_in_cache(tmp_path / "one", NAME)
    share = SharedModels(FolderBlobs(tmp_path / "shared"))
    EmbeddingCatalogue(tmp_path / "one", share=share).fetch(NAME)
    other = EmbeddingCatalogue(tmp_path / "two", share=share)
    assert other.fetch(NAME).availability is Availability.FETCHED


def test_a_download_that_fails_says_why_and_what_to_do(
    catalogue: EmbeddingCatalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def download(*_: Any, **__: Any) -> None:
        raise OSError("no route to host\nmore")

    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE forbids"):
        catalogue.fetch(NAME)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr("fastembed.TextEmbedding.download_model", download)
    with pytest.raises(ModelUnavailable, match="no route to host") as caught:
        catalogue.fetch(NAME)
    assert str(tmp_path / "cache") in str(caught.value)
    with pytest.raises(ModelUnavailable) as refused:
        catalogue.fetch("no-such-model")
    assert refused.value.next_step == NextStep(Action.LIST_MODELS)


@pytest.mark.usefixtures("no_network")
def test_a_model_that_was_not_fetched_is_not_asked_of_the_network(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable) as raised:
        _ = FastEmbedEmbedder(NAME, cache=tmp_path).model
    assert raised.value.next_step == NextStep(Action.FETCH_MODEL, model=NAME)


def test_a_model_is_known_by_its_own_weights_where_a_folder_holds_several(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Loaded:
        class model:  # noqa: N801
            _model_dir = tmp_path
            model_description = SimpleNamespace(model_file="model_quantized.onnx")

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[0.0] * 5 for _ in texts]

    shutil.copy(bundled.tokenizer_folder() / "tokenizer.json", tmp_path)
    monkeypatch.setattr(FastEmbedEmbedder, "_fastembed", Loaded())
    (tmp_path / "model_quantized.onnx").write_bytes(b"small")
    before = FastEmbedEmbedder("nomic-ai/nomic-embed-text-v1.5-Q").model
    (tmp_path / "model.onnx").write_bytes(b"large")
    assert FastEmbedEmbedder("nomic-ai/nomic-embed-text-v1.5-Q").model == before
    (tmp_path / "model_quantized.onnx").write_bytes(b"other")
    assert FastEmbedEmbedder("nomic-ai/nomic-embed-text-v1.5-Q").model != before


def test_a_folder_is_the_same_model_from_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelUnavailable, match=str(tmp_path / "mine")):
        _ = FastEmbedEmbedder("mine").model


def found(catalogue: EmbeddingCatalogue, name: str) -> KnownModel:
    one = catalogue.find(name)
    assert one is not None
    return one
