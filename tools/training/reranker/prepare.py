"""Make training groups and sets for choosing out of ``data.json.gz``, for ``train.py``."""

import gzip
import json
import random
from collections import Counter

import numpy as np
import torch
from tokenizers import Tokenizer

from material import DATA, DEVICE, START, WORK, Material, log
from mining import encoded, mine, vectors
from network import started


def main() -> None:
    torch.manual_seed(0)
    WORK.mkdir(parents=True, exist_ok=True)
    material = Material(random.Random(42))
    units, asked = material.units, material.asked
    log(
        len(units.title),
        "units",
        len(material.texts),
        "texts",
        len(asked.text),
        "questions",
        dict(Counter(asked.kind)),
    )
    papers = DATA / "asked.json.gz"
    extra = json.loads(gzip.decompress(papers.read_bytes())) if papers.exists() else []
    texts_i = encoded(material.texts)
    asked_i = [ids[:64] for ids in encoded(asked.text)]
    unit_i = [
        (texts_i[units.title[u]] + [i for s in units.sentences[u] for i in texts_i[s]])[:254]
        for u in range(len(units.title))
    ]
    log("encoded")
    model = started(START, 0.0).to(DEVICE).eval()
    texts_v, units_v, asked_v = (
        vectors(model, texts_i),
        vectors(model, unit_i, 254),
        vectors(model, asked_i),
    )
    log("embedded")
    found = mine(material, texts_v, units_v, asked_v)
    flat = (
        np.concatenate([np.array(x, dtype=np.int32) for x in texts_i]) if texts_i else np.zeros(0)
    )
    lengths = np.array([len(x) for x in texts_i])
    asked_flat = np.concatenate([np.array(x, dtype=np.int32) for x in asked_i])
    bank = {
        "text_ids": flat,
        "text_ends": np.cumsum(lengths),
        "asked_ids": asked_flat,
        "asked_ends": np.cumsum([len(x) for x in asked_i]),
        "titles": np.array(units.title, dtype=np.int32),
        "held": np.array(asked.held),
        "kind": np.array(asked.kind),
        "pool": np.array(asked.pool),
        **found,
    }
    np.savez(WORK / "bank.npz", **bank)
    held = [
        {
            "n": n,
            "kind": asked.kind[n],
            "right": asked.right[n],
            "cands": [int(c) for c in found["cands"][n] if c >= 0],
            "scores": [
                float(s)
                for s, c in zip(found["scores"][n], found["cands"][n], strict=False)
                if c >= 0
            ],
        }
        for n in range(len(asked.text))
        if asked.held[n]
    ]
    (WORK / "held.json").write_text(json.dumps(held))
    rows = []
    tokenizer = Tokenizer.from_file(str(START / "tokenizer.json"))
    for row in extra:
        texts = tokenizer.encode_batch(row["texts"], add_special_tokens=False)
        rows.append(
            row
            | {
                "q": tokenizer.encode(row["question"], add_special_tokens=False).ids[:64],
                "p": [t.ids[:190] for t in texts],
            }
        )
    (WORK / "asked.json").write_text(json.dumps(rows))
    (WORK / "PREPARED").write_text("yes")
    log("done")


if __name__ == "__main__":
    main()
