"""Handler of remove."""

from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers.removal import RemovalReply, removed, to_confirm
from citeloom.infrastructure.mcp.contract.parameters.removal import RemoveParameters
from citeloom.infrastructure.serving.errors import ProjectBusy
from citeloom.infrastructure.serving.next_steps import if_offered
from citeloom.infrastructure.serving.served import Served


def remove(served: Served, parameters: RemoveParameters) -> RemovalReply:
    """Lists what would go, or removes it where that is confirmed."""
    verb = served.application.projects.remove
    removal = verb.plan(ProjectId.parse(parameters.project), parameters.documents)
    if parameters.confirm is None:
        return to_confirm(removal)
    _refuse_during_job(served, removal.project_id.value)
    verb(removal, parameters.confirm)
    return removed(removal)


def _refuse_during_job(served: Served, project: str) -> None:
    """What a job reads or writes does not go from under it."""
    for job in served.jobs.going_on(project):
        cancel = if_offered("jobs", f", or cancel it with jobs, job_id {job.id}")
        raise ProjectBusy(project, job.kind, job.id, cancel)
