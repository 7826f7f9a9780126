"""Several processes in one workspace, and processes that die in the middle."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citeloom.domain.naming import citation_key
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace

COMMON = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from citeloom.application.ports.ingest import JournalEntry
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.conversion import ConversionResult, Structure
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId
from citeloom.infrastructure.ingest.bundles import FileIngestJournal
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace

workspace, name = Workspace(Path(sys.argv[1])), sys.argv[2]
project_id = ProjectId.parse(name)
NOW = datetime(2026, 1, 1, tzinfo=UTC)

def add_project():
    model = EmbeddingModel(name="m", dimension=3, digest="d", max_tokens=9)
    catalogue.add_project(
        Project(id=project_id, collection=project_id.collection, embedding_model=model,
                sparse_model="bm25", created_at=NOW))

def put(number):
    document_id = f"{number:064x}"
    catalogue.put_document(
        StoredDocument(
            project_id=project_id, document_id=document_id, mime_type="application/pdf",
            pages=1, chunks=1, sources=(SourceStamp(path=f"/{number}", size=1, mtime_ns=1),),
            conversion="a", chunking="b", embedding="c", stored_at=NOW,
            citation=CitationMeta(citekey=f"k{number}", title="t", authors=("a",))))

catalogue = SqlCatalogue(workspace.catalogue_url)
"""


def start(workspace: Workspace, name: str, code: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMMON + code, str(workspace.root), name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_two_processes_open_a_new_workspace_at_once(workspace: Workspace) -> None:
    code = """
log = FileIngestJournal(workspace.ingest_journal, max_bytes=20_000)
add_project()
for number in range(50):
    put(number)
    log.append(JournalEntry(correlation_id=name, timestamp=NOW, project_id=name,
                           source_path="x" * 100, documents_processed=number))
"""
    writers = [start(workspace, name, code) for name in ("one", "two")]
    while any(writer.poll() is None for writer in writers):
        # Reads while the schema is made and documents are written: never an error.
        reader = SqlCatalogue(workspace.catalogue_url)
        for project in reader.projects():
            reader.documents(project.id)
        reader.close()
        time.sleep(0.02)
    for writer in writers:
        finish(writer)
    catalogue = SqlCatalogue(workspace.catalogue_url)
    for name in ("one", "two"):
        assert len(catalogue.documents(ProjectId.parse(name))) == 50
    assert workspace.ingest_journal.with_name("ingests.jsonl.1").exists()
    lines = [
        json.loads(line)
        for path in workspace.logs.glob("ingests.jsonl*")
        for line in path.read_bytes().splitlines()
    ]
    assert len(lines) == 100


def run_and_kill(workspace: Workspace, code: str, *, after: float) -> None:
    """Kill a process that long after it wrote *ready*."""
    writer = start(workspace, "x", code)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    time.sleep(after)
    writer.send_signal(signal.SIGKILL)
    writer.communicate()


@pytest.mark.parametrize("kills", [1, pytest.param(6, marks=pytest.mark.faults)])
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_writer_leaves_whole_documents(workspace: Workspace, kills: int) -> None:
    code = """
try:
    add_project()
except Exception:
    pass
print("ready", flush=True)
number = 0
while True:
    put(number % 200)
    number += 1
"""
    randomly = random.Random(7)
    for _ in range(kills):
        run_and_kill(workspace, code, after=randomly.uniform(0.0, 0.1))
        catalogue = SqlCatalogue(workspace.catalogue_url)
        documents = catalogue.documents(ProjectId.parse("x"))
        for document in documents:
            assert document.citation is not None
            assert len(document.sources) == 1
        if documents:
            key = f"k{int(documents[-1].document_id, 16)}"
            found = catalogue.find_documents(documents[-1].project_id, [citation_key(key)])
            assert found == documents[-1:]
        catalogue.close()
    connection = sqlite3.connect(workspace.catalogue)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


@pytest.mark.parametrize("kills", [1, pytest.param(6, marks=pytest.mark.faults)])
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_bundle_whose_writer_is_killed_is_the_old_or_the_new_one(
    workspace: Workspace, kills: int
) -> None:
    code = """
store = FileBundleStore(FolderBlobs(workspace.bundles), FolderBlobs(workspace.maps))
results = [
    ConversionResult(doc_id="5e" * 32, structure=Structure(heading_tree=(), page_map=()),
                     plain_text=letter * 2_000_000)
    for letter in "ab"
]
store.save(results[0], "f")
print("ready", flush=True)
while True:
    for result in results:
        store.save(result, "f")
"""
    randomly = random.Random(11)
    store = FileBundleStore(FolderBlobs(workspace.bundles), FolderBlobs(workspace.maps))
    for _ in range(kills):
        run_and_kill(workspace, code, after=randomly.uniform(0.0, 0.1))
        found = store.load("5e" * 32, "f")
        assert found is not None
        assert set(found.plain_text) in ({"a"}, {"b"})
        # The next writer has removed what the ones before it left.
        assert len(list(workspace.bundles.rglob("*.tmp"))) <= 1
    assert list(store.ids()) == ["5e" * 32]
