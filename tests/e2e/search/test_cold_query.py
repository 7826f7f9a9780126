"""What a query that starts from nothing does ahead, and leaves undone at the end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.command_line import citeloom, environment
from support.served import served

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.cli.shared import relay
from citeloom.infrastructure.cli.shared.relay import answer, requested
from citeloom.infrastructure.cli.shared.terminal import Shell
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.composition.models import ModelVerbs

PROBE = """
import os, sys
ended = []
os._exit = ended.append
from citeloom.infrastructure.cli.app import main
try:
    main()
except SystemExit as end:
    sys.stderr.write(f"at once: {ended}" if ended else f"by the interpreter: {end.code}")
"""


def ended(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=True,
    )
    return done.stderr.splitlines()[-1]


def test_a_query_that_was_answered_ends_at_once(samples: Path) -> None:
    asked = ("query", "pond", "--workspace", samples, "--mode", "sparse", "--json")
    assert ended(*asked, "-p", "samples") == "at once: [0]"
    assert ended(*asked, "-p", "other") == "by the interpreter: 3"
    assert ended("project", "list", "--workspace", samples) == "by the interpreter: 0"


def test_an_index_is_opened_ahead_and_none_is_made(samples: Path, tmp_path: Path) -> None:
    opened = open_application(samples)
    project = opened.stores.catalogue.project(ProjectId.parse("samples"))
    opened.search.open_ahead(project)
    held = samples / ".citeloom" / "index" / project.collection / "holder.json"
    assert held.is_file()
    opened.close()
    assert not held.exists()
    other = open_application(tmp_path)
    empty, _ = other.projects.opener.create(ProjectId.parse("empty"))
    other.search.open_ahead(empty)
    assert not other.stores.index.exists(empty.collection)
    other.close()


ASKED = ("query", "How far does a pond cool the air?", "-p", "samples")
PIPES = Shell(None, (False, False), ("utf-8", "utf-8"), {})


def relayed(opened: Application, *arguments: str, shell: Shell = PIPES) -> bytes | None:
    return answer(opened, requested(arguments, shell))


def test_a_server_answers_a_query_as_the_command_itself_does(samples: Path) -> None:
    workspace = ("--workspace", str(samples))
    questions = [(*ASKED, *more, *workspace) for more in ((), ("--json",), ("--format", "bibtex"))]
    alone = [citeloom(*one) for one in questions]
    last = samples / ".citeloom" / "last_question.json"
    with served(samples):
        for question, expected in zip(questions, alone, strict=True):
            last.unlink()
            assert citeloom(*question) == expected
            assert last.is_file()
        # As it cannot find the model, only the server can have answered.
        probe = (
            "import sys\n"
            "from citeloom.infrastructure.cli.shared.relay import main\n"
            "main()\n"
            "assert not any(name.split('.')[0] in ('typer', 'pydantic') for name in sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", probe, *questions[0]],
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            check=True,
        )
        assert (done.stdout, done.stderr) == (alone[0].out, alone[0].err)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signal on this system")
def test_a_stopped_server_delays_a_query_little_and_answers_it_no_more(samples: Path) -> None:
    question = (*ASKED, "--workspace", str(samples), "--json")
    last = samples / ".citeloom" / "last_question.json"
    with served(samples):
        pid = json.loads((samples / ".citeloom" / "serve.json").read_text("utf-8"))["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            alone = citeloom(*question)
            assert time.monotonic() - began < relay._ANSWER_SECONDS
            before = last.stat().st_mtime_ns
        finally:
            os.kill(pid, signal.SIGCONT)
        assert citeloom(*question) == alone
        shown = last.stat().st_mtime_ns
        assert shown > before
    assert last.stat().st_mtime_ns == shown


def test_only_a_question_loads_the_reranker(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    monkeypatch.setenv("CITELOOM_QUERY__RERANK", "true")
    monkeypatch.setattr(ModelVerbs, "load_reranker_ahead", lambda _: loaded.append("reranker"))
    opened = open_application(samples)
    for asked in ("pond", '"pond"', "pond -cooling"):
        assert relayed(opened, "query", "-p", "samples", "--", asked) is not None
    assert loaded == []
    assert relayed(opened, "query", "pond", "-p", "samples", "--rerank") is not None
    assert relayed(opened, *ASKED) is not None
    opened.close()
    assert len(loaded) == 2


def test_what_a_server_does_not_answer_the_command_does_itself(samples: Path) -> None:
    opened = open_application(samples)
    assert relayed(opened, *ASKED) is not None
    for arguments in (
        ("query", "pond", "-p", "other"),
        ("query", "pond", "--no-such-option"),
        ("query", "pond", "-p", "samples", "--filter", "DOC=papers/pond.pdf"),
        (*ASKED, "--format", "text", "--style", "apa"),
        ("query", "--help"),
        ("query", "-h"),
        ("query",),
        ("project", "delete", "samples", "--yes"),
        ("--workspace", str(samples), "serve"),
        (),
    ):
        assert relayed(opened, *arguments) is None, arguments
    for request in (b"", b"[]", b"{}", b'{"arguments": 1, "shell": {}}'):
        assert answer(opened, request) is None
    opened.close()


def test_a_command_that_waits_for_a_server_is_stopped_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(relay, "_answered", stopped)
    with pytest.raises(SystemExit) as ended_with:
        relay.main()
    assert ended_with.value.code == 130


def test_a_server_prints_for_the_terminal_of_the_command(samples: Path) -> None:
    opened = open_application(samples)
    narrow = Shell(50, (True, True), ("utf-8", "utf-8"), {"TERM": "xterm"})
    printed = relayed(opened, *ASKED, shell=narrow)
    plain = relayed(opened, *ASKED)
    opened.close()
    assert printed is not None
    assert plain is not None
    assert b"\\u001b[" in printed
    assert b"\\u001b[" not in plain
