"""Which paths lie in the folders that may be read."""

from pathlib import PurePosixPath as Path
from pathlib import PureWindowsPath

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.documents.readable_folders import OutsideFolders, ReadableFolders

ALLOWED = ReadableFolders(
    folders=(Path("/home/me/papers"), Path("/srv/é")), files=(Path("/x/a.pdf"),)
)
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1)
PARTS = st.lists(NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=5)


@each(
    "path",
    ["/home/me/papers", "/home/me/papers/a/b.pdf", "/srv/é/ünï 😀\n.pdf", "/x/a.pdf", "/srv/é/-rf"],
)
def test_what_lies_in_a_folder_may_be_read(path: str) -> None:
    assert ALLOWED.admits(Path(path))


@each(
    "path",
    [
        "/",
        "/home/me",
        "/home/me/papers2/a.pdf",
        "/home/me/Papers/a.pdf",
        "/srv/e\u0301/a.pdf",
        "/x",
        "/x/a.pdf/b",
        "/x/b.pdf",
        "/proc/self/root/home/me/papers/a.pdf",
        "home/me/papers/a.pdf",
        "//home/me/papers/a.pdf",
    ],
)
def test_what_lies_elsewhere_may_not(path: str) -> None:
    assert not ALLOWED.admits(Path(path))


@each(
    "name",
    [".env", ".citeloom/catalogue.sqlite", "a/.git/config", "citeloom.toml", "CiteLoom.TOML"],
)
def test_hidden_files_and_settings_may_not_be_read(name: str) -> None:
    assert not ALLOWED.admits(Path("/home/me/papers") / name)


def test_a_folder_that_is_hidden_itself_may_be_named() -> None:
    inside = ReadableFolders(folders=(Path("/home/me/.papers"),))
    assert inside.admits(Path("/home/me/.papers/a.pdf"))
    assert not inside.admits(Path("/home/me/.papers/.a.pdf"))


def test_windows_paths_of_other_machines_lie_elsewhere() -> None:
    here = ReadableFolders(folders=(PureWindowsPath(r"C:\papers"),))
    assert here.admits(PureWindowsPath(r"c:\Papers\a.pdf"))
    for path in (r"\\host\share\a.pdf", r"\\?\C:\papers\a.pdf", r"D:\papers\a.pdf", r"\papers\a"):
        assert not here.admits(PureWindowsPath(path))


@given(PARTS)
def test_no_absolute_path_leaves_the_folder(parts: list[str]) -> None:
    path = Path("/", *parts)
    inside = any(path.is_relative_to(folder) for folder in ALLOWED.folders)
    assert inside or path in ALLOWED.files or not ALLOWED.admits(path)


def test_the_refusal_names_the_folders_and_the_setting() -> None:
    error = OutsideFolders("/etc/passwd\n", ["/home/me/papers"])
    assert error.message.startswith("/etc/passwd\\n: is not in a folder")
    assert "/home/me/papers" in error.message
    assert "mcp.folders" in error.message
