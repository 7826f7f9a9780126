"""Everything that the command line prints passes one place."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[3] / "src"
SHARED = SRC / "infrastructure" / "cli" / "shared"
# The place, what draws on it, and processes whose streams are a protocol.
ALLOWED = {
    SHARED / "terminal.py",
    SHARED / "output.py",
    SHARED / "progress.py",
    SRC / "infrastructure" / "mcp" / "server.py",
    SRC / "infrastructure" / "search" / "edge" / "rebuild" / "rebuild.py",
}
PRINTING = {"typer.echo", "typer.secho", "typer.confirm", "typer.prompt", "print", "input",
            "sys.stdout", "sys.stderr"}  # fmt: skip


def printing(source: str) -> list[str]:
    """Where a module prints without the place: calls, streams, and imports of rich."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if not _for_types(node)]
    names = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    names += [
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] + [
        one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    ]
    return sorted(
        {name for name in names if name in PRINTING}
        | {module for module in modules if module.split(".")[0] == "rich"}
    )


def _for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_only_one_place_prints() -> None:
    found = {
        str(path.relative_to(SRC)): names
        for path in sorted(SRC.rglob("*.py"))
        if path not in ALLOWED and (names := printing(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("typer.echo(title)", "typer.echo"),
        ("print(title)", "print"),
        ("sys.stderr.write(title)", "sys.stderr"),
        ("from rich.text import Text", "rich.text"),
    ],
)
def test_printing_is_seen(source: str, name: str) -> None:
    assert printing(source) == [name]
