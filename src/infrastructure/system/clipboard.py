"""The clipboard: by the platform's program, else by the terminal (OSC 52)."""

import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Final

from citeloom.domain.errors import ProgramUnavailable

# Terminals and tmux refuse longer ones.
_LONGEST: Final = 74_994
_SECONDS: Final = 5.0


def clipboard_program(environment: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """The program that puts its input on the user's clipboard, found on the path; empty where there
    is none. In a remote session the clipboards of this machine are not the user's."""
    is_remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    candidates = [] if is_remote else list(_of_machine(environment, platform))
    if environment.get("TMUX"):
        # It takes none from programs in it, as it is set, but passes its own on (-w, since 3.2).
        candidates.append(["tmux", "load-buffer", "-w", "-"])
    return next((one for one in candidates if shutil.which(one[0])), [])


def _of_machine(environment: Mapping[str, str], platform: str) -> Iterator[list[str]]:
    if platform in ("win32", "darwin"):
        yield ["clip"] if platform == "win32" else ["pbcopy"]
    if environment.get("WAYLAND_DISPLAY"):
        yield ["wl-copy"]
    if environment.get("DISPLAY"):
        yield ["xclip", "-selection", "clipboard"]
        yield ["xsel", "--clipboard", "--input"]


def copy_with(program: list[str], text: str) -> None:
    """Raises ProgramUnavailable."""
    # clip reads UTF-16 (with a byte order mark) whatever the code page is.
    data = text.encode("utf-16" if program[0] == "clip" else "utf-8")
    try:
        # xclip and wl-copy leave a child that holds the text; it must not hold our streams.
        done = subprocess.run(
            program,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProgramUnavailable(f"{program[0]}: the clipboard cannot be set ({error})") from error
    if done.returncode:
        raise ProgramUnavailable(
            f"{program[0]}: the clipboard cannot be set (exit {done.returncode})"
        )


def terminal_sequence(text: str) -> str:
    """What makes a terminal set its clipboard (xterm, "Operating System Commands", 52). Raises
    ProgramUnavailable for a text that is too long for that."""
    encoded = b64encode(text.encode("utf-8")).decode("ascii")
    if len(encoded) > _LONGEST:
        raise ProgramUnavailable(
            "the text is too long for the terminal's clipboard; copy a shorter one"
        )
    return f"\x1b]52;c;{encoded}\x07"
