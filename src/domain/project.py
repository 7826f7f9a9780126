"""Projects: a researcher's named collection of documents, fixed to one embedding model."""

import hashlib
import re
import unicodedata
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.fusion import FusionPolicy
from citeloom.domain.values import Value

DEFAULT_NAMESPACE = "local"
_SEGMENT = re.compile(r"[^\W_](?:[\w.-]*[\w-])?")
_MAX_LENGTH = 100
# File systems take names of 255 bytes; some is left for what is put behind it.
_MAX_COLLECTION = 220


class ProjectId(Value):
    """``namespace/name``; letters and digits of any script, and ``. _ -`` inside."""

    value: str

    @field_validator("value")
    @classmethod
    def _shaped(cls, value: str) -> str:
        namespace, slash, name = value.partition("/")
        if not slash or not _SEGMENT.fullmatch(namespace) or not _SEGMENT.fullmatch(name):
            raise ValueError(
                f"{value!r} is no project id: write NAME or NAMESPACE/NAME with letters, "
                "digits, '.', '_' and '-', each part beginning with a letter or digit"
            )
        if len(value) > _MAX_LENGTH:
            raise ValueError(f"a project id has at most {_MAX_LENGTH} characters")
        if len(_collection(namespace, name)) > _MAX_COLLECTION:
            raise ValueError(f"{value!r} is too long to name a folder; shorten it")
        return value

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what a user typed: a bare name belongs to the namespace ``local``.

        Raises InvalidRequest for anything that is no project id.
        """
        name = unicodedata.normalize("NFC", text.strip())
        try:
            return cls(value=name if "/" in name else f"{DEFAULT_NAMESPACE}/{name}")
        except ValueError as error:
            raise InvalidRequest(_reason(error), parameter="project") from None

    @property
    def namespace(self) -> str:
        return self.value.partition("/")[0]

    @property
    def name(self) -> str:
        return self.value.partition("/")[2]

    @property
    def collection(self) -> str:
        """A readable name that no other project id has.

        ``a/b`` becomes ``proj-a-b``. Hyphens of the namespace are doubled, and no name
        begins with one, so the first single hyphen separates the two. Letters outside
        ASCII are written ``~hex~``.
        """
        return _collection(self.namespace, self.name)

    def __str__(self) -> str:
        return self.value


def _collection(namespace: str, name: str) -> str:
    return f"proj-{_ascii(namespace.replace('-', '--'))}-{_ascii(name)}"


def _ascii(text: str) -> str:
    return "".join(c if c.isascii() else f"~{ord(c):x}~" for c in text)


def _reason(error: ValueError) -> str:
    details = getattr(error, "errors", None)
    if callable(details):
        return str(details()[0]["msg"]).removeprefix("Value error, ")
    return str(error)


class EmbeddingModel(Value):
    """What fixes the vectors of a project.

    ``digest`` is the sha256 of weights and tokenizer; ``max_tokens`` is the window of the
    model, longer inputs are cut by it.
    """

    name: str = Field(min_length=1)
    dimension: int = Field(ge=1)
    digest: str = Field(min_length=1)
    max_tokens: int = Field(ge=8)

    @property
    def fingerprint(self) -> str:
        return f"{self.name}@{self.dimension}:{self.digest[:16]}"


# About the words of a passage of a research paper, stop words left out; for projects that
# have none yet.
USUAL_LENGTH = 120.0


class Lengths(Value):
    """The mean number of words of a passage, by which BM25 weighs. ``measured`` is how many
    passages there were when it was taken (0: never), ``settled`` whether all passages are
    weighed by it."""

    average: float = Field(default=USUAL_LENGTH, gt=0, allow_inf_nan=False)
    measured: int = Field(default=0, ge=0)
    settled: bool = True


class Layout(StrEnum):
    """How projects lie on an index server: each in a collection of its own, or all those of
    an embedding model in one."""

    PROJECT = "project"
    SHARED = "shared"


class IndexPlace(Value):
    """An index server, and how a project lies on it. ``url`` is ``http(s)://HOST[:PORT][/PATH]``,
    without a slash at its end."""

    url: str
    layout: Layout = Layout.PROJECT

    @field_validator("url")
    @classmethod
    def _shaped(cls, value: str) -> str:
        return server_url(value)


def server_url(text: str) -> str:
    """The URL of an index server in the form in which two of them are compared. Raises
    ValueError for what is none, and for one that holds a secret."""
    parts = urlsplit(text.strip())
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("an index server is written http://HOST:PORT or https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("the URL of an index server holds no user, no key and no query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


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


def _short_digest(model: EmbeddingModel) -> str:
    return hashlib.sha256(model.model_dump_json().encode()).hexdigest()[:16]
