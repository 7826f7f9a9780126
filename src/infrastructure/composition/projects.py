"""Projects and their index: creation, writing, weights, removal, migration, validation."""

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.system.files import public_mode, write_atomic
from citeloom.infrastructure.system.workspace import SETTINGS

from .models import ModelVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.citation.edit import EditWork
    from citeloom.application.citation.identify import Identify
    from citeloom.application.citation.references import ProjectReferences
    from citeloom.application.index.collection import Optimize, Remover
    from citeloom.application.index.passage_writer import PassageWriter, TermWeights
    from citeloom.application.index.relocation import IndexMover
    from citeloom.application.models import Migration, ReembeddingServices
    from citeloom.application.projects.duplicates import Duplicates
    from citeloom.application.projects.inspection import Inspect, ListPapers
    from citeloom.application.projects.projects import (
        ProjectChoice,
        ProjectOpener,
        Projects,
        RemoveDocuments,
    )
    from citeloom.application.validation.validate import Validate
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.settings.settings import Configuration


class ProjectVerbs:
    """The verbs about projects, and the writers of their index."""

    def __init__(self, stores: Stores, models: ModelVerbs, configuration: "Configuration") -> None:
        self._stores = stores
        self._models = models
        self._configuration = configuration

    @lazy
    def choice(self) -> "ProjectChoice":
        from citeloom.application.projects.projects import DefaultProject, ProjectChoice
        from citeloom.domain.projects.project import ProjectId

        default = None
        if name := self._configuration.settings.project:
            origin = self._configuration.source_of_project
            default = DefaultProject(ProjectId(value=name), origin)
        return ProjectChoice(catalogue=self._stores.catalogue, default=default)

    def set_default(self, project_id: "ProjectId") -> str | None:
        """Write the default project to ``citeloom.toml``; the name of the setting that takes
        precedence over the file, if one does. Raises ConfigurationError, StorageFailed."""
        from citeloom.infrastructure.settings.settings import with_default_project

        path = (self._stores.workspace.root / SETTINGS).resolve()
        text, mode = "", public_mode()
        if path.is_file():
            text, mode = path.read_bytes().decode("utf-8"), path.stat().st_mode & 0o777
        try:
            text = with_default_project(text, project_id.value)
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from None
        write_atomic(path, text.encode("utf-8"), mode=mode)
        return self._configuration.project_above_file

    @lazy
    def opener(self) -> "ProjectOpener":
        from citeloom.application.projects.projects import ProjectOpener

        settings = self._stores.settings
        return ProjectOpener(
            catalogue=self._stores.catalogue,
            embedder=self._models.passage_embedder,
            sparse=self._models.sparse,
            clock=self._stores.clock,
            default_model=settings.embedding.default_model,
            place=settings.index.place,
            taken=lambda project: self._stores.index.holds(project),
        )

    references: "ProjectReferences" = part(
        "citation.references:ProjectReferences", reader="_stores.references"
    )

    edit: "EditWork" = part("citation.edit:EditWork", stores="_stores.document_stores")

    duplicates: "Duplicates" = part(
        "projects.duplicates:Duplicates", stores="_stores.document_stores"
    )

    identify: "Identify" = part("citation.identify:Identify", stores="_stores.document_stores")

    projects: "Projects" = part("projects.projects:Projects", move="mover")

    writer: "PassageWriter" = part("index.passage_writer:PassageWriter", sparse="_models.sparse")
    term_weights: "TermWeights" = part("index.passage_writer:TermWeights", sparse="_models.sparse")

    remover: "Remover" = part("index.collection:Remover", copies="_stores.source_copies")

    remove: "RemoveDocuments" = part("projects.projects:RemoveDocuments")
    mover: "IndexMover" = part("index.relocation:IndexMover")

    optimize: "Optimize" = part("index.collection:Optimize")

    inspect: "Inspect" = part("projects.inspection:Inspect")

    papers: "ListPapers" = part(
        "projects.inspection:ListPapers", copies="_stores.source_copies", own="_stores.own_records"
    )

    migration: "Migration" = part("models:Migration", parts="_reembedding")
    _reembedding: "ReembeddingServices" = part("models:ReembeddingServices")

    @property
    def retraction_list(self) -> Path | None:
        """The one of the settings, in which *validate* looks for retracted works."""
        path = self._stores.settings.checks.retractions
        return Path(path).expanduser() if path else None

    validate: "Validate" = part(
        "validation.validate:Validate",
        documents="_stores.document_stores",
        retractions="references.retraction_watch:find_retractions",
        embedder="_models.embedder",
    )
