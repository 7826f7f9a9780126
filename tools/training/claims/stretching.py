"""Statements that say more than their source, less, or of something else, made by rules."""

import random
import re
from collections.abc import Callable, Sequence

_HEDGE = re.compile(
    r"\b(?:may|might|could|can)\b|\b(?:possibly|probably|partly|partially|likely|potentially) |"
    r"\b(?:tends? to|appears? to|seems? to) "
)
_Rules = Sequence[tuple[re.Pattern[str], Sequence[str]]]


def _any(words: str) -> re.Pattern[str]:
    """A pattern of whole words or phrases, given with ``|`` between."""
    return re.compile(rf"\b({words})\b", re.IGNORECASE)


_STRONGER: _Rules = (
    (_any("some|many|most|several|a number of"), ("all", "nearly all")),
    (
        _any("(?:is|are|was|were) (?:associated|correlated|linked) with"),
        ("causes", "results from", "is caused by"),
    ),
    (_any("often|sometimes|usually|frequently|generally"), ("always", "in every case")),
    (
        _any("contributes? to|plays a role in"),
        ("is the only cause of", "is solely responsible for"),
    ),
    (_any("suggests?"), ("proves", "establishes")),
)
_WEAKER: _Rules = (
    (_any("all|every|each|most"), ("some",)),
    (_any("causes|leads to|results in|induces"), ("may cause", "is associated with")),
    (
        _any(
            "increases|reduces|inhibits|promotes|improves|enhances|impairs|protects|prevents|"
            "regulates"
        ),
        ("can \\1", "may \\1"),
    ),
    (
        re.compile(r"\b(?:strongly|significantly|markedly|substantially|highly|dramatically) "),
        ("",),
    ),
    (
        _any("is (?:required|essential|necessary|critical) for"),
        ("plays a role in", "matters for"),
    ),
)
_POPULATIONS = (
    "patients people men women children adults adolescents infants neonates mice rats humans "
    "volunteers students mothers smokers elderly primates zebrafish yeast pigs veterans nurses "
    "males females boys girls participants twins athletes"
).split()
_POPULATION = re.compile(rf"\b({'|'.join(_POPULATIONS)})\b", re.I)
# Names of populations that may stand for each other.
_ALIKE = ({"patients", "people", "adults", "humans", "participants", "volunteers", "men", "women",
           "males", "females", "elderly", "smokers"},)  # fmt: skip
_THING = re.compile(
    r"\b(?:[A-Z][A-Za-z]*\d[\w/-]*|[A-Z]{2,}[\w/-]*|[a-z]+[A-Z]\w*|(?<=[a-z,] )[A-Z][a-z]{3,})\b"
)
_NOUN = re.compile(
    r"\b[a-z]{4,}(?:tion|ment|ity|ness|sis|ase|in|ine|cells|tumou?rs?|therapy|diabetes|receptors?|"
    r"proteins?|genes?|cancer|disease|syndrome|failure|infection|lymphocytes|neurons)\b"
)


def stretched(text: str, rng: random.Random) -> str | None:
    """Without its hedge, for all, as a cause, or of another population."""
    ways: list[Callable[[str, random.Random], str | None]] = [_sure, _stronger, _elsewhere]
    for way in rng.sample(ways, k=len(ways)):
        if (found := way(text, rng)) and found != text:
            return found[:1].upper() + found[1:]
    return None


def weakened(text: str, rng: random.Random) -> str | None:
    """What holds if the text does."""
    found = _replaced(text, _WEAKER, rng)
    if not found:
        return None
    found = re.sub(r"\b(can|may) (\w+)s\b", r"\1 \2", found)
    return found[:1].upper() + found[1:]


def other_thing(text: str, evidence: str, own: Sequence[str], rng: random.Random) -> str | None:
    """One name or noun replaced by another of the document that the evidence does not have."""
    for kind in rng.sample((_THING, _NOUN), k=2):
        mine = sorted({match[0] for match in kind.finditer(text)})
        lower = evidence.lower()
        theirs = {match[0] for one in own for match in kind.finditer(one)}
        others = sorted(one for one in theirs if one.lower() not in lower and not _akin(one, mine))
        if mine and others:
            return re.sub(rf"\b{re.escape(rng.choice(mine))}\b", rng.choice(others), text, count=1)
    return None


def _akin(one: str, others: Sequence[str]) -> bool:
    return any(one[:4].lower() == other[:4].lower() for other in others)


def _sure(text: str, _: random.Random) -> str | None:
    match = _HEDGE.search(text)
    if not match:
        return None
    if match[0].strip() in ("may", "might", "could", "can"):
        return f"{text[: match.start()]}always{text[match.end() :]}"
    return f"{text[: match.start()]}certainly {text[match.end() :]}"


def _stronger(text: str, rng: random.Random) -> str | None:
    return _replaced(text, _STRONGER, rng)


def _elsewhere(text: str, rng: random.Random) -> str | None:
    match = _POPULATION.search(text)
    if not match:
        return None
    mine = match[0].lower()
    barred = next((group for group in _ALIKE if mine in group), {mine})
    other = rng.choice([one for one in _POPULATIONS if one not in barred])
    return text[: match.start()] + other + text[match.end() :]


def _replaced(text: str, rules: _Rules, rng: random.Random) -> str | None:
    for pattern, others in rng.sample(rules, k=len(rules)):
        if pattern.search(text):
            return pattern.sub(rng.choice(others), text, count=1)
    return None
