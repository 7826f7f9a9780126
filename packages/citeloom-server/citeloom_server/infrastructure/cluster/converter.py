"""Converter ``ClusterConverter``: conversions as tasks of a Dask cluster.

Each conversion runs in a process of its own on a worker, within the limits of the local pool.
"""

import secrets
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.model_names import canonical_name, endpoint_name
from citeloom.infrastructure.models.vectors import VectorCache
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.system.files import remove_leftovers, scratch_path
from citeloom.infrastructure.system.workspace import make_folder

from .connection import LOCAL, connected
from .requests import EmbedderSettings, RunSettings, SharedBundles, identity_of_this_process
from .run import ClusterRun, RemoteVectors


@dataclass(frozen=True, slots=True)
class ClusterConverter:
    """Converts like ``pool``, by the workers of ``scheduler``; ``local`` starts as many as the pool
    has. Workers also embed passages if there is a cache for their vectors, unless a server has the
    model. Workers that see the folder ``bundles`` write there."""

    pool: ProcessConverter
    scheduler: str
    embedder: EmbedderSettings
    bundles: Path | None = None
    vectors: VectorCache | None = None

    @property
    def fingerprint(self) -> str:
        return self.pool.fingerprint

    def is_current(self, fingerprint: str) -> bool:
        return self.pool.is_current(fingerprint)

    @property
    def capacity(self) -> str:
        return self.pool.capacity

    @property
    def formats(self) -> Sequence[str]:
        return self.pool.formats

    def supports(self, source: Path) -> bool:
        return self.pool.supports(source)

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        """See the port. Raises ConfigurationError if Dask is not installed; Unavailable if the
        scheduler or all workers are missing, or a worker has another version."""
        waiting = iter(jobs)
        if (first := next(waiting, None)) is None:
            return
        pool = self.pool
        embedder, vectors = self._embedding_of(first)
        own = identity_of_this_process(pool.function, pool.options)
        with ExitStack() as stack:
            connection = stack.enter_context(
                connected(self.scheduler, workers=pool.jobs, gpu=embedder.gpu)
            )
            connection.wait_for_worker(gpu=embedder.gpu)
            connection.check_workers(own, pool.function, pool.options)
            run_id = secrets.token_hex(8)
            settings = RunSettings(
                run=run_id,
                function=pool.function,
                options=pool.options,
                limits=pool.limits,
                identity=own,
                embedder=embedder,
                shared=stack.enter_context(_shared(self.bundles, run_id)),
            )
            run = ClusterRun(connection, settings, chain([first], waiting), on_pages, vectors)
            stack.callback(run.close)
            yield from run.outcomes()

    def _embedding_of(self, job: ConversionJob) -> tuple[EmbedderSettings, RemoteVectors | None]:
        """How passages are embedded on the workers; without vectors they are not."""
        settings = self.embedder
        name = job.embedding.model.name if job.embedding is not None else None
        if name is None or self.vectors is None or endpoint_name(name):
            return settings.for_cutting(), None
        if canonical_name(name) == bundled.NAME:  # it runs on the processor
            settings = settings.model_copy(update={"device": "cpu", "gpu": False})
        return settings, RemoteVectors(self.vectors)


@contextmanager
def _shared(bundles: Path | None, nonce: str) -> Iterator[SharedBundles | None]:
    """The bundles as workers may know them, while the block runs."""
    if bundles is None:
        yield None
        return
    folder = make_folder(bundles)
    remove_leftovers(folder)
    with scratch_path(folder / "cluster") as marker:
        marker.write_text(nonce, encoding="utf-8")
        yield SharedBundles(folder=folder, marker=marker.name, nonce=nonce)


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
