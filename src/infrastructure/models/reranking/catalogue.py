"""Rerankers that can be named: the bundled one, fastembed's catalogue, folders."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.download import cached_folder, download
from citeloom.infrastructure.models.reranking import bundled
from citeloom.infrastructure.models.reranking.fastembed import FastEmbedReranker

_INSTEAD: Final = f"use the bundled {bundled.NAME}"


class RerankerCatalogue:
    """``cache`` is the folder that fetched models lie in."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def models(self) -> Sequence[KnownModel]:
        return [_bundled(), *(self._known(each) for each in _descriptions())]

    def find(self, name: str) -> KnownModel | None:
        if name.lower() in bundled.ALIASES:
            return _bundled()
        folder = Path(name).expanduser()
        if folder.is_dir():
            return _folder(folder.resolve()) if _classifies(folder) else None
        same = (m for m in _descriptions() if str(m["model"]).lower() == name.lower())
        found = next(same, None)
        return self._known(found) if found else None

    def fetch(self, name: str) -> KnownModel:
        found = self.find(name)
        if found is None:
            raise ModelUnavailable(f"{name}: no such model; see `citeloom models list`")
        if found.availability is Availability.BUNDLED:
            bundled.weights_path()
            return found
        if found.availability is Availability.TO_FETCH:
            from fastembed.rerank.cross_encoder import TextCrossEncoder

            download(TextCrossEncoder, found.name, self._cache, _INSTEAD)
        FastEmbedReranker(found.name, cache=self._cache).rerank("question", ["passage"])
        return self.find(name) or found

    def _known(self, description: Mapping[str, Any]) -> KnownModel:
        place = cached_folder(self._cache, description)
        return KnownModel(
            name=description["model"],
            kind=ModelKind.RERANKER,
            availability=Availability.FETCHED if place else Availability.TO_FETCH,
            size_mb=round(float(description["size_in_GB"]) * 1000),
            licence=description["license"],
            description=description["description"],
            place=str(place) if place else None,
        )


def _descriptions() -> list[Mapping[str, Any]]:
    """What was registered by us is left out."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    known = TextCrossEncoder.list_supported_models()
    return [model for model in known if not model["model"].startswith("local/")]


def _bundled() -> KnownModel:
    return KnownModel(
        name=bundled.NAME,
        kind=ModelKind.RERANKER,
        availability=Availability.BUNDLED,
        size_mb=bundled.SIZE_MB,
        max_tokens=bundled.MAX_TOKENS,
        languages="English",
        licence="apache-2.0",
        description="a small cross-encoder; comes with the package and is verified at load",
    )


def _classifies(folder: Path) -> bool:
    """Whether a model's configuration says that it scores texts instead of embedding them."""
    try:
        stated = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        names = [str(name) for name in stated.get("architectures") or ()]
    except (OSError, ValueError, AttributeError):
        return False
    return any(name.endswith("ForSequenceClassification") for name in names)


def _folder(folder: Path) -> KnownModel:
    weights = next(iter(sorted(folder.rglob("*.onnx"))), None)
    there = weights is not None and (folder / "tokenizer.json").is_file()
    return KnownModel(
        name=str(folder),
        kind=ModelKind.RERANKER,
        availability=Availability.FOLDER if there else Availability.MISSING,
        size_mb=round(weights.stat().st_size / 1e6) if weights else None,
        description=None if there else "holds no ONNX file, or no tokenizer.json",
        place=str(folder),
    )
