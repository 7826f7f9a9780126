"""The prepared questions: pairs for training, sets for choosing and their figures."""

import json
import math
import os
from pathlib import Path

import numpy as np
import torch

from network import Network

WORK = Path(os.environ["WORK"])
SHARE = float(os.environ.get("SHARE", "1"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TOKENS = 192
WEIGHTS = (0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, math.inf)


def auto():
    return torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda")


class Bank:
    def __init__(self) -> None:
        z = np.load(WORK / "bank.npz", allow_pickle=False)
        self.text = self._split(z["text_ids"], z["text_ends"])
        self.asked = self._split(z["asked_ids"], z["asked_ends"])
        self.titles, self.cands, self.picked, self.scores = (
            z["titles"],
            z["cands"],
            z["picked"],
            z["scores"].astype(np.float32),
        )
        self.right, held, kinds = z["right"], z["held"], z["kind"]
        self.by_kind: dict[str, list[int]] = {}
        for n, kind in enumerate(kinds.tolist()):
            if (
                not held[n]
                and (self.right[n] or kind == "unanswered")
                and (self.cands[n] >= 0).sum() > self.right[n] + 3
            ):
                self.by_kind.setdefault(kind.split()[0], []).append(n)
        self.stop = [1012]

    @staticmethod
    def _split(flat, ends):
        begins = np.concatenate([[0], ends[:-1]])
        return [flat[a:b].tolist() for a, b in zip(begins, ends, strict=False)]

    def pair(self, n: int, slot: int, titled: bool = True) -> tuple[list[int], int]:
        q = self.asked[n]
        unit = int(self.cands[n, slot])
        title = self.titles[unit]
        passage: list[int] = []
        if title and titled:
            passage += self.text[title]
            if passage[-1:] != self.stop:
                passage = passage + self.stop
        for s in self.picked[n, slot]:
            if s:
                passage = passage + self.text[s]
        return [101, *q, 102, *passage[: TOKENS - len(q) - 3], 102], len(q) + 2


def batch_of(pairs: list[tuple[list[int], int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = -(-max(len(ids) for ids, _ in pairs) // 8) * 8
    ids = np.zeros((len(pairs), longest), dtype=np.int64)
    segments = np.zeros_like(ids)
    for row, (tokens, border) in enumerate(pairs):
        ids[row, : len(tokens)] = tokens
        segments[row, border : len(tokens)] = 1
    return torch.from_numpy(ids), torch.from_numpy(segments)


class Sets:
    """Held-out questions: pairs, first scores, right ones, and how a ranking is judged."""

    def __init__(self, bank: Bank) -> None:
        self.rows: list[dict] = []
        for row in json.loads((WORK / "held.json").read_text()):
            depth = 20
            slots = list(range(len(row["cands"])))[:depth]
            right = set(row["right"])
            self.rows.append(
                {
                    "set": row["kind"].split()[0],
                    "pairs": [bank.pair(row["n"], s) for s in slots],
                    "first": row["scores"][:depth],
                    "marks": [[c] if c in right else [] for c in row["cands"][:depth]],
                    "ideal": sorted([1] * len(right), reverse=True),
                    "answered": bool(right),
                }
            )
        for row in json.loads((WORK / "asked.json").read_text()):
            q = row["q"]
            pairs = [([101, *q, 102, *p[: TOKENS - len(q) - 3], 102], len(q) + 2) for p in row["p"]]
            self.rows.append(
                {
                    "set": row["set"],
                    "pairs": pairs,
                    "first": row["first"],
                    "marks": row["marks"],
                    "members": row.get("members"),
                    "ideal": row["ideal"],
                    "answered": row["answered"],
                }
            )
        if SHARE < 1:
            some: dict[str, int] = {}
            keep = []
            for row in self.rows:
                some[row["set"]] = some.get(row["set"], 0) + 1
                if some[row["set"]] <= 1:
                    keep.append(row)
            self.rows = keep

    @torch.inference_mode()
    def logits(self, model: Network) -> list[list[float]]:
        model.eval()
        flat = [
            (r, p, pair) for r, row in enumerate(self.rows) for p, pair in enumerate(row["pairs"])
        ]
        flat.sort(key=lambda x: len(x[2][0]))
        out = [[0.0] * len(row["pairs"]) for row in self.rows]
        size = 512 if DEVICE == "cuda" else 20
        for at in range(0, len(flat), size):
            part = flat[at : at + size]
            ids, segments = batch_of([pair for _, _, pair in part])
            with auto():
                found = model(ids.to(DEVICE), segments.to(DEVICE)).float().cpu().tolist()
            for (r, p, _), value in zip(part, found, strict=False):
                out[r][p] = value
        return out

    def figures(self, logits: list[list[float]]) -> dict:
        """By set and weight: questions, hit@1, hit@3, nDCG@10; how well answered ones are told."""
        found: dict = {}
        best: dict[str, dict[bool, list[float]]] = {}
        for row, values in zip(self.rows, logits, strict=False):
            best.setdefault(
                row["set"] if row["set"] != "unanswered" else "written", {True: [], False: []}
            )[row["answered"]].append(max(values, default=-99))
            if not row["answered"]:
                continue
            for weight in WEIGHTS:
                first, marks_of, its = np.array(row["first"]), row["marks"], values
                if row.get("members"):
                    first = np.array([m[1] for m in row["members"]])
                    marks_of = [m[2] for m in row["members"]]
                    its = [values[m[0]] for m in row["members"]]
                scaled = (first - first.min()) / (np.ptp(first) + 1e-9)
                mix = np.array(its) if math.isinf(weight) else scaled + weight * np.array(its)
                marks = [marks_of[p] for p in np.argsort(-mix, kind="stable")]
                entry = found.setdefault(row["set"], {}).setdefault(str(weight), [])
                entry.append(judged(marks, row["ideal"]))
        figures = {
            s: {
                w: [len(v), *(round(float(x), 4) for x in np.mean(v, axis=0))]
                for w, v in by.items()
            }
            for s, by in found.items()
        }
        for name, by in best.items():
            if by[True] and by[False]:
                figures.setdefault("auc", {})[name] = round(
                    float(np.mean([[a > b for b in by[False]] for a in by[True]])), 4
                )
        return figures


def judged(marks: list[list], ideal: list[int]) -> tuple[float, float, float]:
    known: set = set()
    total, first = 0.0, 99
    for place, one in enumerate(marks[:10], 1):
        new = set(map(str, one)) - known
        if one and first == 99:
            first = place
        total += len(new) / math.log2(place + 1)
        known |= new
    best = sum(g / math.log2(n + 2) for n, g in enumerate(ideal[:10]))
    return float(first == 1), float(first <= 3), total / best if best else 0.0


def summary(figures: dict) -> tuple[float, str]:
    """The best weight's mean over sets of (hit@1 + nDCG) / 2, SciFact by half."""
    shares = {"scifact": 0.7, "pubmedqa": 0.7, "written": 1.0}
    best = (-1.0, "0.0")
    for weight in map(str, WEIGHTS):
        total = size = 0.0
        for name, by in figures.items():
            if name == "auc" or weight not in by or name.endswith("single"):
                continue
            share = shares.get(name, 0.8)
            total += share * (by[weight][1] + by[weight][3]) / 2
            size += share
        if size and total / size > best[0]:
            best = (total / size, weight)
    return best
