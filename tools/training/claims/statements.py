"""Statements on sentences of papers: repeated in other words, changed, on something else.

What a sentence stands for bears it out, in full, shortened, weakened ("may", "some", "is associated
with"). What says otherwise (direction, denial, number, "none") it contradicts. What says more or is
of others (without its hedge, "all", a cause, another population, another thing of the document) it
does not settle. The same change made in the sentence as well turns the verdict back, so that the
changed word by itself tells nothing.
"""

import random
import re

from overlap import share, stems
from pair import CONTRADICT, NEI, SUPPORT, Pair
from perturbing import denied, other_number, reversed_direction, reworded, shortened
from stretching import other_thing, stretched, weakened

_STATES = re.compile(
    r"\b(?:is|are|was|were|does|do|can|may|has|have|had|plays?|leads?|\w{3,}(?:ts|es|ns|ds|ks|ed))\b"
)
_ASKS = re.compile(r"\b[Ee]ffects? of|^(?:[Rr]ole|Effect|Involvement|Analysis)|[:?]")


def of_title(title: str, own: list[str], rng: random.Random) -> list[Pair]:
    title = title.strip().rstrip(".")
    if not 5 <= len(title.split()) <= 22 or not _STATES.search(title) or _ASKS.search(title):
        return []
    shares = [share(title, sentence) for sentence in own]
    if not shares or max(shares) < 0.6:
        return []
    return _group(f"{title}.", own, shares.index(max(shares)), rng)


def of_sentence(own: list[str], place: int, rng: random.Random) -> list[Pair]:
    sentence = own[place]
    if not 11 <= len(sentence.split()) <= 50:
        return []
    statement = shortened(sentence, rng) if rng.random() < 0.7 else reworded(sentence, rng)
    if not 6 <= len(statement.split()) <= 34 or not _STATES.search(statement):
        return []
    return _group(statement, own, place, rng)


def _group(statement: str, own: list[str], place: int, rng: random.Random) -> list[Pair]:
    sentence = own[place]
    evidence = with_neighbour(own, place, rng)
    found: list[Pair] = []
    if changed := _contrary(statement, sentence, rng):
        claim, turned = changed
        found.append(Pair(claim, evidence, CONTRADICT))
        if turned and rng.random() < 0.5:
            found.append(Pair(claim, evidence.replace(sentence, turned), SUPPORT))
            found.append(Pair(statement, evidence.replace(sentence, turned), CONTRADICT))
    if rng.random() < 0.5 and (claim := stretched(statement, rng)):
        found.append(Pair(claim, evidence, NEI))
    if rng.random() < 0.5 and (claim := other_thing(statement, evidence, own, rng)):
        found.append(Pair(claim, evidence, NEI))
    if not found:
        return []
    found.append(Pair(statement, evidence, SUPPORT))
    if rng.random() < 0.5 and (claim := weakened(statement, rng)):
        found.append(Pair(claim, evidence, SUPPORT))
    if other := other_sentence(statement, evidence, own, rng):
        found.append(Pair(rng.choice([one.claim for one in found]), other, NEI))
    return found


def _contrary(statement: str, sentence: str, rng: random.Random) -> tuple[str, str | None] | None:
    """The statement changed, and the sentence with the same change."""
    ways = [reversed_direction] * 3 + [denied] * 2 + [other_number] * 2
    for way in rng.sample(ways, k=len(ways)):
        changed = way(statement, rng)
        if changed and changed != statement:
            return changed, _same_change(statement, changed, sentence)
    return None


def _same_change(statement: str, changed: str, sentence: str) -> str | None:
    """``sentence`` with the words replaced that differ; None where they stand not once in it."""
    shorter = min(len(statement), len(changed))
    before = next((n for n in range(shorter) if statement[n] != changed[n]), shorter)
    before = statement.rfind(" ", 0, before) + 1
    after = 0
    shorter = min(len(statement), len(changed)) - before
    while after < shorter and statement[-1 - after] == changed[-1 - after]:
        after += 1
    while after and statement[len(statement) - after].isalnum():
        after -= 1
    old = statement[before : len(statement) - after]
    new = changed[before : len(changed) - after]
    if not old.strip() or sentence.count(old) != 1:
        return None
    return sentence.replace(old, new)


def with_neighbour(own: list[str], place: int, rng: random.Random) -> str:
    if rng.random() < 0.7 or len(own) < 2:
        return own[place]
    other = place - 1 if place else 1
    if len(own[other].split()) > 40:
        return own[place]
    return " ".join(own[one] for one in sorted((place, other)))


def other_sentence(statement: str, evidence: str, own: list[str], rng: random.Random) -> str | None:
    """Another sentence, on the same things rather than not, but without half of the words."""
    left = [one for one in own if one not in evidence and share(statement, one) < 0.5]
    left = [one for one in left if len(stems(one)) > 3]
    left.sort(key=lambda one: share(statement, one), reverse=True)
    return rng.choice(left[:3]) if left else None
