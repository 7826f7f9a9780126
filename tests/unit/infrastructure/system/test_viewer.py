"""The command of the user's viewer, by platform, and what is said where there is none."""

import sys
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidRequest, ProgramUnavailable
from citeloom.infrastructure.system import viewer
from citeloom.infrastructure.system.viewer import Find, command_for, show

PAPER = Path("/papers/{page} of ponds.pdf")
DESKTOP = {"DISPLAY": ":0"}


def having(*programs: str) -> Find:
    return lambda name: f"/bin/{name}" if name in programs else None


def command(
    *programs: str, page: int | None = 3, setting: str = "", platform: str = "linux",
    environment: dict[str, str] | None = None, path: Path = PAPER,
) -> list[str] | None:  # fmt: skip
    given = DESKTOP if environment is None else environment
    return command_for(path, page, setting, platform, given, having(*programs))


def test_the_setting_wins_and_words_with_blanks_stay_whole() -> None:
    assert command("evince", setting="'my viewer' --at {page} {path}") == [
        "my viewer", "--at", "3", str(PAPER),
    ]  # fmt: skip
    assert command(setting="less", environment={}) == ["less", str(PAPER)]
    with pytest.raises(InvalidRequest, match=r"open\.viewer: .* is not a command"):
        command(setting="'zathura")


def test_a_viewer_with_a_page_argument_gets_the_page() -> None:
    assert command("okular", "xdg-open") == ["/bin/okular", "--page", "3", str(PAPER)]
    assert command("okular", "xdg-open", page=None) == ["/bin/xdg-open", str(PAPER)]
    note = Path("/papers/note.docx")
    assert command("okular", "xdg-open", path=note) == ["/bin/xdg-open", str(note)]


@pytest.mark.parametrize(
    ("default", "program"),
    [("org.gnome.Evince.desktop", "evince"), ("firefox.desktop", "xdg-open"), ("", "evince")],
)
def test_the_default_of_the_desktop_is_kept(
    default: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "_default_viewer", lambda: default)
    found = command("evince", "okular", "xdg-open", "xdg-mime")
    assert found is not None
    assert found[0] == f"/bin/{program}"


def test_other_platforms_have_their_own_ways() -> None:
    assert command(platform="darwin") == ["open", str(PAPER)]
    assert command(platform="win32") is None
    assert command("SumatraPDF.exe", platform="win32") == [
        "/bin/SumatraPDF.exe", "-page", "3", str(PAPER),
    ]  # fmt: skip


def test_without_display_or_program_the_next_step_is_told() -> None:
    with pytest.raises(ProgramUnavailable, match=r"no display .*; set open\.viewer"):
        command("evince", environment={})
    with pytest.raises(ProgramUnavailable, match=r"no program was found .*--print"):
        command()


def test_a_viewer_that_fails_is_told_one_that_ends_well_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    show(path, 1, f"'{sys.executable}' -c '' {{path}}")
    with pytest.raises(ProgramUnavailable, match=r"could not show .*a\.pdf \(exit 7\)"):
        show(path, 1, f"'{sys.executable}' -c 'raise SystemExit(7)' {{path}}")
    with pytest.raises(ProgramUnavailable, match="no-such-viewer: cannot be started"):
        show(path, 1, "no-such-viewer")
