"""Peers of the questions benchmark: what their passages answer, with the same model.

usage: PYTHON benchmarks/questions_peers.py PEER FOLDER MODEL WORK FILE...
           --library NAME [--half develop|held|all] [--only LIST]

FOLDER has the papers (those named in LIST, a file, if given), MODEL is the folder of the bundled
all-MiniLM-L6-v2, WORK an empty folder, FILE as in questions.py. CiteLoom need not be there. Prints
one JSON object: passages, hit@1, hit@3, their mean length in words, and, as a long passage has
more of everything, the share of questions answered within the first 200, 400 and 800 words read.
A passage answers if it is of the document and has the snippet; its pages are not asked for.

llamaindex, chroma, paperqa   as in peer_indexes.py.
passages     zotero-mcp with its passages turned on, in the order of its vectors.
citeloom     `citeloom query -k 10` (of this environment) in the project NAME of the workspace WORK.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ingest_peers
from peer_indexes import BUILDERS, DEPTH, Embedder, Search

NEVER = 10**9


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def passages(papers: list[Path], model: Path, work: Path) -> tuple[int, Search]:
    made = ingest_peers.zotero_mcp(papers, model, work, passages=True)
    from zotero_mcp.chroma_client import ChromaClient

    client = ChromaClient(persist_directory=str(work / "chroma"))
    names = {letters(paper.stem): paper.name for paper in papers}

    def search(question: str) -> list[tuple[str, str]]:
        found: dict[str, Any] = client.search(query_texts=[question], n_results=DEPTH)
        texts = found["documents"][0]
        titles = [letters(str(about.get("title", ""))) for about in found["metadatas"][0]]
        return [(names.get(title, title), text) for title, text in zip(titles, texts, strict=True)]

    return made["passages"], search


def citeloom(workspace: Path, library: str) -> Search:
    command = [sys.executable, "-m", "citeloom", "query", "-p", library, "-k", str(DEPTH), "--json"]

    def search(question: str) -> list[tuple[str, str]]:
        ran = subprocess.run(
            [*command, "--", question],
            env={**os.environ, "CITELOOM_WORKSPACE": str(workspace)},
            stdout=subprocess.PIPE,
            check=True,
        )
        items = json.loads(ran.stdout)["items"]
        return [(Path(one["source_path"]).name, one["text"]) for one in items]

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
    options = parser.parse_args()
    only = options.only and {Path(line).name for line in options.only.read_text().splitlines()}
    papers = sorted(path for path in options.folder.glob("*.pdf") if not only or path.name in only)
    model = options.model.absolute()
    if options.peer == "citeloom":
        count, search = 0, citeloom(options.work.absolute(), options.library)
    else:
        shutil.rmtree(options.work, ignore_errors=True)
        options.work.mkdir(parents=True)
        if options.peer == "passages":
            count, search = passages(papers, model, options.work.absolute())
        else:
            build = BUILDERS[options.peer]
            texts, search = build(papers, Embedder(model), options.work.absolute())
            count = len(texts)
    places: list[int] = []
    reached: list[int] = []
    lengths: list[int] = []
    asked = questions(options.files, options.library, options.half)
    for row in asked:
        found = search(row["question"])
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
