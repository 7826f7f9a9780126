"""Cells of tables of papers and questions, against answers written by hand:
``python -m benchmarks.table_cells TRUTH.jsonl --workspace WS --project jose=jose``.

A line of the truth has ``half``, ``library``, ``document`` (a file name), ``question``, ``answers``
(any of which is right), ``pages`` (of the file) and ``stated``. A cell is right where its answer
has one of the answers, or where neither states one. The table is not kept: the columns that the
workspace has are left as they are.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.report.table import CellState, PaperCell
from citeloom.infrastructure.composition.application import Application, open_application

_KINDS = ("right", "rightly not stated", "wrong sure", "wrong to check", "missed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--project", action="append", default=[], help="LIBRARY=PROJECT[,PROJECT…]")
    parser.add_argument("--half", action="append", help="only this half; repeatable")
    parser.add_argument("--writer", default="extractive")
    parser.add_argument("--verbose", action="store_true", help="print each cell")
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.truth.read_text("utf-8").splitlines() if line]
    halves = asked.half or sorted({row["half"] for row in rows})
    projects = dict(one.split("=") for one in asked.project)
    application = open_application(asked.workspace)
    for half in halves:
        chosen = [row for row in rows if row["half"] == half]
        print_half(half, measured(application, chosen, projects, asked.writer, asked.verbose))
    application.close()


def measured(
    application: Application,
    rows: Sequence[dict[str, Any]],
    projects: dict[str, str],
    writer: str,
    verbose: bool,
) -> Counter[str]:
    found: Counter[str] = Counter()
    readers: dict[str, Any] = {}
    for row in rows:
        library = row["library"]
        catalogue = application.stores.catalogue
        if library not in readers:
            readers[library] = {}
            for name in projects.get(library, library).split(","):
                project_id = ProjectId.parse(name)
                reader = application.research.cell_reader(catalogue.project(project_id), writer)
                for one in catalogue.documents(project_id):
                    place = PurePath(one.path or "").name
                    readers[library].setdefault(place, (reader, one.document_id))
        reader, document_id = readers[library][row["document"]]
        cell = reader.read(row["question"], document_id)
        kind = judged(cell, row)
        found[kind] += 1
        if kind == "right" and cell.quote and cell.quote.page in row["pages"]:
            found["on a page of the truth"] += 1
        if cell.state is CellState.SURE:
            found["sure"] += 1
        if verbose:
            truth = row["answers"] if row["stated"] else "not stated"
            print(f"{kind:18} {cell.state.value:10} {row['document'][:34]:34} {row['question']}")
            print(f"    {cell.answer!r} {cell.where} | {truth}")
    return found


def judged(cell: PaperCell, row: dict[str, Any]) -> str:
    if cell.answer is None:
        return "missed" if row["stated"] else "rightly not stated"
    answer = _plain(cell.answer)
    if row["stated"] and any(_has(answer, _plain(one)) for one in row["answers"]):
        return "right"
    return "wrong sure" if cell.state is CellState.SURE else "wrong to check"


def _plain(text: str) -> str:
    """Without case, hyphens, marks of trade, and blanks before units."""
    plain = re.sub("[®™]", "", text.casefold()).replace("’", "'")
    joined = re.sub(r"[\s\-\u2010-\u2015,]+", " ", plain).strip()
    return re.sub(r"(?<=\d) (?=[kmgt]b\b)", "", joined)


def _has(answer: str, truth: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(truth)}(?!\w)", answer) is not None


def print_half(half: str, found: Counter[str]) -> None:
    total = sum(found[kind] for kind in _KINDS)
    print(f"{half}: {total} cells")
    for kind in _KINDS:
        print(f"  {kind:20} {found[kind]:3}  {found[kind] / total:6.1%}")
    right = found["right"] + found["rightly not stated"]
    print(f"  {'right in all':20} {right:3}  {right / total:6.1%}")
    print(
        f"  {'told as sure':20} {found['sure']:3}; wrong of all {found['wrong sure'] / total:.1%}"
    )
    print(f"  {'right, right page':20} {found['on a page of the truth']:3} of {found['right']}")


if __name__ == "__main__":
    main()
