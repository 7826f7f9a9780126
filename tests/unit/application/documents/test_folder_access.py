"""Paths that an agent names: which are admitted, and as what they are opened."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.world import HERE, PONDS, World

from citeloom.application.documents.folder_access import AdmittedPath, FolderAccess
from citeloom.domain.documents.readable_folders import OutsideFolders
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.ingest.source_files import LocalFiles

SECRET = "secret.txt"


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A folder that may be read, beside a file that may not."""
    (tmp_path / SECRET).write_text("TOP SECRET")
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text(PONDS)
    (folder / "out").symlink_to(tmp_path / SECRET)
    (folder / "gone").symlink_to(tmp_path / "no such file")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "b.md").symlink_to(folder / "a.md")
    return folder


def access(world: World, *configured: Path) -> FolderAccess:
    return FolderAccess(
        files=LocalFiles(),
        catalogue=world.catalogue,
        configured=list(map(str, configured)),
        workspace=world.folder,
    )


def told(access: FolderAccess, name: str) -> str:
    with pytest.raises(OutsideFolders) as caught:
        access.draft(name, "path")
    return caught.value.message.replace(name, "NAME")


@pytest.fixture
def confined(inside: Path) -> FolderAccess:
    return access(World(inside.parent / "workspace"), inside)


@pytest.mark.parametrize(
    "name", ["a.md", "deep/../a.md", "b.md", "deep", "", "not there.md", "a.md/"]
)
def test_what_lies_inside_is_admitted_without_links(
    confined: FolderAccess, inside: Path, name: str
) -> None:
    path = confined.draft(f"{inside}/{name}", "path").path
    assert path.is_relative_to(inside)
    assert path == path.resolve()


@pytest.mark.parametrize(
    "name",
    [
        "out",
        "gone",
        "up",
        f"up/{SECRET}",
        f"../{SECRET}",
        "..",
        ".hidden",
        "citeloom.toml",
        "/proc/self/root",
    ],
)
def test_what_leads_out_is_refused(confined: FolderAccess, inside: Path, name: str) -> None:
    told(confined, str(inside / name))


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        "/dev/stdin",
        "~/x",
        "..",
        "C:\\x",
        "\\\\h\\s\\x",
        "file:///etc/passwd",
        "x" * 5000,
        "/" * 300 + "etc/passwd",
        "-rf",
        "\n",
        "\u202egnp.exe",
    ],
)
def test_what_lies_elsewhere_is_refused(confined: FolderAccess, name: str) -> None:
    told(confined, name)


def test_a_refusal_does_not_tell_whether_there_is_such_a_file(
    confined: FolderAccess, inside: Path
) -> None:
    outside = inside.parent
    assert told(confined, str(outside / SECRET)) == told(confined, str(outside / "no such file"))
    assert told(confined, str(inside / "out")) == told(confined, str(inside / "gone"))
    assert told(confined, "/etc/passwd/x") == told(confined, "/etc/no/x")


@pytest.mark.parametrize("name", ["a\0b", "/papers/\ud83d", "~no-such-user-here/x"])
def test_what_is_no_path_is_refused_as_a_parameter(confined: FolderAccess, name: str) -> None:
    with pytest.raises((InvalidRequest, OutsideFolders)) as caught:
        confined.source(name, "source")
    assert caught.value.code in ("INVALID_PARAMETER", "INVALID_SOURCE")


def test_a_loop_of_links_is_never_opened(confined: FolderAccess, inside: Path) -> None:
    path = confined.draft(str(inside / "loop"), "path").path
    with pytest.raises(OSError, match="symbolic links"):
        path.read_bytes()


PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        "up",
        "out",
        "deep",
        "a.md",
        "b.md",
        SECRET,
        "papers",
        "etc",
        "/",
        "~",
        "é",
        "A.MD",
        "loop",
        "gone",
        "proc/self/cwd",
        "...",
        " ",
        ".env",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(PIECES, max_size=8), st.booleans())
def test_whatever_is_put_together_stays_inside(
    inside: Path, confined: FolderAccess, pieces: list[str], absolute: bool
) -> None:
    name = "/".join([str(inside), *pieces] if absolute else pieces)
    try:
        path = confined.draft(name, "path").path
    except OutsideFolders:
        return
    assert path == inside or inside in path.parents
    assert not path.is_file() or "SECRET" not in path.read_text()


def test_a_folder_that_is_itself_a_link_may_be_named_either_way(inside: Path) -> None:
    link = inside.parent / "link"
    link.symlink_to(inside)
    linked = access(World(inside.parent), link)
    for name in (link / "a.md", inside / "a.md"):
        assert linked.draft(str(name), "path").path == inside / "a.md"


def test_without_a_setting_the_workspace_and_what_was_ingested_may_be_read(tmp_path: Path) -> None:
    world = World(tmp_path / "workspace")
    world.write("draft.md", "x")
    papers, single = tmp_path / "papers", tmp_path / "single.md"
    papers.mkdir()
    (papers / "a.md").write_text(PONDS)
    single.write_text(PONDS + "More.")
    world.ingest(papers)
    world.ingest(single)
    default = access(world)

    assert list(default.folders) == [world.folder, papers]
    assert default.draft(str(world.folder / "draft.md"), "path")
    assert default.source(str(papers / "new.md"), "source").path == papers / "new.md"
    assert default.source(str(single), "source").path == single
    with pytest.raises(OutsideFolders):  # its text is told as a passage, not as it is
        default.draft(str(single), "path")
    with pytest.raises(OutsideFolders):
        default.source(str(tmp_path / "other.md"), "source")
    with pytest.raises(OutsideFolders):
        access(world, papers).source(str(single), "source")


def ingest(world: World, admitted: AdmittedPath) -> list[str]:
    result = world.ingest(admitted.path, within=admitted.within)
    names = [Path(one.source).name for one in result.documents]
    return [*names, *(warning for warning in result.warnings if "left out" in warning)]


def test_links_out_of_a_folder_that_is_ingested_are_left_out_and_named(inside: Path) -> None:
    world = World(inside.parent / "workspace")
    (inside / "out.md").symlink_to(inside.parent / SECRET)
    (inside / "gone.md").symlink_to(inside.parent / "no such file")
    found = ingest(world, access(world, inside).source(str(inside), "source"))

    assert found[:-1] == ["a.md"]
    assert "2 links out of the folders" in found[-1]
    assert SECRET not in found[-1]
    assert [one.sources[0].path for one in world.catalogue.documents(HERE)] == [
        str(inside / "a.md")
    ]
