"""Load on ``citeloom serve`` over loopback, by wrk: queries, the view *Ask*, a page, the library.

usage: python benchmarks/http_load.py WORKSPACE -p PROJECT [--seconds 10] [--connections 1,8,32]

Needs the program wrk (https://github.com/wg/wrk). The project has PDFs; all requests of a kind are
the same, so that what repeats is known to caches. Prints requests a second, milliseconds at the
median and the 99th percentile, and how many answers were refused or failed.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import httpx2
from http_latency import served

QUESTION = "How do students learn reproducible research?"
_PERCENTILE = re.compile(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s|m)\s*$", re.MULTILINE)
_RATE = re.compile(r"^Requests/sec:\s+([\d.]+)$", re.MULTILINE)
_REFUSED = re.compile(r"^\s*Non-2xx or 3xx responses: (\d+)$", re.MULTILINE)
_FAILED = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
_MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


def addresses(address: str, project: str) -> dict[str, str]:
    """What is asked, by kind; ``address`` is that of the REST interface."""
    view = address.removesuffix("/api/v1")
    papers = httpx2.get(f"{address}/projects/local/{project}/documents", timeout=60).json()
    paper = next(one["document_id"] for one in papers["documents"] if one["pages"])
    shown = urlencode({"project": project, "pixels": 1600})
    return {
        "query": f"{address}/query?{urlencode({'project': project, 'text': QUESTION})}",
        "ask": f"{view}/ask?{urlencode({'project': project, 'q': QUESTION})}",
        "page picture": f"{address}/documents/{paper}/pages/1.png?{shown}",
        "library": f"{view}/library?{urlencode({'project': project})}",
    }


def load(url: str, connections: int, seconds: int) -> dict[str, float]:
    """What wrk measured."""
    threads = min(2, connections)
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"]
    told = subprocess.run(
        [*command, "--latency", url], capture_output=True, text=True, check=True
    ).stdout
    rate = _RATE.search(told)
    assert rate is not None, told
    row = {"requests_s": float(rate[1])}
    for share, number, unit in _PERCENTILE.findall(told):
        row[f"p{share}_ms"] = round(float(number) * _MILLISECONDS[unit], 1)
    refused, failed = _REFUSED.search(told), _FAILED.search(told)
    row["refused"] = int(refused[1]) if refused else 0
    row["failed"] = sum(map(int, failed.groups())) if failed else 0
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("-p", "--project", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", default="1,8,32")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk: not installed; apt install wrk")
    print(
        f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    with served(options.workspace) as address:
        for kind, url in addresses(address, options.project).items():
            assert httpx2.get(url, timeout=60).status_code == 200, url
            for connections in map(int, options.connections.split(",")):
                row = load(url, connections, options.seconds)
                print(json.dumps({"kind": kind, "connections": connections, **row}), flush=True)


if __name__ == "__main__":
    main()
