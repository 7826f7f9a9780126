"""Nodes over lines, sections by level, and the resource map around them."""

import codecs
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar, NamedTuple

from citeloom.application.ports.maps import SourceFile
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import (
    Location,
    Node,
    ResourceMap,
    ResourceType,
    UsedNames,
    first_sentence,
    short_title,
    slug,
    unique_name,
)
from citeloom.infrastructure.system.files import ordinary_file

#: A larger file is not text that a person wrote.
MAX_BYTES = 64 * 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")


def read_lines(path: Path) -> tuple[str, ...]:
    """The lines of ``path`` without their ends (``\\n``, ``\\r\\n`` or ``\\r``, as in editors);
    text after the last end is a line unless it is empty. The encoding is UTF-8, or that of a byte
    order mark, else Windows-1252. Raises ConversionFailed if the file is not text, OSError."""
    if path.stat().st_size > MAX_BYTES:
        raise ConversionFailed(
            f"{path.name}: {path.stat().st_size:,} bytes are too many for a text to be mapped "
            f"(at most {MAX_BYTES:,}); split it"
        )
    with ordinary_file(path) as file:
        return lines_of(_decoded(path.name, file.read()))


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text without their ends."""
    lines = _LINE_END.split(text)
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def _decoded(name: str, raw: bytes) -> str:
    encoding = next((candidate for mark, candidate in _BOMS if raw.startswith(mark)), None)
    if encoding is None and b"\0" in raw:
        raise ConversionFailed(
            f"{name}: not a text but a binary file; give it the suffix of what it is"
        )
    for candidate in [encoding] if encoding else ["utf-8", "cp1252"]:
        try:
            return raw.decode(candidate)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


# A block of running text is a screen or two; a long text has some fifty blocks, so that its
# map can be read.
_BLOCK_LINES = 40
_MAX_BLOCKS = 50


class Head(NamedTuple):
    """A heading: its level (1 for the outermost), its line, and the first sentence below."""

    title: str
    level: int
    line: int
    summary: str | None = None


class MappedText(NamedTuple):
    """Nodes over the lines of a text file, and what its map says besides."""

    nodes: Sequence[Node]
    title: str | None = None
    note: str | None = None
    metadata: Mapping[str, str | int | float] = {}


class TextFileMapper(ABC):
    """Maps text files by their suffix; a file without nodes has blocks of lines. ``name`` is that
    of the mapper with its version."""

    suffixes: ClassVar[frozenset[str]]
    name: ClassVar[str]

    def supports(self, path: Path) -> bool:
        return path.suffix.lower() in self.suffixes

    def fingerprint(self, _path: Path) -> str:
        return self.name

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        lines = read_lines(source.path)
        mapped = self._read(lines, source.path)
        return resource_map(
            source,
            "text",
            mapped.nodes or tuple(block_nodes(lines)),
            created_at=created_at,
            mapper=self.fingerprint(source.path),
            title=mapped.title,
            note=mapped.note,
            **mapped.metadata,
        )

    @abstractmethod
    def _read(self, lines: Sequence[str], path: Path) -> MappedText: ...


def resource_map(
    source: SourceFile,
    kind: ResourceType,
    nodes: Iterable[Node],
    *,
    created_at: datetime,
    mapper: str,
    title: str | None = None,
    note: str | None = None,
    **more: str | int | float,
) -> ResourceMap:
    """The map of ``source``; its title is the file name by default."""
    metadata: dict[str, str | int | float | None] = {
        "source_hash": source.sha256,
        "source_size": source.size,
        "mapper": mapper,
        **more,
    }
    if note:
        metadata["note"] = note
    return ResourceMap(
        resource_id=source.resource_id,
        type=kind,
        title=title or source.path.name,
        source_path=str(source.path),
        nodes=tuple(nodes),
        metadata=metadata,
        created_at=created_at,
    )


def at_lines(first: int, last: int) -> Location:
    return Location(modality="text", lines=(first, max(first, last)))


def section_nodes(heads: Sequence[Head], lines: Sequence[str]) -> tuple[Node, ...]:
    """Sections nested by level, each to the line before the next of its level or above,
    without the empty lines at its end. Text before the first heading is a block ``start``."""
    used: UsedNames = {}
    lead: list[Node] = []
    before = lines[: heads[0].line - 1] if heads else ()
    if any(line.strip() for line in before):
        first = next(n for n, line in enumerate(before, 1) if line.strip())
        used["start"] = 1
        lead.append(
            Node(
                id="start",
                title=short_title(before[first - 1]),
                type="block",
                location=at_lines(first, _last_nonempty(before, len(before))),
            )
        )
    nodes, _ = _siblings(heads, 0, 0, "", lines, used)
    return (*lead, *nodes)


def _siblings(
    heads: Sequence[Head], at: int, above: int, prefix: str, lines: Sequence[str], used: UsedNames
) -> tuple[list[Node], int]:
    siblings: list[Node] = []
    while at < len(heads) and heads[at].level > above:
        head = heads[at]
        node_id = prefix + unique_name(slug(head.title), used)
        children, after = _siblings(heads, at + 1, head.level, f"{node_id}.", lines, {})
        end = heads[after].line - 1 if after < len(heads) else len(lines)
        siblings.append(
            Node(
                id=node_id,
                title=head.title,
                type="subsection" if prefix else "section",
                location=at_lines(head.line, _last_nonempty(lines, end)),
                summary=head.summary,
                children=tuple(children),
            )
        )
        at = after
    return siblings, at


def block_nodes(lines: Sequence[str]) -> Iterator[Node]:
    """Blocks of a text without headings, divided at empty lines. An indented line stays with
    the one before it, as in code."""
    block_lines = max(_BLOCK_LINES, -(-len(lines) // _MAX_BLOCKS))
    for number, (first, last) in enumerate(_blocks(lines, block_lines), start=1):
        text = "\n".join(lines[first - 1 : last])
        yield Node(
            id=f"block-{number}",
            title=short_title(lines[first - 1]),
            type="block",
            location=at_lines(first, last),
            summary=first_sentence(text),
        )


def _blocks(lines: Sequence[str], block_lines: int) -> Iterator[tuple[int, int]]:
    """First and last lines of blocks, none longer than twice ``wanted``."""
    first: int | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if first is not None:
            size = number - first
            paragraph = not lines[number - 2].strip() and not line[0].isspace()
            if (size >= block_lines and paragraph) or size >= 2 * block_lines:
                yield first, _last_nonempty(lines, number - 1)
                first = number
        first = first or number
    if first is not None:
        yield first, _last_nonempty(lines, len(lines))


def _last_nonempty(lines: Sequence[str], end: int) -> int:
    """The last line up to ``end`` (from 1) that is not empty."""
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return end
