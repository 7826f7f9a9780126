"""Syntax trees of all modules, parsed once for all tests that look at the code."""

import ast
from functools import cache
from pathlib import Path

from support.paths import ROOT

SRC = ROOT / "src"


@cache
def source_trees() -> dict[Path, ast.Module]:
    """By path, in order. Not to be changed."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SRC.rglob("*.py"))}
