"""Gather the texts for training into ``data.json.gz``: no questions are made here.

    python texts.py DATA WRITTEN JOSE_PASSAGES OUT

Held out for choosing: SciFact's folds 0 and 1 of five that share no document (claims and their
documents), every fifth question of PubMedQA, a tenth of the written questions' sources.
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from citeloom.domain.text.sentences import sentence_spans
from folds import by_document


def rows(path):
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream if line.strip()]


def split(text):
    return [text[a:b].strip() for a, b in sentence_spans(text) if text[a:b].strip()]


def letters(text):
    return "".join(c for c in text.casefold() if c.isalnum())


def tenth(name):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 10 == 0


def scifact(folder):
    docs = rows(folder / "corpus.jsonl")
    place = {row["_id"]: n for n, row in enumerate(docs)}
    relevant = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, []).append(place[document])
    told = {row["id"]: row.get("evidence", {}) for row in rows(folder / "claims.jsonl")}
    queries = [
        {
            "id": row["_id"],
            "text": row["text"],
            "relevant": sorted(set(relevant[row["_id"]])),
            "rationales": {
                place[d]: sorted({s for one in found for s in one["sentences"]})
                for d, found in told.get(row["_id"], {}).items()
            },
        }
        for row in rows(folder / "queries.jsonl")
    ]
    folds = by_document([SimpleNamespace(relevant=q["relevant"]) for q in queries], 5, 20)
    held = {q for fold in folds[:2] for q in fold}
    for number, query in enumerate(queries):
        query["held"] = number in held
    held_docs = {d for q in queries if q["held"] for d in q["relevant"]}
    out = []
    for number, row in enumerate(docs):
        spans = row.get("sentence_spans") or sentence_spans(row["text"])
        texts = [row["text"][a:b].strip() for a, b in spans]
        out.append(
            {
                "id": row["_id"],
                "title": row["title"],
                "sentences": texts,
                "held": number in held_docs,
            }
        )
    return out, queries


def pubmedqa(path):
    out = []
    for number, (id, row) in enumerate(sorted(json.loads(path.read_text()).items())):
        parts = [split(part) for part in row["CONTEXTS"]]
        out.append(
            {
                "id": id,
                "question": row["QUESTION"],
                "sentences": [s for part in parts for s in part],
                "parts": [n for n, part in enumerate(parts) for _ in part],
                "labels": [
                    label for label, part in zip(row["LABELS"], parts, strict=False) for _ in part
                ],
                "long": split(row["LONG_ANSWER"]),
                "held": number % 5 == 0,
            }
        )
    return out


def main():
    data, written, jose, out = map(Path, sys.argv[1:5])
    docs, queries = scifact(data / "scifact")
    fever = [
        {"claim": r["claim"], "sentences": split(r["evidence"])[:8]}
        for r in rows(data / "claims" / "fever_pairs.jsonl")
        if len(r["evidence"]) < 900
    ]
    trials = [
        {k: r[k] for k in ("pmcid", "intervention", "comparator", "outcome", "label")}
        | {"sentences": split(r["evidence"])[:6]}
        for r in rows(data / "claims" / "evidence_inference.jsonl")
    ]
    pq = pubmedqa(data / "pubmedqa" / "questions.json")
    flat = {f"scifact:{r['id']}": r for r in docs} | {f"pubmedqa:{r['id']}": r for r in pq}
    claimed = []
    for path in sorted(written.glob("claims*.jsonl")):
        for row in rows(path):
            doc = flat.get(row["source"])
            if row["label"] == "NEI" or doc is None or doc["held"] or tenth(row["source"]):
                continue
            said = [letters(s) for s in row["sentences"]]
            places = [
                n
                for n, s in enumerate(doc["sentences"])
                if any(letters(s) in t or t in letters(s) for t in said)
            ]
            claimed.append({"source": row["source"], "claim": row["claim"], "places": places})
    asked, own = [], {}
    for path in sorted(written.glob("claims*.jsonl")):
        for row in rows(path):
            if row["source"].startswith("own:") and row["label"] != "NEI":
                key = " ".join(row["sentences"])
                one = own.setdefault(
                    key,
                    {
                        "id": row["source"],
                        "sentences": row["sentences"],
                        "near": [],
                        "questions": [],
                        "claims": [],
                    },
                )
                one["claims"].append(row["claim"])
    for path in sorted(written.glob("questions*.jsonl")):
        for row in rows(path):
            if "questions" in row:
                key = " ".join(row["sentences"])
                one = own.setdefault(
                    key,
                    {
                        "id": row["source"],
                        "sentences": row["sentences"],
                        "near": [],
                        "questions": [],
                        "claims": [],
                    },
                )
                one["near"] += row["near_passages"]
                one["questions"] += row["questions"]
                continue
            asked.append(row | {"held": tenth(row["source"]) or flat[row["source"]]["held"]})
    papers = json.loads(jose.read_text()) if jose.exists() else []
    all = {
        "sf": docs,
        "claims": queries,
        "pq": pq,
        "claimed": claimed,
        "own": [one | {"held": tenth(one["id"])} for one in own.values()],
        "fever": fever,
        "trials": trials,
        "written": asked,
        "papers": papers,
    }
    with gzip.open(out, "wt", compresslevel=9, encoding="utf-8") as stream:
        json.dump(all, stream, ensure_ascii=False)
    print(
        sum(bool(c["places"]) for c in claimed),
        {k: len(v) for k, v in all.items()},
        out.stat().st_size,
        sum(r["held"] for r in asked),
        sum(q["held"] for q in queries),
    )


if __name__ == "__main__":
    main()
