"""How many quotations of reviews answer their question, by marks made by reading.

    python benchmarks/review_quotations.py WORKSPACE [--questions FILE] [--part unseen]
    python benchmarks/review_quotations.py --abstracts FOLDER TARGET

The questions and marks stand in review_questions.json. They are asked of the projects ``reading``
(the sample library), ``jose`` (27 papers) and ``scifact`` (the abstracts that the claims of SciFact
cite, which ``--abstracts`` writes as Markdown from the folder with ``corpus.jsonl`` and
``claims.jsonl``) of WORKSPACE; make them with ``citeloom ingest``. A quotation is an answer or a
touch (on the matter, no answer) if it has a marked sentence, else beside. Marks on SciFact are a
title's first words and the place of the quotation, no text. Each quotation of a PDF is looked for
on its page by pdfium, and by pdftotext where it is installed.
"""

import argparse
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from verifying_witness import Printed, Standing, Witness

from citeloom.application.review.requests import ReviewRequest, ReviewResult
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import SourceSpan
from citeloom.infrastructure.composition.application import Application, open_application

QUESTIONS = Path(__file__).parent / "review_questions.json"
PDF = "application/pdf"


def abstracts(folder: Path, target: Path) -> None:
    """Write the abstracts that the claims cite, a Markdown file each."""
    claims = (folder / "claims.jsonl").read_text("utf-8").splitlines()
    cited = {key for line in claims for key in json.loads(line)["evidence"]}
    target.mkdir(parents=True, exist_ok=True)
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        if one["_id"] in cited:
            text = f"# {one['title']}\n\n## Abstract\n\n{one['text']}\n"
            (target / f"{one['_id']}.md").write_text(text, "utf-8")


def folded(text: str) -> str:
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text)).casefold().strip()


def grade(question: dict[str, Any], span: SourceSpan, file: str) -> str:
    """``answer``, ``touch`` or ``beside``. A mark is a key and words, or a file and offsets."""
    for name, marks in (("answer", question["answers"]), ("touch", question["touches"])):
        for key, mark in marks:
            if isinstance(mark, int):
                start, end = span.start_offset or 0, span.end_offset or 0
                if key == file and start <= mark < end:
                    return name
            elif folded(mark) in folded(span.quote):
                return name
    return "beside"


def asked(application: Application, witness: Witness, question: dict[str, Any]) -> Counter[str]:
    project = ProjectId.parse(question["library"])
    done: ReviewResult = application.research.review(
        ReviewRequest(project_id=project, question=question["question"])
    )
    stored = {one.document_id: one for one in application.stores.catalogue.documents(project)}
    sources = {one.id: one for one in done.sources}
    kept = {claim.claim_text for claim in done.claims}
    counts: Counter[str] = Counter(questions=1, looked=len(sources))
    print(f"\n{question['id']}: {question['question']} ({len(sources)} documents looked at)")
    for span in done.spans:
        source = sources[span.source_id]
        document = stored[source.document_id or ""]
        path = document.sources[0].path
        mark = grade(question, span, Path(path).stem)
        if span.quote not in kept:
            is_nearest = f"“{span.quote}”" in (done.report or "")
            counts[f"nearest: {mark}" if is_nearest else "left out"] += 1
            if is_nearest:
                print(f"  nearest, {mark}: {span.quote[:100]!r}")
            continue
        counts[mark] += 1
        exact = "-"
        if document.mime_type == PDF:
            witness.sources[document.document_id] = path
            pages = tuple(sorted({region.page for region in span.regions}))
            printed = Printed(
                "review",
                span.quote,
                document.document_id,
                span.start_offset or 0,
                span.end_offset or 0,
                pages,
            )
            exact = witness.standing(printed).value
            counts["on paper"] += 1
            counts["exact"] += exact == Standing.VERBATIM.value
        key = source.citekey or Path(path).stem
        print(f"  {mark:6} {exact:8} {key[:24]:24} {span.start_offset:6} {span.quote[:90]!r}")
    counts["documents"] = len({span.source_id for span in done.spans})
    counts["without"] = not kept
    if question.get("answerable", True):
        counts["without, with an answer"] = not kept
    supposed = [folded(words) for _, words in question.get("hypotheses", ())]
    counts["suppositions"] = sum(
        any(one in folded(text) for one in supposed) for text in kept if text
    )
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path, nargs="?")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--part", help="only the questions of this part")
    parser.add_argument("--abstracts", type=Path, nargs=2, metavar=("FOLDER", "TARGET"))
    args = parser.parse_args()
    if args.abstracts:
        abstracts(*args.abstracts)
        return
    application, witness = open_application(args.workspace), Witness(args.workspace)
    there = {str(one.id) for one in application.stores.catalogue.projects()}
    parts: dict[str, Counter[str]] = {}
    for question in json.loads(args.questions.read_text("utf-8")):
        known = f"local/{question['library']}" in there
        if known and args.part in (None, question["part"]):
            found = asked(application, witness, question)
            parts.setdefault(question["part"], Counter()).update(found)
    application.close()
    for part, counts in parts.items():
        quotations = counts["answer"] + counts["touch"] + counts["beside"]
        good = counts["answer"] + counts["touch"]
        print(f"\n{part}: {dict(counts)}")
        on_paper = f"{counts['exact']} of {counts['on paper']}"
        print(f"  answer or touch {good} of {quotations}, exact {on_paper}")


if __name__ == "__main__":
    main()
