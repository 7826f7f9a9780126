"""The commands ``open``, ``read``, ``resolve`` and ``label``: places in documents and files."""

import os
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.domain.errors import InvalidRequest, ProgramUnavailable
from citeloom.infrastructure.cli.shared.frame import Output, Table
from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    AnyProjectOption,
    JsonOption,
    PasswordOption,
)
from citeloom.infrastructure.cli.shared.output import print_json, print_prose, print_text
from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import set_clipboard
from citeloom.infrastructure.cli.shell import offer_keys

if TYPE_CHECKING:
    from citeloom.application.places.cut import OpenedSource, Resolution, SourcePlace
    from citeloom.infrastructure.composition.application import Application


class CopyOption(StrEnum):
    CITATION = "citation"
    QUOTATION = "quotation"


TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="HIT|DOCUMENT",
        autocompletion=offer_keys,
        help='Number of a hit of the last question; "[@key, p. 5]"; an address; or a document.',
    ),
]


@dataclass(frozen=True)
class OpenOptions:
    """What to show, and how."""

    page: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Page of the document, as printed on it.")
    ] = None
    quote: Annotated[
        str | None, typer.Option(metavar="TEXT", help="PDF: mark these words. [default: the hit's]")
    ] = None
    copied: Annotated[
        CopyOption | None,
        typer.Option("--copy", help="Put this on the clipboard and show nothing."),
    ] = None
    path_only: Annotated[
        bool, typer.Option("--print", help="Print the path of the file and show nothing.")
    ] = False


def open_source(
    opened: "Application",
    target: TargetArgument,
    options: OpenOptions,
    project: AnyProjectOption = None,
    password: PasswordOption = None,
) -> Output:
    """Open a hit, a citation or a document in your viewer, at its page, with the words marked."""
    from citeloom.application.places.cut import OpenRequest
    from citeloom.infrastructure.system.viewer import show

    request = OpenRequest(
        project_id=opened.projects.choice.named(project),
        name=target,
        page=options.page,
        quote=options.quote,
        password=password,
    )
    if options.copied is not None:
        text = _copied(opened.maps.cut.place(request), options.copied)
        _to_clipboard(text)
        return Output({"copied": text}, notes=[f"copied: {text}"])
    source = opened.maps.cut.open(request)
    warn(source.warnings)
    if not options.path_only:
        show(source.path, source.page, opened.settings.open.viewer)
    shown = str(source.path) if options.path_only else None
    return Output(_opened(source), shown, notes=[_told(source)])


def _told(source: "OpenedSource") -> str:
    """``[@key, p. 5] Title`` with the marked words, and the question of the hit."""
    place = source.place
    page = f"PDF p. {source.page}" if source.page and not place.labels else ""
    named = place.citation or ", ".join(filter(None, (place.title, page)))
    title = place.title if place.citation else ""
    marked = f"marked: “{' '.join(place.quote.split())}”" if source.marked and place.quote else ""
    asked = f"asked: {place.question}" if place.question else ""
    return "  ".join(filter(None, (named, title, marked, asked)))


def _copied(place: "SourcePlace", what: CopyOption) -> str:
    if what is CopyOption.CITATION and place.citation:
        return place.citation
    if what is CopyOption.QUOTATION and place.quote:
        quoted = f"“{' '.join(place.quote.split())}”"
        return f"{quoted} {place.citation}" if place.citation else quoted
    if what is CopyOption.CITATION:
        raise InvalidRequest(
            f"{place.title}: it has no citation key; add it to the reference file and ingest that "
            "with --references",
            parameter="copy",
        )
    raise InvalidRequest(
        f"{place.title}: there is no quotation; name a hit, or pass --quote", parameter="copy"
    )


def _to_clipboard(text: str) -> None:
    from citeloom.infrastructure.system.viewer import (
        clipboard_program,
        copy_with,
        terminal_sequence,
    )

    program = clipboard_program(os.environ, sys.platform)
    if program:
        copy_with(program, text)
    elif not set_clipboard(terminal_sequence(text)):
        raise ProgramUnavailable(
            "the clipboard is not available (no terminal, pbcopy, clip, wl-copy, xclip or xsel); "
            f"copy it from here: {text}"
        )


def _opened(source: "OpenedSource") -> dict[str, Any]:
    place = source.place
    return {
        "path": str(source.path),
        "source_path": place.source_path,
        "title": place.title,
        "page": source.page,
        "page_labels": list(place.labels),
        "page_label_sources": list(place.label_sources),
        "citation": place.citation,
        "quote": place.quote,
        "question": place.question,
        "marked": source.marked,
        "warnings": list(source.warnings),
    }


DocumentOrUri = Annotated[
    str,
    typer.Argument(
        metavar="DOCUMENT|URI",
        autocompletion=offer_keys,
        help="A document by any name: citation key, title, file, DOI, [@key, p. 5]; or a knowledge "
        "URI: ndk://file/PROJECT/DOCUMENT, with /$chunk/01, …",
    ),
]
PageOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL", help="Pages by their printed numbers: 440, xii-xv; of the file: 'PDF 5'."
    ),
]


