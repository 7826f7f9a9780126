"""Runs the commands that README and docs/ show, and compares what they print.

``python specs/transcripts.py`` exits 1 if anything differs; ``--write`` puts what is printed now in
its place.

A block ``console`` has lines ``$ COMMAND``, each with what it prints; a line ``…`` stands for
lines left out, ``[…]`` for words of a line, and a command without output is run only. All run in
one folder with a copy of ``references/``, in the order of the pages in mkdocs.yml. A comment before
a block says more:

    <!-- file: draft.md -->          the block is written into the folder under this name
    <!-- exit: 3 -->                 the last command of the block ends with this code
    <!-- not run: needs a Zotero --> the block is not run, for this reason
"""

import argparse
import difflib
import os
import re
import shlex
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = "…"
_SKIPPED = re.escape("[…]")
COLUMNS, LINES = 96, 50
SECONDS = 300
HOME = "/home/oriana"  # in place of the temporary folder

_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)(?P<more>.*)")
_SAID = re.compile(r"<!-- (?P<what>file|exit|not run): (?P<value>.+) -->")
_ESCAPE = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_SHELL = re.compile(r"[|<>;&$`*\\'\"]")
# What is otherwise each time: seconds, times of day, ids of sessions, and scores in their last
# digit, which depends on the processor.
_VARIES = (
    (re.compile(r"\b\d+(\.\d+)? (s|ms|seconds)\b"), "# s"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?"), "TIME"),
    (re.compile(r"^(\s*\d+\. +)\d\.\d\d\b"), r"\1SCORE"),
    (
        re.compile(r"((SUPPORT|CONTRADICT|MISQUOT|PARTIAL|WRONG|UNSUPP|NOT_EST)\S* +)\d\.\d\d"),
        r"\1P",
    ),
)


@dataclass
class Command:
    """A line of a shell, what the page shows of its output, and where in the page that is."""

    text: str
    first: int
    shown: list[str] = field(default_factory=list)


@dataclass
class Block:
    """A fenced block: ``first`` is the index of its first line inside the fence."""

    first: int
    language: str
    lines: list[str]
    said: dict[str, str]

    @property
    def commands(self) -> list[Command]:
        """Raises ValueError if the block begins with output."""
        found: list[Command] = []
        going_on = False
        for number, line in enumerate(self.lines, start=self.first):
            if going_on:
                found[-1].text += "\n" + line
                found[-1].first = number + 1
            elif self.language == "sh":
                if line.strip() and not line.startswith("#"):
                    found.append(Command(line, number + 1))
            elif line.startswith("$ "):
                found.append(Command(line[2:], number + 1))
            elif found:
                found[-1].shown.append(line)
            elif line.strip():
                raise ValueError("a console block begins with `$ `")
            going_on = bool(found) and not found[-1].shown and found[-1].text.endswith("\\")
        return found


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = text.splitlines()
    said: dict[str, str] = {}
    at = 0
    while at < len(lines):
        if found := _SAID.fullmatch(lines[at].strip()):
            said[found["what"]] = found["value"]
        elif fence := _FENCE.fullmatch(lines[at]):
            end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == fence["ticks"])
            yield Block(at + 1, fence["language"], lines[at + 1 : end], said)
            said, at = {}, end
        elif lines[at].strip():
            said = {}
        at += 1


