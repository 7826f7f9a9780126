"""Tesseract engine: the ``tesseract`` program, if installed."""

import csv
import io
import os
import re
import shutil
import subprocess
import time
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from citeloom.infrastructure.system.processes import processor_time

from .page_reader import OcrFailed, Reading, ReadWord, uprighted

if TYPE_CHECKING:
    from PIL.Image import Image

PROGRAM = "tesseract"
INSTALL = "install tesseract (Debian and Ubuntu: apt install tesseract-ocr)"
_WORD = "5"  # the level of words in tesseract's table
# Least confidence of an orientation (tesseract's own scale; a page of text has 5 to 20), which
# is asked for only where reading went badly.
_SURE_OF_ORIENTATION = 1.5
_BADLY_READ = 65.0
_FEW_WORDS = 5
_QUERY = 20.0  # seconds of processor time for a question about the program itself
_HUNG = 60.0  # seconds after which a program that took no processor time will not go on
_LOOK = 0.05  # least seconds between two looks at a running program


class _Refused(OcrFailed):
    """The program ended by itself with an error."""


class Installed(NamedTuple):
    """The tesseract on this machine: its version and the languages with data."""

    path: str
    version: str
    languages: frozenset[str]


@lru_cache(maxsize=1)
def installed() -> Installed | None:
    """The tesseract on the PATH; None without one that runs."""
    path = shutil.which(PROGRAM)
    if path is None:
        return None
    try:
        version = _output([path, "--version"], _QUERY)
        languages = _output([path, "--list-langs"], _QUERY)
    except OcrFailed:
        return None
    number = re.search(r"tesseract v?(\d[\w.]*)", version)
    return Installed(
        path, number[1] if number else "?", frozenset(languages.splitlines()[1:]) - {""}
    )


def package_of(language: str) -> str:
    """The Debian package with the data of a language."""
    return f"tesseract-ocr-{language.lower().replace('_', '-')}"


class Tesseract:
    """Reads pages in ``languages`` (all installed). A look at one takes at most ``seconds`` of
    processor time: what else the machine does must not decide which pages have text."""

    def __init__(self, program: Installed, languages: tuple[str, ...], seconds: float) -> None:
        self._program = program
        self._languages = languages
        self._seconds = seconds

    @property
    def name(self) -> str:
        return f"tesseract {self._program.version}, {'+'.join(self._languages)}"

    @property
    def fingerprint(self) -> str:
        """Without the minor version: an update must not cause all scans to be read again."""
        return f"tesseract-{self._program.version.split('.')[0]}:{'+'.join(self._languages)}"

    def read(self, image: "Image", dpi: int) -> Reading:
        """Words with boxes in pixels. A page on its side or upside down is rotated."""
        reading = self._words(image, dpi)
        if _went_well(reading) or "osd" not in self._program.languages:
            return reading
        rotation = self._orientation(image, dpi)
        if rotation == 0:
            return reading
        rotated_reading = self._words(uprighted(image, rotation), dpi)
        if _is_level(reading) and rotated_reading.weight <= reading.weight:
            return reading
        return rotated_reading._replace(rotation=rotation)

    def _words(self, image: "Image", dpi: int) -> Reading:
        table = self._run(image, dpi, "-l", "+".join(self._languages), "--psm", "3", "tsv")
        words = []
        for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
            text = (row["text"] or "").strip()
            if row["level"] != _WORD or not text:
                continue
            left, top = int(row["left"]), int(row["top"])
            words.append(
                ReadWord(
                    text,
                    left,
                    top,
                    left + int(row["width"]),
                    top + int(row["height"]),
                    float(row["conf"]),
                    (int(row["block_num"]), int(row["par_num"]), int(row["line_num"])),
                )
            )
        return Reading(tuple(words))

    def _orientation(self, image: "Image", dpi: int) -> int:
        """Degrees clockwise by which the page must be rotated to be upright."""
        try:
            answer = self._run(image, dpi, "--psm", "0")
        except _Refused:  # too few characters to tell
            return 0
        rotation = re.search(r"^Rotate: (\d+)", answer, re.M)
        confidence = re.search(r"^Orientation confidence: ([\d.]+)", answer, re.M)
        if rotation is None or confidence is None or float(confidence[1]) < _SURE_OF_ORIENTATION:
            return 0
        return int(rotation[1]) % 360

    def _run(self, image: "Image", dpi: int, *arguments: str) -> str:
        picture = io.BytesIO()
        image.save(picture, "PPM")
        command = [self._program.path, "stdin", "stdout", "--dpi", str(dpi), *arguments]
        return _output(command, self._seconds, picture.getvalue())


def _went_well(reading: Reading) -> bool:
    enough = len(reading.words) >= _FEW_WORDS and reading.confidence >= _BADLY_READ
    return enough and _is_level(reading)


def _is_level(reading: Reading) -> bool:
    """Whether most words are wider than high: tesseract reads some pages on their side, and
    leaves boxes and word order so."""
    longer = [word for word in reading.words if len(word.text) >= 4]
    level = sum(word.x1 - word.x0 >= word.bottom - word.top for word in longer)
    return 2 * level >= len(longer)


def _output(command: list[str], seconds: float, stdin: bytes = b"") -> str:
    # One thread: tesseract's own threads make it four times slower (measured).
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    try:
        program = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
    except OSError as error:
        raise OcrFailed(f"{command[0]} cannot be run ({error.strerror or error})") from error
    with program:
        try:
            output, errors = _communicated(program, stdin, seconds)
        except BaseException:
            program.kill()
            raise
    if program.returncode != 0:
        last = errors.decode("utf-8", "replace").strip().splitlines()
        reason = last[-1][:200] if last else f"exit status {program.returncode}"
        raise (_Refused if program.returncode > 0 else OcrFailed)(reason)
    return output.decode("utf-8", "replace")


def _communicated(
    program: "subprocess.Popen[bytes]", stdin: bytes, seconds: float
) -> tuple[bytes, bytes]:
    """What a program says. Raises OcrFailed when it has taken ``seconds`` of processor time (of
    wall-clock time where that is not known), or none for long."""
    taken = 0.0
    began = at = time.monotonic()
    unsent: bytes | None = stdin
    while True:
        try:
            return program.communicate(unsent, timeout=max(_LOOK, min(seconds - taken, _HUNG)))
        except subprocess.TimeoutExpired as error:
            unsent, before = None, taken
            now = time.monotonic()
            computed = processor_time(program.pid)
            taken = now - began if computed is None else computed
            if taken >= seconds:
                failure = f"gave up after {seconds:g} s; raise ocr.page_seconds"
                raise OcrFailed(failure) from error
            if taken > before:
                at = now
            elif now - at >= _HUNG:
                raise OcrFailed(f"{PROGRAM} did nothing for {_HUNG:g} s") from error
