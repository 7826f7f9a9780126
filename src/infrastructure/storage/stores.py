"""Annotations, labels and followed libraries in the catalogue's database."""

import json
from collections.abc import Iterable, Mapping, Sequence

from pydantic import TypeAdapter

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.library import EntryKind, Following, LibraryEntry
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.metadata import ResourceLabel

from .database.database import Row
from .database.store import SqlStore
from .rows import json_text


class _Principals(SqlStore):
    def is_empty(self) -> bool:
        return not self._rows("SELECT 1 FROM principals LIMIT 1", {})


def has_principals(url: str) -> bool:
    """``url`` is that of the catalogue. Raises StorageFailed."""
    store = _Principals(url)
    try:
        return not store.is_empty()
    finally:
        store.close()


_ONE_MARK = "project_id = :project_id AND document_id = :document_id"
_BODY = TypeAdapter(tuple[LibraryAnnotation, ...])


class SqlAnnotationStore(SqlStore):
    """One row per document."""

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        row = {
            **_mark_key(project_id, document_id),
            "digest": "",
            "annotations": len(annotations),
            "body": _BODY.dump_json(tuple(annotations), exclude_defaults=True).decode(),
        }
        self._put("annotations", ("project_id", "document_id"), [row])

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        row = {**_mark_key(project_id, document_id), "digest": digest}
        self._run(f"UPDATE annotations SET digest = :digest WHERE {_ONE_MARK}", row)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        rows = self._of(project_id, "annotations", "body", document_id=document_id)
        return _BODY.validate_json(rows[0]["body"]) if rows else ()

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        rows = self._of(project_id, "annotations", "document_id, digest")
        return {row["document_id"]: row["digest"] for row in rows}

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        columns = "document_id, annotations"
        rows = self._of(project_id, "annotations", columns, "AND annotations > 0")
        return {row["document_id"]: row["annotations"] for row in rows}


def _mark_key(project_id: ProjectId, document_id: str) -> dict[str, str]:
    return {"project_id": project_id.value, "document_id": document_id}


_ONE = "project_id = :project_id AND target = :target AND name = :name"


class SqlLabelStore(SqlStore):
    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        row = {
            "project_id": project_id.value,
            "target": label.target,
            "name": label.name,
            "document_id": document_id,
            "value": json_text(label.value),
        }
        self._put("labels", ("project_id", "target", "name"), [row])

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        key = {"project_id": project_id.value, "target": target, "name": name}
        return bool(self._run(f"DELETE FROM labels WHERE {_ONE}", key))

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        key = {} if document_id is None else {"document_id": document_id}
        labels = [_label(row) for row in self._of(project_id, "labels", **key)]
        return sorted(labels, key=lambda label: (label.target, label.name))


def _label(row: Row) -> ResourceLabel:
    return ResourceLabel(name=row["name"], target=row["target"], value=json.loads(row["value"]))


_LAST = "ORDER BY number DESC LIMIT 1"


class SqlOwnRecords(SqlStore):
    """One row a change, numbered from 1 in each project; the last one of a document counts."""

    def own(self, project_id: ProjectId, document_id: str) -> OwnMetadata | None:
        rows = self._of(project_id, "own_changes", more=_LAST, document_id=document_id)
        return _change(rows[0]).after if rows else None

    def owned(self, project_id: ProjectId) -> Mapping[str, OwnMetadata]:
        rows = self._of(project_id, "own_changes", more="ORDER BY number")
        return {row["document_id"]: _change(row).after for row in rows}

    def put(self, project_id: ProjectId, change: OwnChange) -> None:
        row = {
            "project_id": project_id.value,
            "document_id": change.document_id,
            "what": change.what,
            "body": change.after.model_dump_json(exclude_defaults=True),
        }
        with self._database.writing() as transaction:
            if not transaction.rows("SELECT id FROM projects WHERE id = :project_id", row):
                raise ProjectNotFound(project_id.value)
            transaction.run(
                "INSERT INTO own_changes (project_id, number, document_id, what, body) "
                "SELECT :project_id, COALESCE(MAX(number), 0) + 1, :document_id, :what, :body "
                "FROM own_changes WHERE project_id = :project_id",
                row,
            )

    def last(self, project_id: ProjectId) -> OwnChange | None:
        rows = self._of(project_id, "own_changes", more=_LAST)
        return _change(rows[0]) if rows else None

    def undo(self, project_id: ProjectId) -> OwnChange | None:
        last = self.last(project_id)
        if last is None:
            return None
        self._run(
            "DELETE FROM own_changes WHERE project_id = :project_id AND number = "
            "(SELECT MAX(number) FROM own_changes WHERE project_id = :project_id)",
            {"project_id": project_id.value},
        )
        before = self.own(project_id, last.document_id) or OwnMetadata()
        return last.model_copy(update={"after": before})


def _change(row: Row) -> OwnChange:
    return OwnChange(
        document_id=row["document_id"],
        what=row["what"],
        after=OwnMetadata.model_validate_json(row["body"]),
    )


#: Columns of entries that hold a field of their name as it is.
_SAME = ("scope", "item", "digest", "document_id", "annotations")


class SqlFollowedLibraries(SqlStore):
    def following(self, project_id: ProjectId) -> Following | None:
        rows = self._of(project_id, "followed", "body")
        return Following.model_validate_json(rows[0]["body"]) if rows else None

    def follow(self, project_id: ProjectId, following: Following) -> None:
        row = {**_key(project_id), "body": following.model_dump_json()}
        self._put("followed", ("project_id",), [row])

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        return {str(row["entry"]): _entry(row) for row in self._of(project_id, "entries")}

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        if rows := [_row(project_id, entry) for entry in entries]:
            self._put("entries", ("project_id", "entry"), rows)

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        if rows := [{**_key(project_id), "entry": key} for key in keys]:
            rows.sort(key=lambda row: row["entry"])
            with self._database.writing() as transaction:
                transaction.run_many(
                    "DELETE FROM entries WHERE project_id = :project_id AND entry = :entry", rows
                )


def _key(project_id: ProjectId) -> dict[str, str]:
    return {"project_id": project_id.value}


def _row(project_id: ProjectId, entry: LibraryEntry) -> Row:
    stamp = dict(entry.stamp) if entry.stamp else dict.fromkeys(SourceStamp.model_fields)
    fields = {name: getattr(entry, name) for name in _SAME}
    return {**_key(project_id), "entry": entry.key, "kind": entry.kind.value, **fields, **stamp}


def _entry(row: Row) -> LibraryEntry:
    stamp = {name: row[name] for name in SourceStamp.model_fields}
    return LibraryEntry(
        key=row["entry"],
        kind=EntryKind(row["kind"]),
        stamp=SourceStamp(**stamp) if row["path"] is not None else None,
        **{name: row[name] for name in _SAME},
    )