class ReadFormat(StrEnum):
    MARKDOWN = "markdown"
    XML = "xml"


def read(
    opened: "Application",
    name: DocumentOrUri,
    page: PageOption = None,
    section: Annotated[
        str | None, typer.Option(metavar="NAME", help="The section with this heading.")
    ] = None,
    output_format: Annotated[
        ReadFormat,
        typer.Option(
            "--format", help="markdown: the text, for people. xml: what agents read, in parts."
        ),
    ] = ReadFormat.MARKDOWN,
    info: Annotated[
        bool, typer.Option("--info", help="Show the description, labels and parts, not the text.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the picture of a $media URI to this file, as PNG.")
    ] = None,
    password: PasswordOption = None,
    project: AnyProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a document, a page or section of it, or what a knowledge URI names."""
    from citeloom.domain.resources.observations import render_body, render_info

    chosen = opened.projects.choice.named(project)
    for_agents = info or output is not None or output_format is ReadFormat.XML
    if page is not None or section is not None:
        if for_agents:
            raise InvalidRequest("--page and --section: with --format markdown only")
        for_agents = False
    elif not for_agents:
        for_agents = as_json
    if not for_agents:
        text = opened.resources.show.markdown(name, chosen, page=page, section=section)
        if as_json:
            print_json({"name": name, "page": page, "section": section, "markdown": text})
        else:
            print_prose(text)
        return
    seen = opened.resources.observe(opened.stores.documents.uri_of(name, chosen))
    if output is not None:
        opened.save(output, opened.resources.observe.picture(seen.uri, password))
        note(f"wrote {output}")
    text = render_info(seen.observation) if info else render_body(seen.observation)
    if as_json:
        print_json({**seen.model_dump(mode="json"), "rendered": text})
    else:
        print_text(text)


AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS|DOCUMENT",
        autocompletion=offer_keys,
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
        autocompletion=offer_keys,
        help="Document of the node; the argument is then the node id alone.",
    ),
]


@dataclass(frozen=True)
class CutOptions:
    """What to cut out, and what to mark in it."""

    page: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Pages by their printed numbers: 440, xii-xv; or of the file: 'PDF 5'.",
        ),
    ] = None
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


def resolve(
    opened: "Application",
    address: AddressArgument,
    cut: CutOptions,
    node: NodeArgument = None,
    resource: ResourceOption = None,
    project: AnyProjectOption = None,
    password: PasswordOption = None,
) -> Output:
    """Open an address or a node: cut its pages, lines, picture or time span out as a file."""
    from citeloom.application.places.cut import ResolveRequest
    from citeloom.domain.documents.fidelity import uncertain_mark

    if resource is not None:
        if node is not None:
            raise InvalidRequest(f"--resource: names the document; leave {node} out")
        address, node = resource, address
    resolution = opened.maps.cut.resolve(
        ResolveRequest(
            project_id=opened.projects.choice.named(project),
            name=address,
            node_id=node,
            password=password,
            **asdict(cut),
        )
    )
    warn(resolution.warnings)
    evidence = resolution.evidence
    told = (
        f"{evidence.node.title or evidence.node.type}  [{evidence.node.id}]"
        + (f"  {evidence.address}" if evidence.output_path else "")
        + uncertain_mark(resolution.text_uncertain)
    )
    path = evidence.output_path or evidence.address
    return Output(_resolved(resolution), path, notes=[told])


def _resolved(resolution: "Resolution") -> dict[str, Any]:
    """CiteKit's fields, whether the text is uncertain, and the warnings."""
    evidence = resolution.evidence
    return {
        **evidence.model_dump(mode="json"),
        "node": evidence.node.model_dump(mode="json", exclude_none=True),
        "text_uncertain": resolution.text_uncertain,
        "warnings": list(resolution.warnings),
    }


def label(
    opened: "Application",
    uri: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT|URI",
            autocompletion=offer_keys,
            help=f"{DOCUMENT}; or another knowledge URI.",
        ),
    ],
    name: Annotated[str | None, typer.Argument(help="Name of the label to set.")] = None,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE…", help="Text of the label.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the label NAME.")] = False,
    project: AnyProjectOption = None,
) -> Output:
    """List the labels of a resource, set one, or remove one."""
    known = opened.stores.documents.uri_of(uri, opened.projects.choice.named(project))
    if name is not None and remove and not values:
        opened.resources.label.remove(known, name)
        note(f"removed {name}")
    elif name is not None and values and not remove:
        opened.resources.label.put(known, name, values[0] if len(values) == 1 else values)
    elif name is not None or remove:
        raise InvalidRequest("write NAME VALUE to set a label, NAME --remove to remove it")
    labels = opened.resources.label(known)
    rows = [
        (one.target, one.name, one.value if isinstance(one.value, str) else ", ".join(one.value))
        for one in labels
    ]
    return Output({"uri": known, "labels": labels}, Table(("Of", "Label", "Value"), rows))
