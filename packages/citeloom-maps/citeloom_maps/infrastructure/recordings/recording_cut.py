"""Excerpts of recordings, by FFmpeg: packets copied, or re-encoded exact to the frame."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from citeloom.application.ports.maps import Cutter
from citeloom.domain.errors import ConversionFailed, InvalidRequest
from citeloom.domain.maps.resource_map import Location
from citeloom.domain.messages import Action, NextStep

from . import ffmpeg

# What holds a copy of the audio of which files: suffix and FFmpeg's muxer. The others'
# goes into Matroska, which takes almost any codec.
_AUDIO: Final[Mapping[str, tuple[str, str]]] = {
    ".mp3": (".mp3", "mp3"),
    ".m4a": (".m4a", "mp4"),
    ".mp4": (".m4a", "mp4"),
    ".wav": (".wav", "wav"),
    ".flac": (".flac", "flac"),
    ".ogg": (".ogg", "ogg"),
    ".oga": (".ogg", "ogg"),
    ".opus": (".opus", "opus"),
}
_ANY_AUDIO: Final = (".mka", "matroska")
_EXACT_AUDIO: Final = (".flac", "flac")
# Its edit list begins the show at the frame asked for, behind the key frame that the
# packets must begin with (ISO/IEC 14496-12, 8.6.6).
_VIDEO: Final = (".mp4", "mp4")
# No versions, no dates: the same packets give the same bytes.
_BITEXACT: Final = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
# A fixed number of threads, since it shows in what x264 makes; colours and even sides that
# every player takes; quality at which a difference is hardly seen (x264's manual: 18).
_EXACT_VIDEO: Final = (
    "-c:v", "libx264", "-crf", "18", "-preset", "veryfast", "-pix_fmt", "yuv420p",
    "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-threads", "4", "-fps_mode", "passthrough",
    "-c:a", "aac", "-b:a", "192k",
)  # fmt: skip
# Whole blocks: FLAC's encoder takes the first for the size of all, and refuses a small one.
_EXACT_SOUND: Final = ("-c:a", "flac", "-af", "asetnsamples=n=4096:p=0", "-threads", "1")

COPY_SECONDS: Final = 120.0
#: Time to encode a second of a recording in, beside ``COPY_SECONDS``.
EXACT_SECONDS: Final = 10.0
# Durations in headers are rounded, and those of streams differ by a packet.
_ROUNDED: Final = 0.1


def write_stretch(source: Path, location: Location, target: Path, *, exact: bool) -> Sequence[str]:
    """From ``start`` to ``end``, in seconds from the beginning. A copy is exact to a packet; in
    video it may end some frames later, which belong to required packets. An exact stretch is
    re-encoded: every frame with a time from ``start`` on and before ``end``; audio without loss."""
    name, start, end = source.name, location.start, location.end
    if start is None or end is None:
        raise InvalidRequest(
            f"{name}: missing start/end; name both, as in #t=12.5-40", parameter="t"
        )
    length = ffmpeg.duration(source)
    if length is not None and start >= length:
        raise InvalidRequest(f"{name}: {start:g} s is beyond its end, {length:g} s", parameter="t")
    video = location.modality == "video"
    if exact:
        codecs: tuple[str, ...] = _EXACT_VIDEO if video else _EXACT_SOUND
    else:
        codecs = ("-c", "copy")
    done = ffmpeg.run(
        [
            "-v", "warning", "-y", "-ss", f"{start:.6f}", "-t", f"{end - start:.6f}",
            *ffmpeg.input_arguments(source), *(("-map", "0:V:0", "-map", "0:a?") if video else ()),
            *(() if video else ("-map", "0:a:0")), *codecs, "-map_chapters", "-1", *_BITEXACT,
            "-f", _container(source, location, exact=exact)[1], f"file:{target}",
        ],
        seconds=COPY_SECONDS + (EXACT_SECONDS * (end - start) if exact else 0.0),
        doing=f"cutting {name}",
    )  # fmt: skip
    if done.returncode or b"Output file is empty" in done.stderr or not target.exists():
        raise ConversionFailed(
            f"{name}: FFmpeg cannot cut it ({ffmpeg.error_text(done)})",
            None if exact else NextStep(Action.CUT_EXACTLY),
        )
    if length is not None and end > length + _ROUNDED:
        return [f"{name}: lasts {length:g} s; cut from {start:g} s to its end"]
    return []


def _container(source: Path, location: Location, *, exact: bool) -> tuple[str, str]:
    if location.modality == "video":
        return _VIDEO
    return _EXACT_AUDIO if exact else _AUDIO.get(source.suffix.lower(), _ANY_AUDIO)


def media_cutter() -> Cutter:
    """Stretches of audio and video."""
    return Cutter(
        "stretch-1",
        lambda source, cut: _container(source, cut.location, exact=cut.exact)[0],
        lambda source, cut, _, target: write_stretch(source, cut.location, target, exact=cut.exact),
    )
