"""Verdicts of *verify* on sentences written for it over papers of several layouts: true ones
(verbatim, close, free) and ones with a thing changed, in two halves by paper.

usage: python benchmarks/claims_wild.py WILD [--workspace FOLDER] [--half A|B] [--wrong]

WILD is a folder with the PDFs of ``PAPERS``. They are ingested into a temporary workspace (or the
one named, once). The rows are in ``claims_wild.jsonl``: half, kind, key, claim, a page for some.
``--wrong`` prints true claims that are not supported, and wrong ones that are.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROWS = Path(__file__).with_suffix(".jsonl")
TRUE = ("verbatim", "close", "free")
# Citation key, first author, title, file.
PAPERS = """
gfs2003|Ghemawat|The Google File System|datastores__the-google-file-system
gaming2008|Baker|Why Students Engage in Gaming the System|\
gamification__why-students-engage-in-gaming-the-system-behavior-in-interactive-learning-\
environments
dapper2010|Sigelman|Dapper, a Large-Scale Distributed Systems Tracing Infrastructure|\
distributed_systems__dapper-a-large-scale-distributed-tracing-infrastructure
raft2014|Ongaro|In Search of an Understandable Consensus Algorithm|\
distributed_systems__in-search-of-an-understandable-consensus-algorithm
longeval2023|Krishna|LongEval: Guidelines for Human Evaluation of Faithfulness|\
summarization__longeval-guidelines-for-human-evaluation-of-faithfulness-in-long-form-\
summarization
mesos2011|Hindman|Mesos: A Platform for Fine-Grained Resource Sharing in the Data Center|\
distributed_systems__mesos-a-platform-for-fine-grained-resource-sharing-in-the-data-center
gamif2011|Lee|Gamification in Education: What, How, Why Bother?|\
gamification__gamification-in-education-what-how-why-bother
bigtable2006|Chang|Bigtable: A Distributed Storage System for Structured Data|\
datastores__bigtable-a-distributed-storage-system-for-structured-data
chubby2006|Burrows|The Chubby lock service for loosely-coupled distributed systems|\
distributed_systems__the-chubby-lock-service-for-loosely-coupled-distributed-systems
shazam2003|Wang|An Industrial-Strength Audio Search Algorithm|\
audio_comp_sci__shazam-audio-search-algorithm
sysrev2005|Biolchini|Systematic Review in Software Engineering|\
systematic_review__systematic-review-in-software-engineering
"""


def run(workspace: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "citeloom", "--workspace", str(workspace), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def fill(workspace: Path, wild: Path) -> None:
    if (workspace / ".citeloom").exists():
        return
    (workspace / "citeloom.toml").touch()
    papers, items = workspace / "papers", []
    papers.mkdir()
    for key, author, title, file in (line.split("|") for line in PAPERS.strip().splitlines()):
        shutil.copy(wild / f"{file}.pdf", papers / f"{key}.pdf")
        items.append({"id": key, "type": "article", "title": title, "author": [{"family": author}]})
    library = workspace / "library.csl.json"
    library.write_text(json.dumps(items))
    run(workspace, "ingest", str(papers), "--project", "wild", "--references", str(library))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wild", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="A")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["half"] == options.half]
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace or Path(folder)
        fill(workspace, options.wild)
        draft = workspace / "draft.md"
        cites = (f"{row['key']}, p. {row['page']}" if "page" in row else row["key"] for row in rows)
        draft.write_text(
            "\n\n".join(f"{r['claim'][:-1]} [@{c}]." for r, c in zip(rows, cites, strict=True))
        )
        told = run(workspace, "verify", str(draft), "--project", "wild", "--json", "--fresh")
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for one in json.loads(told)["findings"]:
        found[one["claim"]["begins"]["line"]].append(one)
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, row in enumerate(rows):
        verdicts = [one["verdict"] for one in found[2 * number + 1]]
        verdict = min(verdicts, key=lambda one: (one != "CONTRADICTED", one == "SUPPORTED"))
        table[row["kind"]][verdict] += 1
        table["true" if row["kind"] in TRUE else "wrong"][verdict] += 1
        if options.wrong and (verdict == "SUPPORTED") != (row["kind"] in TRUE):
            print(row["kind"], verdict, row["claim"])
    for kind, counts in table.items():
        print(f"{kind:12} {counts.total():3} {dict(counts)}")


if __name__ == "__main__":
    main()
