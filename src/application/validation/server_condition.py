"""Check of the server that keeps an index: its copies, its disk, its optimizers."""

from collections.abc import Iterator

from citeloom.application.ports.index import Index
from citeloom.application.validation.checks import Check, failed, passed, warned
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted

_CHECK = "server"


def server_condition(project: Project, index: Index) -> Iterator[Check]:
    """Nothing for an index in the workspace. Raises IndexUnavailable."""
    found = index.condition(project.collection, try_write=True)
    if found is None:
        return
    for fault in found.faults:
        yield failed(project, _CHECK, fault, "see to it on the server, and validate again")
    if found.warnings:
        yield warned(
            project,
            _CHECK,
            "copies are missing",
            "start the nodes that are away; they catch up by themselves",
            found.warnings,
        )
    if not (found.faults or found.warnings):
        shards = f"{counted(found.shards, 'shard')}, {counted(found.copies, 'copy', 'copies')}"
        yield passed(project, _CHECK, "; ".join((f"{found.state}, {shards}", *found.notes)))
