"""Embedding model: name, dimension and fingerprint; typical lengths."""

import hashlib

from pydantic import Field

from citeloom.domain.value import Value


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


def _short_digest(model: EmbeddingModel) -> str:
    return hashlib.sha256(model.model_dump_json().encode()).hexdigest()[:16]
