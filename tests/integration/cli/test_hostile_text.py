"""Names and texts that others wrote never reach a terminal raw, whatever command prints them."""

import itertools
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import typer
from support.command_line import inside
from support.files.tiny_dataset import write_dataset
from support.zotero.library import attachment, key, work, write_database

from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.library.snapshot import RawLibrary

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Colour, title of the window, one-byte CSI, override, isolate, overwriting, a line of its own.
EVIL = "\x1b[31mred\x1b]0;owned\x07 \x9b2J \u202egnp\u2066x\u2069 safe\rEVIL\nciteloom: forged"
FORGED = re.compile(r"^citeloom: forged", re.MULTILINE)
NAME = f"pond{EVIL}.md".replace("/", "-")
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>[x](javascript:alert(3))</style>"
# Line breaks are lost where a format has none in a field.
FIELD = EVIL.replace("\n", " ")

PAPER = f"""# Ponds {FIELD}

Ponds {FIELD} cool the air in summer by three degrees, and water warms slowly.

## Methods {FIELD}

Three ponds {FIELD} were measured for two years with loggers [@jones2001].

## References

Jones, A. {FIELD} (2001). Lakes and air {FIELD}. Journal of Lakes, 3, 1-9. doi:10.1000/lake.1
"""
DRAFT = f"Ponds {FIELD} cool the air by nine degrees [@okafor2021]. Nothing {FIELD} [@nobody].\n"


@dataclass(frozen=True)
class Place:
    folder: Path
    workspace: Path
    document: str
    session: str
    uri: str

    def run(self, *arguments: str) -> str:
        """What a command prints on stdout and stderr."""
        done = inside(*arguments, workspace=self.workspace)
        return done.out + done.err


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("hostile")
    papers = folder / f"papers{EVIL}".replace("/", "-")
    papers.mkdir()
    (papers / NAME).write_text(PAPER, encoding="utf-8")
    (papers / f"broken{EVIL}.pdf").write_bytes(b"%PDF-1.7 no more")
    (folder / f"draft{EVIL}.md").write_text(DRAFT, encoding="utf-8")
    item = {
        "id": "okafor2021", "type": "article-journal", "title": f"Ponds {EVIL} {MARKUP}",
        "author": [{"family": f"Okafor {EVIL}", "given": "Ada"}], "note": f"file {EVIL}",
        "container-title": f"Journal {EVIL}", "issued": {"date-parts": [[2021]]},
        "file": str(papers / NAME),
    }  # fmt: skip
    (folder / "library.json").write_text(json.dumps([item]), encoding="utf-8")
    write_database(
        folder / "Zotero" / "zotero.sqlite",
        [
            RawLibrary(
                LibraryRef(version=3),
                [
                    work(1, title=EVIL, collections=[key(1, "C")], tags=[{"tag": EVIL}]),
                    attachment(1, key(1, "W")),
                ],
                [{"key": key(1, "C"), "name": EVIL, "parentCollection": False}],
            )
        ],
    )
    made = Place(folder, folder / "workspace", "", "", "")
    said = made.run("ingest", str(papers), "-p", "t", "--references", str(folder / "library.json"))
    assert "1 added" in said
    check(said)
    (resource,) = json.loads(made.run("list", "-p", "t", "--json"))["resources"]
    question = f"How do ponds {EVIL} cool the air?"
    review = inside("review", question, "-p", "t", "--depth", "light", "--json",
                    workspace=made.workspace)  # fmt: skip
    session = review.json["session_id"]
    seen = json.loads(made.run("read", resource["resource_id"], "-p", "t", "--json"))
    return Place(
        folder, made.workspace, resource["resource_id"], session, seen["observation"]["uri"]
    )


def check(printed: str) -> None:
    assert printed
    found = RAW.search(printed)
    assert found is None, printed[max(0, found.start() - 200) : found.end() + 40]
    assert not FORGED.search(printed), printed


