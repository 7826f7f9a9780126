"""Pairs of every kind from one ``data.json``, endlessly: ``Maker(data, rng).pairs(kind)``."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import clinical
import statements
from dressing import Dresser, percents
from lexicon import Lexicon
from overlap import share, stems
from pair import CONTRADICT, NEI, SUPPORT, Pair
from perturbing import denied, reversed_direction, reworded, shortened, states

LABELS = {"NEI": NEI, "SUPPORT": SUPPORT, "CONTRADICT": CONTRADICT, "REFUTE": CONTRADICT}
LONGEST = 420
# How often a written claim is drawn, by the kind of its source; the others are of biomedicine.
NEAR = {"abs": 1.0, "wild": 1.5}
FAR = 0.4
# Sentences of the same paper among which the nearest are found.
AROUND = 40
# Pairs of each kind at full size.
KINDS = {
    "sentences": 240_000, "several": 60_000, "fever": 70_000, "findings": 30_000,
    "negations": 12_000, "titles": 60_000, "conclusions": 24_000, "answers": 12_000,
    "written": 280_000, "claims": 30_000, "entailments": 50_000,
}  # fmt: skip


class Maker:
    def __init__(self, data: dict[str, Any], seed: str) -> None:
        self._data = data
        self._rng = random.Random(seed)
        self._dresser = Dresser(Lexicon(data["lexicon"]))

    def pairs(self, kind: str) -> Iterator[tuple[Pair, int]]:
        """With the fold that must not learn from it; -1 if all may."""
        make: Callable[[], Iterator[tuple[Pair, int]]] = getattr(self, f"_{kind}")
        while True:
            yield from make()

    # --- sources ---

    @cached_property
    def _abstracts(self) -> list[tuple[str, list[str]]]:
        return [(title, list(own)) for title, own in self._data["abstracts"]]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        return [(n, k) for n, (_, own) in enumerate(self._abstracts) for k in range(len(own))]

    def _dressed(self, pair: Pair, own: Sequence[str], part: float = 0.5) -> Pair:
        claim, evidence, label = pair
        if self._rng.random() < part:
            claim = self._dresser.dressed(claim, self._rng, own)
        return Pair(percents(claim, self._rng), percents(evidence, self._rng), label)

    def _open(self, found: Sequence[Pair], own: Sequence[str], part: float = 0.5) -> Iterator[Any]:
        for one in found:
            yield self._dressed(one, own, part), -1

    def _group(self, statement: str, own: list[str], evidence: str) -> list[Pair]:
        """The statement, what is otherwise, what is beside it."""
        rng, found = self._rng, []
        if claim := self._dresser.contrary(statement, rng):
            found.append(Pair(claim, evidence, CONTRADICT))
        if rng.random() < 0.7 and (claim := self._dresser.beside(statement, evidence, own, rng)):
            found.append(Pair(claim, evidence, NEI))
        if found:
            found.append(Pair(statement, evidence, SUPPORT))
        return found

    # --- kinds ---

    def _sentences(self) -> Iterator[Any]:
        rng = self._rng
        number, place = rng.choice(self._places)
        title, own = self._abstracts[number]
        if rng.random() < 0.12:
            found = statements.of_title(title, own, rng)
        elif rng.random() < 0.5:
            found = statements.of_sentence(own, place, rng)
        else:
            sentence = own[place]
            if not 8 <= len(sentence.split()) <= 50:
                return
            said = (shortened if rng.random() < 0.6 else reworded)(sentence, rng)
            if not 5 <= len(said.split()) <= 40 or not states(said):
                return
            evidence = statements.with_neighbour(own, place, rng)
            found = self._group(said, own, evidence)
            if found and (other := statements.other_sentence(said, evidence, own, rng)):
                found.append(Pair(rng.choice(found).claim, other, NEI))
        yield from self._open(found, own)

    def _several(self) -> Iterator[Any]:
        """Claims of two sentences; both borne out, one changed, or one not in the evidence."""
        rng = self._rng
        _, own = rng.choice(self._abstracts)
        if len(own) < 4:
            return
        first = rng.randrange(len(own) - 1)
        second = first + 1 if rng.random() < 0.6 else rng.randrange(first + 1, len(own))
        if not all(6 <= len(own[n].split()) <= 32 for n in (first, second)):
            return
        said = [shortened(own[n], rng).rstrip(".") for n in (first, second)]
        if not all(states(one) and 4 <= len(one.split()) <= 22 for one in said):
            return
        evidence = f"{own[first]} {own[second]}"
        label, way = SUPPORT, rng.random()
        side = rng.randrange(2)
        if way < 0.3:
            if not (changed := self._dresser.contrary(said[side], rng)):
                return
            said[side], label = changed, CONTRADICT
        elif way < 0.5:
            if not (changed := self._dresser.beside(said[side], evidence, own, rng)):
                return
            said[side], label = changed, NEI
        elif way < 0.65:
            evidence, label = own[(first, second)[side]], NEI
        if rng.random() < 0.15:
            said.reverse()
        link = rng.choice((", and ", "; ", ", while ", ". ", " and ", ", but "))
        tail = said[1] if link == ". " else said[1][:1].lower() + said[1][1:]
        if said[1][1:2].isupper():
            tail = said[1]
        yield from self._open([Pair(f"{said[0]}{link}{tail}.", evidence, label)], own, 0.4)

    @cached_property
    def _wiki(self) -> tuple[list[dict[str, str]], dict[str, list[dict[str, str]]]]:
        rows = [row for row in self._data["fever"] if len(row["evidence"]) <= LONGEST]
        subjects: dict[str, list[dict[str, str]]] = {}
        for row in rows:
            subjects.setdefault(" ".join(row["claim"].split()[:2]), []).append(row)
        return rows, subjects

    def _fever(self) -> Iterator[Any]:
        rng = self._rng
        rows, subjects = self._wiki
        row = rng.choice(rows)
        claim, evidence, label = row["claim"], row["evidence"], LABELS[row["label"]]
        near = subjects[" ".join(claim.split()[:2])]
        others = [
            one["evidence"]
            for one in (near if len(near) < 30 else rng.sample(near, 30))
            if one["evidence"] != evidence and share(claim, one["evidence"]) < 0.6
        ]
        away = list(others)
        if others and rng.random() < 0.25:
            evidence = " ".join(rng.sample((evidence, rng.choice(others)), k=2))
        found = [Pair(claim, evidence, label)]
        if label == SUPPORT and rng.random() < 0.35:
            if rng.random() < 0.6 and (other := self._dresser.contrary(claim, rng)):
                found.append(Pair(other, evidence, CONTRADICT))
            elif other := self._dresser.beside(claim, evidence, (), rng):
                found.append(Pair(other, evidence, NEI))
        if away and rng.random() < 0.7:
            found.append(Pair(claim, rng.choice(away), NEI))
        if rng.random() < 0.1:
            found.append(Pair(claim, rng.choice(rows)["evidence"], NEI))
        yield from self._open(found, ())

    @cached_property
    def _trials(self) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
        rows = [row for row in self._data["findings"] if 30 <= len(row["evidence"]) <= LONGEST]
        studies: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            studies.setdefault(row["pmcid"], []).append(row)
        return rows, studies

    def _findings(self) -> Iterator[Any]:
        rng = self._rng
        rows, studies = self._trials
        row = rng.choice(rows)
        if row["label"] == "no difference" and rng.random() < 0.4:
            return
        yield from self._open(list(clinical.group(row, studies[row["pmcid"]], rng)), (), 0.35)

    def _negations(self) -> Iterator[Any]:
        row = self._rng.choice(self._data["negations"])
        pair = Pair(row["claim"], row["evidence"], LABELS[row["label"]])
        yield from self._open([pair], (), 0.6)

    def _entailments(self) -> Iterator[Any]:
        """MultiNLI, other kinds of text; a claim at times with another premise."""
        rng, rows = self._rng, self._data["entailments"]
        row = rng.choice(rows)
        found = [Pair(row["claim"], row["evidence"], LABELS[row["label"]])]
        if rng.random() < 0.1:
            found.append(Pair(row["claim"], rng.choice(rows)["evidence"], NEI))
        yield from self._open(found, (), 0.2)

    @cached_property
    def _titled(self) -> list[int]:
        found = []
        for n, (title, own) in enumerate(self._abstracts):
            claim = title.strip().rstrip(".")
            asked = stems(claim)
            good = 5 <= len(claim.split()) <= 24 and states(claim) and ":" not in claim
            if good and "?" not in claim and len(own) >= 3:
                bag = stems(" ".join(own))
                if len(asked & bag) >= 0.5 * len(asked):
                    found.append(n)
        return found

    def _titles(self) -> Iterator[Any]:
        number = self._rng.choice(self._titled)
        title, own = self._abstracts[number]
        yield from self._summary(title.strip().rstrip(".") + ".", own, number)

    def _summary(self, claim: str, own: list[str], number: int) -> Iterator[Any]:
        rng = self._rng
        turned = self._dresser.contrary(claim, rng)
        said = reworded(claim, rng) if rng.random() < 0.5 else claim
        evidence = _nearest(claim, own, rng)
        found = [Pair(said, evidence, SUPPORT)]
        if turned:
            found.append(Pair(turned, evidence, CONTRADICT))
        if rng.random() < 0.4 and (other := self._dresser.beside(claim, evidence, own, rng)):
            found.append(Pair(other, evidence, NEI))
        if number >= 0 and rng.random() < 0.8:
            away = self._abstracts[rng.choice(self._data["near"][number])][1]
        else:
            away = rng.choice(self._abstracts)[1]
        found.append(Pair(rng.choice(found).claim, _nearest(claim, away, rng), NEI))
        yield from self._open(found, own, 0.5)

    def _conclusions(self) -> Iterator[Any]:
        """The last sentence of an abstract with those before that have most of its words."""
        rng = self._rng
        number = rng.randrange(len(self._abstracts))
        _, own = self._abstracts[number]
        if len(own) < 5 or not 8 <= len(own[-1].split()) <= 40:
            return
        claim, before = shortened(own[-1], rng), own[:-1]
        if not states(claim) or len(claim.split()) < 6:
            return
        if share(claim, " ".join(before)) < 0.7 or max(share(claim, one) for one in before) < 0.4:
            return
        yield from self._summary(claim, before, number)

    def _answers(self) -> Iterator[Any]:
        """Conclusions of PubMedQA with the parts that they sum up."""
        rng = self._rng
        row = rng.choice(self._data["answers"])
        claim = rng.choice(row["conclusion"])
        if not 6 <= len(claim.split()) <= 45 or not states(claim):
            return
        if share(claim, " ".join(row["sentences"])) < 0.5:
            return
        yield from self._summary(shortened(claim, rng), row["sentences"], -1)

    @cached_property
    def _claimed(self) -> tuple[list[dict[str, Any]], list[float]]:
        rows = [row for row in self._data["written"] if not row["held"]]
        weights = [NEAR.get(row["source"].partition(":")[0], FAR) for row in rows]
        return rows, list(accumulate(weights))

    @cached_property
    def _passages(self) -> dict[str, list[str]]:
        """The sentences of the passages of each paper that claims were written about."""
        found: dict[str, dict[str, None]] = {}
        for row in self._claimed[0]:
            paper, _, number = row["source"].partition("#")
            if number:
                found.setdefault(paper, {}).update(dict.fromkeys(row["document"]))
        return {paper: list(own) for paper, own in found.items()}

    def _written(self) -> Iterator[Any]:
        rng = self._rng
        rows, weights = self._claimed
        (row,) = rng.choices(rows, cum_weights=weights)
        sentences, own = row["sentences"], row["document"] or row["sentences"]
        claim, label, fold = row["claim"], LABELS[row["label"]], row["fold"]
        text = " ".join(sentences)
        evidence, way = text, rng.random()
        others = [one for one in own if one not in text]
        paper = self._passages.get(row["source"].partition("#")[0], [])
        if len(paper) > AROUND and rng.random() < 0.5:
            others = [one for one in rng.sample(paper, AROUND) if one not in text]
        if others and way < 0.3:
            # With a sentence more, as the product reads it.
            near = sorted(others, key=lambda one: -share(claim, one))[:3]
            evidence = " ".join(rng.sample((text, rng.choice(near)), k=2))
        found = [Pair(claim, evidence, label)]
        if len(sentences) > 1 and rng.random() < 0.35:
            # One alone bears out what it has nearly all words of.
            one = max(sentences, key=lambda one: share(claim, one))
            if label == SUPPORT and share(claim, one) < 0.55 < share(claim, text) - 0.15:
                found.append(Pair(claim, one, NEI))
        if label == SUPPORT:
            if rng.random() < 0.3 and (other := self._dresser.contrary(claim, rng)):
                found.append(Pair(other, evidence, CONTRADICT))
            if rng.random() < 0.25 and (other := self._dresser.beside(claim, evidence, own, rng)):
                found.append(Pair(other, evidence, NEI))
        if rng.random() < 0.3:
            left = sorted(
                (one for one in others if share(claim, one) < 0.5), key=lambda o: -share(claim, o)
            )
            if left:
                found.append(Pair(claim, rng.choice(left[:3]), NEI))
        elif rng.random() < 0.15:
            away = rng.choice(rows)
            if away["source"] != row["source"]:
                found.append(Pair(claim, " ".join(away["sentences"]), NEI))
        for one in found:
            yield self._dressed(one, own, 0.45), fold

    def _claims(self) -> Iterator[Any]:
        """SciFact's claims: rationales, changed claims, sentences that are none."""
        rng = self._rng
        row = rng.choice(self._data["claims"])
        found = list(_lessons(row, rng, self._dresser))
        for one in found:
            yield self._dressed(one, row["sentences"], 0.4), row["fold"]


