"""Map adapters: GraphRAG, LlamaIndex, or a Python file whose function ``adapt`` makes the map."""

import hashlib
import importlib.util
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from citeloom.application.ports.maps import MapAdapter, SourceFile
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.resource_map import (
    SUMMARY,
    Location,
    Node,
    ResourceMap,
    UsedNames,
    short_title,
    unique_name,
)
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.infrastructure.maps.mappers.node_building import resource_map
from citeloom.infrastructure.maps.registry import generic_map, read_json, validated

Record = Mapping[str, Any]
_ENTITIES = ("entities", "nodes", "vertices")
_COMMUNITIES = ("communities", "community_reports", "reports")
_CHUNKS = ("docstore/data", "nodes", "data")
_KEYS = frozenset({*_ENTITIES, *_COMMUNITIES, *_CHUNKS})
# LlamaIndex's node: https://docs.llamaindex.ai, ``BaseNode``; what CiteKit keeps of its text.
_SUMMARY_OF_NODE = 200


def graphrag_map(source: SourceFile, created_at: datetime) -> ResourceMap:
    """Entities and communities (JSON) as virtual nodes ``graph://…``."""
    return _virtual(source, created_at, "graphrag", graphrag_nodes)


def llamaindex_map(source: SourceFile, created_at: datetime) -> ResourceMap:
    """Nodes, or a persisted docstore (JSON), as virtual nodes ``llamaindex://…``: their
    locations are printed pages or offsets in a text of their own, not places in a file."""
    return _virtual(source, created_at, "llamaindex", llamaindex_nodes)


def graphrag_nodes(document: object) -> Iterator[Node]:
    """Entities (``name`` or ``title``, ``description``), then communities (``title``,
    ``summary``). Records of neither shape are passed over."""
    used: UsedNames = {}
    for record in [*_records(document, _ENTITIES), *_records(document, _COMMUNITIES)]:
        name, title = _text(record, "name"), _text(record, "title")
        if title and "summary" in record and name is None:
            number = _text(record, "community", "id", "human_readable_id")
            node_id = unique_name(f"community_{_id(number or title)}", used)
            place = f"graph://community/{_id(number or title)}"
            yield _node(node_id, title, "community", place, _text(record, "summary"))
        elif label := name or title:
            node_id = unique_name(_id(label.lower()), used)
            place = f"graph://{_id(_text(record, 'id') or label.lower())}"
            yield _node(node_id, label, "entity", place, _text(record, "description", "summary"))


def llamaindex_nodes(document: object) -> Iterator[Node]:
    used: UsedNames = {}
    for record in _records(document, _CHUNKS):
        inner = record.get("__data__", record)
        if isinstance(inner, str):
            inner = json.loads(inner)
        inner = inner.get("node", inner)  # retrieval gives nodes with scores around them
        chunk_id = _text(inner, "id_", "node_id")
        if chunk_id is None:
            continue
        metadata = inner.get("metadata") or {}
        text = _text(inner, "text") or _text(inner.get("text_resource") or {}, "text")
        yield _node(
            unique_name(_id(chunk_id), used),
            _text(metadata, "title", "file_name"),
            "chunk",
            f"llamaindex://{_id(chunk_id)}",
            " ".join(text[:_SUMMARY_OF_NODE].split()) if text else None,
        )


def _virtual(
    source: SourceFile,
    created_at: datetime,
    tool: str,
    nodes: Callable[[object], Iterator[Node]],
) -> ResourceMap:
    try:
        nodes_read = tuple(nodes(read_json(source.path)))
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"{source.path.name}: no output of {tool} ({error})") from error
    if not nodes_read:
        what = {
            "graphrag": "GraphRAG entities or communities",
            "llamaindex": "LlamaIndex nodes",
        }[tool]
        raise InvalidRequest(f"{source.path.name}: Could not parse valid {what} from input.")
    virtual_map = resource_map(
        source, "virtual", nodes_read, created_at=created_at, mapper=tool, title=source.path.stem
    )
    # An id of its own, different from that of the map of the JSON file itself.
    map_hash = hashlib.sha256(f"{tool}:{source.sha256}".encode()).hexdigest()
    return virtual_map.model_copy(update={"resource_id": short_id(map_hash)})


