"""Which program sets the clipboard, and the sequence of terminals."""

import base64
import shutil
import sys

import pytest

from citeloom.domain.errors import ProgramUnavailable
from citeloom.infrastructure.system.viewer import clipboard_program, copy_with, terminal_sequence


@pytest.fixture(autouse=True)
def everything_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")


@pytest.mark.parametrize(
    ("environment", "platform", "program"),
    [
        ({}, "darwin", "pbcopy"),
        ({}, "win32", "clip"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "wl-copy"),
        ({"DISPLAY": ":0"}, "linux", "xclip"),
        ({}, "linux", ""),
        ({"TMUX": "/tmp/tmux", "DISPLAY": ":10", "SSH_TTY": "/dev/pts/1"}, "linux", "tmux"),
        ({"TMUX": "/tmp/tmux", "DISPLAY": ":0"}, "linux", "xclip"),
        ({"DISPLAY": ":10", "SSH_CONNECTION": "1 2 3 4"}, "linux", ""),
    ],
)
def test_the_program_of_the_platform(
    environment: dict[str, str], platform: str, program: str
) -> None:
    assert (clipboard_program(environment, platform) or [""])[0] == program


def test_the_terminal_gets_the_text_in_base64() -> None:
    sequence = terminal_sequence("„Teiche“ [@o, p. 5]")
    assert sequence.startswith("\x1b]52;c;")
    assert sequence.endswith("\x07")
    assert base64.b64decode(sequence[7:-1]).decode() == "„Teiche“ [@o, p. 5]"
    with pytest.raises(ProgramUnavailable, match="too long"):
        terminal_sequence("x" * 60_000)


def test_a_program_that_fails_is_told() -> None:
    copy_with([sys.executable, "-c", "import sys; assert sys.stdin.read() == 'ponds'"], "ponds")
    with pytest.raises(ProgramUnavailable, match=r"cannot be set \(exit 3\)"):
        copy_with([sys.executable, "-c", "raise SystemExit(3)"], "ponds")
