"""Catalogue of rerankers."""

import json
from pathlib import Path
from typing import Any

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.infrastructure.models.model_catalogue import LocalModelCatalogue
from citeloom.infrastructure.models.reranking import bundled
from citeloom.infrastructure.models.reranking.fastembed import FastEmbedReranker


class RerankerCatalogue(LocalModelCatalogue):
    kind = ModelKind.RERANKER
    instead = f"use the bundled {bundled.NAME}"
    bundled_model = KnownModel(
        name=bundled.NAME,
        kind=kind,
        availability=Availability.BUNDLED,
        size_mb=bundled.SIZE_MB,
        max_tokens=bundled.MAX_TOKENS,
        languages="English",
        licence="apache-2.0",
        description="a small cross-encoder; comes with the package and is verified at load",
    )

    def find(self, name: str) -> KnownModel | None:
        if name.lower() in bundled.ALIASES:
            return self.bundled_model
        folder = Path(name).expanduser()
        if folder.is_dir():
            return self._folder(folder.resolve()) if _classifies(folder) else None
        return self._by_name(name)

    def _fastembed(self) -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder

    def _load(self, model: KnownModel) -> int | None:
        if model.availability is Availability.BUNDLED:
            bundled.weights_path()
        else:
            FastEmbedReranker(model.name, cache=self._cache).rerank("question", ["passage"])
        return model.max_tokens


def _classifies(folder: Path) -> bool:
    """Whether a model's configuration says that it scores texts instead of embedding them."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        names = [str(name) for name in config.get("architectures") or ()]
    except (OSError, ValueError, AttributeError):
        return False
    return any(name.endswith("ForSequenceClassification") for name in names)
