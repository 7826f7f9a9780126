"""Peers of the ingest benchmark, each in a process of its own; CiteLoom need not be there.

usage: PYTHON benchmarks/ingest_peers.py PEER FOLDER MODEL WORK
       PYTHON benchmarks/ingest_peers.py coverage FOLDER MODEL

MODEL is a folder with model.onnx (all-MiniLM-L6-v2) and its tokenizer files, WORK an empty folder.
Prints one JSON object: documents, pages, passages, versions; files that a peer cannot read are
left out. *coverage* prints which share of the text that zotero-mcp reads (its characters, all
pages) the vectors of its two rows stand for.

zotero-mcp   its own code as installed, with its defaults: Markdown by pdf-inspector, 50 pages of
             a paper at most, one vector a paper, of its first 256 tokens, by Chroma's model.
passages     the same with its passages turned on: 870 characters with 200 of the one before, 20
             of a paper at most.
fastembed    text by pypdfium2, cut every 254 tokens, ``TextEmbedding.embed`` with its defaults;
             vectors only, nothing is stored.
llamaindex, chroma, paperqa   as in peer_indexes.py, with the bundled int8 model; *share* is what
             the first 256 tokens of their passages are of all.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from peer_indexes import BUILDERS, Embedder

BATCH = 25  # items; zotero_mcp.semantic_search.update_database
MAX_PAGES = 50  # zotero_mcp.local_db.DEFAULT_PDF_MAX_PAGES
PASSAGE = 870  # characters; its _effective_chunk_size for a model that reads 256 tokens
TOKENS = 254  # all-MiniLM-L6-v2 reads 256, two of them special


def zotero_home(model: Path, work: Path, *, passages: bool) -> Path:
    """Sets up zotero-mcp's folders below ``work``; its configuration."""
    home = work / "home"
    weights = home / ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx"
    weights.mkdir(parents=True, exist_ok=True)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json",
                 "special_tokens_map.json"):  # fmt: skip
        (weights / name).unlink(missing_ok=True)
        (weights / name).symlink_to(model / name)
    (weights / "vocab.txt").touch()  # never read; without it Chroma downloads all
    config = work / "config.json"
    config.write_text(json.dumps({"semantic_search": {"chunking": {"enabled": passages}}}))
    os.environ |= {"HOME": str(home), "ZOTERO_LOCAL": "true"}
    return config


def zotero_mcp(papers: list[Path], model: Path, work: Path, *, passages: bool) -> dict[str, Any]:
    config = zotero_home(model, work, passages=passages)

    from zotero_mcp.chroma_client import ChromaClient
    from zotero_mcp.semantic_search import ZoteroSemanticSearch

    chroma = ChromaClient(persist_directory=str(work / "chroma"))
    search = ZoteroSemanticSearch(chroma, config_path=str(config))
    pages, items, done = 0, [], 0
    for paper, extracted in extracted_papers(papers, MAX_PAGES):
        pages += len(extracted.pages)
        data = {"itemType": "journalArticle", "title": paper.stem, "fulltext": extracted.text}
        items.append({"key": f"{len(items):08d}", "data": data})
    for start in range(0, len(items), BATCH):
        done += search._process_item_batch(items[start : start + BATCH])["added"]
    return {"documents": done, "pages": pages, "passages": chroma.collection.count(),
            "versions": versions("zotero-mcp-server", "chromadb", "onnxruntime")}  # fmt: skip


def extracted_papers(papers: list[Path], pages: int | None) -> Iterator[tuple[Path, Any]]:
    from zotero_mcp.extract import extract_pdf

    for paper in papers:
        with suppress(ValueError):  # it cannot be parsed; zotero-mcp skips it as well
            yield paper, extract_pdf(paper, max_pages=pages)


def coverage(papers: list[Path], model: Path) -> dict[str, float]:
    from tokenizers import Tokenizer
    from zotero_mcp.semantic_search import split_into_passages

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS + 2)
    whole = first = passages = 0
    for _, extracted in extracted_papers(papers, None):
        whole += len(extracted.text)
        head = "\f".join(extracted.pages[:MAX_PAGES]).strip()
        first += max((end for _, end in tokenizer.encode(head).offsets), default=0)
        found = split_into_passages(head, PASSAGE)
        passages += found[-1][2] if found else 0
    return {"zotero-mcp": first / whole, "passages": passages / whole}


def fastembed(papers: list[Path], model: Path) -> dict[str, Any]:
    import pypdfium2
    from fastembed import TextEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pages, texts = 0, []
    for paper in papers:
        with pypdfium2.PdfDocument(paper) as document:
            text = "\n".join(page.get_textpage().get_text_range() for page in document)
            pages += len(document)
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        pieces = [offsets[start : start + TOKENS] for start in range(0, len(offsets), TOKENS)]
        texts += [text[piece[0][0] : piece[-1][1]] for piece in pieces]
    embedder = TextEmbedding(
        "sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(model)
    )
    return {"documents": len(papers), "pages": pages, "passages": len(list(embedder.embed(texts))),
            "versions": versions("fastembed", "onnxruntime", "pypdfium2")}  # fmt: skip


PACKAGES = {"llamaindex": "llama-index-core", "chroma": "chromadb", "paperqa": "paper-qa"}


def index(peer: str, papers: list[Path], model: Path, work: Path) -> dict[str, Any]:
    from pypdf import PdfReader
    from tokenizers import Tokenizer

    texts, _ = BUILDERS[peer](papers, Embedder(model), work)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS + 2)
    read = sum(max((end for _, end in tokenizer.encode(text).offsets), default=0) for text in texts)
    return {"documents": len(papers), "pages": sum(len(PdfReader(paper).pages) for paper in papers),
            "passages": len(texts), "share": read / sum(map(len, texts)),
            "versions": versions(PACKAGES[peer], "onnxruntime")}  # fmt: skip


def versions(*packages: str) -> str:
    return ", ".join(f"{package} {version(package)}" for package in packages)


def main() -> None:
    peer, folder, model = sys.argv[1], *map(Path, sys.argv[2:4])
    papers = sorted(folder.rglob("*.pdf"), key=lambda path: path.name)
    if peer == "coverage":
        print(json.dumps(coverage(papers, model)))
        return
    work = Path(sys.argv[4])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    if peer == "fastembed":
        result = fastembed(papers, model.absolute())
    elif peer in BUILDERS:
        result = index(peer, papers, model.absolute(), work.absolute())
    else:
        result = zotero_mcp(papers, model.absolute(), work, passages=peer == "passages")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
