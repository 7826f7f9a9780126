"""Whether requests in plain words are nearest to the right tool, by names and descriptions alone.

usage: python benchmarks/mcp_tool_choice.py [--part develop|unseen|all] [--other FILE] [--requests]

Each request of mcp_requests.jsonl, and each tool's name, title and description, is embedded by the
bundled model; a request's tools are ranked by cosine. Words of descriptions are chosen by the part
``develop`` only. ``--other`` ranks the tools of another server among ours as well: FILE has a JSON
object {"name", "description"} a line. ``--requests`` prints the ranks of all requests.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from citeloom.infrastructure.mcp.tools import LISTED
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import HuggingFaceTokens
from citeloom.infrastructure.models.embedding.catalogue import embedder_named

REQUESTS = Path(__file__).with_name("mcp_requests.jsonl")
PARTS = ("develop", "unseen")


class Request(NamedTuple):
    part: str
    tool: str
    request: str


def ours() -> dict[str, str]:
    """What a model reads of each tool before its parameters, by name."""
    return {
        tool.name: f"{in_words(tool.name)}. {tool.title}. {tool.description}"
        for tool in LISTED.values()
    }


def in_words(name: str) -> str:
    return re.sub("_|(?<=[a-z])(?=[A-Z])", " ", name).lower()


def ranks(requests: Sequence[Request], tools: Mapping[str, str]) -> list[int]:
    """The rank, from 1, of each request's tool."""
    embedder = embedder_named(bundled.NAME)
    names = list(tools)
    documents = np.array([embedder.embed_query(tools[name]) for name in names])
    asked = np.array([embedder.embed_query(one.request) for one in requests])
    documents /= np.linalg.norm(documents, axis=1, keepdims=True)
    order = np.argsort(-(asked @ documents.T), axis=1)
    return [
        [names[place] for place in row].index(one.tool) + 1
        for one, row in zip(requests, order, strict=True)
    ]


def told(requests: Sequence[Request], found: Sequence[int], part: str) -> str:
    of_part = [rank for one, rank in zip(requests, found, strict=True) if one.part == part]
    first, third = (sum(rank <= most for rank in of_part) for most in (1, 3))
    return f"{part}: right tool first {first} of {len(of_part)}, in the first three {third}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=[*PARTS, "all"], default="develop")
    parser.add_argument("--other", type=Path)
    parser.add_argument("--requests", action="store_true")
    given = parser.parse_args()
    parts = PARTS if given.part == "all" else (given.part,)
    lines = REQUESTS.read_text("utf-8").splitlines()
    requests = [one for line in lines if (one := Request(**json.loads(line))).part in parts]
    tools = ours()
    missing = sorted({one.tool for one in requests} - set(tools))
    assert not missing, f"not listed: {missing}"
    if given.other:
        rows = map(json.loads, given.other.read_text("utf-8").splitlines())
        tools |= {row["name"]: f"{in_words(row['name'])}. {row['description']}" for row in rows}
    found = ranks(requests, tools)
    count = HuggingFaceTokens(bundled.tokenizer_folder()).count
    print(f"{len(tools)} tools, {sum(map(count, ours().values()))} tokens of words of ours")
    for part in parts:
        print(told(requests, found, part))
    if given.requests:
        worst = defaultdict(list)
        for one, rank in zip(requests, found, strict=True):
            worst[rank].append(f"{one.tool}: {one.request}")
        for rank in sorted(worst):
            print(*(f"  {rank} {text}" for text in worst[rank]), sep="\n")


if __name__ == "__main__":
    main()
