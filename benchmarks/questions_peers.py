"""Peers of the questions benchmark: what their passages answer, with the same model.

usage: PYTHON benchmarks/questions_peers.py PEER FOLDER MODEL WORK FILE...
           --library NAME [--half develop|held|all] [--only LIST]

FOLDER has the papers (those named in LIST, a file, if given), MODEL is the folder of the bundled
all-MiniLM-L6-v2, WORK an empty folder, FILE as in questions.py. CiteLoom need not be there. Prints
one JSON object: passages, hit@1, hit@3, their mean length in words, and, as a long passage has
more of everything, the share of questions answered within the first 200, 400 and 800 words read.
A passage answers if it is of the document and has the snippet; its pages are not asked for.

llamaindex   SimpleDirectoryReader, SentenceSplitter, VectorStoreIndex with their defaults.
chroma       a collection with its defaults, a page (by pypdf) a document.
paperqa      PaperQA2's reader, 5,000 characters with 250 of the one before, and retrieve_texts.
passages     zotero-mcp with its passages turned on, in the order of its vectors.
citeloom     `citeloom query -k 10` (of this environment) in the project NAME of the workspace WORK.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ingest_peers

DEPTH = 10
NEVER = 10**9
Search = Callable[[str], list[tuple[str, str]]]


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


class Embedder:
    """Vectors of the bundled model, as fastembed makes them."""

    def __init__(self, model: Path) -> None:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        name = "bundled/all-minilm-l6-v2"
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=384,
            model_file="model.onnx",
        )
        self._model = TextEmbedding(name, specific_model_path=str(model), threads=2)

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector.tolist() for vector in self._model.embed(list(texts), batch_size=32)]


def llamaindex(papers: list[Path], embed: Embedder, _: Path) -> tuple[int, Search]:
    from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding

    class Bundled(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    Settings.embed_model = Bundled()
    Settings.llm = None
    documents = SimpleDirectoryReader(input_files=papers).load_data()
    index = VectorStoreIndex.from_documents(documents)
    retriever = index.as_retriever(similarity_top_k=DEPTH)
    count = len(index.docstore.docs)

    def search(question: str) -> list[tuple[str, str]]:
        found = retriever.retrieve(question)
        return [(str(one.node.metadata["file_name"]), one.node.get_content()) for one in found]

    return count, search


def chroma(papers: list[Path], embed: Embedder, work: Path) -> tuple[int, Search]:
    import chromadb
    from pypdf import PdfReader

    collection = chromadb.PersistentClient(str(work / "chroma")).create_collection(
        "papers", embedding_function=None
    )
    for paper in papers:
        pages = [page.extract_text() or " " for page in PdfReader(paper).pages]
        collection.add(
            ids=[f"{paper.name}#{number}" for number in range(len(pages))],
            documents=pages,
            embeddings=embed(pages),
            metadatas=[{"file": paper.name} for _ in pages],
        )

    def search(question: str) -> list[tuple[str, str]]:
        found = collection.query(query_embeddings=embed([question]), n_results=DEPTH)
        pairs = zip(found["metadatas"][0], found["documents"][0], strict=True)
        return [(str(about["file"]), text) for about, text in pairs]

    return collection.count(), search


def paperqa(papers: list[Path], embed: Embedder, _: Path) -> tuple[int, Search]:
    from paperqa import Docs, EmbeddingModel, Settings

    class Bundled(EmbeddingModel):
        async def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

    model = Bundled(name="bundled")
    settings = Settings()
    settings.parsing.use_doc_details = False
    settings.parsing.multimodal = False
    settings.parsing.disable_doc_valid_check = True
    docs = Docs()

    async def add() -> None:
        for paper in papers:
            await docs.aadd(
                paper,
                citation=paper.stem,
                docname=paper.name,
                title=paper.stem,
                authors=["A"],
                doi="",
                settings=settings,
                embedding_model=model,
            )

    loop = asyncio.new_event_loop()
    loop.run_until_complete(add())

    def search(question: str) -> list[tuple[str, str]]:
        found = loop.run_until_complete(
            docs.retrieve_texts(question, DEPTH, settings=settings, embedding_model=model)
        )
        return [(one.doc.docname, one.text) for one in found]

    return len(docs.texts), search


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
            build = {"llamaindex": llamaindex, "chroma": chroma, "paperqa": paperqa}[options.peer]
            count, search = build(papers, Embedder(model), options.work.absolute())
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
