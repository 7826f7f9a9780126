"""Tokens that agents pay for the tools of ``citeloom mcp`` and for typical answers.

usage: python benchmarks/mcp_tokens.py [--before TREE] [--papers FOLDER]

Through the official client, on the sample library. Tokens are those of the bundled model's
vocabulary (WordPiece; punctuation counts in full, so language models' own give fewer). An answer's
tokens are those of its text content. --papers: also what part of a hit is its passage, over three
questions to the PDFs of a folder. --before is an older checkout, run by this interpreter; tools
that it lacks are asked under the name that it has, or left out.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import HuggingFaceTokens

HERE = Path(__file__).resolve().parent.parent
LIBRARY = HERE / "references"
TOKENS = HuggingFaceTokens(bundled.tokenizer_folder())
KEY = "quillenbrookGridRandomTransect2019"
GRID = "How many random points does it take to be as accurate as a grid of 16 points?"
COOL = "How far from the shore does a pond cool the evening air?"
DRAFT = (
    "A grid of 16 points was as accurate as 34 random points "
    f"[@{KEY}, p. 128]. Ponds cool the air for half a kilometre "
    "[@szelkutiEveningCoolingSmall2022, p. 2]."
)
QUESTIONS = ("how students learn to program", "open data in teaching", "reproducible notebooks")
ASKED: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "query_hybrid": (("query_hybrid", {"project": "reading", "text": GRID}),),
    "query_hybrid, 20 hits": (("query_hybrid", {"project": "reading", "text": COOL, "top_k": 20}),),
    "query": (("query", {"project": "reading", "text": COOL}),),
    "open_page": (("open_page", {"place": f"[@{KEY}, p. 128]"}),),
    "list_documents": (
        ("list_documents", {"project": "reading"}),
        ("listResources", {"project": "reading"}),
    ),
    "cite": (
        ("cite", {"project": "reading", "works": [f"[@{KEY}, p. 128]"], "bibliography": True}),
    ),
    "verify": (("verify", {"project": "reading", "text": DRAFT, "format": "markdown"}),),
    "get_structure": (
        ("get_structure", {"resource_id": KEY}),
        ("getStructure", {"resource_id": KEY}),
    ),
    "resolve": (("resolve", {"resource_id": KEY, "node_id": "results", "virtual": True}),),
    "inspect_collection": (("inspect_collection", {"project": "reading", "sample": 1}),),
    "jobs": (("jobs", {}),),
}


class Paid(NamedTuple):
    """Tokens of the ``tools`` with the server's instructions, how many there are, and the tokens
    of each answer (None where there is no such tool); ``text`` is the passages' share of hits."""

    tools: int
    listed: int
    answers: Mapping[str, int | None]
    text: float | None


def count(part: object) -> int:
    text = (
        part
        if isinstance(part, str)
        else json.dumps(part, separators=(",", ":"), ensure_ascii=False)
    )
    return TOKENS.count(text)


def launched(tree: Path, folder: Path) -> dict[str, str]:
    """The environment in which this interpreter runs the package of ``tree``."""
    folder.mkdir(parents=True)
    (folder / "citeloom").symlink_to(tree / "src")
    return {**os.environ, "PYTHONPATH": str(folder)}


async def ingested(
    command: Sequence[str], environment: Mapping[str, str], papers: Path, *options: str
) -> None:
    ingest = [*command, "ingest", str(papers), *options]
    await anyio.run_process(ingest, env=environment, check=False)


async def asked(client: Client, tool: str, arguments: Mapping[str, Any]) -> str:
    answer = await client.call_tool(tool, dict(arguments))
    assert not answer.is_error, (tool, answer.content)
    (text,) = [one.text for one in answer.content if isinstance(one, TextContent)]
    return text


async def paid(tree: Path, temporary: Path, papers: Path | None) -> Paid:
    environment = launched(tree, temporary / "package")
    workspace = ["--workspace", str(temporary / "workspace")]
    command = [sys.executable, "-m", "citeloom"]
    references = ["--references", str(LIBRARY / "library.csl.json")]
    sample = ["-p", "reading", *references, *workspace]
    await ingested(command, environment, LIBRARY / "papers", *sample)
    if papers is not None:
        await ingested(command, environment, papers, "-p", "papers", *workspace)
    served = [*command[1:], "mcp", *workspace]
    parameters = StdioServerParameters(command=command[0], args=served, env=environment)
    async with Client(parameters) as client:
        tools = (await client.list_tools()).tools
        shown = [[one.name, one.description, one.input_schema] for one in tools]
        names = {one.name for one in tools}
        answers: dict[str, int | None] = {}
        for kind, ways in ASKED.items():
            way = next((way for way in ways if way[0] in names), None)
            answers[kind] = count(await asked(client, *way)) if way else None
        hits: list[dict[str, Any]] = []
        for text in QUESTIONS if papers else ():
            found = await asked(client, "query_hybrid", {"project": "papers", "text": text})
            hits += json.loads(found)["items"]
        passages = sum(count(hit["render_text"]) for hit in hits)
        text_share = passages / sum(map(count, hits)) if hits else None
        instructions = client.instructions or ""
    return Paid(sum(map(count, shown)) + count(instructions), len(tools), answers, text_share)


def measured(tree: Path, papers: Path | None) -> Paid:
    with tempfile.TemporaryDirectory() as folder:
        return anyio.run(paid, tree, Path(folder), papers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--papers", type=Path)
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()}, Python {platform.python_version()}")
    trees = [options.before.resolve()] if options.before else []
    found = [measured(tree, options.papers) for tree in [*trees, HERE]]
    for kind in ("tools", "listed", "text"):
        print(kind, *(getattr(one, kind) for one in found), sep="\t")
    for kind in ASKED:
        print(kind, *(one.answers[kind] for one in found), sep="\t")


if __name__ == "__main__":
    main()
