"""Folds of the claims: such as share no document, and such as may."""

import random
from collections.abc import Sequence
from typing import Protocol


class Query(Protocol):
    relevant: Sequence[int]


def by_document(queries: Sequence[Query], count: int, seed: int) -> list[list[int]]:
    """Places of the queries in ``count`` folds of like size.

    Claims that have a relevant document in common, directly or through others, stay together:
    SciFact has claims in pairs, one the negation of the other, and a fold that held one of
    them out while training on the other would measure memory.
    """
    leader = list(range(len(queries)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    first: dict[int, int] = {}
    for place, query in enumerate(queries):
        for document in query.relevant:
            leader[find(place)] = find(first.setdefault(document, place))
    together: dict[int, list[int]] = {}
    for place in range(len(queries)):
        together.setdefault(find(place), []).append(place)
    parts = list(together.values())
    random.Random(seed).shuffle(parts)
    parts.sort(key=len, reverse=True)
    folds: list[list[int]] = [[] for _ in range(count)]
    for part in parts:
        min(folds, key=len).extend(part)
    return [sorted(fold) for fold in folds]


def plain(queries: Sequence[Query], count: int, seed: int) -> list[list[int]]:
    """Places of the queries in ``count`` random folds: of a claim and its negation one may be
    trained on and the other held out, as it may be where a data set is split."""
    places = list(range(len(queries)))
    random.Random(seed).shuffle(places)
    return [sorted(places[number::count]) for number in range(count)]
