"""A small workspace with its MCP server, as fuzz targets ask it."""

import atexit
import logging
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from support.in_memory.converter import PlainTextConverter
from support.in_memory.embedder import HashingEmbedder
from support.recorders import a_recorder
from support.world import GRIDS, HERE, PONDS

from citeloom.domain.ingest import IngestRequest
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.mcp.protocol.resources import ResourceReader
from citeloom.infrastructure.serving.jobs.background import background
from citeloom.infrastructure.serving.jobs.pending import WarmModels
from citeloom.infrastructure.serving.served import Served
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.settings.settings import Configuration
from citeloom.infrastructure.system.workspace import Workspace


class Unexpected(logging.Handler):
    """Keeps the exceptions that the server has logged instead of raising them."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.errors.append(record.exc_info[1])

    def raise_first(self) -> None:
        if self.errors:
            found, self.errors = self.errors[0], []
            raise found


@cache
def unexpected() -> Unexpected:
    """What the package logs as an exception, from the first call on."""
    handler = Unexpected()
    logging.getLogger("citeloom").addHandler(handler)
    return handler


@cache
def application() -> Application:
    """The real stores on disk with two documents, embedded by hashes."""
    folder = Path(tempfile.mkdtemp(prefix="citeloom-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "papers").mkdir()
    (folder / "papers" / "ponds.md").write_text(PONDS, "utf-8")
    (folder / "papers" / "grids.md").write_text(GRIDS, "utf-8")
    settings = Settings.model_validate(
        {"embedding": {"model": "hashing"}, "index": {"wait_seconds": 1}}
    )
    overrides = Overrides(converter=PlainTextConverter(), embedder=HashingEmbedder)
    opened = Application(
        Workspace(folder / "workspace"), Configuration(settings, {}), overrides=overrides
    )
    ingested = opened.ingest.files(
        IngestRequest(project_id=HERE, sources=(str(folder / "papers"),))
    )
    assert ingested.documents_converted == 2
    return opened


@cache
def served() -> Served:
    models: Any = WarmModels(application().models.embedder)
    jobs = background(application(), models, a_recorder())
    atexit.register(jobs.stop, 5)
    return Served(application(), jobs, models, patience=0.05)


@cache
def resources() -> ResourceReader:
    return ResourceReader(application(), served().lanes)
