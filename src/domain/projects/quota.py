"""How much a project may hold."""

from citeloom.domain.errors import Refused


class QuotaExceeded(Refused):
    """A project holds as much as it may; ``setting`` says how much that is."""

    code = "QUOTA_EXCEEDED"

    def __init__(self, name: str, project: str, setting: str, most: int) -> None:
        what = setting.removeprefix("quota.project_")
        super().__init__(
            f"{name}: {project} may hold {most:,} {what} ({setting}); remove some, or have the "
            "setting raised",
            project=project,
            setting=setting,
            most=most,
        )
