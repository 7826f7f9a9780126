"""MCP resources: projects are listed, knowledge URIs are read, errors are structured."""

import base64
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ReadResourceRequestParams

from citeloom.domain.errors import InvalidSource, InvalidUri, NothingThere, StorageFailed
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.observations import ObsMedia, ObsPlain
from citeloom.domain.resources.uris import parse_uri
from citeloom.infrastructure.mcp.protocol.resources import ResourceReader, list_templates
from citeloom.infrastructure.serving.lanes import lanes

DOC = "ndk://file/proj-local-p/a"


class FakeObserve:
    """Shows a text or a picture; ``error`` is raised instead."""

    error: Exception | None = None
    drawn: bytes | Exception = b"png"

    def __call__(self, uri: str) -> Any:
        if self.error:
            raise self.error
        if "$media" in uri:
            seen: Any = ObsMedia(uri=uri, mime_type="image/png", placeholder="A pond.")
        else:
            seen = ObsPlain(uri=uri, mime_type="text/plain", text="a < b")
        return SimpleNamespace(observation=seen)

    def picture(self, _uri: str, limit: object = None) -> bytes:
        assert limit is not None
        if isinstance(self.drawn, Exception):
            raise self.drawn
        return self.drawn


@pytest.fixture
def observe() -> FakeObserve:
    return FakeObserve()


@pytest.fixture
def reader(observe: FakeObserve) -> ResourceReader:
    projects = [SimpleNamespace(id=ProjectId.parse(name)) for name in ("p", "q")]
    catalogue = SimpleNamespace(projects=lambda: projects, documents=lambda _: ())
    sessions = SimpleNamespace(list=lambda _: ())
    application = SimpleNamespace(
        resources=SimpleNamespace(observe=observe),
        stores=SimpleNamespace(catalogue=catalogue),
        research=SimpleNamespace(sessions=sessions),
    )
    return ResourceReader(cast(Any, application), lanes())


def read(reader: ResourceReader, uri: str, revision: str = "2025-11-25") -> Any:
    params = ReadResourceRequestParams(uri=uri)
    result = anyio.run(reader.read, cast(Any, SimpleNamespace(protocol_version=revision)), params)
    (contents,) = result.contents
    return contents


def test_projects_are_listed_by_their_uris(reader: ResourceReader) -> None:
    listed = anyio.run(reader.list, cast(Any, None), None).resources
    assert [one.name for one in listed] == ["local/p", "local/q"]
    for one in listed:
        assert str(parse_uri(one.uri)) == one.uri


def test_templates_make_knowledge_uris() -> None:
    templates = anyio.run(list_templates, cast(Any, None), None).resource_templates
    *rest, report = templates
    known = [one for one in rest if one.uri_template.startswith("ndk://")]
    assert report.uri_template == "citeloom://sessions/{session_id}/report"
    for template in known:
        uri = template.uri_template.format(
            project="proj-local-p",
            document="a1",
            number="03/00",
            span="0-9",
            name="figure-1.png",
            page="12",
        )
        assert str(parse_uri(uri)) == uri
    assert len({template.name for template in templates}) == len(templates) == 11


def test_what_is_read_is_what_the_command_prints(reader: ResourceReader) -> None:
    contents = read(reader, f"{DOC}/$plain")
    assert contents.uri == f"{DOC}/$plain"
    assert "a &lt; b" in contents.text


def test_a_picture_is_sent_or_its_caption_stands_for_it(
    reader: ResourceReader, observe: FakeObserve
) -> None:
    uri = f"{DOC}/$media/figure-1.png"
    contents = read(reader, uri)
    assert base64.b64decode(contents.blob) == b"png"
    assert contents.mime_type == "image/png"
    observe.drawn = InvalidSource("p.pdf: the file is gone")
    assert "A pond." in read(reader, uri).text


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidUri("x", "it begins with ndk://"), -32602),
        (NothingThere("x: no such part"), -32002),
        (StorageFailed("x: damaged"), -32603),
        (OSError(5, "I/O error", "x"), -32603),
        (ValueError("secret"), -32603),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_have_codes_and_say_what_is_wrong(
    reader: ResourceReader, observe: FakeObserve, error: Exception, code: int
) -> None:
    observe.error = error
    with pytest.raises(MCPError) as told:
        read(reader, "x")
    assert told.value.code == code
    assert "x" in told.value.message
    assert "secret" not in told.value.message
