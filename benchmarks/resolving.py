"""How fast addresses open: reading a map, finding a node, resolving virtually, cutting pages.

usage: python benchmarks/resolving.py [--runs 200] [--slices 30]

A paper of 60 pages (2 MB), made here, with maps of 60, 300 and 1,000 nodes, stored as by an
ingest. Times are of warm calls in one process; a slice is cut anew each time, with a bookmark
for each node, the hash of the source and the sync of the file included.
"""

import argparse
import hashlib
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pikepdf

from citeloom.application.places.cut import ResolveRequest
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId
from citeloom.infrastructure.composition.application import Application, open_application

PAGES, SLICE = 60, 50
NODES = (60, 300, 1000)
LINES = 45
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROJECT = ProjectId.parse("bench")


def write_paper(path: Path, picture_bytes: int = 30_000) -> None:
    """Pages of text, each with a picture of its own that does not compress."""
    with pikepdf.new() as pdf:
        font = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
            )
        )
        for number in range(PAGES):
            lines = [
                f"1 0 0 1 72 {730 - 14 * n} Tm (Page {number} line {n}: the tide turns) Tj"
                for n in range(LINES)
            ]
            page = pdf.add_blank_page(page_size=(612, 792))
            picture = pikepdf.Stream(pdf, os.urandom(picture_bytes))
            picture.Type, picture.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
            picture.Width, picture.Height, picture.BitsPerComponent = 100, picture_bytes // 300, 8
            picture.ColorSpace = pikepdf.Name.DeviceRGB
            page.obj.Resources = pikepdf.Dictionary(
                Font=pikepdf.Dictionary(F=font), XObject=pikepdf.Dictionary(I=picture)
            )
            body = f"BT /F 10 Tf {' '.join(lines)} ET q 90 0 0 90 450 40 cm /I Do Q"
            page.obj.Contents = pikepdf.Stream(pdf, body.encode())
        pdf.save(path)


def a_map(path: Path, digest: str, nodes: int, deep: int = 10) -> ResourceMap:
    """Sections with ``deep`` subsections each, spread over the pages."""

    def place(number: int) -> Location:
        return Location(modality="document", pages=(1 + number * PAGES // nodes,))

    def node(number: int, name: str, children: tuple[Node, ...] = ()) -> Node:
        return Node(
            id=name,
            title=f"{number} A section of the paper",
            type="section",
            summary="The tide turns twice a day, and the harbour with it.",
            location=place(number),
            children=children,
        )

    sections = tuple(
        node(
            first,
            f"s{first}",
            tuple(node(n, f"s{first}.s{n}") for n in range(first + 1, min(first + deep, nodes))),
        )
        for first in range(0, nodes, deep)
    )
    return ResourceMap(
        resource_id=digest[:16],
        type="document",
        title="On tides",
        source_path=str(path),
        nodes=sections,
        metadata={"source_hash": digest, "source_size": path.stat().st_size},
        created_at=NOW,
    )


def store(application: Application, path: Path, nodes: int) -> ResourceMap:
    """The paper as a document of the project, with a map of so many nodes."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    stat = path.stat()
    made = a_map(path, digest, nodes)
    application.stores.bundles.save_map(digest, made)
    application.stores.catalogue.put_document(
        StoredDocument(
            project_id=PROJECT,
            document_id=digest,
            mime_type="application/pdf",
            pages=PAGES,
            chunks=0,
            sources=(SourceStamp(path=str(path), size=stat.st_size, mtime_ns=stat.st_mtime_ns),),
            conversion="c",
            chunking="c",
            embedding="e",
            stored_at=NOW,
        )
    )
    return made


def times(call: Callable[[], object], runs: int) -> dict[str, float]:
    """Milliseconds: median and 95th percentile by the clock, mean of the processor's."""
    call()
    taken = []
    busy = time.process_time()
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    busy = time.process_time() - busy
    return {
        "p50_ms": round(statistics.median(taken), 3),
        "p95_ms": round(statistics.quantiles(taken, n=20)[-1], 3),
        "cpu_ms": round(busy / runs * 1000, 3),
    }


def measure(folder: Path, runs: int, slices: int) -> dict[str, dict[str, dict[str, float]]]:
    application = open_application(folder)
    application.stores.catalogue.add_project(
        Project(
            id=PROJECT,
            collection=PROJECT.collection,
            embedding_model=EmbeddingModel(name="m", dimension=3, digest="0f", max_tokens=9),
            sparse_model="bm25",
            created_at=NOW,
        )
    )
    try:
        return {
            f"map of {nodes} nodes": measure_paper(application, folder, nodes, runs, slices)
            for nodes in NODES
        }
    finally:
        application.close()


def measure_paper(
    application: Application, folder: Path, nodes: int, runs: int, slices: int
) -> dict[str, dict[str, float]]:
    path = folder / f"paper-{nodes}.pdf"
    write_paper(path)
    made = store(application, path, nodes)
    resource, last = made.resource_id, made.list_node_ids()[-1]
    place = f"doc://{resource}#pages=1-{SLICE}"
    time.sleep(2.5)  # what was written a moment ago is not yet remembered

    def cut() -> None:
        found = application.maps.cut.resolve(asked(place)).evidence.output_path
        Path(str(found)).unlink()

    stores = iter([open_application(folder).bundles for _ in range(slices + 1)])
    return {
        "map read for the first time": times(lambda: next(stores).load_map(resource), slices),
        "map read again": times(lambda: application.maps.structure.map(PROJECT, resource), runs),
        "last node found": times(lambda: made.get_node(last), runs),
        "node resolved virtually": times(
            lambda: application.maps.cut.resolve(asked(resource, last, virtual=True)), runs
        ),
        "address resolved virtually": times(
            lambda: application.maps.cut.resolve(asked(place, virtual=True)), runs
        ),
        f"{SLICE} pages cut": times(cut, slices),
        f"{SLICE} pages that were cut before": times(
            lambda: application.maps.cut.resolve(asked(place)), runs
        ),
    }


def asked(name: str, node_id: str | None = None, *, virtual: bool = False) -> ResolveRequest:
    return ResolveRequest(project_id=PROJECT, name=name, node_id=node_id, virtual=virtual)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--slices", type=int, default=30)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder), wanted.runs, wanted.slices)
    print(json.dumps({"machine": platform.machine(), "cores": os.cpu_count(), **results}, indent=2))


if __name__ == "__main__":
    main()
