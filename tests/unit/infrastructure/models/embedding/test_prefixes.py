"""Models read what their cards want before questions and passages."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.catalogue import FastEmbedEmbedder
from citeloom.infrastructure.models.embedding.model_names import (
    NONE,
    Prefixes,
    prefixes_in,
    prefixes_of,
)

SEARCHING = "Represent this sentence for searching relevant passages: "


class Reading:
    """fastembed's model, as far as it is asked: remembers what it read."""

    def __init__(self, folder: Path) -> None:
        self.read: list[tuple[str, str]] = []
        self.model = SimpleNamespace(
            _model_dir=folder, model_description=SimpleNamespace(model_file="model.onnx")
        )

    def embed(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        return (np.ones(3) for _ in texts)

    def query_embed(self, text: str) -> Iterator[np.ndarray]:
        self.read.append(("query", text))
        yield np.ones(3)

    def passage_embed(self, texts: Iterable[str], **_: object) -> Iterator[np.ndarray]:
        for text in texts:
            self.read.append(("passage", text))
            yield np.ones(3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What fastembed fetched (its weights are none)."""
    for file in bundled.tokenizer_folder().iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"none")
    return tmp_path


def embedder(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[FastEmbedEmbedder, Reading]:
    reading = Reading(folder)
    monkeypatch.setattr(FastEmbedEmbedder, "_fastembed", reading)
    return FastEmbedEmbedder(name), reading


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", SEARCHING, ""),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("thenlper/gte-base", "", ""),
    ],
)
def test_question_and_passages_get_the_prefixes_of_the_model(
    name: str, query: str, passage: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, reading = embedder(name, folder, monkeypatch)
    model.embed_query("ponds?")
    list(model.embed(["Ponds cool.", "Grids err."]))
    assert reading.read == [
        ("query", f"{query}ponds?"),
        ("passage", f"{passage}Grids err."),
        ("passage", f"{passage}Ponds cool."),
    ]


def test_a_passages_prefix_takes_of_the_window_and_is_part_of_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {
        name: embedder(name, folder, monkeypatch)[0].model
        for name in ("intfloat/multilingual-e5-large", "BAAI/bge-small-en", "thenlper/gte-base")
    }
    e5, bge, gte = models.values()
    assert (e5.max_tokens, bge.max_tokens, gte.max_tokens) == (254, 256, 256)
    assert e5.digest != gte.digest
    assert bge.digest == gte.digest  # a question's prefix changes no stored vector


def test_every_model_of_the_catalogue_that_needs_prefixes_has_some() -> None:
    from fastembed import TextEmbedding

    for model in TextEmbedding.list_supported_models():
        if not model["model"].startswith("local/"):  # what other tests made known
            needed = "Prefixes for queries/documents: not necessary" not in model["description"]
            assert (prefixes_of(model["model"]) != NONE) == needed, model["model"]


def test_a_folder_says_its_own(tmp_path: Path) -> None:
    assert prefixes_in(tmp_path) == NONE
    config = tmp_path / "config_sentence_transformers.json"
    for written, expected in (
        ({"prompts": {"query": "q: ", "passage": "p: "}}, Prefixes("q: ", "p: ")),
        ({"prompts": {"query": "q: ", "document": ""}}, Prefixes("q: ")),
        ({"prompts": None}, NONE),
        ({}, NONE),
    ):
        config.write_text(json.dumps(written), encoding="utf-8")
        assert prefixes_in(tmp_path) == expected
    config.write_text("[", encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="config_sentence_transformers"):
        prefixes_in(tmp_path)
