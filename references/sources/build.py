# SPDX-License-Identifier: Apache-2.0
"""Typeset the sample library and write down what stands where in it.

    python references/sources/build.py            write papers/*.pdf and truth.json
    python references/sources/build.py --check    write nothing; say whether they are what the sources give

Needs `pip install typst==0.15.2 pypdfium2`. Each source fixes its date and only typst's own fonts are used, so that the same version of
typst gives the same bytes on every machine. truth.json comes from the typesetter, which knows the place of everything it sets;
before it is written, the text layer of the finished PDFs is read as an independent witness.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import typst

SOURCES = Path(__file__).resolve().parent
LIBRARY = SOURCES.parent
PAPERS = ("spaced-rereading", "pond-cooling", "sampling-protocols", "unhurried-page")
TYPST = "0.15.2"

Record = dict[str, Any]


def typeset(name: str) -> tuple[bytes, Record]:
    """The PDF of one paper, and the record that the source keeps of its own layout."""
    source = SOURCES / f"{name}.typ"
    pdf = typst.compile(source, ignore_system_fonts=True)
    record = json.loads(typst.query(source, "<truth>", field="value", one=True, ignore_system_fonts=True))
    facts = {"file": f"papers/{name}.pdf", "sha256": hashlib.sha256(pdf).hexdigest(), "pages": len(record["page_labels"])}
    return pdf, facts | record


def squeezed(text: str) -> str:
    """Text without white space and hyphens of any kind, to compare across line breaks."""
    return re.sub(r"[\s\-\u00ad\u2010\ufffe\x02]", "", text)


def contradictions(pdf: bytes, paper: Record) -> list[str]:
    """Every point in which the text layer of the PDF disagrees with the record."""
    document = pdfium.PdfDocument(pdf)
    pages = [squeezed(page.get_textpage().get_text_range()) for page in document]
    labels = [document.get_page_label(index) for index in range(len(document))]
    found = []
    if labels != paper["page_labels"]:
        found.append(f"page labels are {labels}, the source says {paper['page_labels']}")
    if bool(list(document.get_toc())) != paper["outline"]:
        found.append(f"outline: the source says {paper['outline']}")
    for heading in paper["headings"]:
        printed = re.escape(squeezed(heading["title"]))
        if heading["number"]:
            printed = re.escape(heading["number"]) + r"\.?" + printed
        if not re.search(printed, pages[heading["page"] - 1], re.IGNORECASE):
            found.append(f"heading not on page {heading['page']}: {heading['title']}")
    for captioned in paper["tables"] + paper["figures"]:
        if squeezed(captioned["caption"]) not in pages[captioned["page"] - 1]:
            found.append(f"caption not on page {captioned['page']}: {captioned['caption']}")
    for sentence in paper["sentences"]:
        words, first, last = squeezed(sentence["text"]), pages[sentence["page_start"] - 1], pages[sentence["page_end"] - 1]
        if sentence["page_start"] == sentence["page_end"]:
            present = words in first
        else:
            present = any(words[:cut] in first and words[cut:] in last for cut in range(5, len(words) - 4))
        if not present:
            found.append(f"sentence not on pages {sentence['page_start']} to {sentence['page_end']}: {sentence['id']}")
    return found


def mismatches(papers: list[Record]) -> list[str]:
    """Every point in which library.csl.json or questions.json disagrees with the papers."""
    items = {item["id"]: item for item in json.loads((LIBRARY / "library.csl.json").read_text("utf-8"))}
    by_key = {paper["citekey"]: paper for paper in papers}
    found = []
    for key, paper in by_key.items():
        item = items[key]
        if (item["title"], item["DOI"]) != (paper["title"], paper["doi"]):
            found.append(f"library.csl.json: title or DOI of {key}")
        if re.split(r"\W+", item["page"])[-1] != paper["page_labels"][-1] or not item["page"].startswith(paper["page_labels"][0]):
            found.append(f"library.csl.json: pages of {key} are {item['page']}, printed {paper['page_labels']}")
    for question in json.loads((LIBRARY / "questions.json").read_text("utf-8")):
        if not any(
            question["phrase"] in sentence["text"] and question["page_label"] == sentence["page_label_start"]
            for sentence in by_key[question["citekey"]]["sentences"]
        ):
            found.append(f"questions.json: no marked sentence answers {question['question']!r}")
    return found


def build() -> dict[Path, bytes]:
    """Every generated file with its contents; raises SystemExit if the witness disagrees."""
    files, papers, wrong = {}, [], []
    for name in PAPERS:
        pdf, paper = typeset(name)
        files[LIBRARY / paper["file"]] = pdf
        papers.append(paper)
        wrong += [f"{name}: {complaint}" for complaint in contradictions(pdf, paper)]
    wrong += mismatches(papers)
    if wrong:
        raise SystemExit("\n".join(wrong))
    truth = {"format": 1, "typeset_with": f"typst {TYPST}", "papers": papers}
    files[LIBRARY / "truth.json"] = (json.dumps(truth, ensure_ascii=False, indent=2) + "\n").encode()
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description="Typeset the sample library.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a committed file differs from its source")
    arguments = parser.parse_args()
    if version("typst") != TYPST:
        raise SystemExit(f"typst {version('typst')} is installed; the same bytes need: pip install typst=={TYPST}")
    files = build()
    if arguments.check:
        stale = [path for path, contents in files.items() if not path.exists() or path.read_bytes() != contents]
        for path in stale:
            print(f"{path.relative_to(LIBRARY)}: differs from its source; run references/sources/build.py", file=sys.stderr)
        raise SystemExit(1 if stale else 0)
    for path, contents in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(contents)
        print(f"{path.relative_to(LIBRARY)}: {len(contents):,} bytes")


if __name__ == "__main__":
    main()
