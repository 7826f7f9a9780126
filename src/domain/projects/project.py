"""Projects: a researcher's named collection of documents, fixed to one embedding model."""

from datetime import datetime
from pathlib import Path

from pydantic import Field

from citeloom.domain.projects.embedding_model import EmbeddingModel, Lengths, _short_digest
from citeloom.domain.projects.fusion_policy import FusionPolicy
from citeloom.domain.projects.index_place import IndexPlace
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class RetrievalSettings(Value):
    """How a project is searched. ``sentences`` tells whether each sentence is embedded too;
    ``fusion`` is None where the configuration's policy applies; ``place`` is None for an
    index in the workspace. ``copies`` are the places that a move left a copy at."""

    sentences: bool = True
    fusion: FusionPolicy | None = None
    lengths: Lengths = Lengths()
    place: IndexPlace | None = None
    copies: tuple[IndexPlace | None, ...] = ()


class ModelIndex(Value):
    """Passages as one model cuts and embeds them, in a collection of their own. Their words
    are weighed by ``lengths``; an ``unwanted`` one is about to be deleted."""

    model: EmbeddingModel
    collection: str = Field(min_length=1)
    lengths: Lengths = Lengths()
    unwanted: bool = False


class Project(Value):
    """A document collection with its configuration.

    ``collection`` holds the passages that are searched, embedded with ``embedding_model``;
    ``others`` are those of other models: kept, or being made by a migration.
    """

    id: ProjectId
    collection: str = Field(min_length=1)
    embedding_model: EmbeddingModel
    others: tuple[ModelIndex, ...] = ()
    sparse_model: str = Field(min_length=1)
    references_json: Path | None = None
    hybrid_enabled: bool = True
    retrieval: RetrievalSettings = RetrievalSettings()
    created_at: datetime

    @property
    def collections(self) -> tuple[str, ...]:
        """All collections that hold passages of the project, the one in use first."""
        return (self.collection, *(other.collection for other in self.others))

    def index_of(self, model: EmbeddingModel) -> ModelIndex:
        """Where the passages of ``model`` are, or would be.

        The name is the project's with 16 hex digits of the model's sha256 between ``~m``
        and ``~``, which no project id has: there ``~`` encloses hex digits only.
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
            collection=f"{self.id.collection}~m{_short_digest(model)}~",
            lengths=Lengths(average=self.retrieval.lengths.average),
        )

    def on(self, index: ModelIndex) -> "Project":
        """The project as it is to whoever reads or writes the passages of ``index``."""
        return self.model_copy(
            update={
                "embedding_model": index.model,
                "collection": index.collection,
                "retrieval": self.retrieval.model_copy(update={"lengths": index.lengths}),
            }
        )

    def held_in(self, collection: str) -> "Project | None":
        """The project as it is to readers of ``collection``, if that is one of its own."""
        if collection == self.collection:
            return self
        return next((self.on(o) for o in self.others if o.collection == collection), None)

    def switched_to(self, index: ModelIndex, *, unwanted: bool = False) -> "Project":
        """The project with ``index`` in use and the one before it among the others."""
        old = self.index_of(self.embedding_model).model_copy(update={"unwanted": unwanted})
        rest = tuple(o for o in self.others if o.collection != index.collection)
        return self.on(index).model_copy(update={"others": (*rest, old)})
