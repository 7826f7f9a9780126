"""Several processes cut the same evidence at once: all get one file, whole."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from support.pdf.written_pdf import Text, write_pdf

WORKER = """
import sys
from hashlib import sha256
from pathlib import Path
from citeloom.application.ports.maps import CutRequest
from citeloom.domain.maps.resource_map import Location
from citeloom.infrastructure.maps.evidence.cutters import cutters
from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
store, cutter = FileEvidenceStore(folder), cutters()["document"]
sys.stdin.readline()
for number in range(1, 31):
    pages = Location(modality="document", pages=(number, 99))
    cut = CutRequest(source_hash="ab", location=pages, title="t")
    kept = store.keep(
        f"paper-{number}.pdf", lambda target: cutter.write(source, cut, None, target)
    )
    print(kept.path.name, sha256(kept.path.read_bytes()).hexdigest(), len(kept.warnings))
"""


@pytest.mark.server
def test_processes_that_cut_at_once_share_one_file(tmp_path: Path) -> None:
    source = write_pdf(tmp_path / "paper.pdf", [[Text(72, 720, f"P {n}")] for n in range(40)])
    folder = tmp_path / ".citeloom" / "evidence"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(source), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(3)
    ]
    for worker in workers:  # all at once, when all are ready
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [worker.communicate(timeout=120)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert len(set(said)) == 1
    lines = [line.split() for line in said[0].splitlines()]
    files = {path.name: path for path in folder.iterdir()}
    assert len(lines) == 30
    assert set(files) == {f"{name}{end}" for name, *_ in lines for end in ("", ".warnings.json")}
    for name, digest, warnings in lines:
        assert sha256(files[name].read_bytes()).hexdigest() == digest
        assert warnings == "1"