# The commands by name; {…} are fields of Place. Some have no hostile text to print: they are
# run all the same, as it may come.
COMMANDS: dict[str, list[list[str]]] = {
    "ingest": [["{folder}/papers*", "-p", "t"], [EVIL, "-p", "t"], [f"--no{EVIL}"]],
    "query": [
        *([f"ponds {EVIL}", "-p", "t", "--format", one, *more]
          for one, more in (("table", ["--bibliography", "--context", "2"]), ("json", []),
                            ("jsonl", []), ("markdown", ["--bibliography"]), ("latex", []),
                            ("typst", []), ("text", ["--bibliography"]), ("bibtex", []),
                            ("csl-json", []))),
        [f'"{EVIL}"', "-p", "t"], ["x", "-p", f"t{EVIL}"], ["x", "-p", "t", "--filter", EVIL],
    ],
    "ask": [[f"ponds {EVIL}", "-p", "t"], ["x", "-p", f"t{EVIL}"],
            ["ponds", "-p", "t", "--filter", EVIL]],
    "table": [
        *([f"How many ponds {EVIL}?", "-p", "t", "--format", one]
          for one in ("csv", "markdown", "json")),
        ["-p", "t"], ["--drop", EVIL, "-p", "t"], ["-p", "t", "--filter", EVIL],
    ],
    "cite": [
        *(["okafor2021", "-p", "t", "--format", one, *more]
          for one in ("pandoc", "latex", "typst", "markdown", "text")
          for more in ([], ["--bibliography"])),
        [EVIL, "-p", "t"], ["okafor2021", "-p", "t", "--page", EVIL],
        ["okafor2021", "-p", "t", "--style", EVIL],
    ],
    "export": [["-p", "t", "--format", one] for one in
               ("bibtex", "biblatex", "csl-json", "ris", "markdown", "jsonl")],
    "map inspect": [["-p", "t", "--sample", "all"], ["-p", "t", "--sample", EVIL]],
    "validate": [[], ["-p", "t"]],
    "map document": [["{document}", "-p", "t"], [EVIL]],
    "list": [[], ["{document}"], ["--context"], [EVIL]],
    "map check": [["{document}"], [EVIL]],
    "adapt": [["{folder}/library.json", "-a", EVIL], [f"/no{EVIL}", "-a", "generic"]],
    "read": [["{uri}"], ["{uri}", "--info"], ["{uri}/$body"], [EVIL]],
    "map label": [["{uri}", "topic", EVIL], ["{uri}"], ["{uri}", "topic", "--remove"], [EVIL]],
    "relations": [["{uri}", "--format", one] for one in ("table", "graphml", "svg", "json")],
    "open": [["{document}", "--print"], ["1", "--print"], [EVIL]],
    "resolve": [["{document}", "s1"], ["virtual://{document}#chunk=0", "--virtual"], [EVIL]],
    "verify": [
        *(["{folder}/draft*", "-p", "t", "--uncited", "--format", one]
          for one in ("table", "markdown", "html", "json", "sarif")),
        [EVIL, "-p", "t"], ["x", "-p", "t", "--fail-on", EVIL],
    ],
    "review": [
        [f"What do ponds {EVIL} do?", "-p", "t", "--depth", "light"],
        [f"What do ponds {EVIL} do?", "-p", "t", "--depth", "light", "--events"],
    ],
    "feedback": [["{session}", "positive", EVIL], [EVIL, "positive"]],
    "references": [["{document}", "-p", "t"], [EVIL, "-p", "t"]],
    "config": [[]],
    "doctor": [[]],
    "help": [[], ["admin"], ["query"], [EVIL]],
    "evaluate": [["{dataset}", "--limit-queries", "1", "--modes", "sparse"], [EVIL],
                 ["--claims", EVIL]],
    "audit": [[], ["--since", EVIL], ["--principal", EVIL, "--json"]],
    "access add": [["ada"], [EVIL]],
    "access list": [[], ["--json"]],
    "access grant": [["ada", "t", "reader"], [EVIL, "t", "owner"], ["ada", f"u{EVIL}", "reader"]],
    "access revoke": [["ada", "t"], [EVIL, "t"], ["ada", f"u{EVIL}"]],
    "access renew": [["ada"], [EVIL]],
    "access remove": [["ada"], [EVIL]],
    "plan": [["--papers", "1000"], ["--papers", EVIL]],
    "backup": [["{folder}/kept.backup"], [f"/no{EVIL}/x"]],
    "restore": [[EVIL], ["{folder}/library.json"]],
    "catalogue move": [["--to", EVIL], ["--to", f"postgresql://{EVIL}@localhost:1/x"]],
    "project list": [[]],
    "project create": [["u"], [f"u{EVIL}"]],
    "project show": [["t"], [f"u{EVIL}"]],
    "project use": [[f"u{EVIL}"], ["t"]],
    "project delete": [[f"u{EVIL}"], ["u", "--yes"]],
    "project migrate": [["t", "--model", EVIL]],
    "project move": [["t", "--to", EVIL]],
    "project optimize": [["t"]],
    "session list": [[]],
    "session show": [["{session}"], [EVIL]],
    "session events": [["{session}"]],
    "session resume": [["{session}"], [EVIL]],
    "session export": [["{session}", "--format", one] for one in
                       ("markdown", "html", "json", "csv", "prisma")],
    "session compare": [["{session}", "{session}"]],
    "session cancel": [["{session}"]],
    "session delete": [["{session}"], ["{session}", "--for-good"]],
    "session restore": [["{session}"]],
    "preferences show": [[]],
    "preferences set": [["--instructions", EVIL], ["--instructions", f"@{EVIL}"]],
    "preferences clear": [[]],
    "models list": [[]],
    "models show": [["all-MiniLM-L6-v2"], [EVIL]],
    "models fetch": [[EVIL]],
    "models use": [[EVIL, "-p", "t"]],
    "models drop": [[EVIL, "-p", "t"]],
    "zotero status": [["--data-dir", "{folder}/Zotero"], ["--data-dir", EVIL]],
    "zotero collections": [["--data-dir", "{folder}/Zotero"]],
    "zotero items": [["--data-dir", "{folder}/Zotero"]],
    "zotero recent": [["--data-dir", "{folder}/Zotero"]],
    "duplicates": [["-p", "t"], [EVIL, "-p", "t"], ["okafor2021", EVIL, "--merge", "-p", "t"]],
    "edit": [["{folder}/a.md", f"title={EVIL}", "-p", "t"], [EVIL, f"note={EVIL}", "-p", "t"]],
    "identify": [[EVIL, "-p", "t"]],
    "add": [[EVIL, "-p", "t"], [f"http://127.0.0.1:9/{EVIL}", "-p", "t"],
            ["{folder}/library.json", "-p", "t"], ["{folder}/library.json", "-p", "t", "--json"]],
    "undo": [["-p", "t"]],
    "remove": [[EVIL, "-p", "t", "--yes"]],
    "project references list": [["-p", "t"]],
    "project references add": [[EVIL, "-p", "t"]],
    "project references drop": [[EVIL, "-p", "t"]],
    "zotero tags": [["--data-dir", "{folder}/Zotero"]],
    "mcp clients": [[], ["--name", EVIL]],
    "mcp install": [["--client", "cursor", "--print", "--name", EVIL], ["--client", EVIL]],
    "mcp token": [[]],
}  # fmt: skip
# They run until they are stopped; test_watch holds the lines of watch, others print JSON alone.
ENDLESS = {"watch", "lsp", "serve", "demo"}


