"""Texts of the domain and the application name no command: adapters say the next step."""

import ast
import re
from collections.abc import Iterator

import pytest
from support.cases import each
from support.source_trees import SRC, source_trees

from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.infrastructure.cli.shared import output as command_line
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom.infrastructure.serving import next_steps as tools

COMMAND = re.compile(r"`citeloom(?!\[)|\bciteloom (?!is\b)[a-z]+ |(?<![\w-])--[a-z][a-z-]*")


#: Modules of the infrastructure whose texts are read on the command line alone, and why.
ON_THE_COMMAND_LINE = {
    "backup.py": "`citeloom backup`",
    "composition/application.py": "files that commands write",
    "mcp/clients/catalogue.py": "`citeloom mcp install`",
    "mcp/clients/installation.py": "`citeloom mcp install`",
    "serving/http_server.py": "before the server begins",
    "serving/http.py": "before the server begins",
    "settings/sections.py": "`citeloom config`",
    "system/viewer.py": "`citeloom open`",
    "system/workspace.py": "before the server begins",
}


def commands(tree: ast.Module) -> Iterator[str]:
    """String literals that name a command or a flag; docstrings are none."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str) and COMMAND.search(node.value):
            yield node.value


def test_no_text_of_the_domain_or_the_application_names_a_command() -> None:
    found = {
        str(path.relative_to(SRC)): texts
        for layer in ("domain", "application")
        for path, tree in source_trees().items()
        if path.is_relative_to(SRC / layer) and (texts := list(commands(tree)))
    }
    assert found == {}


def test_no_text_of_the_infrastructure_that_an_agent_may_read_names_a_command() -> None:
    root = SRC / "infrastructure"
    named = {
        path.relative_to(root).as_posix(): texts
        for path, tree in source_trees().items()
        if path.is_relative_to(root)
        and "cli" not in path.relative_to(root).parts
        # One word is an argument of another program.
        and (texts := [one for one in commands(tree) if " " in one.strip()])
    }
    assert {name: named[name] for name in named.keys() - ON_THE_COMMAND_LINE.keys()} == {}
    assert ON_THE_COMMAND_LINE.keys() - named.keys() == set(), "these name none any more"


@each(
    "text",
    [
        '"run `citeloom map PATH`"',
        'f"run `citeloom ingest {path}`"',
        '"see citeloom models list"',
        '"use --virtual"',
        'f"--depth {depth}: write 1 to 3"',
    ],
)
def test_a_command_in_a_text_is_seen(text: str) -> None:
    source = f'"""Runs `citeloom ingest` --force."""\nmessage = {text}\n'
    assert len(list(commands(ast.parse(source)))) == 1


@pytest.mark.parametrize("text", ['"a dash - or two -- here"', '"citeloom.toml"', '"---"'])
def test_other_texts_are_left_alone(text: str) -> None:
    assert list(commands(ast.parse(f"message = {text}\n"))) == []


def test_the_command_line_has_words_for_every_action() -> None:
    assert set(command_line.NEXT_STEPS) == set(Action)


def test_the_command_line_names_the_command_with_its_arguments() -> None:
    step = NextStep(Action.ADD_DOCUMENTS, project="a/b", path="on ponds.pdf")
    assert command_line.in_words(UserMessage("nothing there", step)) == (
        "nothing there; add documents with `citeloom ingest 'on ponds.pdf' --project a/b`"
    )
    assert command_line.in_words(UserMessage("", NextStep(Action.CREATE_PROJECT))) == (
        "make one with `citeloom ingest PATH`"
    )


def test_the_server_has_words_for_every_action() -> None:
    assert set(tools.TOOL_CALLS) == set(Action)
    step = NextStep(Action.DROP_MODEL, project="a/b", model="m")
    assert tools.in_words(UserMessage("two models", step)) == (
        "two models; the user can delete the vectors of m in a/b"
    )


def test_the_server_names_no_command_and_only_tools_that_there_are() -> None:
    for action in Action:
        words = tools.in_words(UserMessage("nothing there", NextStep(action)))
        assert words.startswith("nothing there; ")
        assert not COMMAND.search(words)
        called = re.findall(r"\b(?:call|with|tool) ([a-z]+(?:_[a-z]+)*|[a-z]+[A-Z]\w+)\b", words)
        assert {name for name in called if "_" in name} <= {*TOOLS, "job_id"}
