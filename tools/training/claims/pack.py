"""Write ``data.json`` for training on another machine.

python pack.py --data DATA --written written.jsonl --lexicon FILE --out data.json.z
"""

import argparse
import json
import zlib
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
    written = list(_written(options.written, parts, documents))
    hv = labelled.healthver(data / "claims" / "healthver_dev.jsonl")
    tuned = [row for row, half in zip(hv, labelled.unseen(hv), strict=True) if not half]
    found: dict[str, Any] = {
        "abstracts": abstracts,
        "near": _near(abstracts),
        "fever": list(_lines(data / "claims" / "fever_pairs.jsonl")),
        "findings": list(_lines(data / "claims" / "evidence_inference.jsonl")),
        "negations": list(_lines(data / "claims" / "nli_negation.jsonl")),
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
        "lexicon": json.loads(options.lexicon.read_text()),
        "sets": {
            "sf": _set(rows, scores, fold.tolist()),
            "hv": _set(tuned, _closeness(tuned), []),
        },
    }
    raw = json.dumps(found, ensure_ascii=False).encode()
    options.out.write_bytes(zlib.compress(raw, 9))
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
            # Other claims over papers are kept apart in benchmarks/claims_fresh2.jsonl.
            "held": not source.startswith("wild:")
            and sha256(source.encode()).digest()[0] % HELD == 0,
            "fold": folds.get(source.partition(":")[2], -1),
        }


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
    found = []
    for first in range(0, len(bags), 500):
        some = np.asarray((asking[first : first + 500] @ matrix.T).todense())
        some[np.arange(len(some)), np.arange(first, first + len(some))] = -1
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
    for name in ("data", "written", "lexicon", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
