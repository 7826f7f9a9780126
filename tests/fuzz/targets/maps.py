"""Targets: maps from elsewhere, and files that are mapped without a project."""

import hashlib
import json
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.mutation import documents, texts
from fuzz.seeds import seed
from fuzz.target import Target
from hypothesis import strategies as st
from support.in_memory.converter import PlainTextConverter

from citeloom.application.ports.maps import SourceFile
from citeloom.domain.errors import CiteLoomError, InvalidMap, InvalidRequest
from citeloom.domain.maps.resource_map import read_map, with_unique_ids
from citeloom.infrastructure.maps.registry import all_mappers
from citeloom_maps.infrastructure.adapters import ADAPTERS, adapter_of

MAP = json.loads(seed("map.json"))
FOREIGN = (
    MAP,
    {"entities": [{"title": "BIG", "description": "d", "id": "u-1"}],
     "community_reports": [{"title": "T", "summary": "S", "community": 0, "id": "x"}]},
    [{"name": "A b"}, {"title": "T", "summary": "S", "id": 3}],
    {"docstore/data": {"n1": {"__data__": {"id_": "n1", "text": "t", "metadata": {"title": "T"}}}}},
    [{"__data__": '{"id_": "n1", "text": "t"}'},
     {"node": {"node_id": "n2", "text": "u"}, "score": 1}],
)  # fmt: skip
SUFFIXES = (".md", ".py", ".json", ".yaml", ".vtt", ".srt", ".txt", ".c", ".ts")
PIECES = (
    "{", "}", "[", "]", ":", ",", '"', "- ", "# ", "---\n", "&a ", "*a", "<<: *a",
    "!!python/object:x",
    "class ", "def f(", "    ", "\t", '"""', "-->", "00:00:01.000",
    "99:99:99,999", "WEBVTT", "\n\n",
    "NOTE ", "STYLE\n", "\\u0000", "0x", "async ", "@", "```",
)  # fmt: skip
_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="citeloom-fuzz-"))


def _source(name: str, content: bytes) -> SourceFile:
    path = _folder() / name
    path.write_bytes(content)
    return SourceFile(path=path, sha256=hashlib.sha256(content).hexdigest(), size=len(content))


def _map(document: Any) -> None:
    with suppress(InvalidMap):
        read = with_unique_ids(read_map(json.dumps(document)))
        assert read_map(read.model_dump_json()) == read


def _map_text(text: str) -> None:
    with suppress(InvalidMap):
        read_map(text.encode("utf-8", "surrogatepass"))


def _foreign(drawn: tuple[str, Any]) -> None:
    name, document = drawn
    source = _source("out.json", json.dumps(document).encode())
    with suppress(InvalidRequest):
        adapter_of(name)(source, _DAY)


def _mapped(drawn: tuple[str, str]) -> None:
    suffix, text = drawn
    source = _source(f"file{suffix}", text.encode("utf-8", "surrogatepass"))
    for mapper in all_mappers(PlainTextConverter(), {}, lambda: None):
        if mapper.supports(source.path):
            with suppress(CiteLoomError):
                mapper.map(source, _DAY).model_dump_json()


TARGETS = (
    Target("map-values", documents((MAP,)), _map),
    Target("map-texts", texts((json.dumps(MAP),), PIECES), _map_text),
    Target("foreign-maps", st.tuples(st.sampled_from([*ADAPTERS]), documents(FOREIGN)), _foreign),
    Target(
        "mapped-files",
        st.sampled_from(SUFFIXES).flatmap(
            lambda suffix: st.tuples(st.just(suffix), texts((seed(f"mapped{suffix}"),), PIECES))
        ),
        _mapped,
        weight=2,
    ),
)
