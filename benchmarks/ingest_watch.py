"""Asks a workspace the same question until a passage is found; for ingest_runs.py.

usage: python benchmarks/ingest_watch.py WORKSPACE PROJECT SECONDS

One process that goes on, as an MCP server does, so that the ingest beside it is hardly slowed
down. Prints a line when it can ask, and one when it has found something or SECONDS are over.
"""

import sys
import time
from contextlib import suppress
from pathlib import Path

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import open_application

MODEL = "all-MiniLM-L6-v2"  # of a new project
QUESTION = "What was measured?"  # any: the nearest passages are found
PAUSE_SECONDS = 0.25


def main() -> None:
    project_id = ProjectId.parse(sys.argv[2])
    request = QueryRequest(project_id=project_id, query_text=QUESTION)
    application = open_application(Path(sys.argv[1]))
    application.models.embedder(MODEL).embed_query(QUESTION)
    print("ready", flush=True)
    found, ends = False, time.monotonic() + float(sys.argv[3])
    while not found and time.monotonic() < ends:
        time.sleep(PAUSE_SECONDS)
        with suppress(CiteLoomError):  # no project yet, or its index is being written
            found = bool(application.search.query(request).items)
    print("found" if found else "nothing found", flush=True)
    application.close()


if __name__ == "__main__":
    main()
