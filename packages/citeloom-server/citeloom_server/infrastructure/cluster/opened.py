"""Ingest on a cluster, as the settings have it."""

from pathlib import Path

from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.models.vectors.vector_cache import VectorCache
from citeloom.infrastructure.settings.sections import Settings
from citeloom_server.infrastructure.cluster.converter import ClusterConverter
from citeloom_server.infrastructure.cluster.local_workers import LOCAL
from citeloom_server.infrastructure.cluster.requests import EmbedderSettings


def on_cluster(
    pool: ProcessConverter,
    settings: Settings,
    models: Path,
    bundles: Path | None,
    vectors: VectorCache | None,
) -> ClusterConverter:
    """The converter on the workers of ``ingest.scheduler``; ``models`` is the folder of fetched
    models."""
    return ClusterConverter(
        pool,
        settings.ingest.scheduler,
        embedder=embedder_settings(settings, models),
        bundles=bundles,
        vectors=vectors,
    )


def embedder_settings(settings: Settings, cache: Path) -> EmbedderSettings:
    """How cluster workers embed. Those of this machine share its threads."""
    options, ingest = settings.embedding, settings.ingest
    is_local = ingest.scheduler == LOCAL
    return EmbedderSettings(
        threads=max(1, options.threads // ingest.jobs) if is_local else options.threads,
        device=options.device,
        cache=cache.absolute(),
        gpu=options.device == "cuda",
    )
