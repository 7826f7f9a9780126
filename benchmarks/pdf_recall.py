"""Which words of PDFs are read? Compares converted files with ``pdftotext``.

usage: python benchmarks/pdf_recall.py PDF_DIR [--least-words N] [--worst N] [--least SHARE]
       [--except NAME.pdf ...]

Of a file's different words by pdftotext (3 letters and more; characters, in scripts without spaces
between words), the share that its conversion holds: body, figures, heads and feet. Files with fewer
than N words are left out. Exits with 1 if the mean of all but the files excepted is less than
SHARE: pdftotext prints what no reader sees, and is wrong at times.
"""

import argparse
import concurrent.futures
import multiprocessing
import re
import subprocess
import sys
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import NamedTuple

from citeloom.domain.documents.fidelity import FIRST_UNSPACED, words_of
from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

_LEAST = 3  # letters of a word that counts


class Reading(NamedTuple):
    """``words`` counts all words by pdftotext, ``types`` different ones; ``extra`` are those of
    the conversion alone. ``failure`` is empty where the file was converted."""

    name: str
    words: int
    types: int
    missing: list[str]
    extra: list[str]
    seconds: float
    failure: str

    @property
    def recall(self) -> float:
        return 1 - len(self.missing) / self.types


def words(text: str) -> list[str]:
    found = (part for word in words_of(text) for part in re.split(r"\d+", word))
    return [word for word in found if len(word) >= _LEAST or word >= FIRST_UNSPACED]


def read(path: Path) -> Reading:
    printed = subprocess.run(
        ["timeout", "60", "pdftotext", str(path), "-"],
        capture_output=True, text=True, errors="replace", check=False,
    ).stdout  # fmt: skip
    expected = words(printed)
    found: set[str] = set()
    failure = ""
    start = perf_counter()
    try:
        result = convert_pdf(path, "0" * 64)
        pieces = [piece.text for piece in result.furniture]
        found = set(words("\n".join([result.plain_text, *pieces])))
    except CiteLoomError as error:
        failure = str(error)
    seconds = perf_counter() - start
    types = set(expected)
    missing, extra = sorted(types - found), sorted(found - types)
    return Reading(path.name, len(expected), len(types), missing, extra, seconds, failure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--least-words", type=int, default=40)
    parser.add_argument("--worst", type=int, default=15)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--except", nargs="*", default=[], dest="excepted")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        paths = sorted(options.folder.glob("*.pdf"))
        readings = [r for r in pool.map(read, paths) if r.words >= options.least_words]
    for one in sorted(readings, key=lambda r: r.recall)[: options.worst]:
        print(f"{one.recall:.3f} of {one.types:5} {one.seconds:6.1f} s  {one.name}  {one.failure}")
        print(f"      missing: {' '.join(one.missing[:12])}")
        print(f"      extra:   {' '.join(one.extra[:12])}")
    shares = [r.recall for r in readings]
    print(f"{len(shares)} files: mean {mean(shares):.3f}, median {median(shares):.3f}")
    shares = [r.recall for r in readings if r.name not in options.excepted]
    if options.excepted:
        print(f"{len(shares)} but those: mean {mean(shares):.3f}, median {median(shares):.3f}")
    return int(mean(shares) < options.least)


if __name__ == "__main__":
    sys.exit(main())
