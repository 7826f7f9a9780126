"""Write ``data.json`` for training on another machine.

python pack.py --data DATA --written written.jsonl --lexicon FILE --abstracts FOLDER
    --covid COVIDFACT_dataset.jsonl --entailments MNLI.csv --paragraphs FILE --product FILE
    --out data.json.xz

``FOLDER`` has SciTLDR's ``train.jsonl``, ``dev.jsonl``, ``test.jsonl``. ``--paragraphs`` has the
sentences of passages of papers, by ``wild:PAPER#NUMBER``; ``--product`` claims of the develop
halves with the sentences that the product reads, see ``scores.product``.
"""

import argparse
import csv
import json
import lzma
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import labelled
from citeloom.domain.text.sentences import sentence_spans
from overlap import share, stems
from reading import asked

HELD = 10


def main() -> None:
    options = _options()
    data: Path = options.data
    rows = labelled.scifact(data / "scifact")
    scores = _closeness(rows)
    fold = np.full(len(rows), -1)
    for number, (_, test) in enumerate(labelled.folds(rows)):
        fold[test] = number
    documents = {row.document_id: int(n) for row, n in zip(rows, fold, strict=True)}
    corpus = {row["_id"]: row for row in _lines(data / "scifact" / "corpus.jsonl")}
    own = {
        id: [row["text"][a:b].strip() for a, b in row["sentence_spans"]]
        for id, row in corpus.items()
    }
    abstracts = [(corpus[id]["title"], own[id]) for id in corpus if id not in documents]
    answers = _answers(data / "pubmedqa" / "questions.json")
    parts = {f"scifact:{id}": one for id, one in own.items()}
    parts |= {f"pubmedqa:{id}": one["sentences"] for id, one in answers.items()}
    summed = list(_lines_of(options.abstracts))
    parts |= {f"abs:{row['paper_id']}": row["source"] for row in summed}
    abstracts += [
        (said.strip(), row["source"])
        for row in summed
        if not _is_held(f"abs:{row['paper_id']}")
        for said in row["target"][:2]
    ]
    paragraphs = json.loads(options.paragraphs.read_text())
    parts |= paragraphs
    abstracts += [("", own) for id, own in paragraphs.items() if not _is_held(id)]
    written = list(_written(options.written, parts, documents))
    hv = labelled.healthver(data / "claims" / "healthver_dev.jsonl")
    tuned = [row for row, half in zip(hv, labelled.unseen(hv), strict=True) if not half]
    found: dict[str, Any] = {
        "abstracts": abstracts,
        "near": _near(abstracts),
        "fever": [
            *_lines(data / "claims" / "fever_pairs.jsonl"),
            *_covid(options.covid),
        ],
        "findings": list(_lines(data / "claims" / "evidence_inference.jsonl")),
        "negations": list(_lines(data / "claims" / "nli_negation.jsonl")),
        "entailments": list(_entailments(options.entailments)),
        "answers": list(answers.values()),
        "claims": [
            {
                "claim": row.claim,
                "sentences": [one.strip() for one in row.sentences],
                "label": row.label,
                "rationales": row.rationales,
                "fold": int(n),
                "order": np.argsort(-near, kind="stable").tolist(),
            }
            for row, near, n in zip(rows, scores, fold, strict=True)
        ],
        "written": written,
        "product": json.loads(options.product.read_text()),
        "lexicon": json.loads(options.lexicon.read_text()),
        "sets": {
            "sf": _set(rows, scores, fold.tolist()),
            "hv": _set(tuned, _closeness(tuned), []),
        },
    }
    raw = json.dumps(found, ensure_ascii=False).encode()
    options.out.write_bytes(lzma.compress(raw, preset=9))
    counts = {name: len(one) for name, one in found.items()}
    print(counts, "held", sum(row["held"] for row in written), options.out.stat().st_size, "bytes")


def _set(rows: Any, scores: Any, folds: list[int]) -> dict[str, Any]:
    return {"pairs": asked(rows, scores), "labels": [row.label for row in rows], "folds": folds}


