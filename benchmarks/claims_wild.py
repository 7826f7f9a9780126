"""Verdicts of *verify* on sentences written for it over papers of several layouts: true ones
(verbatim, close, free) and ones with a thing changed, in two halves by paper.

usage: python benchmarks/claims_wild.py DATA [--rows FILE] [--half A|B|develop|held]
       [--workspace FOLDER] [--wrong] [--endpoint perfect|yes|sly]

DATA has ``wild/`` and ``jose/pdf/``. The papers are ingested into a temporary workspace (or the one
named, once). ``claims_wild.jsonl`` has half, kind, key (of ``PAPERS``), claim, a page for some;
``claims_hand.jsonl``, ``claims_close.jsonl`` and ``claims_fresh.jsonl`` to ``…3.jsonl`` library
and document, too; their pages, and sentences with a wrong one, are cited with ``--cite``. *named*
is PARTIAL or CONTRADICTED with the words in question. ``--endpoint``: a language model on the
loopback judges; *perfect* supports a true claim whose sentence it is sent, *yes* confirms whatever
it is asked, *sly* too, but for the control claim (``answers.py``). ``--wrong`` prints true claims
that are not supported, and wrong ones that are.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answers import serve

ROWS = Path(__file__).with_suffix(".jsonl")
TRUE = ("verbatim", "close", "free", "joined")
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


def known_items(data: Path) -> dict[str, Any]:
    """CSL items with the path of their file, by citation key."""
    items = {}
    for key, author, title, file in (line.split("|") for line in PAPERS.strip().splitlines()):
        items[key] = {"title": title, "author": [{"family": author}], "file": f"wild/{file}.pdf"}
    listed = json.loads((data / "jose" / "library.csl.json").read_text("utf-8"))
    return items | {one["id"]: one for one in listed}


def fill(workspace: Path, data: Path, rows: Sequence[Any]) -> None:
    if (workspace / ".citeloom").exists():
        return
    (workspace / "citeloom.toml").touch()
    papers, items, known = workspace / "papers", [], known_items(data)
    papers.mkdir()
    for row in {row["key"]: row for row in rows}.values():
        item = dict(known.get(row["key"], {}))
        file = item.pop("file", None) or _file(row)
        shutil.copy(data / file, papers / f"{row['key']}.pdf")
        title = Path(file).stem.rpartition("__")[2].replace("-", " ").capitalize()
        items.append({"type": "article", "title": title} | item | {"id": row["key"]})
    library = workspace / "library.csl.json"
    library.write_text(json.dumps(items))
    run(workspace, "ingest", str(papers), "--project", "wild", "--references", str(library))


def _file(row: Any) -> str:
    folder = "jose/pdf" if row["library"] == "jose" else row["library"]
    return f"{folder}/{row['document']}"


def model_of(rows: Sequence[Any], kind: str) -> dict[str, str]:
    """The settings of a language model that judges the claims of ``rows``."""
    of_claims = [
        {"question": "", "true": "", "wrong": ""}
        | {"true" if row["kind"] in TRUE else "wrong": row["claim"], "source": row["evidence"]}
        for row in rows
    ]
    settings = {"LLM__URL": serve(of_claims, kind), "LLM__MODEL": kind}
    settings["VERIFY__JUDGE"] = "language-model"
    return {f"CITELOOM_{name}": value for name, value in settings.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", default="A")
    parser.add_argument("--cite", action="store_true", help="the page of each row, too")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--endpoint", choices=("perfect", "yes", "sly"))
    options = parser.parse_args()
    every = [json.loads(line) for line in options.rows.read_text("utf-8").splitlines()]
    has_page = options.cite or options.rows == ROWS
    rows = [row for row in every if row["half"] == options.half]
    rows = [row for row in rows if has_page or row["kind"] != "wrongpage"]
    if options.endpoint and not all("evidence" in row for row in rows):
        parser.error("--endpoint: these rows do not have the evidence; name others with --rows")
    if options.endpoint:
        os.environ |= model_of(rows, options.endpoint)
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace or Path(folder)
        fill(workspace, options.data, every)
        draft = workspace / "draft.md"
        cites = (
            f"{row['key']}, p. {row['page']}" if has_page and row.get("page") else row["key"]
            for row in rows
        )
        draft.write_text(
            "\n\n".join(f"{r['claim'][:-1]} [@{c}]." for r, c in zip(rows, cites, strict=True))
        )
        told = run(workspace, "verify", str(draft), "--project", "wild", "--json", "--fresh")
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for one in json.loads(told)["findings"]:
        found[one["claim"]["begins"]["line"]].append(one)
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, row in enumerate(rows):
        findings = found[2 * number + 1]
        verdicts = [one["verdict"] for one in findings]
        verdict = min(verdicts, key=lambda one: (one != "CONTRADICTED", one == "SUPPORTED"))
        reasons = " ".join(reason for one in findings for reason in one["reasons"])
        is_named = verdict in ("PARTIAL", "CONTRADICTED") and "“" in reasons
        for group in (row["kind"], "true" if row["kind"] in TRUE else "wrong"):
            table[group].update([verdict, *(["named"] if is_named else [])])
        if options.wrong and (verdict == "SUPPORTED") != (row["kind"] in TRUE):
            print(row["kind"], verdict, row["claim"], "|", reasons)
    for kind, counts in table.items():
        print(f"{kind:12} {counts.total() - counts['named']:3} {dict(counts)}")


if __name__ == "__main__":
    main()
