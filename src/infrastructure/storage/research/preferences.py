"""User preferences and feedback in SQL (port ``UserRecord``)."""

from collections.abc import Sequence
from uuid import UUID

from citeloom.domain.errors import SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.session import MessageFeedback, UserPreferences
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    insert_into,
    put_into,
)
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.research.rows import row_of, value_of


class SqlUserRecord(SqlStore):
    def preferences(self, user_id: str) -> UserPreferences | None:
        statement = "SELECT * FROM user_preferences WHERE user_id = :user_id"
        rows = self._rows(statement, {"user_id": user_id})
        return value_of(UserPreferences, rows[0]) if rows else None

    def prefer(self, preferences: UserPreferences) -> None:
        row = row_of(preferences)
        self._run(put_into("user_preferences", row, key="user_id"), row)

    def forget(self, user_id: str) -> bool:
        if self.preferences(user_id) is None:  # nothing is written then
            return False
        statement = "DELETE FROM user_preferences WHERE user_id = :user_id"
        return bool(self._run(statement, {"user_id": user_id}))

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        rows = self._rows(
            "SELECT * FROM message_feedback WHERE message_id = :id ORDER BY created_at, id",
            {"id": str(message_id)},
        )
        return tuple(value_of(MessageFeedback, row) for row in rows)

    def rate(self, feedback: MessageFeedback) -> None:
        row = row_of(feedback)
        try:
            self._run(insert_into("message_feedback", row), row)
        except ConflictError:
            raise SessionNotFound(
                f"{feedback.message_id}: no such report",
                NextStep(Action.LIST_SESSIONS),
                message_id=str(feedback.message_id),
            ) from None