def _written(
    path: Path, parts: dict[str, list[str]], folds: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """Lines ``[source, [sentences], label, kind, claim]``, sentences from 0, and the text of
    sources that were written, too: ``[source, "text", sentence, ...]``."""
    for row in _lines(path):
        source, places, *rest = row
        if places == "text":
            parts[source] = rest
            continue
        label, kind, claim = rest
        yield {
            "source": source,
            "sentences": [parts[source][place] for place in places],
            "document": parts[source],
            "label": label,
            "kind": kind,
            "claim": claim,
            "held": _is_held(source),
            "fold": folds.get(source.partition(":")[2], -1),
        }


def _is_held(source: str) -> bool:
    """All passages of a paper (``PAPER#NUMBER``) together."""
    return sha256(source.partition("#")[0].encode()).digest()[0] % HELD == 0


def _lines_of(folder: Path) -> Iterator[dict[str, Any]]:
    for part in ("train", "dev", "test"):
        for row in _lines(folder / f"{part}.jsonl"):
            yield row | {"source": [one.strip() for one in row["source"]]}


def _covid(path: Path) -> Iterator[dict[str, str]]:
    """COVID-Fact's claims with the sentences that come with them, nearest first."""
    labels = {"SUPPORTED": "SUPPORT", "REFUTED": "CONTRADICT"}
    for row in _lines(path):
        near = sorted(row["evidence"], key=lambda one: -share(row["claim"], one))[:2]
        yield {
            "claim": row["claim"],
            "evidence": " ".join(near)[:400],
            "label": labels[row["label"]],
        }


def _entailments(path: Path) -> Iterator[dict[str, str]]:
    """MultiNLI's development sets as CSV: premise, hypothesis, label."""
    labels = {"entailment": "SUPPORT", "neutral": "NEI", "contradiction": "CONTRADICT"}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["label"] in labels and 10 <= len(row["premise"]) <= 420:
                premise, claim = row["premise"].strip(), row["hypothesis"].strip()
                yield {"claim": claim, "evidence": premise, "label": labels[row["label"]]}


def _closeness(rows: Any) -> list[np.ndarray]:
    return [np.array([share(row.claim, one) for one in row.sentences]) for row in rows]


def _near(abstracts: list[tuple[str, list[str]]]) -> list[list[int]]:
    """Of each abstract the five with most of its title's words, rare ones counting more."""
    from scipy.sparse import csr_matrix

    bags = [stems(" ".join(own)) for _, own in abstracts]
    words = {word: n for n, word in enumerate(sorted(set().union(*bags)))}
    at = [(n, words[word]) for n, bag in enumerate(bags) for word in bag]
    rows, columns = map(np.array, zip(*at, strict=True))
    seen = np.bincount(columns, minlength=len(words))
    rare = np.log(len(bags) / seen)
    matrix = csr_matrix((rare[columns], (rows, columns)), shape=(len(bags), len(words)))
    titles = [stems(title) for title, _ in abstracts]
    at = [(n, words[word]) for n, bag in enumerate(titles) for word in bag if word in words]
    rows, columns = map(np.array, zip(*at, strict=True))
    asking = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(bags), len(words)))
    same: dict[tuple[str, ...], list[int]] = {}
    for n, (_, own) in enumerate(abstracts):
        same.setdefault(tuple(own), []).append(n)
    found = []
    for first in range(0, len(bags), 500):
        some = np.asarray((asking[first : first + 500] @ matrix.T).todense())
        for row, (_, own) in enumerate(abstracts[first : first + 500]):
            some[row, same[tuple(own)]] = -1
        found += np.argsort(-some, axis=1)[:, :5].tolist()
    return found


def _answers(path: Path) -> dict[str, dict[str, list[str]]]:
    found = {}
    for id, row in json.loads(path.read_text(encoding="utf-8")).items():
        sentences = [text[a:b].strip() for text in row["CONTEXTS"] for a, b in sentence_spans(text)]
        answer = row["LONG_ANSWER"]
        conclusion = [answer[a:b].strip() for a, b in sentence_spans(answer)]
        found[id] = {"sentences": sentences, "conclusion": conclusion}
    return found


def _lines(path: Path) -> Any:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in (
        "data",
        "written",
        "lexicon",
        "abstracts",
        "covid",
        "entailments",
        "paragraphs",
        "product",
        "out",
    ):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
