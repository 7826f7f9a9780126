"""The command ``doctor``, and ``citeloom`` alone: the state of the installation, the next step."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from platform import python_version
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.text.phrasing import counted
from citeloom.infrastructure.plugins import install_line

from .shared.frame import Output
from .shared.output import in_words, print_table
from .shared.run import application, in_this_shell, note
from .shared.terminal import print_line, quoted

if TYPE_CHECKING:
    from citeloom.application.projects.projects import ProjectStanding
    from citeloom.infrastructure.composition.application import Application

Steps = list[tuple[str, str]]
_INGEST: Final = ("citeloom ingest FOLDER --references library.bib", "read your papers")


@dataclass(frozen=True)
class Diagnosis:
    """``state`` is ok, off (not set up, and not needed) or fail; ``next`` is a command."""

    part: str
    state: str
    text: str
    next: str = ""


def print_next_step() -> None:
    """The workspace and its project, and the commands that come next."""
    with application(None) as opened:
        for line in next_lines(opened):
            print_line(line)


def next_lines(opened: "Application") -> list[str]:
    state, steps = _standing(opened)
    end = "`citeloom --help` lists the commands, `citeloom doctor` checks the installation."
    return [f"{state} (workspace {opened.workspace.root}).", "", *_lines(steps), "", end]


def _standing(opened: "Application") -> tuple[str, Steps]:
    """The state of the default project in a sentence, and what comes next."""
    projects = opened.projects.projects.standings()
    chosen = opened.projects.choice.default()
    ask = ('citeloom query "a question"', "find passages with their pages")
    if not projects:
        return "No papers yet", [_INGEST, ("citeloom demo", "or try it on four sample papers")]
    if chosen is None:
        names = ", ".join(project.id for project in projects)
        use = (f"citeloom project use {projects[0].id}", "choose the project to work in")
        return f"{len(projects)} projects, and no default: {names}", [use]
    (project,) = (one for one in projects if one.id == chosen.value)
    if not project.documents:
        return f"Project {_counted(project)}", [_INGEST]
    if not project.cited:
        keys = ("citeloom ingest --references library.bib", "replace the provisional citations")
        return f"Project {_counted(project)}", [keys, ask]
    others = [
        ("citeloom list", "list the papers"),
        ("citeloom verify DRAFT", "check the citations of a draft"),
    ]
    return f"Project {_counted(project)}", [ask, *others]


def _counted(project: "ProjectStanding") -> str:
    left = project.documents - project.cited
    provisional = f", {left} with a provisional citation" if left else ""
    return f"{project.id}: {counted(project.documents, 'paper')}{provisional}"


def _lines(steps: Steps) -> list[str]:
    commands = [_here(command) for command, _ in steps]
    longest = max(map(len, commands))
    return [
        f"  {command.ljust(longest)}  {why}"
        for command, (_, why) in zip(commands, steps, strict=True)
    ]


def _here(command: str) -> str:
    return in_this_shell(f"`{command}`").strip("`")


def doctor(opened: "Application") -> Output:
    """Check the installation, the models, the projects, Zotero and the server, and say what comes
    next. The exit code is 1 if something fails."""
    found = [one for part in _PARTS for one in part(opened)]
    steps = _standing(opened)[1]
    ok = all(one.state != "fail" for one in found)

    def shown() -> None:
        rows = [(f"{one.state:4}  {one.part}", one.text) for one in found]
        remedies = [("", f"→ {_here(one.next)}" if one.next else "") for one in found]
        pairs = [each for both in zip(rows, remedies, strict=True) for each in both if each[1]]
        print_table(None, ("", ""), pairs)
        for line in ("", "Next:", *_lines(steps)):
            print_line(line)

    document = {"ok": ok, "checks": list(map(asdict, found)), "next": [one for one, _ in steps]}
    return Output(document, shown, code=0 if ok else 1)


def _installed(opened: "Application") -> Iterator[Diagnosis]:
    from citeloom import __version__
    from citeloom.infrastructure.composition.ingest import ocr_engine

    from .command_table import EXTRAS, all_entries

    entries = all_entries()
    there = ", ".join(dict.fromkeys(extra for name, extra in EXTRAS.items() if name in entries))
    absent = ",".join(dict.fromkeys(extra for name, extra in EXTRAS.items() if name not in entries))
    yield Diagnosis("CiteLoom", "ok", f"{__version__} on Python {python_version()}")
    state, install = ("off", install_line(absent)) if absent else ("ok", "")
    yield Diagnosis("packages", state, f"installed: {there or 'none'}", install)
    ocr = ocr_engine(opened.settings)
    if ocr.reader is None:
        yield Diagnosis("OCR", "off", "scanned pages cannot be read", ocr.remedy)
    else:
        yield Diagnosis("OCR", "ok", ocr.problem or ocr.fingerprint, ocr.remedy)


def _models(opened: "Application") -> Iterator[Diagnosis]:
    settings = opened.settings
    names = {
        "embedding": settings.embedding.default_model,
        "reranker": settings.query.reranker,
        **{one.id.value: one.embedding_model.name for one in opened.stores.catalogue.projects()},
    }
    for name in dict.fromkeys(names.values()):
        uses = ", ".join(use for use, model in names.items() if model == name)
        yield _model(opened, name, uses)
    language = settings.llm.model if settings.llm.url else ""
    how = f"{language} at {settings.llm.url}" if language else "not set up; reviews quote only"
    yield Diagnosis("language model", "ok" if language else "off", how)


def _model(opened: "Application", name: str, uses: str) -> Diagnosis:
    try:
        model = opened.models.catalogue.show(name).model
    except CiteLoomError as error:
        return Diagnosis("model", "fail", in_words(error.message))
    text = f"{model.name} ({model.availability.value}) for {uses}"
    if model.offline:
        return Diagnosis("model", "ok", text)
    return Diagnosis("model", "fail", text, f"citeloom models fetch {quoted(name)}")


def _projects(opened: "Application") -> Iterator[Diagnosis]:
    from citeloom.application.validation.checks import Status

    checks = opened.projects.validate(None, quick=True).checks
    states: dict[str | None, str] = {None: str(opened.workspace.root)}
    states |= {one.id: _counted(one) for one in opened.projects.projects.standings()}
    for name, state in states.items():
        own = [one.status for one in checks if one.project == name]
        failed, warned = own.count(Status.FAIL), own.count(Status.WARN)
        counts = ((failed, "problem"), (warned if name else 0, "warning"))
        told = [counted(number, what) for number, what in counts if number]
        step = f"citeloom validate{f' --project {name}' if name else ''}"
        follows = told or (not name and len(states) > 1)
        yield Diagnosis(
            "project" if name else "workspace",
            "fail" if failed else "ok",
            "; ".join([state, *told]),
            step if follows else "",
        )


def _zotero(opened: "Application") -> Iterator[Diagnosis]:
    try:
        library = opened.library.browse
        if library.asks_network:
            note(f"using the network: {library.source_name}")
        state = library.status()
    except CiteLoomError as error:
        yield Diagnosis("Zotero", "off", in_words(error.message).removeprefix("Zotero: "))
    else:
        counts = f"{state.items:,} items, {state.attachments:,} attachments"
        yield Diagnosis("Zotero", "ok", f"{state.name}, {state.place}: {counts}")


def _server(opened: "Application") -> Iterator[Diagnosis]:
    from citeloom.infrastructure.system.serve_file import server_of

    known = server_of(opened.workspace.home)
    if known is None:
        yield Diagnosis("server", "off", "not running", "citeloom serve")
    else:
        yield Diagnosis("server", "ok", f"{known['url']} (process {known['pid']})")


_PARTS: Final = (_installed, _models, _projects, _zotero, _server)
