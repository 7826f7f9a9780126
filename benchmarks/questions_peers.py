"""Peers of the questions benchmark: what their passages answer, with the same model.

usage: PYTHON benchmarks/questions_peers.py PEER FOLDER MODEL WORK FILE...
           --library NAME [--half develop|held|all] [--only LIST] [--most N] [--cold N]

FOLDER has the papers (those named in LIST, a file, if given), MODEL is the folder of the bundled
all-MiniLM-L6-v2, WORK an empty folder, FILE as in questions.py. CiteLoom need not be there. Prints
one JSON object: passages, hit@1, hit@3, their mean length in words, and, as a long passage has
more of everything, the share of questions answered within the first 200, 400 and 800 words read;
milliseconds of a question in the process that has the index open (warm; the first is left out),
and with --cold of so many new processes that open the stored index and ask one question each.
--most asks the first so many questions only.
A passage answers if it is of the document and has the snippet; its pages are not asked for.

llamaindex, chroma, paperqa   as in peer_indexes.py.
passages     zotero-mcp with its passages turned on, in the order of its vectors.
citeloom     the query of `citeloom query -k 10` (of this environment) in the project NAME of the
             workspace WORK; --no-rerank without reading again.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ingest_peers
from peer_indexes import BUILDERS, DEPTH, Embedder, Search

NEVER = 10**9


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def passages(papers: list[Path], model: Path, work: Path) -> tuple[int, Search]:
    """Opens what is in ``work``."""
    count = 0
    if (work / "chroma").exists():
        ingest_peers.zotero_home(model, work, passages=True)
    else:
        count = ingest_peers.zotero_mcp(papers, model, work, passages=True)["passages"]
    from zotero_mcp.chroma_client import ChromaClient

    client = ChromaClient(persist_directory=str(work / "chroma"))
    names = {letters(paper.stem): paper.name for paper in papers}

    def search(question: str) -> list[tuple[str, str]]:
        found: dict[str, Any] = client.search(query_texts=[question], n_results=DEPTH)
        texts = found["documents"][0]
        titles = [letters(str(about.get("title", ""))) for about in found["metadatas"][0]]
        return [(names.get(title, title), text) for title, text in zip(titles, texts, strict=True)]

    return count, search


def citeloom(workspace: Path, library: str, *, rerank: bool) -> Search:
    from citeloom.domain.projects.project import ProjectId
    from citeloom.domain.search.request import QueryRequest
    from citeloom.infrastructure.composition.application import open_application

    application, project = open_application(workspace), ProjectId.parse(library)
    application.search.load_ahead(project, rerank=None if rerank else False)

    def search(question: str) -> list[tuple[str, str]]:
        request = QueryRequest(
            project_id=project,
            query_text=question,
            top_k=DEPTH,
            rerank=None if rerank else False,
        )
        items = application.search.ask(request).items
        return [(Path(one.source_path).name, one.text) for one in items]

    return search


def questions(files: Sequence[Path], library: str, half: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return [
        row
        for row in rows
        if row["answers"]
        and row.get("library", library) == library
        and half in ("all", row.get("half", half))
    ]


def opened(options: argparse.Namespace, *, stored: bool) -> tuple[list[Path], int, Search]:
    """Papers, passages and search of the peer; ``stored``: the index is in WORK already."""
    only = options.only and {Path(line).name for line in options.only.read_text().splitlines()}
    papers = sorted(path for path in options.folder.glob("*.pdf") if not only or path.name in only)
    model, work = options.model.absolute(), options.work.absolute()
    if options.peer == "citeloom":
        return papers, 0, citeloom(work, options.library, rerank=options.rerank)
    if not stored:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
    if options.peer == "passages":
        return papers, *passages(papers, model, work)
    build = BUILDERS[options.peer]
    texts, search = build(papers, Embedder(model), work, work / "stored")
    return papers, len(texts), search


def timed(ask: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and milliseconds."""
    began = time.perf_counter()
    found = ask()
    return found, 1000 * (time.perf_counter() - began)


def percentiles(kind: str, times: Sequence[float]) -> dict[str, float]:
    if len(times) < 2:
        return {}
    twentieths = statistics.quantiles(times, n=20, method="inclusive")
    return {f"{kind} p50": round(twentieths[9], 1), f"{kind} p95": round(twentieths[18], 1)}


def cold(number: int, count: int) -> list[float]:
    """Milliseconds of new processes that ask one of ``number`` questions each."""
    command = [sys.executable, __file__, *sys.argv[1:], "--ask"]
    runs = [[*command, str(n * max(1, number // count) % number)] for n in range(count)]
    return [timed(lambda r=run: subprocess.run(r, check=True))[1] for run in runs]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("peer", choices=("llamaindex", "chroma", "paperqa", "passages", "citeloom"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--library", required=True)
    parser.add_argument("--half", choices=("develop", "held", "all"), default="develop")
    parser.add_argument("--only", type=Path)
    parser.add_argument("--most", type=int)
    parser.add_argument("--cold", type=int, default=0)
    parser.add_argument("--no-rerank", dest="rerank", action="store_false")
    parser.add_argument("--ask", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    asked = questions(options.files, options.library, options.half)[: options.most]
    papers, count, search = opened(options, stored=options.ask is not None)
    if options.ask is not None:
        search(asked[options.ask]["question"])
        return
    places: list[int] = []
    reached: list[int] = []
    lengths: list[int] = []
    times: list[float] = []
    for row in asked:
        found, took = timed(lambda q=row["question"]: search(q))
        times.append(took)
        lengths += [len(text.split()) for _, text in found]
        place, words = first_answer(row, found)
        places.append(place)
        reached.append(words)
    result = {
        "peer": options.peer,
        "papers": len(papers),
        "passages": count,
        "questions": len(asked),
        "hit@1": share(places, 1),
        "hit@3": share(places, 3),
        "words": round(statistics.mean(lengths)),
        **{f"within {words}": share(reached, words) for words in (200, 400, 800)},
        **percentiles("warm", times[1:]),
        **percentiles("cold", cold(len(asked), options.cold) if options.cold else ()),
    }
    print(json.dumps(result))


def first_answer(row: Any, found: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """The place of the first passage that answers, from 1, and how many words are read with it;
    both very large if none does."""
    marks = [(mark["document"], letters(mark["snippet"])) for mark in row["answers"]]
    before = 0
    for place, (name, text) in enumerate(found, start=1):
        snippets = [snippet for mark, snippet in marks if name == mark]
        words = text.split()
        if any(snippet in letters(text) for snippet in snippets):
            last = next(
                count
                for count in range(1, len(words) + 1)
                if any(snippet in letters(" ".join(words[:count])) for snippet in snippets)
            )
            return place, before + last
        before += len(words)
    return NEVER, NEVER


def share(values: Sequence[int], most: int) -> float:
    return round(sum(value <= most for value in values) / len(values), 3)


if __name__ == "__main__":
    main()