def fits(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines printed are those shown, where ``…`` stands for any lines."""
    head, *others = _parts(_stripped(shown))
    if not others:
        return _same(head, printed)
    *between, tail = others
    if len(printed) < len(head) + len(tail) or not _same(head, printed[: len(head)]):
        return False
    rest, end = printed[len(head) : len(printed) - len(tail)], printed[len(printed) - len(tail) :]
    for part in between:
        places = (n for n in range(len(rest)) if _same(part, rest[n : n + len(part)]))
        if (place := next(places, None)) is None:
            return False
        rest = rest[place + len(part) :]
    return _same(tail, end)


def _same(shown: list[str], printed: list[str]) -> bool:
    if len(shown) != len(printed):
        return False
    patterns = (re.escape(_plain(line)).replace(_SKIPPED, ".+") for line in shown)
    return all(map(re.fullmatch, patterns, map(_plain, printed)))


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """What is printed now, with as much of it as was shown: parts keep their numbers of lines,
    one in the middle begins with the line that is most like its first."""
    head, *others = _parts(_stripped(shown))
    if not others:
        return printed
    *between, tail = others
    kept = [*printed[: len(head)], LEFT_OUT]
    rest = printed[len(head) : len(printed) - len(tail)]
    for part in between:
        likeness = [difflib.SequenceMatcher(None, line, part[0]).ratio() for line in rest]
        place = max(range(len(rest)), key=likeness.__getitem__, default=0)
        kept += [*rest[place : place + len(part)], LEFT_OUT]
        rest = rest[place + len(part) :]
    return kept + printed[len(printed) - len(tail) :]


def _parts(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _plain(line: str) -> str:
    for pattern, replacement in _VARIES:
        line = pattern.sub(replacement, line)
    return line


def _stripped(lines: list[str]) -> list[str]:
    return "\n".join(line.rstrip() for line in lines).strip("\n").splitlines()


class Folder:
    """The folder that all commands run in, below a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "citeloom"
        self.path.mkdir()
        shutil.copytree(ROOT / "references", self.path / "references")
        programs = home / ".local" / "bin"
        programs.mkdir(parents=True)
        program = programs / "citeloom"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m citeloom "$@"\n')
        program.chmod(0o755)
        kept = ("LANG", "PYTHONPATH", "TMPDIR")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb",
            "COLUMNS": str(COLUMNS), "LINES": str(LINES), "TZ": "UTC",
            "PYTHONUTF8": "1", "HF_HUB_OFFLINE": "1",
        }  # fmt: skip

    def run(self, command: str) -> tuple[int, list[str]]:
        """Exit code and lines of a command in a terminal."""
        code, printed = _in_terminal(lambda: self._become(command))
        text = _ESCAPE.sub("", printed.decode("utf-8", "replace")).replace("\r\n", "\n")
        text = text.replace(str(self.home), HOME)
        lines = (line.rsplit("\r", 1)[-1] for line in text.split("\n"))
        return code, _stripped(list(lines))

    def _become(self, command: str) -> None:
        os.chdir(self.path)
        os.environ.clear()
        os.environ.update(self.environment)
        joined = re.sub(r"\s#.*", "", command.replace("\\\n", " "))
        if not joined.startswith("citeloom ") or _SHELL.search(_QUOTED.sub("", joined)):
            os.execvp("bash", ["bash", "-c", command])
        words = shlex.split(joined)
        sys.argv = words
        for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
            stream = open(number, mode, encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # which keeps it open
        from citeloom.infrastructure.cli.app import main

        main()


def _exit_code(become: Callable[[], None]) -> int:
    code = 0
    try:
        become()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc(limit=-4)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _in_terminal(become: Callable[[], None]) -> tuple[int, bytes]:
    """Exit code and output of ``become`` in a child process with a terminal of its own."""
    import fcntl
    import pty
    import select
    import struct
    import termios

    child, terminal = pty.fork()
    if not child:
        code = 1
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
            code = _exit_code(become)
        finally:
            os._exit(code)
    printed = bytearray()
    try:
        while select.select([terminal], [], [], SECONDS)[0]:
            printed += os.read(terminal, 65536)
        os.kill(child, 9)
        printed += f"\nno output for {SECONDS} s".encode()
    except OSError:  # the terminal has no other end any more
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bytes(printed)


def _load() -> None:
    """Import what commands import, once for all of them."""
    import importlib
    import pkgutil

    for name in ("cli", "composition"):
        package = importlib.import_module(f"citeloom.infrastructure.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in ("onnxruntime", "qdrant_edge", "rich.table", "rich.progress"):
        importlib.import_module(name)


def pages() -> list[Path]:
    """README and docs/, in the order of mkdocs.yml."""
    import yaml

    def paths(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry if isinstance(entry, list) else entry.values():
                yield from paths(inner)

    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    return [ROOT / path for path in paths(nav)]


def examined(path: Path, folder: Folder, wrong: list[str]) -> str:
    """The page with what is printed now; what differs is told in ``wrong``."""
    lines = path.read_text("utf-8").splitlines()
    name = path.relative_to(ROOT).as_posix()
    replaced: list[tuple[Command, list[str]]] = []
    for block in blocks("\n".join(lines)):
        if "file" in block.said:
            (folder.path / block.said["file"]).write_text("\n".join(block.lines) + "\n", "utf-8")
        if "not run" in block.said:
            continue
        if block.language not in ("console", "sh"):
            if any(line.startswith(("$ ", "citeloom ")) for line in block.lines):
                wrong.append(f"{name}:{block.first}: commands are in blocks `console` or `sh`")
            continue
        commands = block.commands
        for command in commands:
            code, printed = folder.run(command.text)
            wanted = int(block.said.get("exit", 0)) if command is commands[-1] else 0
            place = f"{name}:{command.first}: {command.text}"
            if code != wanted:
                wrong.append("\n    ".join([f"{place}: exit code {code}, not {wanted}", *printed]))
            elif _stripped(command.shown) and not fits(command.shown, printed):
                old, new = _stripped(command.shown), renewed(command.shown, printed)
                difference = list(difflib.unified_diff(old, new, "shown", "printed", lineterm=""))
                wrong.append("\n    ".join([place, *difference]))
                replaced.append((command, new))
    for command, new in reversed(replaced):
        end = command.first + len(command.shown)
        blank = command.shown[len("\n".join(command.shown).rstrip().splitlines()) :]
        lines[command.first : end] = [*new, *blank]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Run what README and docs/ show.")
    parser.add_argument("--write", action="store_true", help="write what is printed now")
    parser.add_argument("--page", action="append", help="write these pages only")
    arguments = parser.parse_args()
    _load()
    wrong: list[str] = []
    home = Path(tempfile.mkdtemp(prefix="home-")).resolve()
    try:
        folder = Folder(home)
        for path in pages():
            text = examined(path, folder, wrong)
            if arguments.write and (not arguments.page or path.name in arguments.page):
                path.write_text(text, encoding="utf-8")
    finally:
        shutil.rmtree(home)
    sys.stdout.write("\n\n".join(wrong or ["all as shown"]) + "\n")
    sys.exit(bool(wrong) and not arguments.write)


if __name__ == "__main__":
    main()
