"""Every mapper does the same: maps that name their source, with unique ids inside it."""

import itertools
import wave
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image
from support.files.mapped_files import extent, parents, source_of
from support.in_memory.converter import PlainTextConverter

from citeloom.application.ports.maps import Mapper, SourceFile
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.infrastructure.maps.mappers.images import ImageMapper
from citeloom.infrastructure.maps.mappers.text import MarkdownMapper, TextMapper
from citeloom.infrastructure.maps.registry import DocumentMapper, all_mappers
from citeloom_maps.infrastructure.mappers.code import CodeMapper
from citeloom_maps.infrastructure.mappers.json_yaml import KeysMapper
from citeloom_maps.infrastructure.mappers.python_code import PythonMapper
from citeloom_maps.infrastructure.recordings.captions import CaptionsMapper
from citeloom_maps.infrastructure.recordings.recordings import RecordingMapper

NOW = datetime(2026, 5, 4, tzinfo=UTC)
SECTIONS = "# A a\n\nOne. Two.\n\n## B\n\nThree.\n\n# A a\n"


def written(text: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(text, encoding="utf-8", newline="")  # type: ignore[func-returns-value]


def silence(path: Path) -> None:
    with wave.open(str(path), "wb") as made:
        made.setparams((1, 2, 1000, 0, "NONE", ""))
        made.writeframes(b"\0\0" * 130_000)


def picture(path: Path) -> None:
    Image.new("RGB", (40, 20), "white").save(path)


SAMPLES: dict[str, tuple[Mapper, str, Callable[[Path], None]]] = {
    "markdown": (MarkdownMapper(), "a b.md", written(SECTIONS)),
    "text": (TextMapper(), "é.txt", written("One.\n\nTwo.\n")),
    "rst": (TextMapper(), "a.rst", written("A\n===\n\nOne.\n\nA\n===\n")),
    "python": (PythonMapper(), "a.py", written("class A:\n    def f(self): ...\n    f = 1\n")),
    "code": (CodeMapper(), "a.js", written("class A { f() {} f() {} }\nfunction A() {}\n")),
    "json": (KeysMapper(), "a.json", written('{"a b": 1,\n"a b": [2,\n3]}\n')),
    "yaml": (KeysMapper(), "a.yml", written("a: 1\na: 2\n")),
    "captions": (CaptionsMapper(), "a.vtt", written("WEBVTT\n\n00:01.000 --> 00:02.000\nHi.\n")),
    "images": (ImageMapper(lambda: None), "a.png", picture),
    "recordings": (RecordingMapper(lambda: None), "a.wav", silence),
    "documents": (DocumentMapper(PlainTextConverter(), {}), "a.md", written(SECTIONS)),
}


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Mapper, Path]:
    mapper, name, write = SAMPLES[request.param]
    write(tmp_path / name)
    return mapper, tmp_path / name


@pytest.fixture
def found(sample: tuple[Mapper, Path]) -> ResourceMap:
    mapper, path = sample
    assert mapper.supports(path)
    return mapper.map(source_of(path), NOW)


def test_a_map_names_its_source_and_how_it_was_made(
    sample: tuple[Mapper, Path], found: ResourceMap
) -> None:
    mapper, path = sample
    source = source_of(path)
    assert (found.resource_id, found.source_path) == (source.sha256[:16], str(path))
    assert found.metadata is not None
    assert found.metadata["source_hash"] == source.sha256
    assert found.metadata["source_size"] == source.size
    assert found.metadata["mapper"] == mapper.fingerprint(path)
    assert found.created_at == NOW
    assert found.title


def test_ids_are_unique_and_dotted_below_their_parents(found: ResourceMap) -> None:
    ids = found.list_node_ids()
    assert ids
    assert len(set(ids)) == len(ids)
    for parent, child in parents(found):
        if parent.type != "image":
            assert child.id.startswith(f"{parent.id}.")


def test_parts_lie_within_their_wholes_and_in_order(found: ResourceMap) -> None:
    for parent, child in parents(found):
        outer, inner = extent(parent), extent(child)
        if outer and inner:
            assert outer[0] <= inner[0] <= inner[1] <= outer[1]
    places = [place for place in map(extent, found.nodes) if place]
    assert all(a[0] <= b[0] for a, b in itertools.pairwise(places))


def test_lines_are_those_of_the_file(sample: tuple[Mapper, Path], found: ResourceMap) -> None:
    if found.type == "text":
        count = len(sample[1].read_text("utf-8").splitlines())
        assert all(n.location.lines and n.location.lines[1] <= count for n in found.walk())


def test_the_same_content_gives_the_same_map(
    sample: tuple[Mapper, Path], found: ResourceMap
) -> None:
    mapper, path = sample
    assert mapper.map(source_of(path), NOW) == found
    assert ResourceMap.model_validate_json(found.model_dump_json()) == found


def outcome(mapper: Mapper, source: SourceFile) -> tuple[set[str], str | None]:
    """The types of the nodes, or what the error says."""
    try:
        return {node.type for node in mapper.map(source, NOW).walk()}, None
    except CiteLoomError as error:
        return set(), error.message


def test_what_is_missing_or_nonsense_is_an_error_or_has_blocks(
    sample: tuple[Mapper, Path],
) -> None:
    mapper, path = sample
    source = source_of(path)
    for junk in (b"", b"\0" * 100, bytes(range(256)) * 40):
        path.write_bytes(junk)
        kinds, said = outcome(mapper, source)
        assert kinds <= {"block", "image", "segment"}
        assert said is None or path.name in said
    path.unlink()
    with pytest.raises((OSError, CiteLoomError)):
        mapper.map(source, NOW)


@pytest.mark.parametrize("name", ["a.xyz", "a", "md", ".md", "a.md.bak", "a.exe"])
def test_other_files_are_nobodys(name: str) -> None:
    mappers = all_mappers(PlainTextConverter(), {}, lambda: None)
    assert not [mapper for mapper in mappers if mapper.supports(Path(name))]


@pytest.mark.parametrize(
    "suffixes",
    [
        ".txt .md .py .js .ts .json .yaml .yml .rst",
        ".mp4 .mov .avi .mkv",
        ".mp3 .wav .m4a",
        ".png .jpg .jpeg .webp",
    ],
)
def test_the_kinds_of_the_contract_are_somebodys_in_any_case(suffixes: str) -> None:
    mappers = all_mappers(PlainTextConverter(), {}, lambda: None)
    for suffix in suffixes.split():
        for name in (f"a{suffix}", f"A{suffix.upper()}"):
            assert any(mapper.supports(Path(name)) for mapper in mappers), name
