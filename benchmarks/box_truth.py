"""Are the boxes right? Reads the text inside each passage's regions back from the PDF.

usage: python benchmarks/box_truth.py SAMPLES.json [--worst N] [--least SHARE] [--pdftotext]

SAMPLES is the JSON of ``citeloom inspect --project P --sample all --json``. Of a passage's
words (3 letters or digits and more; as a multiset), the share that stands in its regions is
printed, by pdfium or (slower) by ``pdftotext -x -y -W -H``; words broken at a line's end
count joined or not. And of the words in the regions, the share that is the passage's: boxes
that are too large hold more. Exits with 1 if the first share is less than SHARE.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2

_WORD = re.compile(r"[a-z0-9]{3,}")
_BROKEN = re.compile(r"(?<=\w)[-\u00ad\u2010\u2011]\s*\n\s*(?=\w)|[\ufffe\u00ad\x02]\s*")
SLACK = 1.0
"""Points around a box: glyphs overhang what their metrics say."""


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKD", text).lower()))


def either_way(text: str) -> Counter[str]:
    text = text.replace("\r\n", "\n")
    return words(text) | words(_BROKEN.sub("", text))


@cache
def document(path: str) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(path)


@cache
def page_text(path: str, page: int) -> tuple[Any, float, float, float]:
    """The page's text, its height, and where it begins (pages that are turned: not handled)."""
    sheet = document(path)[page - 1]
    left, bottom, _, top = sheet.get_bbox()
    return sheet.get_textpage(), top - bottom, left, bottom


def by_pdfium(path: str, region: Mapping[str, Any]) -> str:
    text, height, x, y = page_text(path, region["page"])
    left, top, right, bottom = region["bbox"]
    found: str = text.get_text_bounded(
        left=x + left - SLACK,
        bottom=y + height - bottom - SLACK,
        right=x + right + SLACK,
        top=y + height - top + SLACK,
    )
    return found


def by_pdftotext(path: str, region: Mapping[str, Any]) -> str:
    left, top, right, bottom = region["bbox"]
    x, y = math.floor(left - SLACK), math.floor(top - SLACK)
    command = [
        "pdftotext", "-f", str(region["page"]), "-l", str(region["page"]), "-cropbox",
        "-x", str(x), "-y", str(y), "-W", str(math.ceil(right + SLACK) - x),
        "-H", str(math.ceil(bottom + SLACK) - y), path, "-",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--least", type=float, default=0.98)
    parser.add_argument("--pdftotext", action="store_true")
    options = parser.parse_args()
    read = by_pdftotext if options.pdftotext else by_pdfium
    total = held = whole = inside = own = 0
    rows = []
    samples = [s for s in json.loads(options.samples.read_text("utf-8"))["samples"] if s["regions"]]
    for sample in samples:
        path = sample["source_path"]
        wanted = words(sample["text"])
        text = "\n".join(read(path, region) for region in sample["regions"])
        missing = wanted - either_way(text)
        in_boxes = words(_BROKEN.sub("", text.replace("\r\n", "\n")))
        inside, own = (
            inside + in_boxes.total(),
            own + (in_boxes & either_way(sample["text"])).total(),
        )
        got = wanted.total() - missing.total()
        total, held, whole = total + wanted.total(), held + got, whole + (not missing)
        share = got / max(wanted.total(), 1)
        rows.append((share, Path(path).name, sample["page_span"], [*missing][:8], sample["text"]))
    rows.sort(key=lambda row: row[0])
    for share, name, span, missing_words, text in rows[: options.worst]:
        if share < 1:
            start = " ".join(text.split())[:50]
            print(f"{share:.3f} {name} p. {span} without {missing_words}: {start}")
    mean = held / max(total, 1)
    print(
        f"{len(samples)} passages: {mean:.4f} of their words stand in their boxes; "
        f"{whole / max(len(samples), 1):.3f} of the passages have all of theirs; "
        f"{own / max(inside, 1):.4f} of the words in the boxes are the passages'"
    )
    return 0 if total and mean >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
