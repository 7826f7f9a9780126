"""Preferences of a user, and feedback on reports."""

from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from citeloom.application.ports.research import UserRecord
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.research.session import (
    LOCAL_USER,
    Depth,
    MessageFeedback,
    QueryMode,
    Rating,
    ResearchSession,
    UserPreferences,
)

_PREFERENCES: Final = uuid5(NAMESPACE_URL, "citeloom:user_preferences")


def no_web_search(parameter: str) -> InvalidRequest:
    return InvalidRequest(
        f"{parameter}: web_search: nothing is asked of the web, answers come from your own papers; "
        "choose simple or deep_research",
        parameter=parameter,
    )


class Users:
    """Preferences and feedback of one user."""

    def __init__(self, users: UserRecord, clock: Clock, user_id: str = LOCAL_USER) -> None:
        self._users = users
        self._clock = clock
        self._user = user_id

    def preferences(self) -> UserPreferences | None:
        return self._users.preferences(self._user)

    def prefer(
        self, instructions: str | None = None, depth: Depth | None = None
    ) -> UserPreferences:
        """Change the given preferences and keep the others; returns all of them."""
        now = self._clock.now()
        current = self.preferences() or UserPreferences(
            id=uuid5(_PREFERENCES, self._user), user_id=self._user, created_at=now, updated_at=now
        )
        given = {"system_instructions": instructions, "default_research_depth": depth}
        changes = {name: value for name, value in given.items() if value is not None}
        changed = current.model_copy(update={**changes, "updated_at": now})
        self._users.prefer(changed)
        return changed

    def replace(
        self, instructions: str | None, query_mode: QueryMode | None, depth: Depth | None
    ) -> UserPreferences:
        """Replace all preferences; None is none. Raises InvalidRequest for a query mode that
        there is none of."""
        if query_mode is QueryMode.WEB_SEARCH:
            raise no_web_search("default_query_mode")
        now = self._clock.now()
        current = self.preferences()
        replaced = UserPreferences(
            id=uuid5(_PREFERENCES, self._user),
            user_id=self._user,
            system_instructions=instructions,
            default_query_mode=query_mode,
            default_research_depth=depth,
            created_at=current.created_at if current else now,
            updated_at=now,
        )
        self._users.prefer(replaced)
        return replaced

    def clear(self) -> bool:
        """Delete the preferences; returns whether there were any."""
        return self._users.forget(self._user)

    def rate(
        self, session: ResearchSession, rating: Rating, text: str | None = None
    ) -> MessageFeedback:
        """Rate the report of a session. Raises SessionNotFound if it no longer exists."""
        return self.rate_message(session.message_id, rating, text)

    def rate_message(
        self, message_id: UUID, rating: Rating, text: str | None = None
    ) -> MessageFeedback:
        """Rate an agent's message. Raises SessionNotFound if it no longer exists."""
        now = self._clock.now()
        feedback = MessageFeedback(
            id=uuid5(message_id, f"feedback/{self._user}/{now.isoformat()}"),
            message_id=message_id,
            user_id=self._user,
            rating=rating,
            feedback_text=text,
            created_at=now,
        )
        self._users.rate(feedback)
        return feedback

    def feedback(self, message_id: UUID) -> tuple[MessageFeedback, ...]:
        """Feedback on an agent's message, the oldest first."""
        return tuple(self._users.feedback(message_id))
