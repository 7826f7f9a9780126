"""Embedder of a model's name."""

from pathlib import Path

from citeloom.infrastructure.models.embedding import bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom.infrastructure.models.embedding.fastembed import FastEmbedEmbedder
from citeloom.infrastructure.models.embedding.model_names import canonical_name


def embedder_named(
    name: str, *, threads: int = 2, cache: Path | None = None
) -> BundledEmbedder | FastEmbedEmbedder:
    """The embedder of the bundled model, by any of its names, otherwise fastembed's. Loads
    lazily."""
    if canonical_name(name) == bundled.NAME:
        return BundledEmbedder(threads=threads)
    return FastEmbedEmbedder(name, threads=threads, cache=cache)
