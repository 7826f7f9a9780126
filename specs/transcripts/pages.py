"""Pages in their order, the fenced blocks of a page, and the commands in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]

#: The first page of each chain. The pages of a chain are run one after another in one folder.
CHAINS = ("README.md", "docs/screenshots.md")

_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)(?P<more>.*)")
_SAID = re.compile(r"<!-- (?P<what>file|exit|serves|not run): (?P<value>.+) -->")


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


def pages() -> list[Path]:
    """README and docs/, in the order of mkdocs.yml."""

    def paths(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry if isinstance(entry, list) else entry.values():
                yield from paths(inner)

    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    return [ROOT / path for path in paths(nav)]


def chains() -> list[list[Path]]:
    """The pages, in their order, by chain."""
    found: list[list[Path]] = []
    for path in pages():
        if path.relative_to(ROOT).as_posix() in CHAINS:
            found.append([])
        found[-1].append(path)
    return found
