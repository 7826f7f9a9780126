"""Everything that the command line prints passes one place."""

import ast

from support.cases import each
from support.source_trees import SRC, source_trees

SHARED = SRC / "infrastructure" / "cli" / "shared"
# The place, what draws on it, and processes whose streams are a protocol.
ALLOWED = {
    SHARED / "terminal.py",
    SHARED / "output.py",
    SHARED / "progress.py",
    SRC / "infrastructure" / "mcp" / "server.py",
    SRC / "infrastructure" / "search" / "edge" / "graph_build.py",
}
PRINTING = {"typer.echo", "typer.secho", "typer.confirm", "typer.prompt", "print", "input",
            "sys.stdout", "sys.stderr"}  # fmt: skip


def printing(tree: ast.Module) -> list[str]:
    """Where a module prints without the place: calls, streams, and imports of rich."""
    seen = ast.Module([node for node in tree.body if not _for_types(node)], [])
    names, modules = [], []
    for node in ast.walk(seen):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                names.append(f"{owner}.{name}")
            case ast.Call(func=ast.Name(id=name)):
                names.append(name)
            case ast.ImportFrom():
                modules.append(node.module or "")
            case ast.Import():
                modules += [one.name for one in node.names]
    return sorted(
        {name for name in names if name in PRINTING}
        | {module for module in modules if module.split(".")[0] == "rich"}
    )


def _for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_only_one_place_prints() -> None:
    found = {
        str(path.relative_to(SRC)): names
        for path, tree in source_trees().items()
        if path not in ALLOWED and (names := printing(tree))
    }
    assert found == {}


@each(
    ("source", "name"),
    [
        ("typer.echo(title)", "typer.echo"),
        ("print(title)", "print"),
        ("sys.stderr.write(title)", "sys.stderr"),
        ("from rich.text import Text", "rich.text"),
    ],
)
def test_printing_is_seen(source: str, name: str) -> None:
    assert printing(ast.parse(source)) == [name]
