"""Resource map: the tree of a resource's parts with their locations.

Field names and rules are CiteKit's (snake_case in every language). Pages and lines count
from 1, both ends inclusive; times are seconds; an image box is (x1, y1, x2, y2) in 0..1
from the top left.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any, Literal, NoReturn, Self

from pydantic import (
    AfterValidator,
    Field,
    FiniteFloat,
    ValidationError,
    field_validator,
    model_validator,
)

from citeloom.domain.errors import InvalidMap
from citeloom.domain.text.sentences import cut_at_sentence, sentence_spans
from citeloom.domain.value import Value

_DRIVE = re.compile(r"[A-Za-z]:(?:/|$)")
_NOT_IN_FILE_NAMES = '#?\\*<>|"'


def check_resource_id(resource_id: str) -> str:
    """``resource_id`` itself. Raises ValueError if it is empty, an absolute path, leaves its
    folder, or has characters that are not printable or not allowed in file names."""
    if not resource_id or resource_id != resource_id.strip():
        raise ValueError("a resource id is not empty and has no white space around it")
    if not printable(resource_id):
        raise ValueError(f"the resource id {resource_id!r} holds a control character")
    if found := next((c for c in _NOT_IN_FILE_NAMES if c in resource_id), None):
        raise ValueError(f"the resource id {resource_id!r} holds {found!r}")
    if resource_id.startswith("/") or _DRIVE.match(resource_id):
        raise ValueError(f"the resource id {resource_id!r} is an absolute path")
    if any(part in ("", ".", "..") for part in resource_id.split("/")):
        raise ValueError(f"the resource id {resource_id!r} has a part that is empty, '.' or '..'")
    return resource_id


ResourceId = Annotated[str, AfterValidator(check_resource_id)]


def printable(text: str) -> bool:
    """Whether ``text`` has no control, format, private or unassigned characters, and no
    line or paragraph separators."""
    if text.isprintable():  # stricter, and much faster
        return True
    return not any(unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" for c in text)


ResourceType = Literal["document", "video", "audio", "image", "text", "virtual"]


def _finite(number: float) -> float:
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{number} is not a time or coordinate")
    return number


Coordinate = Annotated[float, AfterValidator(_finite)]

_FIELDS: dict[ResourceType, tuple[str, ...]] = {
    "document": ("pages",),
    "video": ("start", "end"),
    "audio": ("start", "end"),
    "image": ("bbox",),
    "text": ("lines",),
    "virtual": ("virtual_address",),
}


class Location(Value):
    """Location of a node; only the fields of its modality may be set."""

    modality: ResourceType
    start: Coordinate | None = None
    end: Coordinate | None = None
    pages: tuple[Annotated[int, Field(ge=1)], ...] | None = Field(default=None, min_length=1)
    lines: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    bbox: tuple[Coordinate, Coordinate, Coordinate, Coordinate] | None = None
    virtual_address: str | None = None

    @model_validator(mode="after")
    def _one_modality(self) -> Self:
        allowed = _FIELDS[self.modality]
        for fields in _FIELDS.values():
            for name in fields:
                if name not in allowed and getattr(self, name) is not None:
                    raise ValueError(f"a {self.modality} location has no {name!r}")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError(f"invalid time range: {self.start} to {self.end}")
        if self.lines is not None and self.lines[0] > self.lines[1]:
            raise ValueError(f"invalid line range: {self.lines[0]} to {self.lines[1]}")
        if self.bbox is not None:
            x1, y1, x2, y2 = self.bbox
            if not (x1 < x2 <= 1 and y1 < y2 <= 1):
                raise ValueError(f"invalid bounding box: {self.bbox}")
        return self


class Node(Value):
    """A part of a resource. ``id`` is unique within the map: parts separated by dots, without
    white space, slashes and control characters."""

    id: str = Field(min_length=1)
    title: str | None = None
    type: str = Field(min_length=1)
    location: Location
    summary: str | None = None
    children: tuple["Node", ...] = ()

    @model_validator(mode="after")
    def _plain_id(self) -> Self:
        if re.search(r"\s", self.id):
            raise ValueError(f"node id {self.id!r} holds white space")
        if not printable(self.id) or "/" in self.id or "\\" in self.id:
            raise ValueError(f"node id {self.id!r} holds a slash or a control character")
        if not all(self.id.split(".")):
            raise ValueError(f"node id {self.id!r} has an empty part between its dots")
        return self


class ResourceMap(Value):
    """``metadata`` has ``source_hash`` (sha256 of the file) and ``source_size`` (bytes)."""

    resource_id: ResourceId
    type: ResourceType
    title: str
    source_path: str
    nodes: tuple[Node, ...] = ()
    metadata: dict[str, str | int | FiniteFloat | None] | None = None
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

    @field_validator("source_path")
    @classmethod
    def _no_nul(cls, source_path: str) -> str:
        if "\0" in source_path:
            raise ValueError("the source path holds NUL")
        return source_path

    @property
    def source_hash(self) -> str | None:
        """The sha256 of the mapped content (hex), where it is known."""
        digest = (self.metadata or {}).get("source_hash")
        return digest if isinstance(digest, str) else None

    def walk(self) -> Iterator[Node]:
        """All nodes, depth first, parents before children. Deep trees do not recurse."""
        stack = list(reversed(self.nodes))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def list_node_ids(self) -> list[str]:
        return [node.id for node in self.walk()]

    def get_node(self, node_id: str) -> Node | None:
        return next((node for node in self.walk() if node.id == node_id), None)


class ResolvedEvidence(Value):
    """A resolved node: its address, and the file of extracted evidence.

    ``output_path`` is None if nothing was extracted: on request, or for a virtual node.
    """

    output_path: str | None = None
    modality: ResourceType
    address: str
    node: Node
    resource_id: str


#: Maximum characters of a summary, and of a title taken from the text.
SUMMARY = 160
TITLE = 60
_SLUG_WORDS = 5

UsedNames = dict[str, int]
"""Names used among siblings, with the last number of each."""


def slug(title: str) -> str:
    """A short id of up to five words in the title's script, without section number, dots and
    white space."""
    plain = re.sub(r"^\W*(\d+(\.\d+)*|[IVXLC]+|[A-Z])[.):]?\s+(?=\w)", "", title)
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", plain or title).casefold())
    return "-".join(words[:_SLUG_WORDS]) or "section"


def name_id(name: str) -> str:
    """A name of code or data as part of an id; characters other than letters, digits, ``_``,
    ``-`` and ``$`` become ``-``."""
    return re.sub(r"[^\w$-]+", "-", unicodedata.normalize("NFKC", name)).strip("-") or "item"


def unique_name(name: str, used: UsedNames) -> str:
    """``name``, or ``name-2`` and so on if used; the result is added to ``used``."""
    number = used.get(name, 0) + 1
    unique = name if number == 1 else f"{name}-{number}"
    while unique in used:
        number += 1
        unique = f"{name}-{number}"
    used[name] = number
    used.setdefault(unique, 1)
    return unique


def first_sentence(text: str) -> str | None:
    """The first sentence with normalised white space, cut to ``SUMMARY`` characters; None of empty
    text."""
    spans = sentence_spans(text[: 8 * SUMMARY])
    if not spans:
        return None
    start, end = spans[0]
    return cut_at_sentence(" ".join(text[start:end].split()), SUMMARY)


def short_title(text: str) -> str | None:
    """``text`` on one line, cut to ``TITLE`` characters at white space; None of empty text."""
    line = " ".join(text.split())
    return cut_at_sentence(line, TITLE) if line else None


MAX_BYTES = 8 * 2**20
MAX_NODES = 50_000
MAX_DEPTH = 64
"""Maximum levels of nodes."""


def read_map(content: bytes | str) -> ResourceMap:
    """A map in JSON (UTF-8). Raises InvalidMap with the reason."""
    if len(content) > MAX_BYTES:
        raise InvalidMap(f"resource map: larger than {MAX_BYTES // 2**20} MiB")
    try:
        raw = json.loads(content, parse_constant=_no_number)
    except RecursionError:
        raise InvalidMap("resource map: nested too deep to be read") from None
    except ValueError as error:
        raise InvalidMap(f"resource map: not JSON ({error})") from None
    return parse_map(raw)


def parse_map(raw: object) -> ResourceMap:
    """The map that a dictionary describes, with unique node ids. Raises InvalidMap."""
    if not isinstance(raw, dict):
        raise InvalidMap("resource map: not a JSON object")
    _check_shape(raw)
    try:
        return with_unique_ids(ResourceMap.model_validate(raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise InvalidMap(f"resource map: {f'{where}: ' if where else ''}{reason}") from None


def with_unique_ids(resource_map: ResourceMap) -> ResourceMap:
    """``resource_map`` itself, if its nodes can be told apart. Raises InvalidMap."""
    ids: set[str] = set()
    for node in resource_map.walk():
        if node.id in ids:
            raise InvalidMap(
                f"resource map {resource_map.resource_id}: two nodes have the id {node.id!r}",
                resource_id=resource_map.resource_id,
                node_id=node.id,
            )
        ids.add(node.id)
    return resource_map


def _check_shape(raw: dict[str, Any]) -> None:
    """Limit the number of nodes and levels (a cycle has no last level)."""
    count = 0
    level: list[object] = list(_listed(raw, "nodes"))
    for _ in range(MAX_DEPTH):
        count += len(level)
        if count > MAX_NODES:
            raise InvalidMap(f"resource map: more than {MAX_NODES} nodes")
        children = (child for one in level for child in _listed(one, "children"))
        level = list(islice(children, MAX_NODES + 1))
        if not level:
            return
    raise InvalidMap(f"resource map: its nodes are nested more than {MAX_DEPTH} levels deep")


def _listed(raw: object, key: str) -> Iterator[object]:
    if isinstance(raw, Node):
        yield from raw.children
    elif isinstance(raw, dict):
        children = raw.get(key)
        if isinstance(children, list | tuple):
            yield from children


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")
