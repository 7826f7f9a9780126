"""Names that are nearest to a mistyped one."""

from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz

MOST = 3


def likeness(name: str, other: str) -> float:
    """0 to 100, without regard to case."""
    return fuzz.WRatio(name.casefold(), other.casefold())


def nearest(
    name: str, known: Mapping[str, Iterable[str]], *, at_least: float = 0.0
) -> tuple[str, ...]:
    """The keys of the names most like ``name``, at most three, the most similar first.
    ``at_least`` is the least likeness."""
    scores = {key: max(likeness(name, one) for one in names) for key, names in known.items()}
    near = sorted((key for key in scores if scores[key] >= at_least), key=lambda k: (-scores[k], k))
    return tuple(near[:MOST])
