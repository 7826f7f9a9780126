"""The command ``verify``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.verification.verdict import Verdict

from .shared.options import JsonOption, ProjectOption, format_of
from .shared.output import in_words, json_bytes, print_json, print_text
from .shared.run import note, warn
from .shared.terminal import is_terminal, print_progress

if TYPE_CHECKING:
    from citeloom.domain.verification.drafts.draft import Verification
    from citeloom.infrastructure.composition.application import Application


class ReportFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"


_FORMATS = (ReportFormat.MARKDOWN, ReportFormat.HTML, ReportFormat.JSON, ReportFormat.SARIF)


def verify(
    opened: "Application",
    draft: Annotated[
        Path,
        typer.Argument(help="Markdown, Quarto, LaTeX, Typst, Word or plain text."),
    ],
    project: ProjectOption = None,
    output: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            help="Output format. html: each claim beside its source, in one file. "
            "[default: by the suffix of -o, else markdown; without -o a table]",
        ),
    ] = None,
    as_json: JsonOption = False,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            help="Exit with code 1 on any of these verdicts, separated by commas: SUPPORTED, "
            "PARTIAL, NOT_ESTABLISHED, UNSUPPORTED, CONTRADICTED, WRONG_PAGE, MISQUOTED, "
            "UNKNOWN_KEY, NO_TEXT.",
        ),
    ] = "",
    file: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the report to this file.")
    ] = None,
    uncited: Annotated[
        bool,
        typer.Option(
            "--uncited",
            help="Also list factual sentences without a citation, with candidate sources.",
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ignore stored findings; check every claim again.")
    ] = False,
) -> None:
    """Check each citation of a draft against its source: the claim, the page and the quoted
    words."""
    from citeloom.application.verification.verify import VerifyRequest

    unwanted = _verdicts(fail_on)
    named = ReportFormat.JSON if as_json else output
    chosen = format_of(None if named is ReportFormat.TABLE else named, file, *_FORMATS)
    request = VerifyRequest(
        project_id=opened.projects.choice(project), draft=draft, uncited=uncited, fresh=fresh
    )
    if notice := opened.verification.model_notice():
        note(f"citeloom: {notice}")
    result = opened.verification.verify(request, _print_progress if is_terminal() else None)
    warn(result.warnings)
    _print(opened, result, chosen, file)
    if any(finding.verdict in unwanted for finding in result.findings):
        raise typer.Exit(1)


def _verdicts(text: str) -> "set[Verdict]":
    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in Verdict.__members__]
    if unknown:
        raise InvalidRequest(
            f"--fail-on {unknown[0]}: unknown verdict; choose from {', '.join(Verdict)}",
            parameter="fail_on",
        )
    return {Verdict(name) for name in names}


def _print_progress(done: int, total: int) -> None:
    print_progress(f"{done} of {total} checked", last=done == total)


def _print(
    opened: "Application", result: "Verification", chosen: ReportFormat | None, file: Path | None
) -> None:
    from citeloom.domain.verification.report import summary

    from .views.verification import print_verification, sarif_log

    if chosen is None:
        print_verification(result)
        return
    if chosen is ReportFormat.SARIF:
        document: object = sarif_log(result)
    elif chosen is ReportFormat.JSON:
        document = result.model_dump(mode="json", context=in_words)
    elif chosen is ReportFormat.HTML:
        from citeloom.infrastructure.http.reports import file_link, verification_file

        project = opened.projects.choice(result.project)
        document = verification_file(result, file_link(opened, project), in_words)
    else:
        from citeloom.domain.verification.report import markdown_report

        document = markdown_report(result, in_words)
    if file is None:
        print_text(document) if isinstance(document, str) else print_json(document)
        return
    as_text = isinstance(document, str)
    opened.save(file, f"{document}".rstrip("\n") + "\n" if as_text else json_bytes(document))
    note(f"{file}: {summary(result)}")
