"""Runs the commands that README and docs/ show, and compares what they print.

``python -m specs.transcripts`` exits 1 if anything differs; ``--write`` puts what is printed now in
its place.

A block ``console`` has lines ``$ COMMAND``, each with what it prints; a line ``…`` stands for
lines left out, ``[…]`` for words of a line, and a command without output is run only. All run in
one folder with a copy of ``references/``, in the order of the pages in mkdocs.yml; variables that
one sets are there for the next ones. There are two chains of pages, each with a folder of its own
(``--chain 0``: the first alone, ``--pages 1``: its first page); the second finds the papers
ingested. A block ``mcp`` is a call of a tool, the next one its answer. A comment before a block
says more:

    <!-- file: draft.md -->          the block is written into the folder under this name
    <!-- exit: 3 -->                 the last command of the block ends with this code
    <!-- serves: 8420 -->            the block's command is a server, which runs until the end of
                                     the page; where there is no curl, its page ends there
    <!-- not run: needs a Zotero --> the block is not run, for this reason
"""

import argparse
import difflib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from specs.transcripts.agent import Agent
from specs.transcripts.comparison import fits, renewed, stripped
from specs.transcripts.folder import Folder, load
from specs.transcripts.pages import ROOT, Block, blocks, chains
from specs.transcripts.server import Server

_SHORT_LIST = re.compile(r"\[\n[^][{}]{1,60}\]")


class Examination:
    """One page, and what is wrong with it. ``replaced`` has the first and the last line (excluded)
    of what differs, and what stands there now; ``left_out`` says from where on nothing was run."""

    def __init__(self, path: Path, folder: Folder) -> None:
        self._name = path.relative_to(ROOT).as_posix()
        self._lines = path.read_text("utf-8").splitlines()
        self._folder = folder
        self._called: list[str] | None = None
        self._agent: Agent | None = None
        self._server: Server | None = None
        self.left_out: str | None = None
        self._replaced: list[tuple[int, int, list[str]]] = []
        self.wrong: list[str] = []
        try:
            for block in blocks("\n".join(self._lines)):
                self._examine(block)
        finally:
            for running in (self._agent, self._server):
                if running:
                    running.close()

    @property
    def renewed(self) -> str:
        """The page with what is printed now."""
        lines = list(self._lines)
        for first, end, new in reversed(self._replaced):
            lines[first:end] = new
        return "\n".join(lines) + "\n"

    def _examine(self, block: Block) -> None:
        if "file" in block.said:
            written = "\n".join(block.lines) + "\n"
            (self._folder.path / block.said["file"]).write_text(written, "utf-8")
        if "not run" in block.said or self.left_out:
            return
        if "serves" in block.said:
            self._serve(block)
            return
        called, self._called = self._called, None
        if block.language in ("console", "sh"):
            self._run(block)
        elif block.language == "mcp":
            self._called = self._answer(" ".join(line.strip() for line in block.lines))
        elif called is not None:
            self._compare(block.first, block.lines, called, "the answer")
        elif any(line.startswith(("$ ", "citeloom ")) for line in block.lines):
            self._say(block.first, "commands are in blocks `console` or `sh`")

    def _serve(self, block: Block) -> None:
        if shutil.which("curl") is None:
            self.left_out = (
                f"{self._name}:{block.first}: not run from here on: no curl is installed"
            )
            return
        (command,) = block.commands
        self._server = Server(self._folder.path, self._folder.environment, block.said["serves"])
        self._compare(command.first, command.shown, [self._server.line], command.text)

    def _run(self, block: Block) -> None:
        commands = block.commands
        for command in commands:
            if self._server:
                code, lines = self._folder.run(self._server.asked(command.text))
                printed = [self._server.shown(line) for line in lines]
            else:
                code, printed = self._folder.run(command.text)
            wanted = int(block.said.get("exit", 0)) if command is commands[-1] else 0
            if code != wanted:
                told = f"{command.text}: exit code {code}, not {wanted}"
                self._say(command.first, told, *printed)
            elif stripped(command.shown):
                self._compare(command.first, command.shown, printed, command.text)

    def _answer(self, call: str) -> list[str]:
        if self._agent is None:
            self._agent = Agent(self._folder.path, self._folder.environment)
        tool, arguments = call.split(" ", 1)
        answer = self._agent.call(tool, json.loads(arguments))
        text = json.dumps(answer, indent=2, ensure_ascii=False)
        return _SHORT_LIST.sub(lambda found: re.sub(r"\n *", " ", found[0]), text).splitlines()

    def _compare(self, first: int, shown: list[str], printed: list[str], what: str) -> None:
        if fits(shown, printed):
            return
        old, new = stripped(shown), renewed(shown, printed)
        self._say(first, what, *difflib.unified_diff(old, new, "shown", "printed", lineterm=""))
        blank = len(shown) - len("\n".join(shown).rstrip().splitlines())
        self._replaced.append((first, first + len(shown) - blank, new))

    def _say(self, line: int, *told: str) -> None:
        self.wrong.append("\n    ".join([f"{self._name}:{line}: {told[0]}", *told[1:]]))


#: What the first chain shows, for those after it.
PREPARED = (
    "citeloom ingest references/papers --references references/library.csl.json -p reading",
    "citeloom project use reading",
)


def examined(pages: list[Path], prepared: tuple[str, ...]) -> Iterator[tuple[Path, Examination]]:
    """The pages of a chain, each when it was run."""
    home = Path(tempfile.mkdtemp(prefix="home-")).resolve()
    try:
        folder = Folder(home)
        for command in prepared:
            code, printed = folder.run(command)
            assert code == 0, printed
        for path in pages:
            yield path, Examination(path, folder)
    finally:
        shutil.rmtree(home)


def main() -> None:
    parser = argparse.ArgumentParser(description="Run what README and docs/ show.")
    parser.add_argument("--write", action="store_true", help="write what is printed now")
    parser.add_argument("--chain", type=int, help="run this chain of pages alone, from 0")
    parser.add_argument("--pages", type=int, help="run so many pages of each chain")
    arguments = parser.parse_args()
    load()
    wrong: list[str] = []
    left_out: list[str] = []
    for number, pages in enumerate(chains()):
        if arguments.chain not in (None, number):
            continue
        for path, page in examined(pages[: arguments.pages], PREPARED if number else ()):
            wrong += page.wrong
            left_out += [page.left_out] if page.left_out else []
            if arguments.write and page.wrong:
                path.write_text(page.renewed, encoding="utf-8")
    sys.stdout.write("\n\n".join([*left_out, *(wrong or ["all as shown"])]) + "\n")
    sys.exit(bool(wrong) and not arguments.write)


if __name__ == "__main__":
    main()
