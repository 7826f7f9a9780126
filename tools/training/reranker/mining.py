"""What a first stage like the product's finds for the questions, and how near its sentences are.

0.25 of the passage's cosine, 0.40 of BM25 and 0.35 of the best sentence's, each stretched over
what the first 100 of each have.
"""

import math
from collections import Counter

import numpy as np
import torch
from tokenizers import Tokenizer

from material import DEVICE, KEPT, SENTENCES, START, Material, Units, log, stems


def _encoded(texts: list[str]) -> list[list[int]]:
    tokenizer = Tokenizer.from_file(str(START / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [one.ids[:160] for one in tokenizer.encode_batch(texts, add_special_tokens=False)]


def encoded(texts: list[str]) -> list[list[int]]:
    return _encoded(texts)


@torch.inference_mode()
def vectors(model, ids: list[list[int]], longest: int = 128) -> torch.Tensor:
    out = torch.zeros(
        len(ids), 384, device=DEVICE, dtype=torch.float16 if DEVICE == "cuda" else torch.float32
    )
    order = sorted(range(len(ids)), key=lambda n: len(ids[n]))
    at = 0
    while at < len(order):
        size = 60000 if DEVICE == "cuda" else 3000
        length = min(longest, len(ids[order[min(len(order) - 1, at + 512)]])) + 2
        part = order[at : at + max(8, size // length)]
        length = min(longest, max(len(ids[n]) for n in part)) + 2
        batch = np.zeros((len(part), length), dtype=np.int64)
        for row, n in enumerate(part):
            tokens = [101, *ids[n][: length - 2], 102]
            batch[row, : len(tokens)] = tokens
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
            found = model.vectors(torch.from_numpy(batch).to(DEVICE))
        out[torch.tensor(part, device=DEVICE)] = found.to(out.dtype)
        at += len(part)
    return out


class Pooled:
    """BM25, and vectors of a pool's units and their sentences."""

    def __init__(self, units: Units, texts: list[str], span: tuple[int, int]) -> None:
        self.span = span
        counted = []
        for u in range(*span):
            title = stems(texts[units.title[u]])
            body = [w for s in units.sentences[u] for w in stems(texts[s])]
            counts = Counter(body)
            for word in set(title):
                counts[word] = max(counts[word], 0) + 1.5
            counted.append((counts, len(body)))
        df = Counter(w for counts, _ in counted for w in counts)
        self.word = {w: n for n, w in enumerate(df)}
        average = np.mean([length for _, length in counted]) or 1
        size = len(counted)
        matrix = np.zeros((len(self.word) + 1, size), dtype=np.float16)
        for column, (counts, length) in enumerate(counted):
            for word, times in counts.items():
                idf = math.log(1 + (size - df[word] + 0.5) / (df[word] + 0.5))
                matrix[self.word[word], column] = (
                    idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / average))
                )
        self.bm25 = torch.from_numpy(matrix).to(DEVICE)
        most = max(len(units.sentences[u]) for u in range(*span))
        self.inside = torch.zeros(size, min(most, 40), dtype=torch.long, device=DEVICE)
        rows = np.zeros((size, min(most, 40)), dtype=np.int64)
        for row, u in enumerate(range(*span)):
            some = units.sentences[u][:40]
            rows[row, : len(some)] = some
        self.inside = torch.from_numpy(rows).to(DEVICE)

    def words(self, texts: list[str]) -> torch.Tensor:
        flat, offsets = [], []
        for text in texts:
            offsets.append(len(flat))
            flat += [self.word.get(w, len(self.word)) for w in set(stems(text))] or [len(self.word)]
        ids = torch.tensor(flat, device=DEVICE)
        if DEVICE == "cpu":
            return torch.nn.functional.embedding_bag(
                ids, self.bm25.float(), torch.tensor(offsets), mode="sum"
            )
        return torch.nn.functional.embedding_bag(
            ids, self.bm25, torch.tensor(offsets, device=DEVICE), mode="sum"
        ).float()


def stretched(x: torch.Tensor) -> torch.Tensor:
    low, high = x.amin(1, keepdim=True), x.amax(1, keepdim=True)
    return (x - low) / (high - low + 1e-6)


def first_stage(dense: torch.Tensor, words: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    floor_d = dense.topk(min(100, dense.shape[1]), dim=1).values[:, -1:]
    likely = (dense >= floor_d) | (
        words >= words.topk(min(100, words.shape[1]), dim=1).values[:, -1:].clamp(min=1e-3)
    )

    def signal(x: torch.Tensor) -> torch.Tensor:
        low = torch.where(likely, x, torch.inf).amin(1, keepdim=True)
        high = torch.where(likely, x, -torch.inf).amax(1, keepdim=True)
        return ((x - low) / (high - low + 1e-6)).clamp(0, 1)

    mixed = (
        0.25 * signal(dense)
        + 0.40 * words / (words.amax(1, keepdim=True) + 1e-6)
        + 0.35 * signal(best)
    )
    return torch.where(likely, mixed, -1.0)


def mine(
    material: Material,
    texts_v: torch.Tensor,
    units_v: torch.Tensor,
    asked_v: torch.Tensor,
) -> dict:
    """Candidates (units), first scores, sentences of each, and how many of the first are right."""
    asked, units = material.asked, material.units
    count = len(asked.text)
    most_right = 4
    width = most_right + KEPT
    cands = np.full((count, width), -1, dtype=np.int32)
    scores = np.zeros((count, width), dtype=np.float16)
    picked = np.zeros((count, width, SENTENCES), dtype=np.int32)
    ranks = np.full(count, -1, dtype=np.int32)
    documents = np.array(units.document)
    _, number_of = np.unique(documents, return_inverse=True)
    doc_number = dict(zip(documents.tolist(), number_of.tolist(), strict=False))
    for name, span in units.pools.items():
        rows = [n for n in range(count) if asked.pool[n] == name]
        if not rows:
            continue
        pool = Pooled(units, material.texts, span)
        unit_docs = torch.from_numpy(number_of[span[0] : span[1]]).to(DEVICE)
        its = units_v[span[0] : span[1]]
        flat, owner = [], []
        for u in range(*span):
            flat += units.sentences[u][:40]
            owner += [u - span[0]] * len(units.sentences[u][:40])
        sentence_v = texts_v[torch.tensor(flat, device=DEVICE)]
        owner_t = torch.tensor(owner, device=DEVICE)
        for at in range(0, len(rows), 256):
            part = rows[at : at + 256]
            q = asked_v[torch.tensor(part, device=DEVICE)]
            dense = (q @ its.T).float()
            per = (q @ sentence_v.T).float()
            best = torch.full_like(dense, -1.0).index_reduce_(1, owner_t, per, "amax")
            words = pool.words([asked.text[n] for n in part])
            mix = first_stage(dense, words, best)
            mine_it = mix.clone()
            right_sets = []
            for row, n in enumerate(part):
                right = [u - span[0] for u in asked.right[n]][:most_right]
                right_sets.append(right)
                if asked.banned[n] and not asked.held[n]:
                    for b in asked.banned[n]:
                        mine_it[row, unit_docs == doc_number[b]] = -5
                if right and not asked.held[n]:
                    mine_it[row, [u - span[0] for u in asked.right[n]]] = -5
            top = mine_it.topk(min(KEPT, mine_it.shape[1]), dim=1)
            top_i, top_s = top.indices.cpu().numpy(), top.values.cpu().numpy()
            mix_c = mix.cpu().numpy()
            for row, n in enumerate(part):
                right = [] if asked.held[n] else right_sets[row]
                ok = top_s[row] > -0.5
                chosen = right + top_i[row][ok].tolist()
                cands[n, : len(chosen)] = chosen
                scores[n, : len(chosen)] = np.clip(mix_c[row, chosen], 0, 1)
            ids = torch.from_numpy(cands[part].astype(np.int64)).to(DEVICE)
            inside = pool.inside[ids.clamp(min=0)]
            hidden = torch.tensor([asked.hidden[n] for n in part], device=DEVICE)
            for low in range(0, len(part), 32):
                block = inside[low : low + 32]
                near = torch.einsum("bd,bcsd->bcs", q[low : low + 32], texts_v[block]).float()
                near = near.masked_fill(
                    (block == 0) | (block == hidden[low : low + 32, None, None]), -9
                )
                found = near.topk(min(SENTENCES, near.shape[2]), dim=2)
                chosen = block.gather(2, found.indices).masked_fill(found.values < -5, 0)
                picked[
                    np.array(part[low : low + 32])[:, None],
                    np.arange(width)[None],
                    : chosen.shape[2],
                ] = chosen.cpu().numpy()
            for n in part:
                cands[n] = np.where(cands[n] >= 0, cands[n] + span[0], -1)
        log("mined", name, len(rows))
        del pool
    right_count = np.array(
        [0 if asked.held[n] else min(most_right, len(asked.right[n])) for n in range(count)]
    )
    return {
        "cands": cands,
        "scores": scores,
        "picked": picked,
        "right": right_count,
        "ranks": ranks,
    }
