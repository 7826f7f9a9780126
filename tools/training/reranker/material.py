"""Make training groups and evaluation sets from the texts: pools of passages, questions with what a
first stage like the product's (0.25 passage + 0.40 BM25 + 0.35 best sentence) finds for them."""

import gzip
import json
import os
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch

from made_questions import asked_claim, made, of_trial, without

BEGAN = time.time()
DATA, START = Path(os.environ["DATA"]), Path(os.environ["START"])
WORK = Path(os.environ["WORK"])
SHARE = float(os.environ.get("SHARE", "1"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KEPT, SENTENCES = 31, 4  # candidates a question beside right ones; sentences that are read
WORDS_A_CHUNK = 100
_WORD = re.compile(r"[a-z0-9][a-z0-9\-]*")


def stems(text: str) -> list[str]:
    """Words without stop words and plural s and the like: near to what Snowball leaves."""
    out = []
    for word in _WORD.findall(text.lower()):
        if word in _STOP or len(word) < 2:
            continue
        for end in (
            "ations",
            "ation",
            "ingly",
            "ings",
            "ing",
            "edly",
            "ies",
            "ed",
            "es",
            "s",
            "ly",
            "e",
        ):
            if word.endswith(end) and len(word) - len(end) >= 3:
                word = word[: -len(end)]
                break
        out.append(word)
    return out


_STOP = frozenset(
    "a an the of in on at to for and or by with from as that this these those is are was were "
    "be been it its "
    "we our they their not no than then so such which who what when where how why have has "
    "had do does did".split()
)


def log(*told) -> None:
    print(f"[{time.time() - BEGAN:6.1f}] prep:", *told, flush=True)


@dataclass
class Units:
    """Passages: title, sentence numbers, document, by pool (a range)."""

    title: list[int] = field(default_factory=list)
    sentences: list[list[int]] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    pools: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Questions:
    rng: random.Random = field(default_factory=lambda: random.Random(3))
    text: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    pool: list[str] = field(default_factory=list)
    right: list[list[int]] = field(default_factory=list)
    banned: list[set[str]] = field(default_factory=list)  # documents that give no negatives
    hidden: list[int] = field(default_factory=list)  # a sentence that is not shown, or -1
    held: list[bool] = field(default_factory=list)

    def add(self, text, kind, pool, right, banned=(), hidden=-1, held=False):
        if not held:  # how it is written must not tell what it is
            text = re.sub(r"\s?%", " percent", text) if self.rng.random() < 0.15 else text
            if kind.split()[-1] not in (
                "scifact",
                "claimed",
                "claim",
                "summary",
                "title",
                "words",
                "heading",
            ):
                text = text.rstrip("?. ") + self.rng.choice(("?", ""))
            text = text[:1].upper() + text[1:] if self.rng.random() < 0.5 else text
        self.text.append(text)
        self.kind.append(kind)
        self.pool.append(pool)
        self.right.append(right)
        self.banned.append(set(banned))
        self.hidden.append(hidden)
        self.held.append(held)


class Material:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        with gzip.open(DATA / "data.json.gz", "rt", encoding="utf-8") as stream:
            self.data = json.load(stream)
        if SHARE < 1:
            self._shrink()
        self.texts: list[str] = [""]  # sentences and titles by number; 0 is none
        self.units, self.asked = Units(), Questions()
        self.chunks_of: dict[str, list[tuple[int, set[int]]]] = {}
        self._pools()
        self._questions()

    def _shrink(self) -> None:
        d, keep = self.data, int(5183 * SHARE) + 1
        wanted = {x for q in d["claims"][: int(809 * SHARE) + 10] for x in q["relevant"]}
        wanted |= {int(x) for x in range(keep)}
        number = {old: new for new, old in enumerate(sorted(wanted))}
        d["sf"] = [d["sf"][n] for n in sorted(wanted)]
        d["claims"] = [
            q
            | {
                "relevant": [number[x] for x in q["relevant"]],
                "rationales": {
                    str(number[int(k)]): v for k, v in q["rationales"].items() if int(k) in number
                },
            }
            for q in d["claims"]
            if all(x in number for x in q["relevant"])
        ]
        for name in ("pq", "fever", "trials", "papers", "own"):
            d[name] = d[name][: max(30, int(len(d[name]) * SHARE))]
        known = {f"scifact:{x['id']}" for x in d["sf"]} | {f"pubmedqa:{x['id']}" for x in d["pq"]}
        for name in ("written", "claimed"):
            d[name] = [r for r in d[name] if r["source"] in known]

    def _text(self, text: str) -> int:
        self.texts.append(text)
        return len(self.texts) - 1

    def _unit(self, title: int, sentences: list[int], document: str) -> int:
        self.units.title.append(title)
        self.units.sentences.append(sentences)
        self.units.document.append(document)
        return len(self.units.title) - 1

    def _pools(self) -> None:
        d = self.data
        self.documents: dict[str, tuple[int, list[int], dict]] = {}
        for row in d["sf"]:
            self.documents[f"scifact:{row['id']}"] = (
                self._text(row["title"]),
                [self._text(s) for s in row["sentences"]],
                row,
            )
        for row in d["pq"]:
            self.documents[f"pubmedqa:{row['id']}"] = (
                0,
                [self._text(s) for s in row["sentences"]],
                row,
            )
        begin = 0
        for name, (title, sentences, _) in self.documents.items():
            self.chunks_of[name] = self._chunked(name, title, sentences)
        begin = self._pool("chunks", begin)
        self.whole = {
            name: self._unit(title, sentences, name)
            for name, (title, sentences, _) in self.documents.items()
        }
        begin = self._pool("whole", begin)
        self.paper_units = []
        for row in d["papers"]:
            numbers = [self._text(s) for s in row["sentences"]]
            self.paper_units.append(
                (self._unit(self._text(row["title"]), numbers, row["document"]), row, numbers)
            )
        begin = self._pool("papers", begin)
        self.fever: dict[str, int] = {}
        for row in d["fever"]:
            key = " ".join(row["sentences"])
            if key not in self.fever:
                self.fever[key] = self._unit(
                    0, [self._text(s) for s in row["sentences"]], f"fever:{len(self.fever)}"
                )
        begin = self._pool("fever", begin)
        self.trials: dict[str, int] = {}
        for row in d["trials"]:
            key = " ".join(row["sentences"])
            if key not in self.trials:
                self.trials[key] = self._unit(
                    0, [self._text(s) for s in row["sentences"]], f"trial:{row['pmcid']}"
                )
        begin = self._pool("trials", begin)
        self.own = []
        for row in d["own"]:
            self.own.append(
                (self._unit(0, [self._text(s) for s in row["sentences"]], row["id"]), row)
            )
            for near in row["near"]:
                self._unit(0, [self._text(s) for s in near], row["id"])
        self._pool("own", begin)

    def _pool(self, name: str, begin: int) -> int:
        self.units.pools[name] = (begin, len(self.units.title))
        return len(self.units.title)

    def _chunked(self, name: str, title: int, sentences: list[int]) -> list[tuple[int, set[int]]]:
        parts, size = [[]], 0
        for place, number in enumerate(sentences):
            length = len(self.texts[number].split())
            if parts[-1] and size + length > WORDS_A_CHUNK:
                parts.append([])
                size = 0
            parts[-1].append(place)
            size += length
        if len(parts) > 1 and sum(len(self.texts[sentences[p]].split()) for p in parts[-1]) < 30:
            last = parts.pop()
            parts[-1] += last
        return [
            (self._unit(title, [sentences[p] for p in part], name), set(part))
            for part in parts
            if part
        ]

    def _right_chunks(self, name: str, places: set[int]) -> list[int]:
        return [unit for unit, part in self.chunks_of[name] if part & places]

    def _questions(self) -> None:
        d, rng = self.data, self.rng
        names = [f"scifact:{row['id']}" for row in d["sf"]]
        for q in d["claims"]:
            docs = [names[n] for n in q["relevant"]]
            self.asked.add(
                q["text"], "scifact", "whole", [self.whole[x] for x in docs], docs, held=q["held"]
            )
            right = [
                u
                for n, places in q["rationales"].items()
                if int(n) < len(names)
                for u in self._right_chunks(names[int(n)], set(places))
            ]
            if right and not q["held"]:
                self.asked.add(q["text"], "scifact", "chunks", right, docs)
        for row in d["pq"]:
            name = f"pubmedqa:{row['id']}"
            self.asked.add(
                row["question"], "pubmedqa", "whole", [self.whole[name]], [name], held=row["held"]
            )
            if not row["held"]:
                results = {
                    n
                    for n, label in enumerate(row["labels"])
                    if re.search("RESULT|FINDING|CONCL", label)
                }
                if right := self._right_chunks(name, results):
                    self.asked.add(row["question"], "pubmedqa", "chunks", right, [])
                for sentence in row["long"][:4]:
                    if len(sentence.split()) > 6:
                        self.asked.add(sentence, "summary", "whole", [self.whole[name]], [name])
        for row in d["written"]:
            name, kind = row["source"], row["type"]
            doc = self.documents[name][2]
            answers = self._places(name, row["answer_sentences"])
            right = self._right_chunks(name, answers)
            label = f"written {kind}" if right else "unanswered"
            self.asked.add(row["question"], label, "chunks", right, [], held=row["held"])
            if right and not row["held"]:
                self.asked.add(row["question"], label, "whole", [self.whole[name]], [name])
            del doc
        for unit, row in self.own:
            for q in row["questions"]:
                if q["answer_sentences"]:
                    self.asked.add(q["question"], "own", "own", [unit], [], held=row["held"])
            for claim in row["claims"] if not row["held"] else ():
                self.asked.add(claim, "claimed", "own", [unit], [row["id"]])
        for row in d["claimed"]:
            name = row["source"]
            self.asked.add(row["claim"], "claimed", "whole", [self.whole[name]], [name])
            if right := self._right_chunks(name, set(row["places"])):
                self.asked.add(row["claim"], "claimed", "chunks", right, [name])
        for row in d["trials"]:
            unit = self.trials[" ".join(row["sentences"])]
            for _ in range(2):
                self.asked.add(
                    of_trial(row, rng), "trial", "trials", [unit], [f"trial:{row['pmcid']}"]
                )
        for row in rng.sample(d["fever"], min(len(d["fever"]), int(7000 * SHARE) + 20)):
            unit = self.fever[" ".join(row["sentences"])]
            self.asked.add(
                asked_claim(row["claim"], rng),
                "fever",
                "fever",
                [unit],
                [self.units.document[unit]],
            )
        for row in d["fever"]:
            if rng.random() < 0.4:
                unit = self.fever[" ".join(row["sentences"])]
                got = [
                    one
                    for s in row["sentences"]
                    for one in made(s, rng)
                    if one[0] in ("number", "definition", "reason", "finding")
                ]
                if got:
                    kind, text = rng.choice(got)
                    self.asked.add(
                        text, f"made {kind}", "fever", [unit], [self.units.document[unit]]
                    )
        for name, (title, sentences, row) in self.documents.items():
            if row["held"]:
                continue
            if title and rng.random() < 0.5:
                self.asked.add(
                    without(self.texts[title], 0.25, rng),
                    "title",
                    "whole",
                    [self.whole[name]],
                    [name],
                )
            for place, number in enumerate(sentences):
                for kind, text in made(self.texts[number], rng):
                    if kind in ("claim", "words") and rng.random() > 0.12:
                        continue
                    if kind in ("finding", "number", "definition") and rng.random() > 0.7:
                        continue
                    localized = kind in ("number", "definition", "reason", "method")
                    hidden = number if kind in ("claim", "words") and rng.random() < 0.7 else -1
                    pool = "chunks" if localized or rng.random() < 0.6 else "whole"
                    right = (
                        self._right_chunks(name, {place})
                        if pool == "chunks"
                        else [self.whole[name]]
                    )
                    self.asked.add(
                        without(text, rng.choice((0, 0, 0.2)), rng),
                        f"made {kind}",
                        pool,
                        right,
                        [] if localized else [name],
                        hidden,
                    )
        for unit, row, _numbers in self.paper_units:
            got = [one for s in row["sentences"] for one in made(s, rng)]
            for heading in row["headings"][-1:]:
                got.append(
                    (
                        "heading",
                        heading
                        if rng.random() < 0.5
                        else f"{heading} {row['title'].split(':')[0]}",
                    )
                )
            for kind, text in got:
                if kind not in ("claim", "words") or rng.random() < 0.4:
                    self.asked.add(
                        without(text, rng.choice((0, 0, 0.2)), rng),
                        f"paper {kind}",
                        "papers",
                        [unit],
                        [],
                    )

    def _places(self, name: str, indices: list[int]) -> set[int]:
        """PubMedQA's parts are numbered, SciFact's sentences."""
        row = self.documents[name][2]
        if "parts" not in row:
            return set(indices)
        return {n for n, part in enumerate(row["parts"]) if part in indices}
