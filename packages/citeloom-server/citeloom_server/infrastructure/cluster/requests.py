"""The messages between the client of a cluster and its workers, and their versions."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr

from citeloom.application.ports.ingest import EmbeddingPlan
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import choose_engine
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter, distribution_version
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options
from citeloom.infrastructure.models.onnx import Device
from citeloom.infrastructure.storage.blobs import FolderBlobs


class WorkerIdentity(Value):
    """Versions and engines that a document's text and passages depend on."""

    citeloom: str
    converter: str
    ocr: str
    chunking: str
    distributed: str

    def difference(self, other: "WorkerIdentity") -> str | None:
        """The differences of ``other``, a worker's, and what to do about them; None without any."""
        for name, remedy in _REMEDIES.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                return f"has {_LABELS[name]} {theirs}, this machine {mine}; {remedy}"
        return None


_SAME_INSTALL = "install the same version of CiteLoom on both, with what its requirements.lock pins"
_LABELS = {
    "citeloom": "CiteLoom",
    "converter": "the converter",
    "ocr": "the OCR engine",
    "chunking": "the chunker",
    "distributed": "distributed",
}
# In the order in which they are told: an old CiteLoom differs in all of them.
_REMEDIES = {
    "citeloom": _SAME_INSTALL,
    "converter": _SAME_INSTALL,
    "ocr": 'install the same engine and languages on both, or set ocr.engine to "none"',
    "chunking": _SAME_INSTALL,
    "distributed": _SAME_INSTALL,
}


@cache
def identity_of_this_process(function: str, options: Options) -> WorkerIdentity:
    """The identity for conversions by ``function``; asked for once, since an OCR engine may have to
    be started for it."""
    converter = ProcessConverter(function=function, options=options)
    return WorkerIdentity(
        citeloom=distribution_version("citeloom"),
        converter=converter.fingerprint,
        ocr=choose_engine(options).fingerprint,
        chunking=StructuralChunker().fingerprint,
        distributed=distribution_version("distributed"),
    )


#: Topic of the events by which workers report that they started, and which page they reached.
TOPIC = "citeloom-ingest"


class EmbedderSettings(Value):
    """How workers run the embedding model. ``gpu``: only workers with the resource GPU do."""

    threads: int = 1
    device: Device = "auto"
    cache: Path | None = None
    gpu: bool = False

    def for_cutting(self) -> "EmbedderSettings":
        """The settings of the tokenizer alone, which a worker without a GPU has too."""
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
    """The settings common to all documents of a run."""

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
