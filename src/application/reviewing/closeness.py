"""How close sentences are by the vectors of a project's model."""

from collections.abc import Sequence

from citeloom.application.ports.embedder import Embedder


class VectorCloseness:
    """Cosines, cut to 0..1. Vectors of sentences that were seen before are kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Sequence[float]] = {}

    def __call__(self, text: str, others: Sequence[str]) -> Sequence[float]:
        new = [one for one in dict.fromkeys((text, *others)) if one not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        mine = self._known[text]
        return [
            min(1.0, max(0.0, sum(a * b for a, b in zip(mine, self._known[one], strict=True))))
            for one in others
        ]
