"""Questions to abstracts and public papers with the passages that a first stage offers, for
``further.py``.

    python pools.py abstracts|covid|trials|scifact SOURCE OUT [WRITTEN]

SOURCE is SciTLDR's folder (``*.jsonl``; WRITTEN is ``written/abstracts.jsonl``), COVID-QA's JSON,
the folder ``annotations`` of Evidence Inference, or a folder with ``scifact/``. The first stage is
one like the product's: 0.25 passage, here the mean of its sentences, 0.40 BM25, 0.35 best sentence.
The text of a passage is what the product reads: the title and two sentences, of SciFact four.
Appends to OUT.
"""

import csv
import hashlib
import json
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from citeloom.domain.documents.spans import CharSpan, ChunkKind
from citeloom.domain.search.answers import Readable, read_passages
from citeloom.domain.search.ranking import evidence_text
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import terms
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from made_questions import of_trial
from texts import rows as read_rows
from texts import scifact, tenth

WORDS, LIKELY, READ, KEPT = 150, 100, 20, 16
TRIALS = 520
#: Sentences of one document as like as this say the same: such a passage is not a wrong one.
SAME = 0.62
EMBEDDER = BundledEmbedder(threads=2)


@dataclass
class Unit:
    """A passage: sentences with the span of each in its document."""

    document: str
    title: str
    sentences: list[tuple[str, int, int]]


@dataclass
class Asked:
    """``right``: sentences that answer, by unit; ``without``: units that the library lacks."""

    text: str
    kind: str
    right: dict[int, list[int]]
    without: Sequence[int] = ()


