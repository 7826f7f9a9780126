"""Each of the collected documents gets a map, or an error that says what to do; and each node
of each map opens."""

import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from support.in_process import InProcess
from support.paths import SHARED

from citeloom.application.maps.marks import section_spans
from citeloom.application.places.cut import ResolveRequest
from citeloom.domain.errors import PasswordNeeded
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom_maps.infrastructure.recordings.recordings import find_ffmpeg

DATA = SHARED / "documents"
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the documents are not at {DATA}"),
]
TYPES = {
    ".pdf": "document",
    ".pptx": "document",
    ".xlsx": "document",
    ".md": "text",
    ".txt": "text",
    ".csv": "text",
    ".asciidoc": "text",
    ".vtt": "text",
    ".mp3": "audio",
    ".mp4": "video",
}


@pytest.fixture
def converter() -> InProcess:
    return InProcess()


@pytest.fixture
def opened(tmp_path: Path, converter: InProcess) -> Iterator[Application]:
    application = open_application(tmp_path, overrides=Overrides(converter=converter))
    yield application
    application.close()


def names() -> list[str]:
    return sorted(path.name for path in DATA.iterdir()) if DATA.is_dir() else []


@pytest.mark.parametrize("name", names())
def test_every_document_has_a_map_whose_nodes_open(
    opened: Application, converter: InProcess, name: str
) -> None:
    path = DATA / name
    if path.suffix in (".mp3", ".mp4") and find_ffmpeg() is None:
        pytest.skip("FFmpeg is not installed")
    if name == "password_protected.pdf":
        with pytest.raises(PasswordNeeded) as refused:
            opened.maps.files.map(path)
        assert refused.value.next_step == NextStep(Action.GIVE_PASSWORD)
        return
    found = opened.maps.files.map(path)
    nodes = list(found.walk())
    assert nodes
    assert found.type == TYPES.get(path.suffix, "virtual")
    if found.type == "virtual":
        places = {f"virtual://{found.resource_id}#{node.id}" for node in nodes}
        assert {node.location.virtual_address for node in nodes} == places
    else:
        assert {node.location.modality for node in nodes} == {found.type}
        assert all(
            node.location.model_dump(exclude_none=True).keys() > {"modality"} for node in nodes
        )
    check_each_opens(opened, converter, found)


def check_each_opens(opened: Application, converter: InProcess, found: ResourceMap) -> None:
    document = next(iter(converter.results.values()), None)
    spans = section_spans(document) if document and found.type == "virtual" else {}
    for node in found.walk():
        request = ResolveRequest(name=found.resource_id, node_id=node.id)
        where = opened.maps.cut.resolve(request.model_copy(update={"virtual": True})).evidence
        cut = opened.maps.cut.resolve(request).evidence
        assert where.output_path is None
        assert cut.address == where.address
        assert cut.output_path is not None
        file = Path(cut.output_path)
        if file.suffix == ".pdf":
            pages = list(node.location.pages or ())
            assert page_texts(file) == page_texts(Path(found.source_path), pages)
        elif document and node.location.modality == "virtual":
            span = spans.get(node.id)
            words = document.text_of(span) if span else document.plain_text
            assert file.read_text("utf-8") == f"{words.rstrip()}\n"
            assert squeezed(node.title or "") in squeezed(words)
        else:
            assert file.stat().st_size


def page_texts(path: Path, pages: list[int] | None = None) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        chosen = [pdf[n - 1] for n in pages] if pages else list(pdf)
        return [page.get_textpage().get_text_bounded() for page in chosen]


def squeezed(text: str) -> str:
    return re.sub(r"\s|…", "", text)
