"""Names that are nearest to a mistyped one."""

from collections.abc import Iterable, Mapping
from typing import Final

#: The least likeness of a name that may have been meant.
CLOSE: Final = 65.0
_MOST: Final = 3


def nearest(
    name: str, known: Mapping[str, Iterable[str]], *, at_least: float = 0.0, whole: bool = False
) -> tuple[str, ...]:
    """The keys of the names most like ``name``, at most three, the most similar first.
    ``at_least`` is the least likeness, 0 to 100, without regard to case; ``whole`` says that
    ``name`` is no part of a name."""
    from rapidfuzz import fuzz

    written, likeness = name.casefold(), fuzz.ratio if whole else fuzz.WRatio
    scores = {
        key: max((likeness(written, one.casefold()) for one in names), default=0.0)
        for key, names in known.items()
    }
    near = sorted((key for key in scores if scores[key] >= at_least), key=lambda k: (-scores[k], k))
    return tuple(near[:_MOST])
