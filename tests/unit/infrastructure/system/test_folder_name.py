"""The name of the folder that holds some files."""

from pathlib import Path

import pytest

from citeloom.infrastructure.system.files import folder_name


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        (["papers"], "papers"),
        (["papers/a.pdf"], "papers"),
        (["papers/a.pdf", "papers/old"], "papers"),
        (["papers/old", "papers/old/b.pdf"], "old"),
        (["papers", "notes/c.md"], "library"),
        (["."], "library"),
        ([], ""),
        (["/"], ""),
    ],
)
def test_the_innermost_folder_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: list[str], name: str
) -> None:
    library = tmp_path / "library"
    (library / "papers" / "old").mkdir(parents=True)
    (library / "notes").mkdir()
    for file in ("papers/a.pdf", "papers/old/b.pdf", "notes/c.md"):
        (library / file).touch()
    monkeypatch.chdir(library)
    assert folder_name(sources) == name
