"""Project: a named document collection with its embedding model and retrieval settings."""

from datetime import datetime
from pathlib import Path

from pydantic import Field

from citeloom.domain.projects.embedding_model import EmbeddingModel, Lengths, short_digest
from citeloom.domain.projects.fusion_policy import FusionPolicy
from citeloom.domain.projects.index_place import IndexPlace
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class RetrievalSettings(Value):
    """Retrieval settings. ``sentences``: sentences are embedded too; ``fusion`` None: the
    configured policy; ``place`` None: an index in the workspace. ``copies`` are places with a
    copy of the index left by a move."""

    sentences: bool = True
    fusion: FusionPolicy | None = None
    lengths: Lengths = Lengths()
    place: IndexPlace | None = None
    copies: tuple[IndexPlace | None, ...] = ()


class ModelIndex(Value):
    """The collection of a project's passages under one embedding model. ``lengths`` are those
    of its BM25 weights; an ``unwanted`` one is about to be deleted."""

    model: EmbeddingModel
    collection: str = Field(min_length=1)
    lengths: Lengths = Lengths()
    unwanted: bool = False


class Project(Value):
    """``collection`` holds the searched passages, embedded with ``embedding_model``; ``others``
    are the collections of other models: kept, or being built by a migration. ``folders`` are
    those that were ingested, absolute; none is inside another."""

    id: ProjectId
    collection: str = Field(min_length=1)
    embedding_model: EmbeddingModel
    others: tuple[ModelIndex, ...] = ()
    sparse_model: str = Field(min_length=1)
    references_json: Path | None = None
    folders: tuple[Path, ...] = ()
    hybrid_enabled: bool = True
    retrieval: RetrievalSettings = RetrievalSettings()
    created_at: datetime

    @property
    def collections(self) -> tuple[str, ...]:
        """All collections with passages of the project, the active one first."""
        return (self.collection, *(other.collection for other in self.others))

    def index_of(self, model: EmbeddingModel) -> ModelIndex:
        """The collection of ``model``, existing or not.

        The name is the project's plus 16 hex digits of the model's sha256 between ``~m`` and
        ``~``; no project id contains that, since its ``~`` enclose hex digits only.
        """
        if model == self.embedding_model:
            return ModelIndex(
                model=model, collection=self.collection, lengths=self.retrieval.lengths
            )
        for other in self.others:
            if other.model == model:
                return other
        return ModelIndex(
            model=model,
            collection=f"{self.id.collection}~m{short_digest(model)}~",
            lengths=Lengths(average=self.retrieval.lengths.average),
        )

    def on(self, index: ModelIndex) -> "Project":
        """The project with ``index`` as its active collection."""
        return self.model_copy(
            update={
                "embedding_model": index.model,
                "collection": index.collection,
                "retrieval": self.retrieval.model_copy(update={"lengths": index.lengths}),
            }
        )

    def held_in(self, collection: str) -> "Project | None":
        """The project with ``collection`` active; None if it has no such collection."""
        if collection == self.collection:
            return self
        return next((self.on(o) for o in self.others if o.collection == collection), None)

    def switched_to(self, index: ModelIndex, *, unwanted: bool = False) -> "Project":
        """The project with ``index`` active and the former one among ``others``."""
        old = self.index_of(self.embedding_model).model_copy(update={"unwanted": unwanted})
        rest = tuple(o for o in self.others if o.collection != index.collection)
        return self.on(index).model_copy(update={"others": (*rest, old)})
