"""What cluster tasks are given and what they answer: values that any worker can read."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr

from citeloom.application.ports.ingest import EmbeddingPlan
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.ingest.conversion.limits import Limits
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.models.devices import Device
from citeloom.infrastructure.storage.blobs.folder import FolderBlobs
from citeloom_server.infrastructure.cluster.identity import WorkerIdentity

#: Topic of the events by which workers tell that they began, and which page they reached.
TOPIC = "citeloom-ingest"


class EmbedderSettings(Value):
    """How workers run the embedding model. ``gpu``: only workers with the resource GPU do."""

    threads: int = 1
    device: Device = "auto"
    cache: Path | None = None
    gpu: bool = False

    def for_cutting(self) -> "EmbedderSettings":
        """Those for the tokenizer alone, which a worker without a GPU has too."""
        return self.model_copy(update={"device": "cpu", "gpu": False}) if self.gpu else self


class SharedBundles(Value):
    """The bundles of a workspace, and a file beside them by which a worker knows that it sees
    the same folder."""

    folder: Path
    marker: str
    nonce: str

    def store(self) -> FileBundleStore:
        files = FolderBlobs(self.folder)
        return FileBundleStore(files, files)


class RunSettings(Value):
    """What is the same for all documents of a run."""

    run: str
    function: str
    options: Options
    limits: Limits
    identity: WorkerIdentity
    embedder: EmbedderSettings
    shared: SharedBundles | None = None


class RemoteConversion(Value):
    """A document to convert and cut. ``content`` is sent where workers do not see its path."""

    settings: RunSettings
    key: str
    document_id: str
    source: str
    content: bytes | None = Field(default=None, repr=False)
    password: SecretStr | None = None
    embedding: EmbeddingPlan | None = None


class RemoteEmbedding(Value):
    """Texts of a document to embed. Dask logs the arguments of a task that fails: texts, content
    and passwords are not shown."""

    settings: RunSettings
    key: str
    model: EmbeddingModel
    texts: tuple[str, ...] = Field(repr=False)


@dataclass(frozen=True, slots=True)
class ConversionAnswer:
    """The answer to a ``RemoteConversion``: exactly one of ``refused`` (the worker is of another
    kind, in words), ``absent`` (it does not see the file), ``error`` (as a header) and a result,
    which is ``bundled`` on the shared path or in ``result`` as gzipped JSON. ``texts`` are those
    to embed."""

    refused: str = ""
    absent: bool = False
    error: dict[str, Any] | None = None
    bundled: bool = False
    result: bytes = b""
    texts: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_rss_bytes: int | None = None
