"""Fingerprint of a model behind an endpoint."""

import hashlib

from citeloom.infrastructure.models.embedding.endpoint.protocols import ServedModel


def digest_of(name: str, url: str, served: ServedModel, told: str | None, *, prefix: str) -> str:
    """The digest of ``EmbeddingModel`` for the model ``name`` (with its protocol).

    - Where the server tells the revision of the weights (TEI: ``model_sha``), the digest is of
      name, revision, pooling and the prefix of passages. The address is no part of it: the model
      may move to another machine.
    - Otherwise (OpenAI's API; TEI with a local folder) the weights cannot be told apart, and the
      digest is of name, address, the name that answers give (``told``), pooling and the prefix.
      The model at that address is then known by its name and dimension alone.
    """
    if served.revision:
        parts = ["revision", name, served.revision, served.pooling or "", prefix]
    else:
        parts = ["address", name, url, told or "", served.pooling or "", prefix]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