def _nearest(claim: str, own: Sequence[str], rng: random.Random) -> str:
    order = sorted(range(len(own)), key=lambda n: share(claim, own[n]), reverse=True)
    alone = share(claim, own[order[0]]) >= 0.6 and rng.random() < 0.6
    count = 1 if alone else rng.choice((2, 3, 3))
    return " ".join(own[n] for n in sorted(order[:count]))[:700]


def _lessons(row: dict[str, Any], rng: random.Random, dresser: Dresser) -> Iterator[Pair]:
    claim, own, label = row["claim"], row["sentences"], row["label"]
    order = row["order"]
    near = " ".join(own[place] for place in sorted(order[:3]))
    if label == NEI:
        yield Pair(claim, own[rng.choice(order[:4])], NEI)
        if rng.random() < 0.5:
            yield Pair(claim, near, NEI)
        return
    settled = {place for one in row["rationales"] for place in one}
    one = rng.choice(row["rationales"])
    text = " ".join(own[place] for place in one)
    yield Pair(claim, text, label)
    turn = rng.choice((reversed_direction, reversed_direction, denied))
    if rng.random() < 0.4 and (turned := turn(claim, rng)):
        yield Pair(turned, text, CONTRADICT if label == SUPPORT else SUPPORT)
    if (
        label == SUPPORT
        and rng.random() < 0.25
        and (other := dresser.beside(claim, text, own, rng))
    ):
        yield Pair(other, text, NEI)
    if settled & set(order[:3]) and rng.random() < 0.4:
        yield Pair(claim, near, label)
    others = [place for place in order if place not in settled][1:]
    if others:
        yield Pair(claim, own[rng.choice(others[:5])], NEI)
