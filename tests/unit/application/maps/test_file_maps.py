"""The verbs about maps of files: one map for each content, and what is told of stale ones."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from support.builders import SteadyClock
from support.world import HERE, PONDS, World

from citeloom.application.maps.file_maps import FileMaps
from citeloom.application.ports.maps import Mapper, SourceFile
from citeloom.domain.errors import (
    ConversionFailed,
    DocumentNotFound,
    InvalidMap,
    InvalidRequest,
    InvalidSource,
    StorageFailed,
    UnsupportedFormat,
)
from citeloom.domain.maps import resource_map as untrusted_map
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.maps.registry import generic_map
from citeloom_maps.infrastructure.adapters import graphrag_map


class LineMapper:
    """One node a line; counts what it maps."""

    def __init__(self) -> None:
        self.version = 1
        self.seen: list[SourceFile] = []

    def supports(self, path: Path) -> bool:
        return path.suffix in (".txt", ".md")

    def fingerprint(self, path: Path) -> str:
        return f"lines {self.version}"

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        self.seen.append(source)
        text = source.path.read_text("utf-8")
        if "bad" in text:
            raise ConversionFailed(f"{source.path.name}: bad")
        return ResourceMap(
            resource_id=source.resource_id,
            type="text",
            title=source.path.name,
            source_path=str(source.path),
            nodes=tuple(
                Node(id=word, type="line", location=Location(modality="text", lines=(n, n)))
                for n, word in enumerate(text.split(), start=1)
            ),
            metadata={
                "source_hash": source.sha256,
                "source_size": source.size,
                "mapper": self.fingerprint(source.path),
            },
            created_at=created_at,
        )


@pytest.fixture
def lines() -> LineMapper:
    return LineMapper()


@pytest.fixture
def maps(world: World, lines: LineMapper) -> FileMaps:
    mappers: Sequence[Mapper] = (lines,)
    return FileMaps(
        structure=world.structure,
        bundles=world.bundles,
        files=LocalFiles(),
        mappers=mappers,
        clock=SteadyClock(),
    )


def test_a_file_is_mapped_once_for_each_content(
    maps: FileMaps, lines: LineMapper, world: World
) -> None:
    path = world.write("a.txt", "one two")
    first = maps.map(path)
    assert maps.map(path) == first
    assert len(lines.seen) == 1
    assert world.structure.map(None, first.resource_id) == first

    path.write_text("one two three", encoding="utf-8")
    second = maps.map(path)
    assert second.resource_id != first.resource_id
    assert {one.resource_id for one in maps.list()} == {first.resource_id, second.resource_id}


def test_other_means_make_it_anew(maps: FileMaps, lines: LineMapper, world: World) -> None:
    path = world.write("a.txt", "one")
    maps.map(path)
    lines.version = 2
    assert maps.check(str(path)).status == "stale"
    assert (maps.map(path).metadata or {})["mapper"] == "lines 2"
    assert maps.check(str(path)).status == "current"


def test_the_same_content_elsewhere_has_the_map_with_its_new_path(
    maps: FileMaps, lines: LineMapper, world: World
) -> None:
    first = maps.map(world.write("a.txt", "one"))
    moved = maps.map(world.write("b.txt", "one"))
    assert len(lines.seen) == 1
    assert moved.resource_id == first.resource_id
    assert (moved.title, Path(moved.source_path).name) == ("b.txt", "b.txt")
    assert world.structure.map(None, first.resource_id) == moved


def test_a_document_of_a_project_has_the_documents_map(
    maps: FileMaps, lines: LineMapper, world: World
) -> None:
    path = world.write("ponds.md", PONDS)
    world.ingest()
    (document,) = world.stored()
    assert maps.map(path) == world.structure.map(HERE, document.document_id)
    assert lines.seen == []
    assert maps.check(str(path)).status == "current"
    path.write_text("changed", encoding="utf-8")
    assert maps.check(str(path)).status == "stale"
    assert maps.map(path).list_node_ids() == ["changed"]


def test_check_tells_what_became_of_a_source(maps: FileMaps, world: World) -> None:
    path = world.write("a.txt", "one two")
    assert maps.check(str(path)).status == "unmapped"
    made = maps.map(path)
    for name in (str(path), made.resource_id, made.resource_id[:8]):
        told = maps.check(name)
        assert (told.status, told.resource_id, told.nodes) == ("current", made.resource_id, 2)
    path.write_text("changed", encoding="utf-8")
    for name in (str(path), made.resource_id):
        told = maps.check(name)
        assert (told.status, told.resource_id) == ("stale", made.resource_id)
        assert told.message.next_step == NextStep(Action.MAP_FILE, path=str(path))
    path.unlink()
    assert maps.check(made.resource_id).status == "missing"
    with pytest.raises(DocumentNotFound, match="no such document"):
        maps.check(str(path))


def test_a_map_with_an_id_twice_is_invalid(maps: FileMaps, world: World) -> None:
    made = maps.map(world.write("a.txt", "one"))
    twice = made.model_copy(update={"nodes": made.nodes * 2})
    told = maps.check_map("x", twice)
    assert told.status == "invalid"
    assert "two nodes have the id 'one'" in told.message


@pytest.mark.parametrize("name", ["a.xyz", "noext"])
def test_a_file_of_no_kind_is_refused(maps: FileMaps, world: World, name: str) -> None:
    with pytest.raises(UnsupportedFormat, match="Could not infer type"):
        maps.map(world.write(name, "one"))


def test_a_folder_or_nothing_is_refused(maps: FileMaps, world: World) -> None:
    with pytest.raises(InvalidSource, match="a folder"):
        maps.map(world.folder)
    with pytest.raises(InvalidSource, match="no such file"):
        maps.map(world.folder / "gone.txt")


def test_a_failure_keeps_nothing(maps: FileMaps, world: World) -> None:
    with pytest.raises(ConversionFailed):
        maps.map(world.write("a.txt", "bad"))
    assert maps.list() == []


def test_a_map_that_could_not_be_read_again_is_not_kept(
    maps: FileMaps, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted_map, "MAX_NODES", 3)
    with pytest.raises(ConversionFailed, match=r"a\.txt: has too many parts"):
        maps.map(world.write("a.txt", "one two three four"))
    assert maps.list() == []


def test_a_password_reaches_the_mapper(maps: FileMaps, lines: LineMapper, world: World) -> None:
    maps.map(world.write("a.txt", "one"), "secret")
    assert lines.seen[0].password == "secret"


def test_a_damaged_map_is_listed_with_the_reason(
    maps: FileMaps, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = maps.map(world.write("a.txt", "one"))

    def damaged(_: str) -> ResourceMap:
        raise StorageFailed("a map: damaged")

    monkeypatch.setattr(world.bundles, "load_map", damaged)
    (listed,) = maps.list()
    assert (listed.resource_id, listed.problem) == (made.resource_id, "a map: damaged")


def test_what_another_tool_wrote_is_kept_if_asked_for(maps: FileMaps, world: World) -> None:
    path = world.write("graph.json", '[{"name": "Big Corp", "id": "7"}]')
    made = maps.adapt(path, graphrag_map, keep=False)
    assert maps.list() == []
    assert maps.adapt(path, graphrag_map, keep=True).resource_id == made.resource_id
    assert world.structure.node(None, made.resource_id, "big_corp").title == "Big Corp"
    assert maps.check(made.resource_id).status == "current"


@pytest.mark.parametrize("resource_id", ["../x", "a/b", "a b", "x" * 129, "CON\\0"])
def test_a_resource_id_that_is_no_file_name_is_not_kept(
    maps: FileMaps, world: World, resource_id: str
) -> None:
    path = world.write("m.json", f'{{"resource_id": "{resource_id}", "type": "text", "nodes": []}}')
    with pytest.raises(InvalidRequest):
        maps.adapt(path, generic_map, keep=True)
    assert maps.list() == []


def test_an_adapted_map_with_an_id_twice_is_refused(maps: FileMaps, world: World) -> None:
    node = '{"id": "a", "type": "s", "location": {"modality": "text"}}'
    text = f'{{"resource_id": "r", "type": "text", "nodes": [{node}, {node}]}}'
    with pytest.raises(InvalidMap, match="two nodes have the id 'a'"):
        maps.adapt(world.write("m.json", text), generic_map, keep=False)
