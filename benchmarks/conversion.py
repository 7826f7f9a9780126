"""Conversion against peers, in one run: speed, memory, and what is right.

usage: python benchmarks/conversion.py FOLDER... [--peers PYTHON] [--only READER]... [--workers N]

FOLDER holds ``pdf/*.pdf`` (or PDFs), if possible ``truth.json`` with the headings of each
file, and ``text/NAME.txt`` with the text in reading order. PYTHON is the interpreter of an
environment with benchmarks/requirements.txt; without it, only what the product brings is
measured. Prints Markdown tables for RESULTS.md.

pages/s      by the clock on the wall, one process; imports and the first file, read twice, apart
CPU          pages a second of processor time, which other users of the machine disturb less;
             the ratio is that of these
right page   of the reader's words (3+ letters or digits), the share that pdftotext has on the
             same page; words broken at a line's end count joined or not
coverage     of pdftotext's words, the share that the reader has on the same page, in the text
             or kept apart as head or foot; the insides of figures are among pdftotext's words
order        longest common subsequence with the true text, over the words of that
headings     recall and precision against truth.json; then level, then page exact, of those found
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rapidfuzz.distance import LCSseq
from readers import PRODUCT, READERS

HERE = Path(__file__).resolve().parent
_WORD = re.compile(r"[a-z0-9]{3,}")
_BROKEN = re.compile(r"(?<=\w)[-\u00ad\u2010\u2011\ufffe]\s*\n\s*(?=\w)")
_NUMBER = re.compile(r"^\s*(appendix\s+)?((\d+|[a-z]|[ivx]+)(\.\d+)*[.:)]?)\s+(?=\S{2,})")
# Right when they are there, though the truth has no numbered heading for them.
_FREE = frozenset(
    "abstract references bibliography acknowledgments acknowledgements acknowledgment "
    "acknowledgement appendix appendices keywords".split()
)


class Score(NamedTuple):
    """Sums over files."""

    words: Counter[str]

    def share(self, part: str, whole: str) -> str:
        total = self.words[whole]
        return f"{self.words[part] / total:.3f}" if total else "–"


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKD", text).lower())


def either_way(text: str) -> Counter[str]:
    return Counter(words(text)) | Counter(words(_BROKEN.sub("", text)))


@cache
def witness(path: Path) -> list[str]:
    """The pages by pdftotext."""
    command = ["pdftotext", str(path), "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace").split("\f")[:-1]


def score(read: Mapping[str, Any], paths: Sequence[Path], truth: Mapping[str, Any]) -> Score:
    sums: Counter[str] = Counter()
    by_name = {path.name: path for path in paths}
    for found in read["files"]:
        path = by_name[found["file"]]
        there = witness(path)
        sums["pages"] += len(there)
        sums["failed"] += bool(found["error"])
        for number, page in enumerate(there):
            own, aside = (
                found[part][number] if number < len(found[part]) else ""
                for part in ("pages", "aside")
            )
            _pages(own, aside, page, sums)
        _order(found["pages"], path, sums)
        sections = (truth.get(path.name) or {}).get("sections")
        if sections and found["headings"] is not None:
            _headings(found["headings"], sections, truth[path.name].get("title", ""), sums)
    return Score(sums)


def _pages(own: str, aside: str, page: str, sums: Counter[str]) -> None:
    mine, there = Counter(words(_BROKEN.sub("", own))), either_way(page)
    sums["mine"] += mine.total()
    sums["right"] += (mine & there).total()
    wanted = Counter(words(_BROKEN.sub("", page)))
    sums["wanted"] += wanted.total()
    sums["covered"] += (wanted & (either_way(own) + either_way(aside))).total()


def _order(pages: Sequence[str], path: Path, sums: Counter[str]) -> None:
    source = path.parent.parent / "text" / f"{path.stem}.txt"
    if source.is_file():
        true = words(_BROKEN.sub("", source.read_text("utf-8")))
        mine = words(_BROKEN.sub("", "\n".join(pages)))
        sums["true words"] += len(true)
        sums["in order"] += int(LCSseq.similarity(true, mine))


def _headings(
    got: Sequence[Sequence[Any]],
    sections: Sequence[Mapping[str, Any]],
    title: str,
    sums: Counter[str],
) -> None:
    left = [entry for entry in got if _plain(entry[0]) not in ("", _plain(title))]
    for section in _flat(sections):
        wanted = _plain(section["title"])
        same = next((entry for entry in left if _same(wanted, _plain(entry[0]))), None)
        sums["sections"] += section.get("kind") != "runin"
        if same is None:
            continue
        left.remove(same)
        if section.get("kind") == "runin":
            continue
        sums["found"] += 1
        sums["level"] += same[1] == section["level"]
        if str(section.get("page", "")).isdigit():
            sums["placed"] += 1
            sums["page"] += same[2] == int(section["page"])
    sums["claimed"] += sum(_plain(entry[0]) not in _FREE for entry in left)


def _flat(sections: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for section in sections:
        yield section
        yield from _flat(section.get("children", ()))


def _plain(title: str) -> str:
    text = unicodedata.normalize("NFKD", title or "").lower()
    return re.sub(r"[^a-z0-9]+", "", _NUMBER.sub("", text))


def _same(one: str, other: str) -> bool:
    close = min(len(one), len(other)) > 5 and SequenceMatcher(None, one, other).ratio() > 0.88
    return one == other or close


def run(reader: str, python: Path, paths: Sequence[Path]) -> dict[str, Any]:
    command = [str(python), str(HERE / "readers.py"), reader, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{reader}: {done.stderr.decode()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def pool(workers: int, paths: Sequence[Path]) -> tuple[float, int]:
    """Seconds for all files in ``workers`` processes, and the peak memory of one in MB."""
    import time

    from citeloom.application.ports.ingest import ConversionJob
    from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter

    converter = ProcessConverter(jobs=workers)
    jobs = [
        ConversionJob(source=path, document_id=sha256(path.read_bytes()).hexdigest())
        for path in paths
    ]
    warm = jobs[:1] * workers
    outcomes = converter.convert([*warm, *jobs])
    for _ in warm:
        next(outcomes)
    began = time.perf_counter()
    rest = list(outcomes)
    seconds = time.perf_counter() - began
    peaks = [outcome.peak_rss_bytes or 0 for outcome in rest]
    return seconds, max(peaks, default=0) // 2**20


def report(folder: Path, options: argparse.Namespace) -> None:
    inner = folder / "pdf"
    paths = sorted((inner if inner.is_dir() else folder).glob("*.pdf"))
    if not paths:
        sys.exit(f"{folder}: no PDFs there")
    file = folder / "truth.json"
    truth = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    pages = sum(len(witness(path)) for path in paths)
    print(f"\n### {folder.name}: {len(paths)} files, {pages} pages\n")
    print(
        "| reader | pages/s | CPU | ratio | peak MB | right page | coverage | order | headings R "
        "| P | level | page | failed |\n|---|" + "---:|" * 12
    )
    base = 0.0
    for reader in READERS:
        python = Path(sys.executable) if reader in PRODUCT else options.peers
        if python is None or (options.only and reader not in options.only):
            continue
        found = run(reader, python, paths)
        sums = score(found, paths, truth)
        speed = pages / sum(one["seconds"] for one in found["files"])
        worked = pages / sum(one["cpu"] for one in found["files"])
        base = base or worked
        sums.words["claims"] = sums.words["found"] + sums.words["claimed"]
        print(
            f"| {reader} ({found['version']}) | {speed:.1f} | {worked:.1f} | {worked / base:.2f} "
            f"| {found['peak_mb']} | {sums.share('right', 'mine')} "
            f"| {sums.share('covered', 'wanted')} | {sums.share('in order', 'true words')} "
            f"| {sums.share('found', 'sections')} | {sums.share('found', 'claims')} "
            f"| {sums.share('level', 'found')} | {sums.share('page', 'placed')} "
            f"| {sums.words['failed']} |",
            flush=True,
        )
        if reader == "citeloom" and options.workers > 1:
            seconds, peak = pool(options.workers, paths)
            print(
                f"| citeloom, {options.workers} workers | {pages / seconds:.1f} "
                f"| – | – | {peak} a worker |" + " – |" * 8,
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--peers", type=Path, metavar="PYTHON")
    parser.add_argument("--only", action="append", choices=READERS)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start, "
        f"Python {platform.python_version()}"
    )
    for folder in options.folders:
        report(folder, options)


if __name__ == "__main__":
    main()
