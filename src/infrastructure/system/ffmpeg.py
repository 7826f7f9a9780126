"""FFmpeg as another program: found, run without network, stopped in time.

It comes with the extra ``media`` (the package imageio-ffmpeg); a program ``ffmpeg`` on the
search path serves as well.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from citeloom.domain.errors import OperationTimeout, ProgramUnavailable

HINT: Final = "install it with `pip install 'citeloom[media]'`"
# Containers of recordings. Others name further files to open (playlists, scripts).
FORMATS: Final = (
    "mov,matroska,avi,asf,flv,mpeg,mpegts,ogg,wav,w64,aiff,caf,flac,mp3,aac,ac3,eac3,amr,dts,"
    "ape,tta,wv,mpc,mpc8,au,rm,nut,ivf,h264,hevc,dv,mxf,gif"
)
_DURATION: Final = re.compile(rb"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)")
_SAID: Final = 300


def run(
    arguments: Sequence[str], *, seconds: float, doing: str
) -> "subprocess.CompletedProcess[bytes]":
    """FFmpeg's result, whatever its exit code. Raises ProgramUnavailable, and
    OperationTimeout after ``seconds``, when the program is gone too."""
    command = [program(), "-hide_banner", "-nostdin", *arguments]
    try:
        return subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise OperationTimeout(doing, seconds) from error
    except OSError as error:
        raise ProgramUnavailable(
            f"FFmpeg: {command[0]} does not run ({error.strerror or error}); {HINT}"
        ) from error


def reading(source: Path) -> list[str]:
    """Arguments to read ``source``, a file and nothing else, whatever its content asks for."""
    return ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-i", f"file:{source}"]


def duration(source: Path, *, seconds: float = 60.0) -> float | None:
    """Seconds that ``source`` says it lasts, or None if it says nothing."""
    done = run(reading(source), seconds=seconds, doing=f"looking at {source.name}")
    found = _DURATION.search(done.stderr)
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) if found else None


def said(done: "subprocess.CompletedProcess[bytes]") -> str:
    """The last line of what FFmpeg complained about."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_SAID] if lines else f"exit code {done.returncode}"


def program() -> str:
    """Raises ProgramUnavailable."""
    found = find()
    if found is None:
        raise ProgramUnavailable(f"FFmpeg: not installed; {HINT}, or ask with --virtual")
    return found


@cache
def find() -> str | None:
    """The program of the wheel, else the one on the search path; None if there is none."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        return shutil.which("ffmpeg")
