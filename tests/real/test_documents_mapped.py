"""Each of the collected documents gets a map, or an error that says what to do."""

import os
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from builders import A_DAY
from e2e.running import ROOT
from unit.mapping.made import source_of

from citeloom.application.ports.converter import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.errors import CiteLoomError, PasswordNeeded
from citeloom.domain.resource_map import ResourceMap
from citeloom.infrastructure.conversion.convert import convert_file
from citeloom.infrastructure.conversion.formats import promised_format
from citeloom.infrastructure.conversion.options import Options
from citeloom.infrastructure.mapping.all import all_mappers
from citeloom.infrastructure.mapping.ffmpeg import find_ffmpeg

DATA = Path(os.environ.get("CITELOOM_TEST_DATA", ROOT.parent / "shared" / "data")) / "documents"
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


class InProcess:
    """The converter's conversions, without its processes."""

    fingerprint = "in process"

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    def supports(self, source: Path) -> bool:
        return promised_format(source) is not None

    def convert(
        self, jobs: Iterable[ConversionJob], heard: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            try:
                result = convert_file(job.source, job.document_id, options=Options(ocr="none"))
            except CiteLoomError as error:
                yield ConversionOutcome(job=job, error=error)
            else:
                yield ConversionOutcome(job=job, result=result)


def mapped(path: Path) -> ResourceMap:
    mappers = all_mappers(InProcess(), {}, lambda: None)
    mapper = next(mapper for mapper in mappers if mapper.supports(path))
    return mapper.map(source_of(path), A_DAY)


def names() -> list[str]:
    return sorted(path.name for path in DATA.iterdir()) if DATA.is_dir() else []


@pytest.mark.parametrize("name", names())
def test_every_document_has_a_map_with_places(name: str) -> None:
    path = DATA / name
    if path.suffix in (".mp3", ".mp4") and find_ffmpeg() is None:
        pytest.skip("FFmpeg is not installed")
    if name == "password_protected.pdf":
        with pytest.raises(PasswordNeeded, match="--password"):
            mapped(path)
        return
    found = mapped(path)
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
