"""Pairs for the general stage: FEVER's, and what rules make of SciFact's abstracts.

No abstract that a claim of SciFact cites is used. Of an abstract, titles that state something
and shortened sentences are the statements. A sentence bears out its shortening and the title
that it repeats; what ``perturbing`` makes of them it contradicts; another sentence of the
abstract says nothing on either. Statements made by rules stand with NEI as often as they are,
so that a "not" by itself tells nothing.
"""

import csv
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citeloom.domain.verification.claims.parsed_sentence import coverage, parse_sentence, stems_of
from citeloom.domain.verification.claims.polarity import directions
from perturbing import contradicted, reversed_direction, shortened

NEI, SUPPORT, CONTRADICT = range(3)
# Characters of FEVER's evidence; longer ones would be cut by the encoder.
LONGEST = 400
_STATES = re.compile(
    r"\b(?:is|are|was|were|does|do|can|has|have|plays?|leads?|regulates?|mediates?|controls?|requires?|"
    r"drives?|contributes?|causes?|predicts?|protects?|binds?|links?|affects?|acts?|\w+(?:ts|es|ns|ds|ks))\b"
)


class Pair(NamedTuple):
    claim: str
    evidence: str
    label: int


def pairs(data: Path, rng: random.Random, fever: int, titles: int, sentences: int) -> list[Pair]:
    """At most so many groups (of about three pairs) of each kind, shuffled."""
    abstracts = _abstracts(data / "scifact")
    rng.shuffle(abstracts)
    found = [*_fever(data / "claims" / "fever_pairs.jsonl", rng, fever)]
    for title, own in abstracts:
        if titles > 0 and (group := _of_title(title, own, rng)):
            found += group
            titles -= 1
    places = [(own, place) for _, own in abstracts for place in range(len(own))]
    rng.shuffle(places)
    for own, place in places:
        if sentences == 0:
            break
        if group := _of_sentence(own, place, rng):
            found += group
            sentences -= 1
    rng.shuffle(found)
    return found


def _abstracts(folder: Path) -> list[tuple[str, list[str]]]:
    with (folder / "qrels.tsv").open() as file:
        cited = {row["corpus-id"] for row in csv.DictReader(file, delimiter="\t")}
    with (folder / "corpus.jsonl").open(encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["_id"] not in cited]
    return [
        (row["title"], [row["text"][a:b].strip() for a, b in row["sentence_spans"]]) for row in rows
    ]


def _of_title(title: str, own: list[str], rng: random.Random) -> list[Pair]:
    title = title.strip().rstrip(".")
    length = len(title.split())
    if not 5 <= length <= 22 or not _STATES.search(title) or ":" in title or "?" in title:
        return []
    if not directions(title) and not re.search(r"\b(?:is|are|not)\b", title):
        return []
    if re.search(r"\b[Ee]ffects? of|^(?:[Rr]ole|Effect|Involvement|Analysis)", title):
        return []
    asked = parse_sentence(title)
    shares = [coverage(asked, stems_of(parse_sentence(sentence))) for sentence in own]
    if not shares or max(shares) < 0.55:
        return []
    best = max(range(len(own)), key=shares.__getitem__)
    return _group(f"{title}.", own[best], _other(shares, best, rng, own), rng)


def _of_sentence(own: list[str], place: int, rng: random.Random) -> list[Pair]:
    sentence = own[place]
    if not 11 <= len(sentence.split()) <= 45:
        return []
    statement = shortened(sentence, rng)
    length = len(statement.split())
    if not 6 <= length <= min(24, 0.8 * len(sentence.split())):
        return []
    if not re.search(r"\b[a-z]+(?:s|ed)\b", statement):
        return []
    asked = parse_sentence(statement)
    shares = [coverage(asked, stems_of(parse_sentence(other))) for other in own]
    return _group(statement, sentence, _other(shares, place, rng, own), rng)


def _other(shares: list[float], but: int, rng: random.Random, own: list[str]) -> str | None:
    """Another sentence, on the same things rather than not, but without half of the words."""
    left = [n for n in range(len(own)) if n != but and shares[n] < 0.45]
    left.sort(key=shares.__getitem__, reverse=True)
    return own[rng.choice(left[:3])] if left else None


def _group(statement: str, evidence: str, other: str | None, rng: random.Random) -> list[Pair]:
    changed = contradicted(statement, rng)
    if changed is None:
        return []
    if rng.random() < 0.25 and (turned := reversed_direction(evidence, rng)):
        found = [Pair(statement, evidence, SUPPORT), Pair(statement, turned, CONTRADICT)]
    else:
        found = [Pair(statement, evidence, SUPPORT), Pair(changed, evidence, CONTRADICT)]
    if other:
        found.append(Pair(rng.choice((statement, changed)), other, NEI))
    return found


def _fever(path: Path, rng: random.Random, count: int) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = [row for row in rows if len(row["evidence"]) <= LONGEST]
    rng.shuffle(rows)
    subjects: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        subjects.setdefault(_subject(row["claim"]), []).append(row)
    for row in rows[:count]:
        label = SUPPORT if row["label"] == "SUPPORT" else CONTRADICT
        claim = row["claim"]
        yield Pair(claim, row["evidence"], label)
        if label == SUPPORT and rng.random() < 0.3 and (other := contradicted(claim, rng)):
            yield Pair(other, row["evidence"], CONTRADICT)
        asked = parse_sentence(claim)
        others = [
            one
            for one in subjects[_subject(claim)]
            if one["evidence"] != row["evidence"]
            and coverage(asked, stems_of(parse_sentence(one["evidence"]))) < 0.6
        ]
        if others and rng.random() < 0.7:
            yield Pair(claim, rng.choice(others)["evidence"], NEI)


def _subject(claim: str) -> str:
    return " ".join(claim.split()[:2])
