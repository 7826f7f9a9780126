"""Two machines of one library: what the other has ingested is opened without its paths."""

import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
import pytest
from support.command_line import inside
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.application.places.cut import ResolveRequest
from citeloom.application.places.show import PageRequest
from citeloom.application.ports.maps import PictureLimit
from citeloom.application.projects.inspection import PaperState
from citeloom.domain.errors import InvalidSource, NothingThere
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.mcp.protocol.resources import evidence_uri, read_file, source_uri

PROJECT = ProjectId.parse("t")
SAID = "Herons wait below the second weir"
LIMIT = PictureLimit(longest_side=400, bytes=200_000)


@contextmanager
def machine(folder: Path) -> Iterator[Application]:
    application = open_application(folder)
    try:
        yield application
    finally:
        application.close()


def ingested(folder: Path, *sources: Path, force: bool = False) -> str:
    """The id of the document that this machine has ingested."""
    names = tuple(map(str, sources))
    with machine(folder) as here:
        done = here.ingest.files(IngestRequest(project_id=PROJECT, sources=names, force=force))
    (document,) = done.documents
    assert document.document_id, document.error
    return document.document_id


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A paper, and a storage with its conversion, which need not be made again."""
    folder = tmp_path_factory.mktemp("converted")
    paper = folder / "sluices.pdf"
    pages = [
        [*paragraph(9, 700, seed=3), Text(72, 520, one), *paragraph(9, 480, seed=4)]
        for one in ("Sluices of the north", SAID)
    ]
    write_pdf(paper, pages)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CITELOOM_STORAGE__URL", str(folder / "shared"))
        ingested(folder / "w", paper)
    return paper, folder / "shared"


@pytest.fixture
def storage(
    request: pytest.FixtureRequest,
    converted: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """Where both machines have their files, a folder or S3; their catalogue is one too."""
    url = str(tmp_path / "shared")
    if getattr(request, "param", "folder") == "s3":
        url = f"{request.getfixturevalue('bucket')}/group"
    monkeypatch.setenv("CITELOOM_STORAGE__URL", url)
    monkeypatch.setenv("CITELOOM_CATALOGUE__URL", f"sqlite:///{tmp_path}/catalogue.sqlite")
    files, root = fsspec.core.url_to_fs(url)
    files.put(f"{converted[1]}/", f"{root}/", recursive=True)
    return url


@pytest.fixture
def paper(converted: tuple[Path, Path], storage: str, tmp_path: Path) -> Path:
    """A paper that only the first machine sees."""
    path = tmp_path / "one" / "papers" / converted[0].name
    path.parent.mkdir(parents=True)
    shutil.copy(converted[0], path)
    return path


@pytest.mark.parametrize(
    "storage", ["folder", pytest.param("s3", marks=pytest.mark.server)], indirect=True
)
def test_a_machine_opens_papers_that_it_does_not_see_from_their_copies(
    paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_STORAGE__PAPERS", "true")
    digest = ingested(tmp_path / "one", paper)
    content = paper.read_bytes()
    paper.unlink()
    with machine(tmp_path / "two") as there:
        (listed,) = there.projects.papers([PROJECT], Filter())
        assert listed.state is PaperState.PROVISIONAL, "its file is not missing"
        assert there.resources.pages.page(PROJECT, digest, "1").png
        opened = there.resources.show(PageRequest(place=digest, page="PDF p. 2"))
        (picture,) = there.resources.show.pictures(opened, LIMIT, quote=SAID)
        assert (picture.page, picture.marked) == (2, True)
        found = there.maps.cut.resolve(ResolveRequest(name=f"doc://{digest[:16]}#pages=2"))
        cut = Path(str(found.evidence.output_path))
        assert cut.parent == there.workspace.evidence
        assert cut.name.startswith("sluices-")
        assert found.warnings == ()
        source = read_file(there, source_uri(digest))
        assert source is not None
        assert b64decode(source.blob) == content
        removal = there.projects.remove.plan(PROJECT, [digest])
        there.projects.remove(removal, removal.name)
    with machine(tmp_path / "three") as there:
        assert there.stores.source_copies.find(digest, "sluices.pdf") is None


def test_a_machine_without_copies_says_what_to_do(paper: Path, tmp_path: Path) -> None:
    digest = ingested(tmp_path / "one", paper)
    paper.unlink()
    with machine(tmp_path / "two") as there:
        (listed,) = there.projects.papers([PROJECT], Filter())
        assert listed.state is PaperState.MISSING
        advice = r"sluices.pdf: no such file on this machine; .* set storage.papers = true"
        with pytest.raises(InvalidSource, match=advice):
            there.resources.pages.page(PROJECT, digest, "1")
        with pytest.raises(InvalidSource, match=advice):
            there.maps.cut.resolve(ResolveRequest(name=f"doc://{digest[:16]}#pages=2"))
        with pytest.raises(InvalidSource, match=advice):
            read_file(there, source_uri(digest))
        opened = there.resources.show(PageRequest(place=digest, page="PDF p. 2"))
        assert SAID in str(opened.text)


def test_papers_that_were_ingested_before_get_their_copies_by_the_next_ingest(
    paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = ingested(tmp_path / "one", paper)
    monkeypatch.setenv("CITELOOM_STORAGE__PAPERS", "true")
    with machine(tmp_path / "two") as there:
        assert there.stores.source_copies.find(digest, "sluices.pdf") is None
    assert ingested(tmp_path / "one", paper) == digest
    with machine(tmp_path / "two") as there:
        assert there.stores.source_copies.find(digest, "sluices.pdf") is not None


def test_a_link_to_evidence_is_opened_by_the_other_machine(paper: Path, tmp_path: Path) -> None:
    digest = ingested(tmp_path / "one", paper)
    with machine(tmp_path / "one") as here:
        found = here.maps.cut.resolve(ResolveRequest(name=f"doc://{digest[:16]}#pages=2-3"))
    cut = Path(str(found.evidence.output_path))
    with machine(tmp_path / "two") as there:
        contents = read_file(there, evidence_uri(cut.name))
        assert contents is not None
        assert b64decode(contents.blob) == cut.read_bytes()
        with pytest.raises(NothingThere):
            read_file(there, evidence_uri("catalogue.sqlite"))
        warnings = there.workspace.evidence / f"{cut.name}.warnings.json"
        assert "no page 3" in warnings.read_text()


def test_copies_without_a_storage_are_refused(tmp_path: Path) -> None:
    done = inside("config", workspace=tmp_path, CITELOOM_STORAGE__PAPERS="true")
    assert done.code == 2
    assert "storage.papers keeps copies at storage.url, which is empty" in done.err
