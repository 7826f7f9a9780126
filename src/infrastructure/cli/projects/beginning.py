"""``citeloom`` without a command: what to do next in this workspace."""

from typing import TYPE_CHECKING

from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


def print_next_step() -> None:
    """The workspace and its project, and the commands that come next."""
    with application(None) as opened:
        for line in next_lines(opened):
            print_line(line)


def next_lines(opened: "Application") -> list[str]:
    where = f"workspace {opened.workspace.root}"
    projects = opened.projects.projects.standings()
    chosen = opened.projects.choice.default()
    if not projects:
        steps = [
            ("citeloom ingest FOLDER --references library.bib", "read your papers"),
            ("citeloom demo", "or try it on four sample papers"),
        ]
        return [f"No papers yet ({where}).", *_commands(steps)]
    if chosen is None:
        names = ", ".join(project.id for project in projects)
        steps = [
            ("citeloom project use NAME", "make one the default"),
            ('citeloom query "a question" -p NAME', "or name it each time"),
        ]
        return [f"Several projects: {names} ({where}).", *_commands(steps)]
    (project,) = (one for one in projects if one.id == chosen.value)
    if not project.documents:
        steps = [("citeloom ingest FOLDER --references library.bib", "read your papers")]
        return [f"Project {project.id} has no papers ({where}).", *_commands(steps)]
    papers = f"{project.documents} paper{'s' * (project.documents != 1)}"
    if not project.cited:
        steps = [
            ("citeloom ingest --references library.bib", "give them citation keys"),
            ('citeloom query "a question"', "find passages"),
        ]
        return [
            f"Project {project.id}: {papers}, none with a citation ({where}).",
            *_commands(steps),
        ]
    steps = [
        ('citeloom query "a question"', "passages with their pages"),
        ("citeloom list", "the papers"),
        ("citeloom verify DRAFT", "check the citations of a draft"),
    ]
    return [
        f"Project {project.id}: {papers}, {project.cited} with a citation ({where}).",
        *_commands(steps),
    ]


def _commands(steps: list[tuple[str, str]]) -> list[str]:
    longest = max(len(command) for command, _ in steps)
    told = [f"  {command.ljust(longest)}  {why}" for command, why in steps]
    return ["", *told, "", "`citeloom --help` lists all commands."]
