"""Messages, docstrings and documentation avoid the worst patterns of translated English."""

import ast
import re
from collections.abc import Iterator

import pytest
from support.paths import ROOT
from support.source_trees import source_trees

#: A pattern, and what a technical writer puts there. CONTRIBUTING.md has the rules.
PATTERNS = {
    r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|worse\b|doubt\b|`)": "not a",
    r"(?i)\bwho(?:m)?ever\b": "a noun: the person, the user",
    r"\bbelongs? into\b": "belongs in",
    r"\bthat there (?:is|are) none of\b": "unknown",
    r"\btells\b(?! (?:\w+ ){1,3}apart\b)|\b(?:is|are|was|were|be) told\b(?! apart)": "reports",
    r"\banew\b(?!`)": "again",
    r"(?<!`)(?<!ha[sd] )(?<!have )\b(?<!not )begun\b(?!`)": "started",
    r"\bbears? (?:\w+ )?out\b|\bborne out\b": "supports, confirms",
    r"\bcan(?:not)? be had\b": "is available",
    r"\bparted\b(?!`)": "separated, split",
    r"\bmend(?:s|ed|ing)?\b": "correct, repair",
    r"\bheld against\b": "compared with",
    r"\bthat there is not\b": "unknown, missing",
    r"\bfor (?:what|one that) is (?:no|not)\b": "if it is not",
}
#: Modules with words that are data: irregular verbs, the outcome ``begun`` of an audit, a prompt
#: whose answers were measured.
NOT_MESSAGES = {
    "src/application/verification/language_model_judge.py",
    "src/domain/review/planning/plan.py",
    "src/domain/text/terms.py",
    "packages/citeloom-server/citeloom_server/cli/audit.py",
    "packages/citeloom-server/citeloom_server/infrastructure/operation/audit_trail.py",
}


def faults(text: str) -> list[str]:
    return [found[0] for pattern in PATTERNS for found in re.finditer(pattern, text)]


def code() -> Iterator[tuple[str, str]]:
    """Docstrings, and literals that are sentences, with their file."""
    others = sorted(ROOT.glob("packages/*/citeloom_*/**/*.py"))
    trees = {path: ast.parse(path.read_text("utf-8")) for path in others}
    for path, tree in (source_trees() | trees).items():
        name = path.relative_to(ROOT).as_posix()
        if name in NOT_MESSAGES:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield f"{name}:{node.lineno}", node.value


def prose() -> Iterator[tuple[str, str]]:
    """Lines of the documentation outside its examples, which a test runs and compares."""
    for path in sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("specs/decisions/*.md")]
    ):
        is_example = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            is_example ^= line.startswith("```")
            if not is_example:
                yield f"{path.relative_to(ROOT)}:{number}", re.sub(r"`[^`]*`", "`", line)


def page() -> Iterator[tuple[str, str]]:
    """Lines of the templates and scripts of the web page, without their comments."""
    for path in sorted(ROOT.glob("src/infrastructure/http/page/*/*")):
        if path.suffix in (".html", ".js"):
            text = re.sub(r"\{#.*?#\}|^ *//.*?$", "", path.read_text("utf-8"), flags=re.S | re.M)
            for number, line in enumerate(text.splitlines(), start=1):
                yield f"{path.relative_to(ROOT)}:{number}", line


@pytest.mark.parametrize("texts", [code, prose, page])
def test_the_worst_patterns_do_not_come_back(texts: object) -> None:
    assert callable(texts)
    assert [f"{place}: {found}" for place, text in texts() for found in faults(text)] == []


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("a.csl is no style", "a.csl is not a style, and there is no other"),
        ("whoever has it", "anyone who has it; however, whatever, whenever"),
        ("it belongs into the file", "it belongs in the file"),
        ("a style that there is none of", "a style that does not exist; there is none"),
        ("the log tells more", "it tells works apart; tell the user"),
        ("the server was told to end", "the two were told apart"),
        ("built anew", "built again, rebuilt; ``anew`` says which"),
        ("a call that was begun", "a call that has not begun; ``begun`` counts it"),
        ("the page bears it out", "the page supports it"),
        ("parted by commas", "separated by commas; departed"),
        ("mend the settings", "amend, recommend, correct"),
        ("each claim is held against its source", "compared with its source; held in memory"),
        ("for a project that there is not", "for an unknown project; there is not one"),
        ("raises for what is not a file", "raises if the path is not a file"),
    ],
)
def test_a_pattern_is_found_and_its_cure_is_not(bad: str, good: str) -> None:
    assert faults(bad)
    assert faults(good) == []