def leaves(group: Any, *above: str) -> list[str]:
    return list(
        itertools.chain.from_iterable(
            leaves(one, *above, name)
            if getattr(one, "commands", None)
            else [" ".join([*above, name])]
            for name, one in group.commands.items()
        )
    )


def test_every_command_is_tried() -> None:
    assert set(leaves(typer.main.get_command(app))) == set(COMMANDS) | ENDLESS


@pytest.mark.parametrize("name", COMMANDS)
def test_no_control_character_is_printed(name: str, place: Place, tmp_path: Path) -> None:
    values = {
        "folder": place.folder, "document": place.document, "session": place.session,
        "uri": place.uri, "dataset": tmp_path / "dataset",
    }  # fmt: skip
    if name == "evaluate":
        write_dataset(tmp_path / "dataset")
    for arguments in COMMANDS[name]:
        filled = [
            one if one.startswith(EVIL[:4]) or EVIL in one else one.format(**values)
            for one in arguments
        ]
        found = [
            str(next(place.folder.glob(one.removeprefix(f"{place.folder}/"))))
            if one.endswith("*")
            else one
            for one in filled
        ]
        check(place.run(*name.split(), *found))


class Elements(HTMLParser):
    """The names of the elements of a file, of their attributes, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(f"@{name}" for name, _ in attrs)}
        self.links |= {(value or "").partition(":")[0] for name, value in attrs if name == "href"}


def test_html_reports_have_no_markup_of_others(place: Place, tmp_path: Path) -> None:
    draft, checked, review = tmp_path / "draft<b>.md", tmp_path / "v.html", tmp_path / "r.html"
    draft.write_text(
        f"Ponds {MARKUP} cool the air by nine degrees [@okafor2021]. They grow [@<i>nobody</i>].\n"
        f"Ponds {MARKUP} lose 3 % of their water in summer.\n",
        encoding="utf-8",
    )
    place.run("verify", str(draft), "-p", "t", "--uncited", "-o", str(checked))
    place.run("session", "export", place.session, "-o", str(review))
    for file, escaped in ((checked, "draft&lt;b&gt;.md"), (review, "&lt;script&gt;")):
        text = file.read_text(encoding="utf-8")
        assert escaped in text
        elements = Elements(text)
        assert not elements.names & {"script", "img", "b", "i", "@onerror", "@src", "link"}
        assert elements.links <= {"file", "https"}
