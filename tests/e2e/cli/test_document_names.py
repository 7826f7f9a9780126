"""Every spelling of a document is understood by every command that takes one."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app

KEY = "quillenbrookGridRandomTransect2019"
TITLE = "Grid, Random or Transect?"
COMMANDS = [
    ["map", "{name}", "-p", "samples"],
    ["structure", "{name}"],
    ["list", "{name}"],
    ["check-map", "{name}"],
    ["references", "{name}", "-p", "samples"],
    ["cite", "{name}", "-p", "samples"],
    ["export", "{name}", "-p", "samples"],
    ["resolve", "{name}", "--virtual"],
    ["read", "{name}"],
    ["relations", "{name}"],
    ["label", "{name}"],
    ["query", "soil", "-p", "samples", "--mode", "sparse", "--filter", 'doc="{name}"'],
]
FINDERS = ("map", "resolve")
REFUSED = {"structure", "references", "cite", "export", "resolve", "read", "relations", "label"}


def run(workspace: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--workspace", str(workspace)])


@pytest.fixture
def paper(samples: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The stored document, with the folder above its own as the working directory."""
    done = run(samples, "export", KEY, "-p", "samples", "--format", "jsonl")
    document: dict[str, str] = json.loads(done.stdout)
    monkeypatch.chdir(Path(document["source_path"]).parent.parent)
    return document


@pytest.fixture
def spellings(paper: dict[str, str]) -> list[str]:
    path, id, doi = Path(paper["source_path"]), paper["document_id"][:16], paper["doi"]
    return [
        KEY, f"@{KEY}", f"[@{KEY}, PDF p. 2]", paper["title"], TITLE, path.name, path.stem,
        str(path), os.path.relpath(path), f"./{os.path.relpath(path)}", path.as_uri(), doi,
        f"doi:{doi.upper()}", f"https://doi.org/{doi}", id, id[:4], f"doc://{id}",
        f"doc://{id}#pages=2", f"ndk://file/samples/{id}", f"{paper['knowledge_uri']}/$body",
    ]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_understands_every_spelling(
    samples: Path, spellings: list[str], command: list[str]
) -> None:
    """All of them for commands that find documents, places and filters, some for the others."""
    missed = {}
    for name in spellings if command[0] in FINDERS else spellings[::5]:
        done = run(samples, *(part.format(name=name) for part in command))
        if done.exit_code:
            missed[name] = done.output
    assert not missed


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("nobody1999", 3, "nobody1999: no such document in local/samples; the nearest are "),
        ("papers/none.pdf", 3, "papers/none.pdf: no such document in local/samples; the nearest "),
        ("doc://00000000deadbeef", 3, "doc://00000000deadbeef: no such document in local/samples"),
        ("[@nobody1999, p. 5]", 3, "[@nobody1999, p. 5]: no such document in local/samples"),
        ("Small", 3, "Small: means 2 documents of local/samples: "),
        ("[@a; @b]", 2, "[@a; @b]: cites several works; name one"),
        ("doc://x#page=3", 2, "doc://x#page=3: no address: the fragment of this scheme is pages="),
    ],
)
def test_the_same_mistake_is_told_in_the_same_words(
    samples: Path, name: str, code: int, says: str
) -> None:
    for command in (one for one in COMMANDS if one[0] in REFUSED):
        arguments = [*(part.format(name=name) for part in command)]
        if "-p" not in arguments:
            arguments += ["-p", "samples"]
        done = run(samples, *arguments)
        assert (done.exit_code, says in done.output) == (code, True), (command, done.output)


def test_addresses_of_hits_and_of_pages_open(samples: Path, paper: dict[str, str]) -> None:
    question = ("soil sampling", "-p", "samples", "--mode", "sparse", "--json", "-k", "2")
    for item in json.loads(run(samples, "query", *question).stdout)["items"]:
        whole_address = f"doc://{item['document_id'][:16]}"
        addresses = [item["address"], whole_address, item["citation"], item["knowledge_uri"]]
        opened = [run(samples, "resolve", one, "-p", "samples", "--json") for one in addresses]
        assert [one.exit_code for one in opened] == [0, 0, 0, 0], opened
        cut, whole, cited, passage = (json.loads(one.stdout) for one in opened)
        assert whole["output_path"] == item["source_path"]
        places = [one["node"]["location"]["pages"] for one in (cut, cited, passage)]
        assert places[0] == places[1] == places[2]
        assert run(samples, "read", item["knowledge_uri"]).stdout.strip() == item["text"]


def test_pages_are_read_by_their_printed_numbers(samples: Path, paper: dict[str, str]) -> None:
    hit = json.loads(
        run(samples, "query", "soil", "-p", "samples", "--filter", f"doc={KEY}", "--json").stdout
    )["items"][0]
    page = run(samples, "read", KEY, "--page", hit["page_labels"][0])
    assert page.stdout.startswith(f"[p. {hit['page_labels'][0]}")
    assert page.stdout.count("[p. ") == 1
    gone = run(samples, "read", KEY, "--page", "9999")
    assert (gone.exit_code, "no page 9999; its pages are" in gone.output) == (2, True)
    both = run(samples, "read", KEY, "--page", "1", "--section", "x")
    assert both.exit_code == 2
    nowhere = run(samples, "read", KEY, "--section", "no such heading")
    assert (nowhere.exit_code, "the nearest are" in nowhere.output) == (2, True)
