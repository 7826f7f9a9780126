"""Query latency at 1,000 and 10,000 passages: cold (a new process) and warm (in one).

usage: python benchmarks/query_latency.py [--sizes 1000,10000] [--cold 10] [--warm 200]

Passages are made from a small vocabulary with a fixed seed; their vectors are random unit
vectors, since only speed is measured. The question is embedded by the bundled model.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.application.ports.models import SparseText
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan, Region, chunk_id
from citeloom.domain.projects.project import USUAL_LENGTH, ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.domain.text.sentences import quotable_spans
from citeloom.infrastructure.composition.application import Application, open_application

QUESTION = "does the tide of the harbour change the recall of readers?"
PASSAGES_PER_DOCUMENT = 40
SENTENCES = 6
WORDS = 18  # a sentence


def fill(application: Application, project_id: ProjectId, size: int) -> None:
    """A project of ``size`` passages."""
    project, embedder = application.projects.opener.create(project_id)
    dice = random.Random(1)
    vocabulary = [f"{a}{b}{c}" for a in "btmrs" for b in ("a", "ei", "o") for c in "dlnkptvz"]
    vocabulary += QUESTION.split()
    with application.stores.index.open(
        project.collection, dimension=embedder.model.dimension
    ) as collection:
        for number in range(size // PASSAGES_PER_DOCUMENT):
            document_id = f"{number:064x}"
            texts = [_text(dice, vocabulary) for _ in range(PASSAGES_PER_DOCUMENT)]
            bodies = (SparseText(body=text) for text in texts)
            sparse = application.models.sparse.embed(bodies, "en", USUAL_LENGTH)
            passages = [
                EmbeddedPassage(
                    _passage(document_id, index, text, embedder.model.fingerprint),
                    _unit(dice, embedder.model.dimension),
                    terms,
                    [_unit(dice, embedder.model.dimension) for _ in range(SENTENCES)],
                )
                for index, (text, terms) in enumerate(zip(texts, sparse, strict=True))
            ]
            collection.replace_document(document_id, passages)
            application.stores.catalogue.put_document(_stored(project_id, document_id))
        collection.flush()


def _text(dice: random.Random, vocabulary: Sequence[str]) -> str:
    return " ".join(f"The {' '.join(dice.choices(vocabulary, k=WORDS))}." for _ in range(SENTENCES))


def _passage(document_id: str, index: int, text: str, model: str) -> Passage:
    pages = PageSpan(start=index + 1, end=index + 1)
    return Passage(
        chunk=Chunk(
            id=chunk_id(document_id, pages, ("Methods",), model, index),
            doc_id=document_id,
            chunk_idx=index,
            text=text,
            char_span=CharSpan(start=0, end=len(text)),
            page_span=pages,
            page_labels=(str(index + 1),),
            regions=(Region(page=index + 1, bbox=(72.0, 72.0, 500.0, 300.0)),),
            section_path=("Methods",),
        ),
        title="A paper",
        source_path=f"/papers/{document_id[-6:]}.pdf",
        citation=CitationMeta(
            citekey=f"key{document_id[-6:]}", title="A paper", authors=("A. Author",), year=2020
        ),
        sentences=tuple(
            CharSpan(start=start, end=end) for start, end in quotable_spans(text)[:SENTENCES]
        ),
    )


def _unit(dice: random.Random, dimension: int) -> Sequence[float]:
    vector = [dice.gauss(0, 1) for _ in range(dimension)]
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


def _stored(project_id: ProjectId, document_id: str) -> StoredDocument:
    return StoredDocument(
        project_id=project_id,
        document_id=document_id,
        mime_type="application/pdf",
        pages=PASSAGES_PER_DOCUMENT,
        chunks=PASSAGES_PER_DOCUMENT,
        sources=(SourceStamp(path=f"/papers/{document_id[-6:]}.pdf", size=1, mtime_ns=1),),
        conversion="benchmark",
        chunking="benchmark",
        embedding="benchmark",
        stored_at=datetime.now(UTC),
    )


def cold(workspace: Path, runs: int) -> list[float]:
    command = [
        sys.executable, "-m", "citeloom", "query", QUESTION, "-p", "bench", "--json",
        "--workspace", str(workspace),
    ]  # fmt: skip
    # With modules compiled beforehand, as an installed package has them.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(workspace / "compiled")
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        times.append(time.perf_counter() - began)
    return times[1:]


def warm(workspace: Path, runs: int) -> list[float]:
    application = open_application(workspace)
    request = QueryRequest(project_id=ProjectId.parse("bench"), query_text=QUESTION)
    for _ in range(5):
        application.search.query(request)
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        application.search.query(request)
        times.append(time.perf_counter() - began)
    application.close()
    return times


def percentile(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--cold", type=int, default=10)
    parser.add_argument("--warm", type=int, default=200)
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            workspace = Path(folder)
            application = open_application(workspace)
            fill(application, ProjectId.parse("bench"), size)
            application.close()
            for name, times in (
                ("cold", cold(workspace, options.cold)),
                ("warm", warm(workspace, options.warm)),
            ):
                row = {
                    "passages": size,
                    "kind": name,
                    "p50_ms": round(percentile(times, 0.5), 1),
                    "p95_ms": round(percentile(times, 0.95), 1),
                    "runs": len(times),
                }
                print(json.dumps(row))


if __name__ == "__main__":
    main()
