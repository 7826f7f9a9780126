"""Citation-Integrity's claims as a dataset in BEIR layout, for ``citeloom evaluate``.

usage: python benchmarks/citint_beir.py CITINT FOLDER

CITINT has ``corpus.jsonl`` and ``claims_train.jsonl``. A question is a sentence that cites,
without its marks of citation; right is what it cites.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What stands for a citation, the brackets around it included.
_MARKS = re.compile(r"\[[^\[\]]*<\|[^\[\]]*\]|<\|[a-z_]+\|>")
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")


def convert(citint: Path, folder: Path) -> None:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        for row in _lines(citint / "corpus.jsonl"):
            text = " ".join(sentence.strip() for sentence in row["abstract"])
            document = {"_id": str(row["doc_id"]), "title": row["title"], "text": text}
            stream.write(json.dumps(document, ensure_ascii=False) + "\n")
    judged = ["query-id\tcorpus-id\tscore"]
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as stream:
        for row in _lines(citint / "claims_train.jsonl"):
            question = {"_id": str(row["id"]), "text": unmarked(row["claim"])}
            stream.write(json.dumps(question, ensure_ascii=False) + "\n")
            judged += [f"{row['id']}\t{cited}\t1" for cited in row["cited_doc_ids"]]
    (folder / "qrels" / "train.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")


def unmarked(claim: str) -> str:
    text = _EMPTY.sub(" ", _MARKS.sub(" ", claim))
    return re.sub(r"\s+([.,;)])", r"\1", re.sub(r"\s+", " ", text)).strip()


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


if __name__ == "__main__":
    convert(*map(Path, sys.argv[1:3]))
