"""Sentences of abstracts repeated, and repeated with one thing the other way, as pairs.

python repeating.py SENTENCES COUNT > FILE

``SENTENCES``: JSON lists of sentences, one abstract a line. Writes rows of kind, evidence, claim
and label as ``exchanging.py`` does: *repeated* (1, without its first adverb or what stands in
brackets, or reported) and *turned* (2, another number, a denial or an antonym).
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

LEAD: Final = re.compile(
    r"(?:However|Moreover|Furthermore|In addition|Additionally|Finally|In particular|Specifically"
    r"|Thus|Therefore|Hence|Note that|We (?:show|find|demonstrate|observe|note) that|Consequently"
    r"|Our results (?:show|suggest|demonstrate) that|In this (?:paper|work)|Here|Then|Also|Overall"
    r"|As a result|Notably|Interestingly),? +",
    re.IGNORECASE,
)
BRACKETS: Final = re.compile(r" \([^()]*\)")
REPORTED: Final = (
    "The authors report that ", "In fact, ", "It is said that ", "The paper states that ", "",
)  # fmt: skip
OPPOSITES: Final = dict(
    pair.split(":")
    for pair in (
        "increase:decrease increases:decreases increased:decreased higher:lower more:less "
        "better:worse faster:slower larger:smaller improves:worsens improve:worsen "
        "reduces:increases reduce:increase reduced:increased lower:higher less:more smaller:larger "
        "before:after outperforms:underperforms all:no most:few always:never decrease:increase "
        "decreases:increases positive:negative greater:smaller first:last with:without high:low "
        "low:high large:small small:large"
    ).split()
)
AUXILIARY: Final = re.compile(
    r"\b(?:is|are|was|were|can|has|have|does|do|will|could|should)\b(?! not)"
)
WORD, NUMBER = re.compile(r"[A-Za-z]+"), re.compile(r"\b\d+(?:\.\d+)?\b")
SHORTEST, LONGEST = 40, 300
FACTORS: Final = (0.5, 0.8, 1.3, 2, 3)


def repeated(rng: random.Random, sentences: Sequence[str]) -> tuple[str, str]:
    """Evidence, at times with another sentence beside it, and claim."""
    claim = evidence = rng.choice(sentences)
    if rng.random() < 0.25:
        pair = [evidence, rng.choice(sentences)]
        evidence = " ".join(pair if rng.random() < 0.5 else pair[::-1])
    if rng.random() < 0.75 and (lead := LEAD.match(claim)):
        claim = claim[lead.end() :]
        claim = claim[:1].upper() + claim[1:]
    if rng.random() < 0.5:
        claim = BRACKETS.sub("", claim)
    if rng.random() < 0.3:
        claim = rng.choice(REPORTED) + claim[:1].lower() + claim[1:]
    return evidence, claim


def _opposite(rng: random.Random, claim: str) -> str | None:
    places = [one for one in WORD.finditer(claim) if one[0].lower() in OPPOSITES]
    return _with(rng, claim, places, lambda one: OPPOSITES[one.lower()])


def _denied(rng: random.Random, claim: str) -> str | None:
    return _with(rng, claim, [*AUXILIARY.finditer(claim)], lambda one: f"{one} not")


def _other_number(rng: random.Random, claim: str) -> str | None:
    def other(written: str) -> str:
        value = float(written) * rng.choice(FACTORS)
        if "." in written:
            return f"{value:.1f}"
        return str(max(1, int(value)) + (int(value) == int(written)))

    return _with(rng, claim, [*NUMBER.finditer(claim)], other)


def _with(
    rng: random.Random, claim: str, places: Sequence[re.Match[str]], other: Callable[[str], str]
) -> str | None:
    if not places:
        return None
    place = rng.choice(places)
    return claim[: place.start()] + other(place[0]) + claim[place.end() :]


def pairs(rng: random.Random, sentences: Sequence[str]) -> Iterator[tuple[str, str, str, int]]:
    while True:
        evidence, claim = repeated(rng, sentences)
        yield "repeated", evidence, claim, 1
        evidence, claim = repeated(rng, sentences)
        turn = rng.choices((_opposite, _denied, _other_number), (0.4, 0.3, 0.3))[0]
        if turned := turn(rng, claim):
            yield "turned", evidence, turned, 2


def main() -> None:
    path, count = Path(sys.argv[1]), int(sys.argv[2])
    lists = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    sentences = [one for texts in lists for one in texts if SHORTEST < len(one) < LONGEST]
    made = pairs(random.Random(5), sentences)
    for _ in range(count):
        sys.stdout.write(json.dumps(next(made)) + "\n")


if __name__ == "__main__":
    main()
