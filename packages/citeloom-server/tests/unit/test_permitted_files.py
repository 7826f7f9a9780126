"""What a principal may know of the files of the server's machine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support.builders import a_project
from support.in_memory.stores import InMemoryCatalogue

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom_server.application.access.permitted.stores import PermittedFiles


def seen(folder: Path, *, is_administrator: bool) -> PermittedFiles:
    catalogue = InMemoryCatalogue()
    catalogue.add_project(a_project("local/x").model_copy(update={"folders": (folder / "papers",)}))
    rights: Any = SimpleNamespace(is_administrator=is_administrator)

    def uploads(project_id: ProjectId) -> Path:
        return folder / "uploads" / project_id.name

    return PermittedFiles(LocalFiles(), catalogue, uploads, rights)


def test_a_path_outside_is_as_one_that_does_not_exist(tmp_path: Path) -> None:
    inside = [tmp_path / "papers" / "a.pdf", tmp_path / "uploads" / "x" / "b.pdf"]
    outside = [tmp_path / "uploads" / "y" / "c.pdf", tmp_path / "secret"]
    for path in (*inside, *outside):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    link = tmp_path / "papers" / "link.pdf"
    link.symlink_to(tmp_path / "secret")
    files = seen(tmp_path, is_administrator=False)
    assert [files.exists(str(path)) for path in inside] == [True, True]
    for path in (*outside, link, tmp_path / "papers" / ".." / "secret", Path("/etc/passwd")):
        assert not files.exists(str(path)), path
    assert not files.exists(str(tmp_path / "papers" / "none.pdf"))
    assert seen(tmp_path, is_administrator=True).exists("/etc/passwd")
