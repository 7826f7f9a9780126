"""Numbers of events, by which a client goes on where it was."""

from typing import Annotated, Final

from fastapi import Header, Query

from citeloom.domain.errors import InvalidRequest

HEADER: Final = "Last-Event-ID"
_HIGHEST: Final = 2**53 - 1

LastEventId = Annotated[
    str | None,
    Header(
        alias=HEADER,
        max_length=20,
        json_schema_extra={"pattern": "^[0-9]{1,15}$"},
        description="Number of the last event that the client has; `after` without one.",
    ),
]
After = Annotated[int, Query(ge=0, le=_HIGHEST, description="Begin after the event so numbered.")]


def begun_after(last_event_id: str | None, after: int) -> int:
    """The number of the last event that the client has, 0 without any. Raises InvalidRequest."""
    if last_event_id is None:
        return after
    is_number = last_event_id.isascii() and last_event_id.isdecimal()
    if not is_number or int(last_event_id) > _HIGHEST:
        raise InvalidRequest(
            f"{HEADER}: {last_event_id!r}: no number of an event; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )
    return int(last_event_id)


def check_given(after: int, last: int, whose: str) -> None:
    """Raises InvalidRequest for a number beyond the ``last`` event."""
    if after > last:
        raise InvalidRequest(
            f"{HEADER}: {after}: the {whose} has {last} events; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )
