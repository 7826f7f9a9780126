"""Files of snapshots: names, and those that there are."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = "backups"
TIME: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"catalogue-(\d{8}T\d{6}Z)-([a-z]+)\.sqlite")
_NAMED: Final = 3


class Snapshot(NamedTuple):
    path: Path
    taken_at: datetime
    reason: str


def snapshots(database: Path) -> list[Snapshot]:
    """Those of a database, the newest first."""
    found = []
    with suppress(OSError):
        for path in (database.parent / FOLDER).iterdir():
            if match := _NAME.fullmatch(path.name):
                taken_at = datetime.strptime(match[1], TIME).replace(tzinfo=UTC)
                found.append(Snapshot(path, taken_at, match[2]))
    return sorted(found, key=lambda one: one.taken_at, reverse=True)


def in_words(found: list[Snapshot]) -> str:
    """``backups of 2026-11-22 09:10 (daily), …``, in local time."""
    if not found:
        return "there is no backup of it"
    times = [f"{one.taken_at.astimezone():%Y-%m-%d %H:%M} ({one.reason})" for one in found]
    more = f" and {len(times) - _NAMED} older" if len(times) > _NAMED else ""
    return f"backups of it: {', '.join(times[:_NAMED])}{more}"