def _records(document: object, keys: Sequence[str]) -> Iterator[Record]:
    """The records of an object's lists (or objects) under ``keys``. A bare list, or a single
    record, counts as entities or chunks."""
    lists: list[object]
    if isinstance(document, Mapping) and any(key in document for key in _KEYS):
        lists = [document[key] for key in keys if key in document]
    else:
        is_record = keys is not _COMMUNITIES
        lists = [[document] if isinstance(document, Mapping) else document] if is_record else []
    for entry in lists:
        records = list(entry.values()) if isinstance(entry, Mapping) else entry
        if isinstance(records, list):
            yield from (record for record in records if isinstance(record, Mapping))


def _node(node_id: str, title: str | None, kind: str, place: str, summary: str | None) -> Node:
    return Node(
        id=node_id,
        title=short_title(title) if title else None,
        type=kind,
        location=Location(modality="virtual", virtual_address=place),
        summary=cut_at_sentence(summary, max(SUMMARY, _SUMMARY_OF_NODE)) if summary else None,
    )


def _text(record: Record, *names: str) -> str | None:
    """The first of these fields that is a text or a number, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def _id(text: str) -> str:
    """``text`` as an id: white space and what addresses cannot hold become ``_``."""
    return re.sub(r"[^\w$:-]+", "_", text).strip("_") or "node"


FUNCTION = "adapt"
_MODULE = "citeloom_adapter"


def plugin_map(plugin: Path, source: SourceFile, created_at: datetime) -> ResourceMap:
    """Runs ``adapt(path)`` of the file ``plugin``, in this process and with the user's rights.

    ``path`` is the input's absolute ``pathlib.Path``; the function returns a dict in the
    shape of a ResourceMap (as for ``generic_map``) or a ResourceMap.
    """
    returned = _run(plugin, source.path)
    if isinstance(returned, ResourceMap):
        returned = returned.model_dump(mode="json")
    if not isinstance(returned, Mapping):
        raise InvalidRequest(
            f"{plugin.name}: {FUNCTION}() returned {type(returned).__name__}, not a dict"
        )
    return validated(returned, source, created_at)


def _run(plugin: Path, path: Path) -> object:
    try:
        spec = importlib.util.spec_from_file_location(_MODULE, plugin)
        if spec is None or spec.loader is None:
            raise InvalidRequest(f"{plugin.name}: cannot be loaded as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[_MODULE] = module  # dataclasses look their module up there
        spec.loader.exec_module(module)
        function = getattr(module, FUNCTION, None)
        if not callable(function):
            raise InvalidRequest(
                f"{plugin.name}: has no function {FUNCTION}(path); define it to return "
                "a resource map as a dict"
            )
        return function(path)
    except InvalidRequest:
        raise
    except Exception as error:  # the user's code may raise anything
        raise InvalidRequest(f"{plugin.name}: {_error_text(error, plugin)}") from error
    finally:
        sys.modules.pop(_MODULE, None)


def _error_text(error: Exception, plugin: Path) -> str:
    """The error, with its line in the plugin."""
    message = f"{type(error).__name__}: {error}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(plugin)]
    return f"line {frames[-1].lineno}: {message}" if frames else message


ADAPTERS: dict[str, MapAdapter] = {
    "graphrag": graphrag_map,
    "llamaindex": llamaindex_map,
    "generic": generic_map,
}


def adapter_of(name: str) -> MapAdapter:
    """The adapter called so, or the one in the Python file at this path."""
    if name in ADAPTERS:
        return ADAPTERS[name]
    plugin = Path(name).expanduser().absolute()
    if plugin.suffix == ".py":
        if plugin.is_file():
            return partial(plugin_map, plugin)
        raise InvalidRequest(f"{name}: no such file", parameter="adapter")
    raise InvalidRequest(
        f"{name}: no such adapter; there are {', '.join(ADAPTERS)}, and any .py file with a "
        "function adapt(path)",
        parameter="adapter",
    )
