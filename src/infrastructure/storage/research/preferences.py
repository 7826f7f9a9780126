"""User preferences and feedback in SQL (port ``UserRecord``)."""

from collections.abc import Sequence
from uuid import UUID

from citeloom.domain.errors import SessionNotFound
from citeloom.domain.research.session import MessageFeedback, UserPreferences
from citeloom.infrastructure.storage.catalogue import open_database
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    Row,
    insert_into,
    put_into,
)
from citeloom.infrastructure.storage.research.rows import row_of, value_of


class SqlUserRecord:
    """At ``url``, as of ``SqlCatalogue``. Opened on first use."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url)

    def preferences(self, user_id: str) -> UserPreferences | None:
        statement = "SELECT * FROM user_preferences WHERE user_id = :user_id"
        rows = self._rows(statement, {"user_id": user_id})
        return value_of(UserPreferences, rows[0]) if rows else None

    def prefer(self, preferences: UserPreferences) -> None:
        row = row_of(preferences)
        with self._database.writing() as transaction:
            transaction.run(put_into("user_preferences", row, key="user_id"), row)

    def forget(self, user_id: str) -> bool:
        if self.preferences(user_id) is None:  # nothing is written then
            return False
        with self._database.writing() as transaction:
            statement = "DELETE FROM user_preferences WHERE user_id = :user_id"
            return bool(transaction.run(statement, {"user_id": user_id}))

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        rows = self._rows(
            "SELECT * FROM message_feedback WHERE message_id = :id ORDER BY created_at, id",
            {"id": str(message_id)},
        )
        return tuple(value_of(MessageFeedback, row) for row in rows)

    def rate(self, feedback: MessageFeedback) -> None:
        row = row_of(feedback)
        try:
            with self._database.writing() as transaction:
                transaction.run(insert_into("message_feedback", row), row)
        except ConflictError:
            raise SessionNotFound(
                f"{feedback.message_id}: no such report; `citeloom session list` shows those "
                "that there are",
                message_id=str(feedback.message_id),
            ) from None

    def close(self) -> None:
        self._database.close()

    def _rows(self, statement: str, parameters: Row) -> list[Row]:
        with self._database.reading() as transaction:
            return transaction.rows(statement, parameters) if transaction else []
