"""Answers to requests with an idempotency key, in SQL (port ``AnswerRecord``)."""

import base64
import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Final

from citeloom.infrastructure.storage.database.database import (
    Row,
    Transaction,
    insert_into,
    time_text,
)
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.jobs.record import changing, hear
from citeloom_server.application.answers import GivenAnswer, KnownKey, RequestKey

#: How long an answer is kept, and how many; the oldest are forgotten first.
KEPT_FOR: Final = timedelta(days=1)
MOST: Final = 1000
# Held while a key is taken: of equal ones that come at once, one is.
_BEGINNING: Final = "given_answers"
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_KEY: Final = "owner = :owner AND key = :key"


class SqlAnswerRecord(SqlStore):
    def begin(self, request: RequestKey, worker: str, at: datetime) -> KnownKey | None:
        with changing(self._database) as transaction:
            transaction.hold(_BEGINNING)
            _forget_old(transaction, at)
            hear(transaction, worker, at)
            rows = transaction.rows(
                "SELECT given_answers.*, workers.heard_at AS heard_at FROM given_answers "
                f"LEFT JOIN workers ON workers.id = given_answers.worker WHERE {_KEY}",
                _named(request),
            )
            if rows:
                return _known(rows[0])
            row = {
                **_named(request),
                "target": request.target,
                "worker": worker,
                "begun_at": time_text(at),
            }
            transaction.run(insert_into("given_answers", row), row)
        return None

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        body = base64.b64encode(zlib.compress(answer.body, 1)).decode()
        row = {
            **_named(request),
            "digest": answer.digest,
            "status": answer.status,
            "headers": json.dumps(answer.headers),
            "body": body,
        }
        with changing(self._database) as transaction:
            transaction.run(
                "UPDATE given_answers SET digest = :digest, status = :status, headers = :headers, "
                f"body = :body WHERE {_KEY}",
                row,
            )

    def forget(self, request: RequestKey) -> None:
        with changing(self._database) as transaction:
            transaction.run(f"DELETE FROM given_answers WHERE {_KEY}", _named(request))


def _named(request: RequestKey) -> dict[str, str]:
    return {"owner": request.owner, "key": request.key}


def _known(row: Row) -> KnownKey:
    answer = None
    if row["digest"] is not None:
        answer = GivenAnswer(
            digest=row["digest"],
            status=row["status"],
            headers=tuple((name, value) for name, value in json.loads(row["headers"])),
            body=zlib.decompress(base64.b64decode(row["body"])),
        )
    heard_at = datetime.fromisoformat(row["heard_at"]) if row["heard_at"] else _NEVER
    return KnownKey(target=row["target"], answer=answer, worker=row["worker"], heard_at=heard_at)


def _forget_old(transaction: Transaction, now: datetime) -> None:
    transaction.run(
        "DELETE FROM given_answers WHERE begun_at <= :before", {"before": time_text(now - KEPT_FOR)}
    )
    newest = "SELECT begun_at FROM given_answers WHERE digest IS NOT NULL ORDER BY begun_at DESC"
    transaction.run(
        f"DELETE FROM given_answers WHERE digest IS NOT NULL AND begun_at <= "
        f"({newest} LIMIT 1 OFFSET :most)",
        {"most": MOST - 1},
    )