def vectors(texts: Sequence[str]) -> np.ndarray:
    made = np.array(list(EMBEDDER.embed(texts)), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


class Pool:
    """Units with BM25 and vectors."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units, self.of = units, defaultdict(list)
        for number, unit in enumerate(units):
            self.of[unit.document].append(number)
        self.vectors = vectors([text for unit in units for text, _, _ in unit.sentences])
        sizes = np.array([len(unit.sentences) for unit in units])
        self.starts = np.r_[0, np.cumsum(sizes)[:-1]]
        lengths = np.array([len(t) for unit in units for t, _, _ in unit.sentences], np.float32)
        means = np.add.reduceat(self.vectors * lengths[:, None], self.starts, axis=0)
        self.means = means / np.linalg.norm(means, axis=1, keepdims=True)
        self.words = self._words()

    def _words(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        counts = [
            Counter(w.stem for w in terms(f"{u.title}. " + " ".join(t for t, _, _ in u.sentences)))
            for u in self.units
        ]
        lengths = np.array([one.total() for one in counts]) / np.mean([c.total() for c in counts])
        having: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, one in enumerate(counts):
            for word, times in one.items():
                having[word].append((number, times))
        found = {}
        for word, pairs in having.items():
            at, times = (np.array(x) for x in zip(*pairs, strict=True))
            rarity = math.log(1 + (len(counts) - len(at) + 0.5) / (len(at) + 0.5))
            found[word] = at, rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[at]))
        return found

    def cosines(self, unit: int, near: np.ndarray) -> np.ndarray:
        at = self.starts[unit]
        return near[at : at + len(self.units[unit].sentences)]

    def search(self, asked: Asked, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of each unit, and the cosine of each sentence."""
        near = self.vectors @ vector
        dense, best = self.means @ vector, np.maximum.reduceat(near, self.starts)
        words = np.zeros(len(self.units))
        for word in {one.stem for one in terms(asked.text)} & self.words.keys():
            at, weights = self.words[word]
            words[at] += weights
        gone = list(asked.without)
        dense[gone], best[gone], words[gone] = -1, -1, 0
        few = min(LIKELY, len(self.units) - 1)
        likely = (dense >= np.sort(dense)[-few]) | ((words >= np.sort(words)[-few]) & (words > 0))

        def stretched(x: np.ndarray) -> np.ndarray:
            low, high = x[likely].min(), x[likely].max()
            return np.clip((x - low) / (high - low + 1e-6), 0, 1)

        mixed = 0.25 * stretched(dense) + 0.40 * words / (words.max() + 1e-6)
        mixed += 0.35 * stretched(best)
        mixed[~likely] = -1
        mixed[gone] = -1
        return mixed, near

    def read(self, text: str, units: Sequence[int], near: np.ndarray, count: int) -> list[str]:
        """What a reranker reads of these units."""
        readable = []
        for unit in units:
            its, spans, at = self.units[unit], [], 0
            for sentence, _, _ in its.sentences:
                spans.append(CharSpan(start=at, end=at + len(sentence)))
                at += len(sentence) + 1
            chunk = SimpleNamespace(
                text=" ".join(t for t, _, _ in its.sentences), kind=ChunkKind.TEXT,
                section_path=(), id=str(unit), doc_id=its.document,
            )  # fmt: skip
            cosines = self.cosines(unit, near).tolist()
            readable.append(Readable(chunk, its.title, spans, cosines))
        found = read_passages(text, readable) if count == 2 else None
        texts = []
        for one in readable:
            quotes = [one.chunk.text[span.start : span.end] for span in one.sentences]
            likeness = dict(zip(quotes, one.cosines, strict=True))
            if found and (best := found.best_of(one.chunk.id)):
                likeness[one.chunk.text[best.start : best.end]] = 1.0
            texts.append(evidence_text(one.title, list(likeness), list(likeness.values()), count))
        return texts

    def row(self, asked: Asked, vector: np.ndarray, count: int) -> dict[str, object]:
        scores, near = self.search(asked, vector)
        order = [int(n) for n in np.argsort(-scores)[: READ + 6] if scores[n] > -0.5]
        said = [self.starts[u] + k for u, places in asked.right.items() for k in places]
        documents = {self.units[u].document for u in asked.right}
        units = [
            n for n in order
            if n in asked.right or self.units[n].document not in documents or not said
            or (self.cosines(n, self.vectors @ self.vectors[said].T)).max() <= SAME
        ][:KEPT]  # fmt: skip
        units += [n for n in asked.right if n not in units][:3]
        texts = self.read(asked.text, units, near, count)
        singles = [self.single(n, asked, near) for n in units]
        cands = [
            {"text": t, "single": s, "score": round(float(max(scores[n], 0)), 3),
             "right": n in asked.right}
            for n, t, s in zip(units, texts, singles, strict=True)
        ]  # fmt: skip
        return {"text": asked.text, "kind": asked.kind, "cands": cands}

    def single(self, unit: int, asked: Asked, near: np.ndarray) -> str:
        its = self.units[unit]
        place = asked.right.get(unit, [int(np.argmax(self.cosines(unit, near)))])[0]
        return evidence_text(its.title, [its.sentences[place][0]], [1.0])


def passages(document: str, title: str, text: str, begin: int = 0) -> Iterator[Unit]:
    """A text in passages of whole sentences."""
    found: list[tuple[str, int, int]] = []
    size = 0
    for a, b in sentence_spans(text[begin:]):
        sentence = " ".join(text[begin + a : begin + b].split())[:700]
        length = len(sentence.split())
        if found and size + length > WORDS:
            yield Unit(document, title, found)
            found, size = [], 0
        if sentence:
            found.append((sentence, begin + a, begin + b))
            size += length
    if found:
        yield Unit(document, title, found)


def having(pool: Pool, document: str, spans: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """The sentences of a document that overlap the spans."""
    right: dict[int, list[int]] = defaultdict(list)
    for unit in pool.of[document]:
        for place, (_, a, b) in enumerate(pool.units[unit].sentences):
            if any(min(b, end) - max(a, start) > 0.5 * min(b - a, end - start)
                   for start, end in spans):  # fmt: skip
                right[unit].append(place)
    return dict(right)


def abstracts(source: Path, written: Path) -> tuple[Pool, list[Asked]]:
    titles: dict[str, str] = {}
    units = []
    for path in sorted(source.glob("*.jsonl")):
        for row in read_rows(path):
            if row["paper_id"] not in titles:
                titles[row["paper_id"]] = row["title"] or ""
                sentences = [(s, n, n) for n, s in enumerate(row["source"])]
                units.append(Unit(row["paper_id"], row["title"] or "", sentences))
    pool, asked = Pool(units), []
    for row in read_rows(written):
        name = row["source"].removeprefix("abs:")
        unit = pool.of[name][0]
        for text, places in row["asked"].items():
            if not tenth(name):
                kind = "abstract" if places else "abstract unanswered"
                asked.append(Asked(text, kind, {unit: places} if places else {}))
                share = int(hashlib.sha256(text.encode()).hexdigest()[:6], 16) / 16**6
                if places and share > 0.88:
                    asked.append(Asked(text, "abstract unanswered", {}, [unit]))
    return pool, asked


def covid(source: Path) -> tuple[Pool, list[Asked]]:
    units, told = [], []
    for row in json.loads(source.read_text(encoding="utf-8"))["data"]:
        for part in row["paragraphs"]:
            text = part["context"]
            title = text.split("\n")[0].strip()[:200]
            head = re.search(r"\n(?:Abstract|Text): ", text)
            units += passages(title, title, text, head.end() if head else 0)
            for one in part["qas"]:
                spans = [(a["answer_start"], a["answer_start"] + len(a["text"]))
                         for a in one["answers"]]  # fmt: skip
                told.append((" ".join(one["question"].split()), title, spans))
    pool, rng, asked = Pool(units), random.Random(1), []
    for text, document, spans in told:
        if right := having(pool, document, spans):
            asked.append(Asked(text, "covid", right))
            if rng.random() < 0.3:
                asked.append(Asked(text, "covid gone", {}, pool.of[document]))
    return pool, asked


def trials(source: Path) -> tuple[Pool, list[Asked]]:
    csv.field_size_limit(10**9)
    ids = (source / "splits" / "train_article_ids.txt").read_text().split()
    random.Random(3).shuffle(ids)
    chosen = {re.sub(r"\D", "", one) for one in ids[:TRIALS]}
    with (source / "prompts_merged.csv").open(encoding="utf-8") as stream:
        prompts = {r["PromptID"]: r for r in csv.DictReader(stream) if r["PMCID"] in chosen}
    evidence: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for name in ("v1", "v2"):
        with (source / f"{name}_annotations.csv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row["PromptID"] in prompts and row.get("Evidence Start", "").isdigit():
                    span = int(row["Evidence Start"]), int(row["Evidence End"])
                    evidence[row["PromptID"]].append((*span, row["Label"]))
    units = []
    for name in sorted(chosen):
        path = source / "txt_files" / f"PMC{name}.txt"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        text = re.sub(r"\n[A-Z][A-Z.:&/ ,\-()0-9]{3,}:\n", lambda m: "\n" + " " * (len(m[0]) - 2)
                      + "\n", text)  # fmt: skip
        title = text.strip().partition("\n")[0].strip()[:200]
        units += passages(name, title, text)
    pool, rng, asked = Pool(units), random.Random(2), []
    for number, row in prompts.items():
        found = evidence.get(number, [])
        if right := having(pool, row["PMCID"], [(a, b) for a, b, _ in found]):
            named = {
                key: row[key.capitalize()] for key in ("intervention", "comparator", "outcome")
            }
            asked.append(Asked(of_trial(named | {"label": found[0][2]}, rng), "trial", right))
    return pool, asked


def claims(source: Path) -> tuple[Pool, list[Asked]]:
    documents, queries = scifact(source / "scifact")
    pool = Pool([
        Unit(row["id"], row["title"], [(s, n, n) for n, s in enumerate(row["sentences"])])
        for row in documents
    ])  # fmt: skip
    held = [n for n, row in enumerate(documents) if row["held"]]
    return pool, [
        Asked(q["text"], "scifact", {d: q["rationales"].get(d, [0]) for d in q["relevant"]}, held)
        for q in queries if not q["held"]
    ]  # fmt: skip


def main() -> None:
    name, source, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if name == "abstracts":
        pool, asked = abstracts(source, Path(sys.argv[4]))
    else:
        pool, asked = {"covid": covid, "trials": trials, "scifact": claims}[name](source)
    found = vectors([one.text for one in asked])
    with out.open("a", encoding="utf-8") as stream:
        for one, vector in zip(asked, found, strict=True):
            row = pool.row(one, vector, 4 if name == "scifact" else 2)
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(name, Counter(one.kind for one in asked))


if __name__ == "__main__":
    main()
