"""Findings of *validate*."""

from collections.abc import Sequence
from enum import StrEnum

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.messages import Action, MessageText, UserMessage
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import listed
from citeloom.domain.value import Value


class Status(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"


class Check(Value):
    """One finding: what was looked at, how it stands, and what to do. ``items`` are all that
    it concerns, where ``message`` names only some."""

    project: str | None = None
    check: str
    status: Status
    message: MessageText
    guidance: MessageText = ""
    items: tuple[str, ...] = ()

    @property
    def repairable(self) -> bool:
        """Whether it failed, and a repair is what to do."""
        texts = [one for one in (self.message, self.guidance) if isinstance(one, UserMessage)]
        steps = [text.next_step.action for text in texts if text.next_step is not None]
        return self.status is Status.FAIL and Action.REPAIR in steps


class Validation(Value):
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.status is not Status.FAIL for check in self.checks)


def passed(project: Project, check: str, message: str) -> Check:
    return Check(project=project.id.value, check=check, status=Status.PASS, message=message)


def failed(
    project: Project, check: str, message: str, guidance: str = "", items: Sequence[str] = ()
) -> Check:
    return Check(
        project=project.id.value,
        check=check,
        status=Status.FAIL,
        message=message,
        guidance=guidance,
        items=tuple(items),
    )


def warned(
    project: Project, check: str, message: str, guidance: str, items: Sequence[str]
) -> Check:
    """``message`` and the first of ``items``."""
    return Check(
        project=project.id.value,
        check=check,
        status=Status.WARN,
        message=f"{message}: {listed(items)}",
        guidance=guidance,
        items=tuple(items),
    )


def named(document: StoredDocument) -> str:
    return document.path or document.document_id[:16]
