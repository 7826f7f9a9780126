"""Checks and normalisation of the vectors that a server gives."""

from collections.abc import Sequence

from citeloom.infrastructure.models.embedding.endpoint.protocols import InvalidAnswer


def unit_vectors(
    values: Sequence[object], count: int, dimension: int | None
) -> list[Sequence[float]]:
    """``count`` vectors of length 1 with ``dimension`` components (None: any number).

    Raises InvalidAnswer for another number of vectors or components, for components that are not
    finite numbers, and for vectors of length 0.
    """
    import numpy as np

    if len(values) != count:
        raise InvalidAnswer(
            f"it gives {len(values)} vectors for {count} texts; update the server, or set "
            "embedding.batch to 1"
        )
    try:
        rows = [np.asarray(value, dtype=np.float64) for value in values]
    except (TypeError, ValueError):
        raise InvalidAnswer(
            "its vectors are not lists of numbers; check embedding.endpoint and embedding.protocol"
        ) from None
    expected = dimension or (rows[0].size if rows else 0)
    for row in rows:
        if row.ndim != 1 or row.size != expected or not row.size:
            raise InvalidAnswer(
                f"its vectors have {row.size if row.ndim == 1 else list(row.shape)} components, "
                f"not {expected}; another model answers there, check embedding.model"
            )
        if not np.isfinite(row).all() or not np.any(row):
            raise InvalidAnswer(
                "a vector has components that are not finite, or only zeros; check the model on "
                "the server"
            )
    return [(row / np.linalg.norm(row)).astype(np.float32).tolist() for row in rows]
