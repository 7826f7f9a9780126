"""SciFact, HealthVer and Citation-Integrity as labelled claims for ``citeloom evaluate --claims``.

usage: python benchmarks/labelled_claims.py DATA FOLDER

DATA has ``scifact/`` (BEIR layout with claims.jsonl), ``claims/healthver_dev.jsonl`` and
``citint/`` (claims_dev.jsonl, corpus.jsonl). FOLDER gets ``scifact.jsonl``, ``healthver.jsonl`` and
``citint.jsonl``; it must be outside this repository, since not all of these texts may be copied.
A claim is paired with each document that it cites; without evidence there its label is NEI.
"""

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# What stands for a citation in Citation-Integrity's claims, the brackets around it included.
_CITATION = re.compile(r"\s*(?:\[[^\[\]]*<\|[^\[\]]*\]|\(\s*<\|[a-z_]+\|>\s*\)|<\|[a-z_]+\|>)")

Row = Mapping[str, Any]


def scifact(folder: Path) -> Iterator[Row]:
    claims = _by(folder / "claims.jsonl", "id")
    corpus = _by(folder / "corpus.jsonl", "_id")
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for pair in csv.DictReader(file, delimiter="\t"):
            claim, document = claims[pair["query-id"]], corpus[pair["corpus-id"]]
            sentences = [document["text"][a:b].strip() for a, b in document["sentence_spans"]]
            yield _row(claim["claim"], sentences, claim["evidence"].get(pair["corpus-id"]))


def citint(folder: Path) -> Iterator[Row]:
    corpus = _by(folder / "corpus.jsonl", "doc_id")
    for claim in _by(folder / "claims_dev.jsonl", "id").values():
        said = " ".join(_CITATION.sub("", claim["claim"]).split())
        for document in map(str, claim["cited_doc_ids"]):
            sentences = [one.strip() for one in corpus[document]["abstract"]]
            yield _row(said, sentences, claim["evidence"].get(document))


def healthver(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _row(claim: str, sentences: Sequence[str], found: Sequence[Row] | None) -> Row:
    label = found[0]["label"] if found else "NEI"
    return {"claim": claim, "evidence": sentences, "label": label}


def _by(path: Path, key: str) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        return {str(row[key]): row for row in map(json.loads, file)}


def _write(path: Path, rows: Iterable[Row]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{path}: {len(lines)} claims")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if folder.is_relative_to(ROOT):
        sys.exit(f"{folder}: inside the repository; name a folder outside, these texts stay out")
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "scifact.jsonl", scifact(options.data / "scifact"))
    _write(folder / "healthver.jsonl", healthver(options.data / "claims" / "healthver_dev.jsonl"))
    _write(folder / "citint.jsonl", citint(options.data / "citint"))


if __name__ == "__main__":
    main()
