"""Embedding model (name, dimension, fingerprint) and mean passage length of BM25."""

import hashlib

from pydantic import Field

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
