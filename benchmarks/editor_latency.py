"""How long an editor waits: completion and hover of ``citeloom lsp``, warm, over the real command.

usage: python benchmarks/editor_latency.py WORKSPACE -p PROJECT [--times N]

Asks pygls' client: completion of a key as it is typed, of a page for a sentence, and hover on a
citation with its page. Each question is about another sentence of the library, so that none is
answered from what the server remembers; then hover on the same sentences again, and pages of new
ones while a draft is checked. Prints percentiles in milliseconds, the
processor time that the server spent on an answer (on a busy machine the better measure), and the
machine's load.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from lsprotocol import types
from pygls.lsp.client import LanguageClient

COMMAND = [sys.executable, "-m", "citeloom"]
_WORDS = 8


def cited_sentences(workspace: Path, project: str, times: int) -> list[tuple[str, str, str]]:
    """Sentence, key and printed page, of passages of the library."""
    shown = subprocess.run(
        [*COMMAND, "inspect", "-p", project, "--sample", "all", "--json", "--workspace", workspace],
        capture_output=True,
        check=True,
    )
    found = []
    for sample in json.loads(shown.stdout)["samples"]:
        words = " ".join(sample["text"].split()).split(". ")[0].split()
        if sample.get("citekey") and sample.get("page_labels") and len(words) >= _WORDS:
            plain = "".join(char for char in " ".join(words) if char.isalnum() or char in " ,-")
            found.append((plain, sample["citekey"], sample["page_labels"][0]))
    random.Random(20).shuffle(found)
    return found[: 3 * times]


class Client:
    def __init__(self) -> None:
        self.client = LanguageClient("benchmark", "1")
        self.ended = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            if params.diagnostics:
                self.ended.set()

    async def start(self, workspace: Path, project: str) -> None:
        options = {"project": project, "workspace": str(workspace)}
        await self.client.start_io(*COMMAND, "lsp")
        params = types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            process_id=os.getpid(),
            initialization_options=options,
        )
        await self.client.initialize_async(params)
        self.client.initialized(types.InitializedParams())

    def open(self, path: Path, text: str) -> types.TextDocumentIdentifier:
        path.write_text(text, encoding="utf-8")
        item = types.TextDocumentItem(path.as_uri(), "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return types.TextDocumentIdentifier(path.as_uri())


class Timed(NamedTuple):
    """Milliseconds of one answer: waited for, and of the server's processor time."""

    waited: float
    computed: float


async def timed(server: psutil.Process, ask: Callable[[], Awaitable[Any]]) -> Timed:
    used, began = server.cpu_times(), time.perf_counter()
    assert await ask()
    now = server.cpu_times()
    computed = now.user + now.system - used.user - used.system
    return Timed(1000 * (time.perf_counter() - began), 1000 * computed)


def row(name: str, times: Sequence[Timed]) -> str:
    ordered = sorted(one.waited for one in times)
    computed = statistics.mean(one.computed for one in times)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    shown = (statistics.median(ordered), p95, ordered[-1])
    return (
        f"{name:<42}" + "".join(f"{value:9.1f}" for value in (*shown, computed)) + f"{len(times):7}"
    )


async def measure(workspace: Path, project: str, times: int) -> None:
    sentences = cited_sentences(workspace, project, times)
    times = min(times, len(sentences) // 3)
    assert times, "the project has too few passages with a citation key and a printed page"
    client = Client()
    await client.start(workspace, project)
    lines = [f"{sentence} [@{key}, p. {page}].\n\n" for sentence, key, page in sentences]
    document = client.open(workspace / "latency.md", "".join(lines))
    ask = client.client
    assert ask._server is not None
    server = psutil.Process(ask._server.pid)

    def page(number: int) -> Awaitable[Any]:
        sentence, key, _ = sentences[number]
        at = types.Position(2 * number, len(f"{sentence} [@{key}, p. "))
        return ask.text_document_completion_async(types.CompletionParams(document, at))

    def key(number: int) -> Awaitable[Any]:
        sentence, name, _ = sentences[number]
        at = types.Position(2 * number, len(f"{sentence} [@") + min(3, len(name)))
        return ask.text_document_completion_async(types.CompletionParams(document, at))

    def hover(number: int) -> Awaitable[Any]:
        at = types.Position(2 * number, len(f"{sentences[number][0]} [@") + 1)
        return ask.text_document_hover_async(types.HoverParams(document, at))

    print(f"{'milliseconds':<42}{'median':>9}{'p95':>9}{'worst':>9}{'computed':>9}{'times':>7}")
    for number in range(times):  # models, index and conversions
        await page(number)
        await hover(number)
    # Other paragraphs of the text: what is remembered of the first answers helps none of these.
    second = range(times, 2 * times)
    print(row("key", [await timed(server, lambda n=n: key(n)) for n in second]))
    print(
        row("page of another sentence", [await timed(server, lambda n=n: page(n)) for n in second])
    )
    print(
        row(
            "hover on another sentence", [await timed(server, lambda n=n: hover(n)) for n in second]
        )
    )
    print(row("hover again", [await timed(server, lambda n=n: hover(n)) for n in second]))
    client.ended.clear()
    ask.text_document_did_save(types.DidSaveTextDocumentParams(document))
    await asyncio.sleep(1)
    busy: list[Timed] = []
    for number in range(2 * times, 3 * times):
        if client.ended.is_set():
            break
        busy.append(await timed(server, lambda n=number: page(n)))
    if busy:
        print(row("page of another sentence, during a check", busy))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    await ask.shutdown_async(None)
    ask.exit(None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("-p", "--project", required=True)
    parser.add_argument("--times", type=int, default=50)
    given = parser.parse_args()
    asyncio.run(measure(given.workspace.resolve(), given.project, given.times))


if __name__ == "__main__":
    main()
