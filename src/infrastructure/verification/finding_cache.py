"""What was found about claims before: one JSON document a line, ``KEY`` and ``finding``."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from citeloom.domain.verification.drafts.findings import Finding
from citeloom.infrastructure.system.atomic_files import write_atomic
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.workspace import make_folder

_MOST = 5_000


class FindingFile:
    """A file of at most 5,000 findings, the latest; lines that cannot be read (of another
    version) are left out."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Mapping[str, Finding]:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise storage_failed(self._path, error, "read") from error
        found: dict[str, Finding] = {}
        for line in lines:
            try:
                entry = json.loads(line)
                found[entry["key"]] = Finding.model_validate(entry["finding"])
            except (ValueError, TypeError, KeyError, ValidationError):
                continue
        return found

    def save(self, findings: Mapping[str, Finding]) -> None:
        make_folder(self._path.parent)
        kept = islice(findings.items(), max(0, len(findings) - _MOST), None)
        lines = [
            json.dumps({"key": key, "finding": found.model_dump(mode="json")}, ensure_ascii=False)
            for key, found in kept
        ]
        write_atomic(self._path, "".join(f"{line}\n" for line in lines).encode())
