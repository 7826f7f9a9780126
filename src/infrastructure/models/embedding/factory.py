"""Embedder of a model's name."""

import logging
from pathlib import Path
from typing import Final

from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom.infrastructure.models.embedding.endpoint import EndpointOptions, endpoint_name
from citeloom.infrastructure.models.embedding.fastembed import FastEmbedEmbedder
from citeloom.infrastructure.models.embedding.model_names import canonical_name
from citeloom.infrastructure.models.onnx import Device

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
        from citeloom.infrastructure.models.embedding.endpoint import EndpointEmbedder

        return EndpointEmbedder(*served, endpoint)
    if canonical_name(name) == bundled.NAME:
        if device not in ("auto", "cpu"):
            _log.warning(_ON_PROCESSOR, bundled.NAME, device)
        return BundledEmbedder(threads=threads)
    return FastEmbedEmbedder(name, threads=threads, cache=cache, device=device)
