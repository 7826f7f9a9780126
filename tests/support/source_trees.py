"""Syntax trees of all modules, parsed once for all tests that look at the code."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from support.paths import ROOT

SRC = ROOT / "src"


@cache
def source_trees() -> Mapping[Path, ast.Module]:
    """By path, in order. Not to be changed."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SRC.rglob("*.py"))}
