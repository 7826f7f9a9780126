"""Libraries that projects follow, in the catalogue's database (port ``FollowedLibraries``)."""

from collections.abc import Iterable, Mapping

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.library import EntryKind, Following, LibraryEntry
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.storage.database.database import Row
from citeloom.infrastructure.storage.database.store import SqlStore

_OF = "project_id = :project_id"
_ENTRY = f"{_OF} AND entry = :entry"


class SqlFollowedLibraries(SqlStore):
    def following(self, project_id: ProjectId) -> Following | None:
        rows = self._rows(f"SELECT body FROM followed WHERE {_OF}", _key(project_id))
        return Following.model_validate_json(rows[0]["body"]) if rows else None

    def follow(self, project_id: ProjectId, following: Following) -> None:
        row = {**_key(project_id), "body": following.model_dump_json()}
        self._put("followed", ("project_id",), [row])

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        rows = self._rows(f"SELECT * FROM entries WHERE {_OF}", _key(project_id))
        return {str(row["entry"]): _entry(row) for row in rows}

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        if rows := [_row(project_id, entry) for entry in entries]:
            self._put("entries", ("project_id", "entry"), rows)

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        if rows := [{**_key(project_id), "entry": key} for key in keys]:
            rows.sort(key=lambda row: row["entry"])
            with self._database.writing() as transaction:
                transaction.run_many(f"DELETE FROM entries WHERE {_ENTRY}", rows)


def _key(project_id: ProjectId) -> dict[str, str]:
    return {"project_id": project_id.value}


def _row(project_id: ProjectId, entry: LibraryEntry) -> Row:
    return {
        **_key(project_id),
        "entry": entry.key,
        "kind": entry.kind.value,
        "scope": entry.scope,
        "item": entry.item,
        "digest": entry.digest,
        "document_id": entry.document_id,
        "path": entry.stamp.path if entry.stamp else None,
        "size": entry.stamp.size if entry.stamp else None,
        "mtime_ns": entry.stamp.mtime_ns if entry.stamp else None,
        "annotations": entry.annotations,
    }


def _entry(row: Row) -> LibraryEntry:
    stamp = None
    if row["path"] is not None:
        stamp = SourceStamp(path=row["path"], size=row["size"], mtime_ns=row["mtime_ns"])
    return LibraryEntry(
        key=row["entry"],
        kind=EntryKind(row["kind"]),
        scope=row["scope"],
        item=row["item"],
        digest=row["digest"],
        document_id=row["document_id"],
        stamp=stamp,
        annotations=row["annotations"],
    )
