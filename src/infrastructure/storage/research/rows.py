"""Rows of the research record's tables, from entities and back.

A column has the name of its field. Texts hold UUIDs, times (UTC, always with microseconds, so that
they sort chronologically) and, as JSON, structured values.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, TypeVar
from uuid import UUID

from citeloom.domain.research.events import ResearchEvent, from_wire, to_wire
from citeloom.domain.research.session import ResearchSession
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.database.database import Row
from citeloom.infrastructure.storage.rows import json_text

_V = TypeVar("_V", bound=Value)
_JSON: Final = frozenset(
    {"classification", "plan", "state", "verification_summary", "regions", "passages"}
)

#: Columns of a list of sessions: all but the state, which may be large.
LISTED: Final = ", ".join(name for name in ResearchSession.model_fields if name != "state")

_DIGITS = re.compile(r"[0-9a-f]{0,32}")
# Groups of digits in the canonical form of a UUID (RFC 9562, 4).
_GROUPS: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))


def session_prefix(text: str) -> str | None:
    """``text`` as the prefix of a session id, if it is a valid one; hyphens are optional."""
    digits = text.strip().lower().replace("-", "")
    if not _DIGITS.fullmatch(digits):
        return None
    return "-".join(digits[start:end] for start, end in _GROUPS if start < len(digits))


def time_text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def row_of(value: Value, **more: object) -> dict[str, Any]:
    """The row of an entity; ``more`` are columns that are not fields of it."""
    return {name: _stored(name, field) for name, field in value.model_dump().items()} | more


def rows_of(values: Sequence[Value], first: int = 0) -> list[Row]:
    """With ordinals from ``first`` on."""
    return [row_of(value, ordinal=number) for number, value in enumerate(values, start=first)]


def value_of(kind: type[_V], row: Row) -> _V:
    """The entity of a row; columns that are not fields are ignored."""
    return kind.model_validate(
        {name: _parsed(name, row[name]) for name in kind.model_fields if name in row}
    )


def event_row(event: ResearchEvent, session: ResearchSession) -> Row:
    return {
        "id": str(session.part_id("event", event.sequence)),
        "research_session_id": str(session.id),
        "sequence": event.sequence,
        "event_type": event.event_type,
        "payload": json_text(to_wire(event)),
        "timestamp": time_text(event.timestamp),
    }


def event_in(row: Row) -> ResearchEvent:
    return from_wire(json.loads(row["payload"]))


def _stored(name: str, field: object) -> object:
    if field is None:
        return None
    if name in _JSON:
        return json_text(field)
    if isinstance(field, UUID):
        return str(field)
    if isinstance(field, datetime):
        return time_text(field)
    return field.value if isinstance(field, Enum) else field


def _parsed(name: str, stored: Any) -> Any:
    return json.loads(stored) if name in _JSON and stored is not None else stored
