"""Embedding models that can be named: the bundled one, fastembed's catalogue, folders."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.download import cached_folder, download
from citeloom.infrastructure.models.embedding import bundled
from citeloom.infrastructure.models.embedding.factory import embedder_named
from citeloom.infrastructure.models.embedding.model_names import LOCAL, canonical_name, is_folder
from citeloom.infrastructure.models.embedding.tokens import HuggingFaceTokens

_INSTEAD = "name a folder with model.onnx and tokenizer.json, or use the bundled " + bundled.NAME
# fastembed's descriptions name, parted by commas, the modality in brackets, the languages
# and the input length: "Text embeddings, Unimodal (text), English, 512 input tokens …".
_LANGUAGES = re.compile(r"\(text[^)]*\)[^,]*, ((?:[^,(]|\([^)]*\))+)")
_TOKENS = re.compile(r"(\d+) input tokens")


class EmbeddingCatalogue:
    """``cache`` is the folder that fetched models lie in."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def models(self) -> Sequence[KnownModel]:
        return [_bundled(), *(self._known(each) for each in _descriptions())]

    def find(self, name: str) -> KnownModel | None:
        name = canonical_name(name)
        if name == bundled.NAME:
            return _bundled()
        if is_folder(name):
            return _folder(Path(name))
        same = (m for m in _descriptions() if str(m["model"]).lower() == name.lower())
        found = next(same, None)
        return self._known(found) if found else None

    def fetch(self, name: str) -> KnownModel:
        found = self.find(name)
        if found is None:
            raise ModelUnavailable(f"{name}: no such model; see `citeloom models list`")
        if found.availability is Availability.TO_FETCH:
            from fastembed import TextEmbedding

            download(TextEmbedding, found.name, self._cache, _INSTEAD)
        loaded = embedder_named(found.name, cache=self._cache).model
        now = self.find(name) or found
        return now.model_copy(update={"max_tokens": loaded.max_tokens})

    def _known(self, description: Mapping[str, Any]) -> KnownModel:
        text = str(description["description"])
        languages, tokens = _LANGUAGES.search(text), _TOKENS.search(text)
        place = cached_folder(self._cache, description)
        return KnownModel(
            name=description["model"],
            kind=ModelKind.EMBEDDING,
            availability=Availability.FETCHED if place else Availability.TO_FETCH,
            dimension=description["dim"],
            size_mb=round(float(description["size_in_GB"]) * 1000),
            max_tokens=int(tokens[1]) if tokens else None,
            languages=_plain(languages[1]) if languages else None,
            licence=description["license"],
            description=text,
            place=str(place) if place else None,
        )


def _descriptions() -> list[Mapping[str, Any]]:
    """Of those that are ONNX; what was registered by us is left out."""
    from fastembed import TextEmbedding

    return [
        model
        for model in TextEmbedding.list_supported_models()
        if model["model_file"].endswith(".onnx") and not model["model"].startswith(LOCAL)
    ]


def _plain(languages: str) -> str:
    return languages.strip().removeprefix("supports ").removesuffix(" input text")


def _bundled() -> KnownModel:
    return KnownModel(
        name=bundled.NAME,
        kind=ModelKind.EMBEDDING,
        availability=Availability.BUNDLED,
        dimension=bundled.DIMENSION,
        size_mb=bundled.SIZE_MB,
        max_tokens=bundled.MAX_TOKENS,
        languages="English",
        licence="apache-2.0",
        description="all-MiniLM-L6-v2 in int8; comes with the package and is verified at load",
    )


def _folder(folder: Path) -> KnownModel:
    weights = next(iter(sorted(folder.rglob("*.onnx"))), None)
    there = weights is not None and (folder / "tokenizer.json").is_file()
    return KnownModel(
        name=str(folder),
        kind=ModelKind.EMBEDDING,
        availability=Availability.FOLDER if there else Availability.MISSING,
        size_mb=round(weights.stat().st_size / 1e6) if weights else None,
        max_tokens=HuggingFaceTokens(folder).window if there else None,
        description=None if there else "holds no ONNX file, or no tokenizer.json",
        place=str(folder),
    )
