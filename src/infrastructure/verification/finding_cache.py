"""Cache of findings about claims: JSON lines with ``key`` and ``finding``."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from citeloom.domain.verification.drafts.draft import Finding
from citeloom.infrastructure.system.files import storage_failed, write_atomic
from citeloom.infrastructure.system.workspace import make_folder

_MAX_FINDINGS = 5_000


class FindingFile:
    """The latest 5,000 findings; unreadable lines (of another version) are skipped. The file is
    read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[tuple[int, int], Mapping[str, Finding]] | None = None

    def load(self) -> Mapping[str, Finding]:
        try:
            status = self._path.stat()
            state = status.st_mtime_ns, status.st_size
            if self._read is not None and self._read[0] == state:
                return self._read[1]
            findings = _findings(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise storage_failed(self._path, error, "read") from error
        self._read = state, findings
        return findings

    def save(self, findings: Mapping[str, Finding]) -> None:
        make_folder(self._path.parent)
        latest = islice(findings.items(), max(0, len(findings) - _MAX_FINDINGS), None)
        lines = [
            json.dumps({"key": key, "finding": finding.model_dump(mode="json")}, ensure_ascii=False)
            for key, finding in latest
        ]
        write_atomic(self._path, "".join(f"{line}\n" for line in lines).encode())


def _findings(text: str) -> dict[str, Finding]:
    findings: dict[str, Finding] = {}
    for line in text.split("\n"):  # not at the line separators that a text may hold
        try:
            entry = json.loads(line)
            findings[entry["key"]] = Finding.model_validate(entry["finding"])
        except (ValueError, TypeError, KeyError, ValidationError):
            continue
    return findings
