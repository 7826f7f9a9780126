"""Options of a dataclass reach the command as one value; what it returns is printed."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from citeloom.infrastructure.cli.shared.frame import Output, Table, framed
from citeloom.infrastructure.composition.application import Application


@dataclass(frozen=True)
class Paper:
    """Of which size, and how many."""

    size: Annotated[str, typer.Option("--size", "-s", help="Its size.")] = "A4"
    sheets: Annotated[list[int] | None, typer.Option(help="How many.")] = None


SEEN: list[tuple[str, Paper, bool]] = []


@framed
def print_paper(
    name: Annotated[str, typer.Argument()],
    paper: Paper,
    both: Annotated[bool, typer.Option("--both")] = False,
) -> None:
    """Prints."""
    SEEN.append((name, paper, both))


@pytest.mark.parametrize(
    ("arguments", "paper", "both"),
    [
        ([], Paper(), False),
        (["-s", "A5", "--sheets", "1", "--sheets", "2", "--both"], Paper("A5", [1, 2]), True),
    ],
)
def test_fields_are_options_with_their_defaults(
    arguments: list[str], paper: Paper, both: bool
) -> None:
    app = typer.Typer()
    app.command()(print_paper)
    done = CliRunner().invoke(app, ["draft", *arguments])
    assert done.exit_code == 0, done.output
    assert SEEN.pop() == ("draft", paper, both)


def test_the_help_and_its_order_are_those_of_the_fields() -> None:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(print_paper)
    text = CliRunner().invoke(app, ["--help"]).output
    assert text.index("Its size.") < text.index("How many.") < text.index("--both")
    assert "Prints." in text


def test_an_output_is_printed_as_json_or_for_people(tmp_path: Path) -> None:
    @framed
    def weigh(opened: "Application", grams: int = 2) -> Output:
        table = Table(("", ""), [("weight", f"{grams} g")])
        return Output({"grams": grams, "home": str(opened.workspace.root)}, table, code=grams)

    app = typer.Typer()
    app.command()(weigh)
    there = ["--workspace", str(tmp_path)]
    done = CliRunner().invoke(app, ["--grams", "0", "--json", *there])
    assert json.loads(done.stdout) == {"grams": 0, "home": str(tmp_path)}
    done = CliRunner().invoke(app, there)
    assert (done.stdout, done.exit_code) == ("weight  2 g\n", 2)
