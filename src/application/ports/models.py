"""Port: which models there are, and fetching them."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from citeloom.domain.values import Value


class ModelKind(StrEnum):
    EMBEDDING = "embedding"
    RERANKER = "reranker"


class Availability(StrEnum):
    """Where the weights are."""

    BUNDLED = "bundled"  # installed with the package
    FOLDER = "folder"  # named by its path
    FETCHED = "fetched"  # in the cache
    TO_FETCH = "to fetch"
    MISSING = "missing"  # neither here nor in the catalogue


class KnownModel(Value):
    """What is known of a model without loading it. ``size_mb`` are megabytes (10⁶ bytes) of
    weights, ``max_tokens`` the longest input; None is what is not stated. ``place`` is the
    folder where it lies."""

    name: str
    kind: ModelKind
    availability: Availability
    dimension: int | None = None
    size_mb: int | None = None
    max_tokens: int | None = None
    languages: str | None = None
    licence: str | None = None
    description: str | None = None
    place: str | None = None

    @property
    def offline(self) -> bool:
        """Whether it can be used without a network."""
        return self.availability not in (Availability.TO_FETCH, Availability.MISSING)


class ModelCatalogue(Protocol):
    """The models of one or more kinds. Nothing but ``fetch`` asks the network."""

    def models(self) -> Sequence[KnownModel]:
        """All that have a name; folders are found by ``find`` only."""

    def find(self, name: str) -> KnownModel | None:
        """By name in any case, or by path."""

    def fetch(self, name: str) -> KnownModel:
        """Bring the weights into the cache and check that they load. Raises
        ModelUnavailable, saying what to do."""
