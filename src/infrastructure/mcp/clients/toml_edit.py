"""A table of a TOML text set and removed; whatever else is in the text stays as it is.

Lines are edited, not values: TOML 1.0 allows more ways to write a table than are understood here.
What was written is read back, and a text of which more than the table would change is refused.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Path = tuple[str, ...]
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_LINE: Final = re.compile(r"line (\d+)")


class MalformedToml(ValueError):
    """The text is no TOML, or not written in a way that can be edited here; ``line`` counts from
    1 where it is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line}: {reason}" if line else reason)


@dataclass(frozen=True, slots=True)
class _TableLines:
    """Lines ``[start:end]`` of a table, without the blank lines and comments that belong to the
    next one."""

    path: Path
    start: int
    end: int


def table_at(text: str, path: Path) -> Any:
    """The table at ``path``; None where there is none. Raises MalformedToml."""
    found: Any = _loads(text)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def with_table(text: str, path: Path, values: Mapping[str, Any], dropped: tuple[str, ...]) -> str:
    """The text with ``values`` in the table at ``path``, and without the keys ``dropped``; other
    keys of the table stay. Raises MalformedToml."""
    before = _loads(text)
    old = table_at(text, path)
    wanted = {name: one for name, one in (old or {}).items() if name not in dropped} | dict(values)
    if old == wanted:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    own = next((one for one in _sections(lines) if one.path == path), None)
    if own is None:
        lines = _with_section(lines, path, values, newline)
    else:
        changed = {name: one for name, one in values.items() if (old or {}).get(name) != one}
        lines = _with_keys(lines, own, changed, (*changed, *dropped), newline)
    return _checked("".join(lines), _replaced(before, path, wanted))


def without_table(text: str, path: Path) -> str:
    """The text without the table at ``path`` and those in it. Raises MalformedToml."""
    before = _loads(text)
    if table_at(text, path) is None:
        return text
    lines = text.splitlines(keepends=True)
    for section in reversed(list(_sections(lines))):
        if section.path[: len(path)] == path:
            start = section.start
            if start and not lines[start - 1].strip():
                start -= 1
            del lines[start : section.end]
    return _checked("".join(lines), _replaced(before, path, None))


def _with_section(
    lines: list[str], path: Path, values: Mapping[str, Any], newline: str
) -> list[str]:
    header = ".".join(one if _BARE.fullmatch(one) else json.dumps(one) for one in path)
    before = list(lines)
    if before and not before[-1].endswith("\n"):
        before[-1] += newline
    new = [f"[{header}]", *(_assignment(name, value) for name, value in values.items())]
    return [*before, *([newline] if before else []), *(line + newline for line in new)]


def _with_keys(
    lines: list[str],
    own: _TableLines,
    values: Mapping[str, Any],
    replaced: tuple[str, ...],
    newline: str,
) -> list[str]:
    body: list[str] = []
    place = own.start + 1
    while place < own.end:
        end = _end_of_assignment(lines, place, own.end)
        if not set(_keys("".join(lines[place:end])) or ()) & set(replaced):
            body += lines[place:end]
        place = end
    new = [_assignment(name, value) + newline for name, value in values.items()]
    head = lines[own.start].rstrip("\r\n") + newline
    return [*lines[: own.start], head, *new, *body, *lines[own.end :]]


def _assignment(name: str, value: Any) -> str:
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"


def _end_of_assignment(lines: list[str], start: int, end: int) -> int:
    """Of a value that may go over several lines."""
    for stop in range(start + 1, end + 1):
        if _keys("".join(lines[start:stop])) is not None:
            return stop
    return start + 1


def _keys(text: str) -> tuple[str, ...] | None:
    """The keys that lines set; None where they are not complete."""
    try:
        return tuple(tomllib.loads(text))
    except (ValueError, RecursionError):
        return None


def _sections(lines: list[str]) -> Iterator[_TableLines]:
    heads = [(number, path) for number, line in enumerate(lines) if (path := _header(line))]
    ends = [*(number for number, _ in heads[1:]), len(lines)]
    for (start, path), end in zip(heads, ends, strict=False):
        while end > start + 1 and (not (bare := lines[end - 1].strip()) or bare.startswith("#")):
            end -= 1
        yield _TableLines(path, start, end)


def _header(line: str) -> Path | None:
    """The path that a line ``[a.b]`` names."""
    if not line.lstrip().startswith("["):
        return None
    try:
        found: Any = tomllib.loads(line)
    except ValueError:
        return None
    path: list[str] = []
    while isinstance(found, dict) and found:
        ((name, found),) = found.items()
        path.append(name)
    return tuple(path)


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = _LINE.search(str(error))
        raise MalformedToml(
            f"not readable as TOML: {error}", int(found[1]) if found else None
        ) from None


def _replaced(values: dict[str, Any], path: Path, table: Any) -> dict[str, Any]:
    """``values`` with another table at ``path``; without it where ``table`` is None, and without
    the tables that this empties."""
    name, *rest = path
    inner = _replaced(values.get(name, {}), tuple(rest), table) if rest else table
    others = {key: value for key, value in values.items() if key != name}
    if inner is None or (rest and not inner):
        return others
    return {key: inner if key == name else value for key, value in (values | {name: inner}).items()}


def _checked(text: str, wanted: dict[str, Any]) -> str:
    try:
        understood = _without_empty(tomllib.loads(text)) == _without_empty(wanted)
    except ValueError:
        understood = False
    if not understood:
        raise MalformedToml("the table is written there in a way that cannot be edited here")
    return text


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """An empty table around what was removed may stay or go."""
    return {
        key: kept
        for key, value in values.items()
        if (kept := _without_empty(value) if isinstance(value, dict) else value) != {}
    }
