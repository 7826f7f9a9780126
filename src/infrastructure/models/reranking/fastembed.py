"""Reranker with a cross-encoder of fastembed: by catalogue name, or from a folder."""

import hashlib
import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.domain.cancellation import checkpoint
from citeloom.domain.errors import CiteLoomError, ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.models.fastembed_log import silence
from citeloom.infrastructure.models.model_catalogue import LOCAL
from citeloom.infrastructure.models.reranking import bundled
from citeloom.infrastructure.models.weights import file_sha256

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder


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

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """One pair per run: in a padded batch the score of a quantised model depends on the other
        pairs."""
        if not passages:
            return []
        scores = []
        for logit in self._encoder.rerank(query, list(passages), batch_size=1):
            checkpoint()
            scores.append(1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, float(logit))))))
        return scores

    @cached_property
    def _encoder(self) -> "TextCrossEncoder":
        try:
            return self._load()
        except CiteLoomError:
            raise
        except Exception as error:
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise ModelUnavailable(
                f"{self._name}: the reranker cannot be loaded ({reason}); use the bundled "
                f"{bundled.NAME} or a folder with model.onnx and tokenizer.json",
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
                f"{self._name}: no such reranker; name the bundled {bundled.NAME}, one of "
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
