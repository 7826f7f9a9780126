"""How costs grow with the documents of a project, for scale.py: ingest, its second run, list,
query, validate, the pages of a server, memory and disk.

Each document is a Markdown file of two sections and about 50 words, with sentences of its own, and
an item of a reference file. So what grows is what a library has by document, not text. The first
ingest makes up its vectors, as the time of the model is the same for each text; all else asks it.

usage: python benchmarks/scale_documents.py FOLDER WORKSPACE    (the first ingest alone)
"""

import json
import os
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import numpy as np
import psutil
from http_latency import served
from ingest_runs import measured
from scale_run import disk

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.models.embedding.bundled_embedder import DIMENSION, BundledEmbedder

PROJECT = "bench"
QUESTION = "What changes the recall of readers in the harbour?"
_FUNCTION_WORDS = "the of in is by for between and with from".split()
_SYLLABLES = ("ba", "cor", "den", "fil", "gra", "hol", "mi", "nel", "po", "ras", "sto", "tu", "ver")
_WORDS = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in ("", *_SYLLABLES)]
_SENTENCES, _LENGTH = 2, 6  # a section; words of each kind a sentence
_ASKED = 5


class Cost(NamedTuple):
    """Seconds of wall and processor time, and MB of memory at most."""

    wall: float
    cpu: float
    mb: float


def write_library(folder: Path, size: int) -> None:
    """``size`` documents in ``folder``, and ``folder.json`` with their items."""
    folder.mkdir(exist_ok=True)
    items = []
    for number in range(size):
        dice = random.Random(number)
        name = f"{''.join(dice.choices('bdklmnrst', k=3))}{number}"
        title = f"The {' '.join(_words(dice, 5))} of {name}"
        parts = [f"# {title}", "", f"By A. {name.capitalize()}", ""]
        for heading in ("Introduction", "Results"):
            sentences = (_sentence(dice, name) for _ in range(_SENTENCES))
            parts += [f"## {heading}", "", " ".join(sentences), ""]
        if not (path := folder / f"{number:05}.md").exists():
            path.write_text("\n".join(parts), "utf-8")
        author = {"family": name.capitalize(), "given": "A."}
        year = {"date-parts": [[1990 + number % 30]]}
        item = {"id": name, "type": "article-journal", "title": title}
        items.append({**item, "author": [author], "issued": year})
    folder.with_suffix(".json").write_text(json.dumps(items), "utf-8")


def _words(dice: random.Random, count: int) -> list[str]:
    """Few words are frequent and many are rare, as in texts."""
    return [_WORDS[int(len(_WORDS) ** dice.random()) - 1] for _ in range(count)]


def _sentence(dice: random.Random, name: str) -> str:
    words = [*_words(dice, _LENGTH), *dice.choices(_FUNCTION_WORDS, k=_LENGTH), name]
    dice.shuffle(words)
    return " ".join(words).capitalize() + "."


class MadeUpVectors:
    """The bundled model, with a random vector for each text of a passage."""

    def __init__(self, _name: str) -> None:
        self._bundled = BundledEmbedder()
        self.model, self.tokens = self._bundled.model, self._bundled.tokens
        self.embed_query = self._bundled.embed_query

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        for text in texts:
            vector = np.random.default_rng(zlib.crc32(text.encode())).normal(size=DIMENSION)
            yield (vector / np.linalg.norm(vector)).tolist()


def fill(papers: Path, workspace: Path) -> None:
    """Ingest the documents with made-up vectors; prints how many there are."""
    overrides = Overrides(embedder=MadeUpVectors)
    with closing(open_application(workspace, overrides=overrides)) as opened:
        report = opened.ingest.files(
            IngestRequest(
                project_id=ProjectId.parse(PROJECT),
                sources=(str(papers),),
                references=(str(papers.with_suffix(".json")),),
            )
        )
    assert all(one.error is None for one in report.documents), report
    print(len(report.documents))


def costs(folder: Path, size: int) -> dict[str, Cost]:
    """Costs of each verb at ``size`` documents, by name; MB a document of disk are ``mb`` of the
    last."""
    papers, workspace = folder / "papers", folder / "workspace"
    write_library(papers, size)
    items = str(papers.with_suffix(".json"))
    ingest = ["ingest", str(papers), "--references", items, "-p", PROJECT]
    filled = measured([sys.executable, __file__, str(papers), str(workspace)], os.environ)
    found = {"ingest": _cost(filled), "second run": _command(workspace, *ingest)}
    write_library(papers, size + 1)
    found["one document more"] = _command(workspace, *ingest)
    for name, command in {
        "list": ["list", "-p", PROJECT],
        "query": ["query", QUESTION, "-p", PROJECT],
        "validate": ["validate", "-p", PROJECT],
        "validate --deep": ["validate", "-p", PROJECT, "--deep"],
    }.items():
        found[name] = _command(workspace, *command)
    found |= _served(workspace)
    found["disk, a document"] = Cost(0, 0, disk(workspace) / size)
    return found


def _command(workspace: Path, *arguments: str) -> Cost:
    command = [sys.executable, "-m", "citeloom", *arguments]
    return _cost(measured([*command, "--json", "--workspace", str(workspace)], os.environ))


def _cost(row: Mapping[str, Any]) -> Cost:
    return Cost(row["wall"], row["cpu"], row["parent"])


def _served(workspace: Path) -> dict[str, Cost]:
    """Of the first answer and the median of some more, in a server that has just started."""
    found = {}
    with served(workspace) as address:
        server = next(p for p in psutil.Process().children() if "serve" in p.cmdline())
        view = address.removesuffix("/api/v1")
        with httpx2.Client(timeout=600, follow_redirects=True) as client:
            for name, url in {
                "page of the library": f"{view}/library?project={PROJECT}",
                "an empty page of it": f"{view}/library?project={PROJECT}&start=100000",
                "documents over REST": f"{address}/projects/local/{PROJECT}/documents",
                "question over REST": f"{address}/query?project={PROJECT}&text={QUESTION}",
            }.items():
                times = list(_asked(client, url, server))
                found[f"{name}, first"] = times[0]
                found[f"{name}, next"] = sorted(times[1:])[len(times) // 2 - 1]
    return found


def _asked(client: httpx2.Client, url: str, server: psutil.Process) -> Iterator[Cost]:
    for _ in range(1 + _ASKED):
        began, before = time.perf_counter(), server.cpu_times()
        client.get(url).raise_for_status()
        after = server.cpu_times()
        spent = after.user + after.system - before.user - before.system
        yield Cost(time.perf_counter() - began, spent, server.memory_info().rss / 2**20)


def documents_table(sizes: Sequence[int], keep: Path | None) -> str:
    """Measure each size, in ``keep`` if the libraries are to stay; a Markdown table."""
    rows: dict[str, list[str]] = {}
    for size in sizes:
        with ExitStack() as stack:
            if keep:
                folder = keep / str(size)
                folder.mkdir(parents=True, exist_ok=True)
            else:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            for name, cost in costs(folder, size).items():
                row = f"{cost.wall:.2f} / {cost.cpu:.2f} / {cost.mb:.3g}"
                rows.setdefault(name, []).append(row)
    head = [
        f"| wall s / CPU s / MB | {' | '.join(f'{size:,} documents' for size in sizes)} |",
        "|---|" + "---:|" * len(sizes),
    ]
    return "\n".join([*head, *(f"| {name} | {' | '.join(row)} |" for name, row in rows.items())])


if __name__ == "__main__":
    fill(*map(Path, sys.argv[1:]))
