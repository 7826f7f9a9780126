"""Principal: somebody who has a token of a server; roles in projects."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field, field_validator

from citeloom.domain.errors import InvalidRequest, Refused, shown
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import DEFAULT_NAMESPACE
from citeloom.domain.value import Value

# Also the namespace of the projects that the principal creates.
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?")


class Role(StrEnum):
    """What a principal is to a project: a ``reader`` sees all of it, an ``owner`` also changes and
    deletes it."""

    READER = "reader"
    OWNER = "owner"


class Principal(Value):
    """Somebody whom a server knows by a token. An administrator may do everything in all
    projects."""

    name: str = Field(pattern=_NAME.pattern)
    is_administrator: bool = False
    created_at: datetime

    @field_validator("name")
    @classmethod
    def _own(cls, name: str) -> str:
        return principal_name(name)


def principal_name(text: str) -> str:
    """Raises InvalidRequest for what cannot be the name of a principal."""
    if not _NAME.fullmatch(text) or text == DEFAULT_NAMESPACE:
        raise InvalidRequest(
            f"{shown(text)}: no name of a principal: write 1 to 40 small letters a-z, digits, "
            f"'.', '_' and '-', first and last a letter or digit, and not {DEFAULT_NAMESPACE!r}",
            parameter="name",
        )
    return text


class PrincipalNotFound(Refused):
    code = "PRINCIPAL_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(f"{shown(name)}: no such principal here", name=name)


class PrincipalExists(Refused):
    code = "PRINCIPAL_EXISTS"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: is a principal already; renew its token",
            name=name,
        )


class FormerPrincipal(Refused):
    code = "FORMER_PRINCIPAL"

    def __init__(self, name: str, removed_at: datetime) -> None:
        super().__init__(
            f"{name}: a principal of this name was removed on {removed_at:%Y-%m-%d}, and whoever "
            "gets the name sees its chats, reviews and drafts; name somebody else differently",
            NextStep(Action.ADD_AGAIN),
            name=name,
        )
