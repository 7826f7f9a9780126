"""The shape of the source: sizes, circles, names, and the map of it in the documentation."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.paths import ROOT
from support.source_trees import SRC, source_trees


def module(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(("citeloom", *(part for part in parts if part != "__init__")))


def modules() -> dict[str, ast.Module]:
    return {module(path): tree for path, tree in source_trees().items()}


def where(path: Path, name: str, count: int) -> str:
    return f"{path.relative_to(SRC)} {name}: {count}"


def imported(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one circle of imports, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_circle_of_files_not_even_for_types() -> None:
    trees = modules()
    names = set(trees)
    graph = {name: set(imported(tree, names)) - {name} for name, tree in trees.items()}
    # What plugins may add is described by types of all packages, which ask for plugins.
    graph["citeloom.infrastructure.plugins"] = {"citeloom.domain.errors"}
    assert not circle(graph)


def test_a_circle_is_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})


def test_no_module_is_longer_than_six_hundred_lines() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in source_trees()}
    assert not [where(path, "lines", count) for path, count in lines.items() if count > 600]


def test_no_function_is_longer_than_sixty_lines() -> None:
    long = [
        where(path, node.name, length)
        for path, tree in source_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > 60
    ]
    assert not long


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = Counter(path.parent for path in source_trees() if path.name != "__init__.py")
    assert not [where(folder, "modules", count) for folder, count in folders.items() if count > 20]


def test_one_class_name_means_one_thing() -> None:
    """But a claim, which drafts and reports make alike; both are in published schemas."""
    names = Counter(
        node.name
        for tree in source_trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == ["Claim"]


def test_every_module_says_what_it_is() -> None:
    assert not [str(path) for path, tree in source_trees().items() if not ast.get_docstring(tree)]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_paths_of_the_map_are_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    bases = (ROOT, SRC, SRC / "infrastructure", SRC / "infrastructure/ingest/conversion")
    bases = (*bases, SRC / "application/ingest", SRC / "application/search")
    named = re.findall(r"`([a-z_]+(?:/[a-z_<>*]+)*/?(?:[a-z_0-9]+\.(?:py|toml|md))?)`", text)
    paths = [name for name in named if "/" in name and not set(name) & set("<*")]
    assert len(paths) > (40 if page.startswith("docs") else 0)
    assert not [name for name in paths if not any((base / name).exists() for base in bases)]
