"""Projects: identity, embedding model, index place, fusion policy, quotas."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from citeloom.domain.errors import InvalidRequest, Refused
from citeloom.domain.value import Value


class EmbeddingModel(Value):
    """Identity of the model that makes a project's vectors.

    ``digest`` is the sha256 of weights and tokenizer; ``max_tokens`` is the context window,
    longer inputs are truncated.
    """

    name: str = Field(min_length=1)
    dimension: int = Field(ge=1)
    digest: str = Field(min_length=1)
    max_tokens: int = Field(ge=8)

    @property
    def fingerprint(self) -> str:
        return f"{self.name}@{self.dimension}:{self.digest[:16]}"


# Words of a typical passage of a research paper without stop words; for empty projects.
USUAL_LENGTH = 120.0


class Lengths(Value):
    """Mean passage length in words, for BM25's length normalisation. ``measured`` is the number
    of passages it was taken over (0: never); ``settled`` is True if the term weights of all
    passages use it."""

    average: float = Field(default=USUAL_LENGTH, gt=0, allow_inf_nan=False)
    measured: int = Field(default=0, ge=0)
    settled: bool = True


def short_digest(model: EmbeddingModel) -> str:
    return hashlib.sha256(model.model_dump_json().encode()).hexdigest()[:16]


class FusionMethod(StrEnum):
    """Normalised scores, reciprocal ranks, or standardised scores."""

    CONVEX = "convex"
    RRF = "rrf"
    DBSF = "dbsf"


# Share of the candidates' first-stage score range per unit of the reranker's log-odds: with the
# bundled model the most that does no harm in a field it was not trained on (its MODEL_CARD.md).
# Within its field `evaluate --tune` finds more.
RERANK_WEIGHT = 0.1


class FusionPolicy(Value):
    """Fusion method and weights. The weights need not sum to 1; dense and sparse are positive.

    ``rrf_k`` is the constant of reciprocal rank fusion. ``rerank_weight`` scales the reranker's
    log-odds (``citeloom.domain.search.ranking.blend``).
    """

    method: FusionMethod = FusionMethod.CONVEX
    dense_weight: float = Field(default=0.25, gt=0, allow_inf_nan=False)
    sentence_weight: float = Field(default=0.35, ge=0, allow_inf_nan=False)
    sparse_weight: float = Field(default=0.4, gt=0, allow_inf_nan=False)
    rrf_k: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    rerank_weight: float = Field(default=RERANK_WEIGHT, ge=0, allow_inf_nan=False)

    @property
    def summary(self) -> str:
        if self.method is FusionMethod.RRF:
            return f"rrf k={self.rrf_k:g}"
        weights = f"{self.dense_weight:g}/{self.sentence_weight:g}/{self.sparse_weight:g}"
        return f"{self.method.value} {weights} (passage/sentence/words)"

    @model_validator(mode="after")
    def _not_too_far_apart(self) -> Self:
        weights = (self.dense_weight, self.sparse_weight)
        if max(weights) > 1e6 * min(weights):
            raise ValueError("one weight leaves nothing of the other; choose a mode instead")
        return self


DEFAULT_POLICY = FusionPolicy()


class IndexLayout(StrEnum):
    """Layout on an index server: one collection for each project, or one for all projects of an
    embedding model."""

    PROJECT = "project"
    SHARED = "shared"


class VectorQuantization(StrEnum):
    """What of the vectors an index server keeps in memory to choose from: the vectors themselves,
    or one byte a number (a quarter)."""

    NONE = "none"
    SCALAR = "scalar"


def server_url(text: str) -> str:
    """The normalised URL of an index server. Raises ValueError for other schemes, and for a URL
    with user, query or fragment."""
    parts = urlsplit(text.strip())
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("an index server is written http://HOST:PORT or https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("the URL of an index server holds no user, no key and no query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


class IndexPlace(Value):
    """An index server and a project's layout on it. ``url`` is ``http(s)://HOST[:PORT][/PATH]``,
    without trailing slash."""

    url: Annotated[str, AfterValidator(server_url)]
    layout: IndexLayout = IndexLayout.PROJECT


DEFAULT_NAMESPACE = "local"
_UNTITLED = "library"


_SEGMENT = re.compile(r"[^\W_](?:[\w.-]*[\w-])?")


_MAX_LENGTH = 100
_NO_NAME_CHARACTERS = re.compile(r"[^\w.-]+")


# File systems allow names of 255 bytes; the rest is for suffixes.
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
                f"{value!r} is not a project id: write NAME or NAMESPACE/NAME with letters, "
                "digits, '.', '_' and '-', each part beginning with a letter or digit"
            )
        if len(value) > _MAX_LENGTH:
            raise ValueError(f"a project id has at most {_MAX_LENGTH} characters")
        if len(_collection(namespace, name)) > _MAX_COLLECTION:
            raise ValueError(f"{value!r} is too long to name a folder; shorten it")
        return value

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse user input; a bare name is in the namespace ``local``. Raises InvalidRequest."""
        name = unicodedata.normalize("NFC", text.strip())
        try:
            return cls(value=name if "/" in name else f"{DEFAULT_NAMESPACE}/{name}")
        except ValueError as error:
            raise InvalidRequest(_reason(error), parameter="project") from None

    @classmethod
    def from_title(cls, title: str) -> Self:
        """An id like ``title``, which may hold any characters: ``My papers`` becomes
        ``local/My-papers``; without a usable character it is ``local/library``."""
        name = _NO_NAME_CHARACTERS.sub("-", unicodedata.normalize("NFC", title)).strip("._-")
        try:
            return cls(value=f"{DEFAULT_NAMESPACE}/{name}")
        except ValueError:
            return cls(value=f"{DEFAULT_NAMESPACE}/{_UNTITLED}")

    @property
    def namespace(self) -> str:
        return self.value.partition("/")[0]

    @property
    def name(self) -> str:
        return self.value.partition("/")[2]

    @property
    def collection(self) -> str:
        """A readable, injective collection name.

        ``a/b`` becomes ``proj-a-b``. Hyphens of the namespace are doubled, and no name begins
        with one, so the first single hyphen separates the two. Non-ASCII letters are written
        ``~hex~``.
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
    """``collection`` has the searched passages, embedded with ``embedding_model``; ``others`` are
    the collections of other models, kept or built by a migration. ``folders`` were ingested,
    absolute; none is inside another. ``more_references`` are further reference files;
    ``references_json`` comes first."""

    id: ProjectId
    collection: str = Field(min_length=1)
    embedding_model: EmbeddingModel
    others: tuple[ModelIndex, ...] = ()
    sparse_model: str = Field(min_length=1)
    references_json: Path | None = None
    more_references: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    hybrid_enabled: bool = True
    retrieval: RetrievalSettings = RetrievalSettings()
    created_at: datetime

    @property
    def reference_files(self) -> tuple[Path, ...]:
        """Absolute paths in the order of precedence."""
        first = () if self.references_json is None else (self.references_json,)
        return (*first, *self.more_references)

    def with_references(self, paths: Sequence[Path], drop: Path = Path()) -> "Project":
        """The project with those ``paths`` that are new before its other reference files."""
        known = self.reference_files
        files = dict.fromkeys([*(path for path in paths if path not in known), *known])
        files.pop(drop, None)
        first, more = next(iter(files), None), tuple(files)[1:]
        return self.model_copy(update={"references_json": first, "more_references": more})

    @property
    def named_references(self) -> str | None:
        """The reference files for a person; None without any."""
        return ", ".join(map(str, self.reference_files)) or None

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


class QuotaExceeded(Refused):
    """A project is full; ``setting`` names the limit."""

    def __init__(self, name: str, project: str, setting: str, most: int) -> None:
        what = setting.removeprefix("quota.project_")
        super().__init__(
            f"{name}: {project} may hold {most:,} {what} ({setting}); remove some, or have the "
            "setting raised",
            project=project,
            setting=setting,
            most=most,
        )


class ServerCondition(Value):
    """``state`` is the server's own word: green, yellow (it optimizes), grey (it will after the
    next write), red (it cannot). ``copies`` are those that each of ``shards`` should have.
    ``faults`` need action: the server cannot write or optimize; ``warnings`` are missing copies
    while others answer; ``notes`` pass."""

    state: str
    shards: int
    copies: int
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
