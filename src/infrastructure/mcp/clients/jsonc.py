"""JSON with comments (JSONC): values together with their places in the text.

Comments (``//``, ``/* */``) and commas after the last member are read, as Visual Studio Code and
Zed write them; everything else is RFC 8259.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR: Final = re.compile(
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b"
)
_DEEPEST: Final = 100


class Malformed(ValueError):
    """The text is no JSON; ``line`` counts from 1."""

    def __init__(self, text: str, place: int, reason: str) -> None:
        self.line = text.count("\n", 0, place) + 1
        self.reason = reason
        super().__init__(f"line {self.line}: {reason}")


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value at ``text[start:end]``; ``members`` are those of an object, in their order."""

    start: int
    end: int
    value: Any
    members: "tuple[JsonMember, ...]" = ()

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def member(self, name: str) -> "JsonMember | None":
        return next((one for one in self.members if one.name == name), None)


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object: ``start`` is where its name begins, ``comma`` the place of the comma
    behind it."""

    name: str
    start: int
    node: JsonNode
    comma: int | None


def parse(text: str) -> JsonNode:
    """Raises Malformed."""
    return _JsoncReader(text).document()


def skip_trivia(text: str, place: int) -> int:
    """The next place that is neither blank nor in a comment. Raises Malformed."""
    while True:
        match = _SPACE.match(text, place)
        assert match is not None
        place = match.end()
        if text.startswith("//", place):
            newline = text.find("\n", place)
            place = len(text) if newline < 0 else newline
        elif text.startswith("/*", place):
            closed = text.find("*/", place + 2)
            if closed < 0:
                raise Malformed(text, place, "the comment is not closed")
            place = closed + 2
        else:
            return place


class _JsoncReader:
    def __init__(self, text: str) -> None:
        self._text = text

    def document(self) -> JsonNode:
        node = self._value(skip_trivia(self._text, 0), 0)
        end = skip_trivia(self._text, node.end)
        if end < len(self._text):
            self._refuse(end, "there is something after the end of the value")
        return node

    def _value(self, place: int, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            self._refuse(place, "nested too deeply")
        begin = self._text[place : place + 1]
        if begin == "{":
            return self._object(place, depth)
        if begin == "[":
            return self._array(place, depth)
        match = (_STRING if begin == '"' else _SCALAR).match(self._text, place)
        if match is None:
            self._refuse(place, "a value is missing" if begin in ",]}" else "this is no JSON")
        return JsonNode(place, match.end(), json.loads(match.group()))

    def _object(self, start: int, depth: int) -> JsonNode:
        members: list[JsonMember] = []
        place = skip_trivia(self._text, start + 1)
        while not self._text.startswith("}", place):
            name = _STRING.match(self._text, place)
            if name is None:
                self._refuse(
                    place, "the object is not closed, or a name in quotation marks is missing"
                )
            colon = skip_trivia(self._text, name.end())
            if not self._text.startswith(":", colon):
                self._refuse(colon, "a colon is missing")
            node = self._value(skip_trivia(self._text, colon + 1), depth + 1)
            comma = self._separator(node.end, "}")
            members.append(JsonMember(json.loads(name.group()), place, node, comma))
            place = skip_trivia(self._text, node.end if comma is None else comma + 1)
        value = {one.name: one.node.value for one in members}
        return JsonNode(start, place + 1, value, tuple(members))

    def _array(self, start: int, depth: int) -> JsonNode:
        items: list[Any] = []
        place = skip_trivia(self._text, start + 1)
        while not self._text.startswith("]", place):
            node = self._value(place, depth + 1)
            items.append(node.value)
            comma = self._separator(node.end, "]")
            place = skip_trivia(self._text, node.end if comma is None else comma + 1)
        return JsonNode(start, place + 1, items)

    def _separator(self, place: int, closing: str) -> int | None:
        """The place of the comma, if the end does not follow at once."""
        place = skip_trivia(self._text, place)
        if self._text.startswith(",", place):
            return place
        if not self._text.startswith(closing, place):
            self._refuse(place, f"a comma or {closing} is missing")
        return None

    def _refuse(self, place: int, reason: str) -> NoReturn:
        raise Malformed(self._text, place, reason)
