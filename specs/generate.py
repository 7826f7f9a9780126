"""Writes what in ``specs/`` and ``docs/`` is generated: JSON Schemas, the reference of commands and
that of settings, and the list of all messages.

``python specs/generate.py`` writes; ``--check`` exits 1 if anything is stale.
"""

import ast
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import typer
from pydantic import TypeAdapter

from citeloom.application.places.observe import Observed
from citeloom.application.places.relations import RelationGraph
from citeloom.application.projects.inspection import Inspection
from citeloom.application.research.export import ReviewDocument
from citeloom.application.validation.checks import Validation
from citeloom.application.watch.request import WatchEvent
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.ingest import IngestResult
from citeloom.domain.maps.resource_map import ResolvedEvidence, ResourceMap
from citeloom.domain.research.comparison import Comparison
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.search_record import SearchRecord
from citeloom.domain.research.session import Recorded
from citeloom.domain.search.request import QueryResult
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.cli.shared.run import EXIT_CODES
from citeloom_evaluation.domain.claim_quality import ClaimEvaluation
from citeloom_evaluation.domain.dataset import EvaluationResult
from citeloom_server.application.audit.ports import AuditEvent

#: Regular expressions, SQL, markup, JSON, texts of several lines, and word lists.
_CODE = re.compile(
    r"\(\?|\\[bsdw]|\b(?:SELECT|FROM|WHERE|ORDER BY|AND \w+ =)\b|<[a-z/!]|^\s*[{\[|]|[\n\t]"
    r"|:\w+ AND |\w\[\w|^(?:\w{1,16}[ ,]+){12,}\w+$|= :\w"
)
ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = {
    "resource_map": ResourceMap,
    "resolved_evidence": ResolvedEvidence,
    "query_result": QueryResult,
    "ingest_result": IngestResult,
    "happening": WatchEvent,
    "inspection": Inspection,
    "validation": Validation,
    "evaluation": EvaluationResult,
    "claim_evaluation": ClaimEvaluation,
    "observed": Observed,
    "relation_graph": RelationGraph,
    "verification": Verification,
    "recorded": Recorded,
    "review_document": ReviewDocument,
    "search_record": SearchRecord,
    "review_comparison": Comparison,
    "research_event": ResearchEvent,
    "conversion_result": ConversionResult,
    "audit_event": AuditEvent,
}


def schemas() -> dict[Path, str]:
    return {
        ROOT / "specs" / "schemas" / f"{name}.schema.json": json.dumps(
            TypeAdapter(model).json_schema(mode="serialization"), indent=2, ensure_ascii=False
        )
        + "\n"
        for name, model in SCHEMAS.items()
    }


def command_reference() -> dict[Path, str]:
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    parts = [
        "# Commands\n\nGenerated from `--help` by `make specs`.\n",
        f"## Exit codes\n\n| Code | Meaning |\n|---|---|\n{codes}\n",
    ]
    for command in commands(typer.main.get_command(app)):
        name = " ".join(["citeloom", *command])
        parts.append(f"## `{name}`\n\n```\n{_help(command)}\n```\n")
    return {ROOT / "docs" / "commands.md": "\n".join(parts)}


def commands(command: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """A command and those below it that the help lists, in its order."""
    yield names
    for name, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from commands(below, (*names, name))


def settings_reference() -> dict[Path, str]:
    """The default configuration as a page: what it says at its head, then its sections."""
    text = (ROOT / "config" / "citeloom.toml").read_text("utf-8").strip()
    head, *sections = text.split("\n\n[")
    parts = ["# Settings\n\nGenerated from `config/citeloom.toml` by `make specs`.\n"]
    for paragraph in head.split("\n\n"):
        lines = paragraph.splitlines()
        if all(line.startswith("#") for line in lines):
            parts.append("\n".join(line.removeprefix("#").strip() for line in lines) + "\n")
        else:
            parts.append(f"```toml\n{paragraph}\n```\n")
    for section in sections:
        name, lines_of_it = section.split("]\n", 1)
        parts.append(f"## `[{name}]`\n\n```toml\n[{name}]\n{lines_of_it}\n```\n")
    return {ROOT / "docs" / "settings.md": "\n".join(parts)}


def messages() -> dict[Path, str]:
    """All sentences of the code that a person may read, once a module, to read them through."""
    lines = ["module\tmessage\n"]
    for path in sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("packages/*/citeloom_*/**/*.py")]):
        tree, name = ast.parse(path.read_text("utf-8")), path.relative_to(ROOT).as_posix()
        lines += [f"{name}\t{text}\n" for text in dict.fromkeys(_sentences(tree))]
    return {ROOT / "specs" / "messages.tsv": "".join(lines)}


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Literals of three words and more that are neither docstrings, code nor lists of words."""
    nodes = list(ast.walk(tree))
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    skipped |= {id(part) for node in joined for part in ast.walk(node) if part is not node}
    for node in nodes:
        if id(node) not in skipped and (text := _text(node)):
            words = re.findall(r"(?<![\w.{])[A-Za-z]{2,}(?![\w.}]\w)", text)
            if len(words) > 2 and not _CODE.search(text):
                yield text


def _text(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(one) or "{…}" for one in values)
    return ""


def _help(command: tuple[str, ...]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        app([*command, "--help"], prog_name="citeloom", standalone_mode=False)
    return printed.getvalue().strip()


def main(arguments: list[str]) -> int:
    os.environ |= {"COLUMNS": "90", "TERM": "dumb"}
    stale = []
    for path, text in {
        **schemas(),
        **command_reference(),
        **settings_reference(),
        **messages(),
    }.items():
        if "--check" in arguments:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(str(path.relative_to(ROOT)))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    if stale:
        sys.stderr.write(f"stale: {', '.join(stale)}; run `make specs`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
