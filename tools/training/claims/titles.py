"""Titles that state something, read with sentences of their own abstract and of others'.

A title is said in other words than the sentences that bear it out, as claims are. What the abstract
does for its title, it does not for the title changed; an abstract on the same things leaves both
open.
"""

import random
import re
from collections.abc import Sequence

from overlap import share, stems
from pair import CONTRADICT, NEI, SUPPORT, Pair
from perturbing import contradicted, reworded, states

NEAREST = 3
# Characters of evidence; longer ones would be cut by the encoder.
LONGEST = 700


def pairs(abstracts: Sequence[tuple[str, list[str]]], rng: random.Random) -> list[Pair]:
    """Of each title that states something: it and its contrary, with its own abstract and with the
    one most like it."""
    bags = [stems(" ".join(own)) for _, own in abstracts]
    found: list[Pair] = []
    for place, (title, own) in enumerate(abstracts):
        claim = title.strip().rstrip(".") + "."
        asked = stems(claim)
        if not 5 <= len(claim.split()) <= 24 or not states(claim) or re.search(r"[:?]", claim):
            continue
        if len(own) < 3 or len(asked & bags[place]) < 0.5 * len(asked):
            continue
        turned = contradicted(claim, rng)
        if turned is None:
            continue
        said = reworded(claim, rng) if rng.random() < 0.5 else claim
        evidence = _nearest(claim, own, rng)
        found += [Pair(said, evidence, SUPPORT), Pair(turned, evidence, CONTRADICT)]
        other = max((n for n in range(len(bags)) if n != place), key=lambda n: len(asked & bags[n]))
        away = _nearest(claim, abstracts[other][1], rng)
        found.append(Pair(rng.choice((said, turned)), away, NEI))
    rng.shuffle(found)
    return found


def _nearest(claim: str, own: Sequence[str], rng: random.Random) -> str:
    """The sentence most like the claim if it has most of its words, or three in their order, or the
    last two."""
    order = sorted(range(len(own)), key=lambda n: share(claim, own[n]), reverse=True)
    alone = share(claim, own[order[0]]) >= 0.6 and rng.random() < 0.5
    count = 1 if alone else NEAREST
    places = sorted(order[:count]) if rng.random() < 0.75 else range(len(own) - 2, len(own))
    return " ".join(own[n] for n in places)[:LONGEST]
