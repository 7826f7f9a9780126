"""The command ``resolve``: evidence files of an address."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.option_groups import with_option_groups
from citeloom.infrastructure.cli.shared.options import (
    AnyProjectOption,
    JsonOption,
    PasswordOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.places.cut import Resolution


AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS|DOCUMENT",
        help="doc://ID#pages=3-5 (or text://, image://, audio://, video://); a document by any "
        'name; "[@key, p. 5]"; or a node of a document: "DOCUMENT NODE", DOCUMENT.NODE.',
    ),
]
NodeArgument = Annotated[
    str | None, typer.Argument(metavar="[NODE]", help="Node id, as `citeloom map` shows it.")
]
ResourceOption = Annotated[
    str | None,
    typer.Option(
        "--resource",
        "-res",
        metavar="DOCUMENT",
        help="Document of the node; the argument is then the node id alone.",
    ),
]

PageOption = Annotated[
    str | None,
    typer.Option(
        "--page",
        metavar="LABEL",
        help="Pages by their printed numbers: 440, xii-xv; or of the file: 'PDF 5'.",
    ),
]


@dataclass(frozen=True)
class CutOptions:
    """What is cut out, and what is marked in it."""

    page: PageOption = None
    virtual: Annotated[
        bool, typer.Option("--virtual", help="Print the location only; write no file.")
    ] = False
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Audio and video: re-encode, exact to the sample or frame."),
    ] = False
    highlight: Annotated[
        bool, typer.Option("--highlight", help="PDF: highlight the node's section or figure.")
    ] = False
    quote: Annotated[
        str | None, typer.Option(metavar="TEXT", help="PDF: highlight this quotation.")
    ] = None
    allow_stale: Annotated[
        bool,
        typer.Option("--allow-stale", help="Cut from a file that changed since it was mapped."),
    ] = False


@with_option_groups
def resolve(
    address: AddressArgument,
    cut: CutOptions,
    node: NodeArgument = None,
    resource: ResourceOption = None,
    project: AnyProjectOption = None,
    password: PasswordOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Open an address or a node: cut its pages, lines, picture or time span out as a file."""
    with application(workspace, as_json=as_json, owner="citeloom resolve") as opened:
        from citeloom.application.places.cut import ResolveRequest
        from citeloom.domain.documents.fidelity import uncertain_mark
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_json

        if resource is not None:
            if node is not None:
                raise InvalidRequest(f"--resource: names the document; leave {node} out")
            address, node = resource, address
        resolution = opened.maps.cut.resolve(
            ResolveRequest(
                project_id=ProjectId.parse(project) if project else None,
                name=address,
                node_id=node,
                password=password,
                **asdict(cut),
            )
        )
        warn(resolution.warnings)
        if as_json:
            print_json(_document(resolution))
            return
        evidence = resolution.evidence
        print_line(evidence.output_path or evidence.address)
        title = evidence.node.title or evidence.node.type
        note(
            f"{title}  [{evidence.node.id}]"
            + (f"  {evidence.address}" if evidence.output_path else "")
            + uncertain_mark(resolution.text_uncertain)
        )


def _document(resolution: "Resolution") -> dict[str, Any]:
    """CiteKit's fields, whether the text is uncertain, and the warnings."""
    evidence = resolution.evidence
    return {
        **evidence.model_dump(mode="json"),
        "node": evidence.node.model_dump(mode="json", exclude_none=True),
        "text_uncertain": resolution.text_uncertain,
        "warnings": list(resolution.warnings),
    }
