"""The user's viewer and clipboard."""

import os
import shlex
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from citeloom.domain.errors import InvalidRequest, ProgramUnavailable

Find = Callable[[str], str | None]
#: Page arguments of PDF viewers, by program; ``{page}`` counts the file's pages from 1.
VIEWERS: Final[Mapping[str, tuple[str, ...]]] = {
    "evince": ("--page-index={page}", "{path}"),
    "papers": ("--page-index={page}", "{path}"),
    "atril": ("--page-index={page}", "{path}"),
    "xreader": ("--page-index={page}", "{path}"),
    "okular": ("--page", "{page}", "{path}"),
    "zathura": ("--page={page}", "{path}"),
    "qpdfview": ("{path}#{page}",),
    "xpdf": ("{path}", "{page}"),
    "mupdf": ("{path}", "{page}"),
}
_SUMATRA: Final = ("SumatraPDF.exe", "SumatraPDF")
_SUMATRA_PLACES: Final = (("LOCALAPPDATA", "SumatraPDF"), ("PROGRAMFILES", "SumatraPDF"))
_SKIM: Final = Path("/Applications/Skim.app")
# A program that opens files for others ends at once; one that shows them stays.
_SECONDS: Final = 3.0
_ELSE: Final = "set open.viewer in citeloom.toml, or print the path with --print"


def show(path: Path, page: int | None, setting: str = "") -> None:
    """Show a file; the viewer goes on when this process ends. ``setting`` is a command with
    ``{path}`` and ``{page}``. Raises ProgramUnavailable, and InvalidRequest for a setting that is
    no command."""
    command = command_for(path, page, setting, sys.platform, os.environ, shutil.which)
    if command is None:
        _start_file(path)
    else:
        _start(command, path)


def command_for(
    path: Path,
    page: int | None,
    setting: str,
    platform: str,
    environment: Mapping[str, str],
    find: Find,
) -> list[str] | None:
    """The command that shows a file; None for Windows' own way. Raises as ``show``."""
    if setting.strip():
        return _set_command(path, page, setting, platform)
    is_pdf = path.suffix.lower() == ".pdf"
    if platform == "win32":
        sumatra = _sumatra(environment, find) if is_pdf and page else None
        return [sumatra, "-page", str(page), str(path)] if sumatra else None
    if platform == "darwin":
        if is_pdf and page and _SKIM.exists():
            return ["open", f"skim://{quote(str(path))}#page={page}"]
        return ["open", str(path)]
    if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        raise ProgramUnavailable(f"{path}: there is no display to show it on; {_ELSE}")
    if is_pdf and page and (viewer := _pdf_viewer(find)) is not None:
        return [viewer[0], *_filled(viewer[1], path, page)]
    opener = find("xdg-open")
    if opener is None:
        raise ProgramUnavailable(f"{path}: no program was found that shows it; {_ELSE}")
    return [opener, str(path)]


def _set_command(path: Path, page: int | None, setting: str, platform: str) -> list[str]:
    try:
        words = shlex.split(setting, posix=platform != "win32")
    except ValueError as error:
        raise InvalidRequest(
            f"open.viewer: {setting!r} is not a command ({error}); write it as "
            "'zathura --page={page} {path}'",
            parameter="open.viewer",
        ) from error
    if "{path}" not in setting:
        words.append("{path}")
    return _filled(tuple(words), path, page or 1)


def _filled(words: tuple[str, ...], path: Path, page: int) -> list[str]:
    # One after the other: a path may hold {page}.
    return [word.replace("{page}", str(page)).replace("{path}", str(path)) for word in words]


def _pdf_viewer(find: Find) -> tuple[str, tuple[str, ...]] | None:
    """The desktop's default for PDFs if its page argument is known, or else if there is no default
    the first program found."""
    default = _default_viewer() if find("xdg-mime") else ""
    if default:
        name = default.removesuffix(".desktop").rpartition(".")[2].lower()
        names = [name] if name in VIEWERS else []
    else:
        names = list(VIEWERS)
    return next(((found, VIEWERS[name]) for name in names if (found := find(name))), None)


def _default_viewer() -> str:
    asked = ["xdg-mime", "query", "default", "application/pdf"]
    try:
        done = subprocess.run(
            asked, capture_output=True, encoding="utf-8", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _sumatra(environment: Mapping[str, str], find: Find) -> str | None:
    folders = [(environment.get(name), folder) for name, folder in _SUMATRA_PLACES]
    installed = [Path(base) / folder / _SUMATRA[0] for base, folder in folders if base]
    there = next((str(path) for path in installed if path.is_file()), None)
    return next((found for name in _SUMATRA if (found := find(name))), there)


def _start(command: list[str], path: Path) -> None:
    try:
        running = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramUnavailable(
            f"{command[0]}: cannot be started ({error.strerror or error}); {_ELSE}"
        ) from error
    try:
        code = running.wait(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return
    if code:
        raise ProgramUnavailable(f"{command[0]}: could not show {path} (exit {code}); {_ELSE}")


def _start_file(path: Path) -> None:
    start: Callable[[Path], None] | None = getattr(os, "startfile", None)
    if start is None:
        raise ProgramUnavailable(f"{path}: no program was found that shows it; {_ELSE}")
    try:
        start(path)
    except OSError as error:
        raise ProgramUnavailable(
            f"{path}: could not be shown ({error.strerror or error}); {_ELSE}"
        ) from error


# Terminals and tmux refuse longer ones.
_LONGEST: Final = 74_994
_COPY_SECONDS: Final = 5.0


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
            timeout=_COPY_SECONDS,
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
