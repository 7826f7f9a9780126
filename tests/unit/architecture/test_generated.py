"""What is generated is up to date, and files stay readable."""

import ast
import subprocess
import sys

from support.paths import ROOT


def test_schemas_and_the_command_reference_are_those_of_the_code() -> None:
    command = [sys.executable, str(ROOT / "specs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "src").rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > 400
    }
    assert not long


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if not path.read_text("utf-8").lstrip().startswith(('"""', 'r"""'))
    ]
    assert not silent


def test_one_class_name_means_one_thing() -> None:
    """But a claim, which drafts and reports make alike; both are in published schemas."""
    modules: dict[str, list[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                modules.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    shared = {name: paths for name, paths in modules.items() if len(paths) > 1}
    assert sorted(shared) == ["Claim"], shared


def test_the_sample_library_is_what_its_sources_typeset() -> None:
    command = [sys.executable, str(ROOT / "references" / "sources" / "build.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
