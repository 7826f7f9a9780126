"""Names that one may have meant."""

from collections.abc import Iterable
from typing import Final

_SHOWN: Final = 3
_LEAST_RATIO: Final = 0.6


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """At most three of ``known`` that differ from ``name`` in capitals, in what stands before the
    last slash, or in a few letters (``difflib``'s ratio), the nearest first."""
    from difflib import get_close_matches

    by_form: dict[str, list[str]] = {}
    for one in known:
        for form in {_folded(one), _last_part(one)}:
            by_form.setdefault(form, []).append(one)
    forms = [_folded(name), _last_part(name)]
    near = [form for form in forms if form in by_form]
    near += get_close_matches(forms[-1], by_form, n=_SHOWN, cutoff=_LEAST_RATIO)
    return list(dict.fromkeys(one for form in near for one in by_form[form]))[:_SHOWN]


def _folded(name: str) -> str:
    return name.casefold()


def _last_part(name: str) -> str:
    return name.casefold().rpartition("/")[2]
