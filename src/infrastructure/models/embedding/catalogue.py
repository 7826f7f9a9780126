"""Catalogue of embedding models, and those that fastembed runs."""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.application.ports.models import Availability, Embedder, KnownModel, ModelKind
from citeloom.domain.errors import CiteLoomError, ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.text.phrasing import first_line
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.model_catalogue import LocalModelCatalogue, ModelShare, silence
from citeloom.infrastructure.models.onnx import Device, device_in_use, providers_of
from citeloom.infrastructure.system.files import file_sha256

from .bundled_embedder import BundledEmbedder, HuggingFaceTokens
from .model_names import (
    EndpointOptions,
    Prefixes,
    canonical_name,
    endpoint_name,
    is_folder,
    prefixes_in,
    prefixes_of,
    registered_name,
)

if TYPE_CHECKING:
    from fastembed import TextEmbedding


# Sorted by length within a window, then embedded in small batches: padding costs CPU and
# memory, the number of calls does not.
_WINDOW = 512
_BATCH = 4
# An accelerator waits for each call.
_ACCELERATOR_BATCH = 64


class FastEmbedEmbedder:
    """Embeds with one model, loaded lazily. The model's prefixes of questions and passages are
    prepended, and count in its window.

    ``name`` is a name of fastembed's catalogue, or a folder with an ONNX model and its tokenizer;
    ``device`` runs it, an accelerator in larger batches.
    Raises ModelUnavailable where it cannot be loaded; never uses the network.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int = 2,
        cache: Path | None = None,
        device: Device = "cpu",
    ) -> None:
        self._name = canonical_name(name)
        self._threads = threads
        self._cache = cache
        self._device = device

    @cached_property
    def model(self) -> EmbeddingModel:
        folder, weights = self._folder, self._weights
        return EmbeddingModel(
            name=self._name,
            dimension=len(next(iter(self._fastembed.embed(["dimension"])))),
            digest=bundled.digest(file_sha256(weights), folder, self._prefixes.passage),
            max_tokens=self.tokens.window - self.tokens.count(self._prefixes.passage),
        )

    @cached_property
    def tokens(self) -> HuggingFaceTokens:
        return HuggingFaceTokens(self._folder)

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            order = sorted(range(len(window)), key=lambda i: (len(window[i]), i))
            vectors: dict[int, Sequence[float]] = {}
            prefixed = [self._prefixes.passage + window[i] for i in order]
            embedded = self._fastembed.passage_embed(prefixed, batch_size=self._batch)
            for i, vector in zip(order, embedded, strict=True):
                checkpoint()
                vectors[i] = vector.tolist()
            yield from (vectors[i] for i in range(len(window)))

    def embed_query(self, text: str, _is_claim: bool = False) -> Sequence[float]:
        vector = next(iter(self._fastembed.query_embed(self._prefixes.query + text)))
        return [float(x) for x in vector]

    @cached_property
    def _batch(self) -> int:
        return _BATCH if self.device == "cpu" else _ACCELERATOR_BATCH

    @cached_property
    def device(self) -> str:
        """The device in use."""
        return "cpu" if self._device == "cpu" else self._started(self._fastembed)

    def _started(self, loaded: "TextEmbedding") -> str:
        """Raises ModelUnavailable if a named device did not start."""
        model: Any = loaded.model
        return device_in_use(self._device, model.model.get_providers(), self._name)

    @cached_property
    def _prefixes(self) -> Prefixes:
        return prefixes_in(Path(self._name)) if is_folder(self._name) else prefixes_of(self._name)

    @cached_property
    def _folder(self) -> Path:
        """Folder of the tokenizer and the weights."""
        if is_folder(self._name):
            return Path(self._name)
        loaded: Any = self._fastembed.model
        return Path(loaded._model_dir)

    @property
    def _weights(self) -> Path:
        """The ONNX file in use; a downloaded folder may have several."""
        if not is_folder(self._name):
            loaded: Any = self._fastembed.model
            return Path(loaded._model_dir, loaded.model_description.model_file)
        onnx_files = sorted(self._folder.rglob("*.onnx"))
        if not onnx_files:
            raise ModelUnavailable(
                f"{self._folder}: holds no ONNX file; export the model to ONNX first"
            )
        return onnx_files[0]

    @cached_property
    def _fastembed(self) -> "TextEmbedding":
        try:
            loaded = self._load()
            self._started(loaded)
            return loaded
        except CiteLoomError:
            raise
        except Exception as error:
            step = NextStep(Action.FETCH_MODEL, model=self._name)
            raise ModelUnavailable(
                f"{self._name}: the model cannot be loaded ({first_line(error)}); use the bundled "
                f"{bundled.NAME} or a folder with model.onnx, config.json and tokenizer.json",
                None if is_folder(self._name) else step,
            ) from error

    def _load(self) -> "TextEmbedding":
        from fastembed import TextEmbedding

        silence()
        common: dict[str, Any] = {
            "threads": self._threads,
            "enable_cpu_mem_arena": False,
            "providers": providers_of(self._device),
        }
        if is_folder(self._name):
            local, weights, name = Path(self._name), self._weights, registered_name(self._name)
            config = json.loads((local / "config.json").read_text(encoding="utf-8"))
            _register(name, str(weights), int(config["hidden_size"]), _uses_mean_pooling(local))
            return TextEmbedding(name, specific_model_path=str(local), **common)
        known = {str(m["model"]).lower() for m in TextEmbedding.list_supported_models()}
        if self._name.lower() not in known:
            raise ModelUnavailable(
                f"{self._name}: no such model; name the bundled {bundled.NAME}, one of fastembed's "
                "catalogue, or a folder with model.onnx and tokenizer.json",
                NextStep(Action.LIST_MODELS),
            )
        cache = str(self._cache) if self._cache else None
        return TextEmbedding(self._name, cache_dir=cache, local_files_only=True, **common)


def _register(name: str, weights: str, dimension: int, mean: bool) -> None:
    """Register a local model with fastembed, whose registry is global and refuses repetitions.

    An absolute ``model_file`` overrides the folder it is joined to, so that weights and tokenizer
    may be in different folders.
    """
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    if not any(m["model"] == name for m in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN if mean else PoolingType.CLS,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=dimension,
            model_file=weights,
        )


def _uses_mean_pooling(folder: Path) -> bool:
    """Pooling as recorded by sentence-transformers; mean by default."""
    config = folder / "1_Pooling" / "config.json"
    if not config.exists():
        return True
    return not json.loads(config.read_text(encoding="utf-8")).get("pooling_mode_cls_token", False)


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
        if model.availability is Availability.BUNDLED:
            bundled.towards_answers()
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
