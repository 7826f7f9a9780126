"""FFmpeg in a process of its own, without network, with a time limit.

The extra ``media`` (the package imageio-ffmpeg) brings it; a program ``ffmpeg`` on the search path
serves as well.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from citeloom.domain.errors import OperationTimeout, ProgramUnavailable
from citeloom.domain.messages import Action, NextStep

HINT: Final = "install it with `pip install 'citeloom[media]'`"
# Containers of recordings. Others name further files to open (playlists, scripts).
FORMATS: Final = (
    "mov,matroska,avi,asf,flv,mpeg,mpegts,ogg,wav,w64,aiff,caf,flac,mp3,aac,ac3,eac3,amr,dts,"
    "ape,tta,wv,mpc,mpc8,au,rm,nut,ivf,h264,hevc,dv,mxf,gif"
)
_DURATION: Final = re.compile(rb"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)")
_MAX_ERROR_LENGTH: Final = 300


def run(
    arguments: Sequence[str], *, seconds: float, doing: str
) -> "subprocess.CompletedProcess[bytes]":
    """FFmpeg's result, whatever its exit code. Raises ProgramUnavailable, and OperationTimeout
    after ``seconds``, when the process has been killed."""
    command = [program(), "-hide_banner", "-nostdin", *arguments]
    try:
        return subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise OperationTimeout(doing, seconds) from error
    except OSError as error:
        raise ProgramUnavailable(
            f"FFmpeg: {command[0]} does not run ({error.strerror or error}); {HINT}"
        ) from error


def input_arguments(source: Path) -> list[str]:
    """Arguments that read ``source`` and no other file or URL, whatever its content refers to."""
    return ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-i", f"file:{source}"]


def duration(source: Path, *, seconds: float = 60.0) -> float | None:
    """Duration of ``source`` in seconds, or None if it states none."""
    result = run(input_arguments(source), seconds=seconds, doing=f"looking at {source.name}")
    match = _DURATION.search(result.stderr)
    return int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3]) if match else None


def error_text(result: "subprocess.CompletedProcess[bytes]") -> str:
    """The last line of FFmpeg's error output."""
    lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_MAX_ERROR_LENGTH] if lines else f"exit code {result.returncode}"


def program() -> str:
    """Path of the program. Raises ProgramUnavailable."""
    path = find()
    if path is None:
        raise ProgramUnavailable(f"FFmpeg: not installed; {HINT}", NextStep(Action.LOCATE_ONLY))
    return path


@cache
def find() -> str | None:
    """The program of the package, else the one on the search path; None if there is none."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        return shutil.which("ffmpeg")
