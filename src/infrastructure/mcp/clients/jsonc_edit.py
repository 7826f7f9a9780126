"""Members of a JSONC text set and removed; whatever else is in the text stays as it is."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from citeloom.infrastructure.mcp.clients.jsonc import JsonMember, JsonNode, Malformed, parse

_INDENT: Final = re.compile(r"\n([ \t]+)[^ \t\r\n]")
_REST_OF_LINE: Final = re.compile(r"(?:[ \t]|/\*(?:(?!\*/)[^\n])*\*/|//[^\n]*)*")
_ENDS_LINE: Final = re.compile(r"[ \t]*(?:\r?\n|$)")
Path = tuple[str, ...]


def member_at(text: str, path: Path) -> Any:
    """The value at ``path``; None where there is none, or the text is blank. Raises Malformed."""
    if not text.strip():
        return None
    node: JsonNode | None = parse(text)
    for name in path:
        found = _object(text, node).member(name) if node else None
        node = found.node if found else None
    return node.value if node else None


def with_member(text: str, path: Path, value: Any) -> str:
    """The text with ``value`` at ``path``, whose objects are made where they are missing. Raises
    Malformed."""
    style = _Style(text)
    if not text.strip():
        return style.value(_nested(path, value), "") + style.newline
    node = parse(text)
    for depth, name in enumerate(path):
        found = _object(text, node).member(name)
        if found is None:
            return _added(text, node, path[depth:], value, style, depth + 1)
        node = found.node
    if node.value == value:
        return text
    return text[: node.start] + style.value(value, _margin(text, node.start)) + text[node.end :]


def without_member(text: str, path: Path) -> str:
    """The text without the member at ``path``; an object around it that becomes empty goes too,
    unless there is a comment in it. Raises Malformed."""
    owner: JsonNode | None = parse(text) if text.strip() else None
    for name in path[:-1]:
        around = _object(text, owner).member(name) if owner else None
        owner = around.node if around else None
    member = _object(text, owner).member(path[-1]) if owner else None
    if owner is None or member is None:
        return text
    if len(path) > 1 and len(owner.members) == 1 and not _has_comment(text, owner):
        return without_member(text, path[:-1])
    return _removed(text, owner, member)


class _Style:
    """Line ends and indentation of a text."""

    def __init__(self, text: str) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENT.search(text)
        self.indent = found.group(1) if found else "  "

    def member(self, name: str, value: Any, margin: str) -> str:
        return f"{json.dumps(name, ensure_ascii=False)}: {self.value(value, margin)}"

    def value(self, value: Any, margin: str) -> str:
        if not isinstance(value, Mapping) or not value:
            return json.dumps(value, ensure_ascii=False)
        inner = margin + self.indent
        lines = (inner + self.member(name, one, inner) for name, one in value.items())
        return f"{{{self.newline}{f',{self.newline}'.join(lines)}{self.newline}{margin}}}"


def _added(text: str, owner: JsonNode, path: Path, value: Any, style: _Style, depth: int) -> str:
    """A new member behind the last one and the comment on its line."""
    last = owner.members[-1] if owner.members else None
    if last is not None and "\n" not in text[owner.start : owner.end]:
        inline = json.dumps(_nested(path, value), ensure_ascii=False)[1:-1]
        return f"{text[: last.node.end]}, {inline}{text[last.node.end :]}"
    margin = _margin(text, last.start) if last else style.indent * depth
    new = style.newline + margin + style.member(path[0], _nested(path[1:], value), margin)
    if last is None:
        place = _end_of_line(text, owner.start + 1)
        close = (
            "" if "\n" in text[place : owner.end] else style.newline + style.indent * (depth - 1)
        )
        return text[:place].rstrip(" \t") + new + close + text[place:]
    if last.comma is not None:
        place = _end_of_line(text, last.comma + 1)
        return f"{text[:place]}{new},{text[place:]}"
    place = _end_of_line(text, last.node.end)
    return f"{text[: last.node.end]},{text[last.node.end : place]}{new}{text[place:]}"


def _removed(text: str, owner: JsonNode, member: JsonMember) -> str:
    start, rest = len(text[: member.start].rstrip(" \t\r\n")), text[member.node.end :]
    if member.comma is not None:
        rest = text[member.node.end : member.comma] + text[member.comma + 1 :]
    if "\n" in text[start : member.start] and not _ENDS_LINE.match(rest):
        start = member.start  # what follows on the line must not become part of a comment
    number = owner.members.index(member)
    comma = owner.members[number - 1].comma if number and member.comma is None else None
    before = text[:start] if comma is None else text[:comma] + text[comma + 1 : start]
    return before + rest


def _nested(path: Path, value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _object(text: str, node: JsonNode) -> JsonNode:
    """The node, which is an object that has no name twice. Raises Malformed."""
    if not node.is_object:
        raise Malformed(text, node.start, "an object in braces is expected here")
    names = [one.name for one in node.members]
    for number, one in enumerate(node.members):
        if one.name in names[:number]:
            raise Malformed(text, one.start, f"“{one.name}” is there twice")
    return node


def _has_comment(text: str, owner: JsonNode) -> bool:
    """Whether a comment stands in an object of one member, outside of that member."""
    (only,) = owner.members
    around = text[owner.start : only.start] + text[only.node.end : owner.end]
    return "//" in around or "/*" in around


def _end_of_line(text: str, place: int) -> int:
    """The end of the comments that follow on the same line."""
    match = _REST_OF_LINE.match(text, place)
    assert match is not None
    rest = match.group()
    following = text[match.end() : match.end() + 1]
    if following not in ("", "\n", "\r"):
        return place
    return place + len(rest.rstrip(" \t\r"))


def _margin(text: str, place: int) -> str:
    """The blanks at the beginning of the line of ``place``."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]
