"""Rerankers: the bundled cross-encoder, or one of fastembed; their catalogue.

The bundled cross-encoder, described in ``data/MODEL_CARD.md``. Its tokenizer is that of
all-MiniLM-L6-v2, which is part of the embedding model.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.application.ports.models import Availability, GoingOn, KnownModel, ModelKind
from citeloom.domain.errors import CiteLoomError, ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import checkpoint
from citeloom.domain.text.phrasing import first_line
from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.model_catalogue import LOCAL, LocalModelCatalogue, silence
from citeloom.infrastructure.models.onnx import checked
from citeloom.infrastructure.system.files import file_sha256

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

NAME = "citeloom-reranker-minilm"
ALIASES = frozenset({NAME, "bundled"})
WEIGHTS: Final = {
    "model.onnx": "9577e9eb677a0187b3e5f6695217f0be18da90456c54fc425e8882e18714019e",
    "rest.onnx": "95aea5b4b9ffbf6bbcce32cecb8efa89db6a897c509402a05e4d3ef9fe68bc2d",
}
SIZE_MB = 24
MAX_TOKENS = 192
QUERY_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Calibration:
    """``1 / (1 + exp(-(scale * logit + offset)))`` is the probability that a pair is relevant, for
    claims and candidates like those of the training data (Platt 1999)."""

    scale: float
    offset: float


CALIBRATION = Calibration(scale=0.415, offset=-1.055)
EARLY = Calibration(scale=0.523, offset=-0.761)  # of the first layers


def folder() -> Path:
    return Path(__file__).parent / "data"


@cache
def weights_path(name: str = "model.onnx") -> Path:
    """The file of the first layers, or the rest, with verified sha256. Raises ModelUnavailable."""
    return checked(folder() / name, WEIGHTS[name], NAME)


class BundledReranker:
    """Loads the model with the first pair.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number
    of pairs scored in parallel.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._encoder = CrossEncoder(
            NAME,
            weights_path,
            tokenizer,
            max_tokens=MAX_TOKENS,
            first_tokens=QUERY_TOKENS,
            threads=threads,
            rest=lambda: weights_path("rest.onnx"),
        )

    @property
    def name(self) -> str:
        return NAME

    @cached_property
    def fingerprint(self) -> str:
        parameters = (CALIBRATION, EARLY, MAX_TOKENS, QUERY_TOKENS)
        return self._encoder.fingerprint(" ".join(WEIGHTS.values()), *parameters)

    def load_ahead(self) -> None:
        """Start loading the weights in the background."""
        self._encoder.session.open_ahead()
        self._encoder.rest.open_ahead()

    def rerank(
        self, query: str, passages: Sequence[str], going_on: GoingOn | None = None
    ) -> list[float]:
        begun = self._encoder.begun(query, passages)
        scores = [_probability(logit, EARLY) for ((logit,), _) in begun]
        places = going_on(scores) if going_on else range(len(begun))
        ended = self._encoder.ended([begun[place] for place in places])
        for place, (logit,) in zip(places, ended, strict=True):
            scores[place] = _probability(logit, CALIBRATION)
        return scores


def _probability(logit: float, calibration: Calibration) -> float:
    return 1.0 / (
        1.0 + math.exp(-max(-60.0, min(60.0, calibration.scale * logit + calibration.offset)))
    )


class FastEmbedReranker:
    """``name`` is a downloaded model of fastembed's catalogue, or a folder with an ONNX model of
    one logit and its ``tokenizer.json`` and ``tokenizer_config.json``.

    Scores are the sigmoid of the logits, with which these models were trained; they order passages,
    but are not calibrated probabilities.
    """

    def __init__(self, name: str, *, threads: int = 2, cache: Path | None = None) -> None:
        self._name = name
        self._threads = threads
        self._cache = cache

    @property
    def name(self) -> str:
        return self._name

    @cached_property
    def fingerprint(self) -> str:
        loaded: Any = self._encoder.model
        folder = Path(loaded._model_dir)
        files = [folder / loaded.model_description.model_file, folder / "tokenizer.json"]
        parts = [file_sha256(path) for path in files]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def rerank(
        self, query: str, passages: Sequence[str], _going_on: GoingOn | None = None
    ) -> list[float]:
        """One pair per run: in a padded batch the score of a quantised model depends on the other
        pairs."""
        if not passages:
            return []
        scores = []
        try:
            for logit in self._encoder.rerank(query, list(passages), batch_size=1):
                checkpoint()
                scores.append(1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, float(logit))))))
        except CiteLoomError:
            raise
        except Exception as error:
            raise ModelUnavailable(
                f"{self._name}: the reranker cannot read a passage ({first_line(error)}); set "
                "model_max_length in its tokenizer_config.json to the tokens that the model "
                f"reads, or use the bundled {NAME}"
            ) from error
        return scores

    @cached_property
    def _encoder(self) -> "TextCrossEncoder":
        try:
            return self._load()
        except CiteLoomError:
            raise
        except Exception as error:
            raise ModelUnavailable(
                f"{self._name}: the reranker cannot be loaded ({first_line(error)}); use the "
                f"bundled {NAME} or a folder with model.onnx and tokenizer.json",
                NextStep(Action.FETCH_MODEL, model=self._name),
            ) from error

    def _load(self) -> "TextCrossEncoder":
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        silence()
        local = Path(self._name).expanduser()
        if local.is_dir():
            return TextCrossEncoder(
                _register(local), specific_model_path=str(local), threads=self._threads
            )
        known = {str(m["model"]).lower() for m in TextCrossEncoder.list_supported_models()}
        if self._name.lower() not in known:
            raise ModelUnavailable(
                f"{self._name}: no such reranker; name the bundled {NAME}, one of "
                "fastembed's catalogue, or a folder with model.onnx and tokenizer.json",
                NextStep(Action.LIST_MODELS),
            )
        cache = str(self._cache) if self._cache else None
        return TextCrossEncoder(
            self._name, cache_dir=cache, threads=self._threads, local_files_only=True
        )


def _register(folder: Path) -> str:
    """Register a local model with fastembed, whose registry is global and refuses repetitions."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    weights = next(iter(sorted(folder.rglob("*.onnx"))), None)
    if weights is None:
        raise ModelUnavailable(f"{folder}: holds no ONNX file; export the model to ONNX first")
    name = f"{LOCAL}{folder.resolve()}"
    known = {str(m["model"]).lower() for m in TextCrossEncoder.list_supported_models()}
    if name.lower() not in known:
        TextCrossEncoder.add_custom_model(
            model=name,
            sources=ModelSource(hf=name),
            model_file=str(weights.relative_to(folder)),
        )
    return name


class RerankerCatalogue(LocalModelCatalogue):
    kind = ModelKind.RERANKER
    instead = f"use the bundled {NAME}"
    bundled_model = KnownModel(
        name=NAME,
        kind=kind,
        availability=Availability.BUNDLED,
        size_mb=SIZE_MB,
        max_tokens=MAX_TOKENS,
        languages="English",
        licence="apache-2.0",
        description="a small cross-encoder; comes with the package and is verified at load",
    )

    def find(self, name: str) -> KnownModel | None:
        if name.lower() in ALIASES:
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
            for name in WEIGHTS:
                weights_path(name)
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
