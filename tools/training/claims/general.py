"""Pairs of the general stage: FEVER's, findings of trials, negated pairs, changed sentences.

No abstract that a claim of SciFact cites is used.
"""

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

import clinical
import statements
from overlap import share
from pair import CONTRADICT, NEI, SUPPORT, Pair
from perturbing import contradicted

# Characters of FEVER's evidence; longer ones would be cut by the encoder.
LONGEST = 420


def pairs(
    data: Path, rng: random.Random, *, fever: int, findings: int, negations: int, sentences: int
) -> list[Pair]:
    """At most so many groups of each kind, shuffled."""
    found = [*_fever(data / "claims" / "fever_pairs.jsonl", rng, fever)]
    found += clinical.pairs(data / "claims" / "evidence_inference.jsonl", rng, findings)
    found += _negations(data / "claims" / "nli_negation.jsonl", rng, negations)
    found += statements.pairs(abstracts(data / "scifact"), rng, sentences)
    rng.shuffle(found)
    return found


def abstracts(folder: Path) -> list[tuple[str, list[str]]]:
    """Titles and sentences of those that no claim cites."""
    with (folder / "qrels.tsv").open() as file:
        cited = {row["corpus-id"] for row in csv.DictReader(file, delimiter="\t")}
    with (folder / "corpus.jsonl").open(encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["_id"] not in cited]
    return [
        (row["title"], [row["text"][a:b].strip() for a, b in row["sentence_spans"]]) for row in rows
    ]


def _negations(path: Path, rng: random.Random, count: int) -> list[Pair]:
    labels = {"NEI": NEI, "SUPPORT": SUPPORT, "CONTRADICT": CONTRADICT}
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [
        Pair(row["claim"], row["evidence"], labels[row["label"]]) for row in rng.sample(rows, count)
    ]


def _fever(path: Path, rng: random.Random, count: int) -> Iterator[Pair]:
    """Of each claim its evidence, in part changed by rules; that of another on the same subject."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = [row for row in rows if len(row["evidence"]) <= LONGEST]
    rng.shuffle(rows)
    subjects: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        subjects.setdefault(_subject(row["claim"]), []).append(row)
    for row in rows[:count]:
        claim, evidence = row["claim"], row["evidence"]
        label = SUPPORT if row["label"] == "SUPPORT" else CONTRADICT
        others = [
            one["evidence"]
            for one in subjects[_subject(claim)]
            if one["evidence"] != evidence and share(claim, one["evidence"]) < 0.6
        ]
        if others and rng.random() < 0.25:
            evidence = " ".join(rng.sample((evidence, rng.choice(others)), k=2))
        yield Pair(claim, evidence, label)
        if label == SUPPORT and rng.random() < 0.2 and (other := contradicted(claim, rng)):
            yield Pair(other, evidence, CONTRADICT)
        if others and rng.random() < 0.7:
            yield Pair(claim, rng.choice(others), NEI)


def _subject(claim: str) -> str:
    return " ".join(claim.split()[:2])
