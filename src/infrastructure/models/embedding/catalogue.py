"""Catalogue of embedding models."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from citeloom.application.ports.models import Availability, Embedder, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.model_catalogue import LocalModelCatalogue, ModelShare
from citeloom.infrastructure.models.onnx import Device

from . import bundled_embedder as bundled
from .bundled_embedder import BundledEmbedder, HuggingFaceTokens
from .fastembed import FastEmbedEmbedder
from .model_names import EndpointOptions, canonical_name, endpoint_name, is_folder

_log: Final = logging.getLogger(__name__)
_ON_PROCESSOR: Final = (
    "%s runs on the processor; embedding.device = %s is for other models, and "
    "the bundled one does without"
)


def embedder_named(
    name: str,
    *,
    threads: int = 2,
    cache: Path | None = None,
    endpoint: EndpointOptions | None = None,
    device: Device = "cpu",
) -> Embedder:
    """The embedder of the bundled model, by any of its names; of ``endpoint`` for names such as
    ``tei:MODEL``; otherwise fastembed's, on ``device``. Loads lazily. Raises ModelUnavailable
    where the model is on an endpoint and there is none."""
    if served := endpoint_name(name):
        if endpoint is None:
            raise ModelUnavailable(
                f"{name}: this model is on a server, and none is configured; set "
                "embedding.endpoint in citeloom.toml, or migrate the project to a model of this "
                "machine"
            )
        from .endpoint import EndpointEmbedder

        return EndpointEmbedder(*served, endpoint)
    if canonical_name(name) == bundled.NAME:
        if device not in ("auto", "cpu"):
            _log.warning(_ON_PROCESSOR, bundled.NAME, device)
        return BundledEmbedder(threads=threads)
    return FastEmbedEmbedder(name, threads=threads, cache=cache, device=device)


# fastembed's descriptions name, separated by commas, the modality in brackets, the languages
# and the input length: "Text embeddings, Unimodal (text), English, 512 input tokens …".
_LANGUAGES: Final = re.compile(r"\(text[^)]*\)[^,]*, ((?:[^,(]|\([^)]*\))+)")
_TOKENS: Final = re.compile(r"(\d+) input tokens")


class EmbeddingCatalogue(LocalModelCatalogue):
    kind = ModelKind.EMBEDDING
    instead = f"name a folder with model.onnx and tokenizer.json, or use the bundled {bundled.NAME}"
    bundled_model = KnownModel(
        name=bundled.NAME,
        kind=kind,
        availability=Availability.BUNDLED,
        dimension=bundled.DIMENSION,
        size_mb=bundled.SIZE_MB,
        max_tokens=bundled.MAX_TOKENS,
        languages="English",
        licence="apache-2.0",
        description="all-MiniLM-L6-v2 in int8; comes with the package and is verified at load",
    )

    def __init__(
        self,
        cache: Path,
        endpoint: EndpointOptions | None = None,
        share: ModelShare | None = None,
    ) -> None:
        super().__init__(cache, share)
        self._endpoint = endpoint

    def find(self, name: str) -> KnownModel | None:
        if endpoint_name(name):
            place = self._endpoint.url if self._endpoint else None
            return KnownModel(
                name=name, kind=self.kind, availability=Availability.ENDPOINT, place=place
            )
        name = canonical_name(name)
        if name == self.bundled_model.name:
            return self.bundled_model
        return self._folder(Path(name)) if is_folder(name) else self._by_name(name)

    def _fastembed(self) -> Any:
        from fastembed import TextEmbedding

        return TextEmbedding

    def _load(self, model: KnownModel) -> int | None:
        return embedder_named(
            model.name, cache=self._cache, endpoint=self._endpoint
        ).model.max_tokens

    def _known(self, description: Mapping[str, Any]) -> KnownModel:
        text = str(description["description"])
        languages, tokens = _LANGUAGES.search(text), _TOKENS.search(text)
        return (
            super()
            ._known(description)
            .model_copy(
                update={
                    "dimension": description["dim"],
                    "max_tokens": int(tokens[1]) if tokens else None,
                    "languages": _language_list(languages[1]) if languages else None,
                }
            )
        )

    def _folder(self, folder: Path) -> KnownModel:
        model = super()._folder(folder)
        if model.availability is Availability.MISSING:
            return model
        return model.model_copy(update={"max_tokens": HuggingFaceTokens(folder).window})


def _language_list(languages: str) -> str:
    return languages.strip().removeprefix("supports ").removesuffix(" input text")
