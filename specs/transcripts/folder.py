"""A folder in which commands run, each in a terminal of its own."""

import os
import re
import shlex
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from specs.transcripts.comparison import stripped
from specs.transcripts.pages import ROOT

COLUMNS, LINES = 96, 50
SECONDS = 300
HOME = "/home/oriana"  # in place of the temporary folder
_ESCAPE = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_SHELL = re.compile(r"[|<>;&$`*\\'\"]")


class Folder:
    """The folder that all commands run in, below a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "citeloom"
        self.path.mkdir()
        self._set = home / "variables"
        shutil.copytree(ROOT / "references", self.path / "references")
        programs = home / ".local" / "bin"
        programs.mkdir(parents=True)
        program = programs / "citeloom"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m citeloom "$@"\n')
        program.chmod(0o755)
        kept = ("LANG", "PYTHONPATH", "TMPDIR")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb",
            "COLUMNS": str(COLUMNS), "LINES": str(LINES), "TZ": "UTC",
            "PYTHONUTF8": "1", "HF_HUB_OFFLINE": "1",
            # To start a second process takes longer than to convert four papers.
            "CITELOOM_INGEST__JOBS": "1",
        }  # fmt: skip

    def run(self, command: str) -> tuple[int, list[str]]:
        """Exit code and lines of a command in a terminal."""
        code, printed = _in_terminal(lambda: self._become(command))
        self._learn_variables()
        text = _ESCAPE.sub("", printed.decode("utf-8", "replace")).replace("\r\n", "\n")
        text = text.replace(str(self.home), HOME)
        lines = (line.rsplit("\r", 1)[-1] for line in text.split("\n"))
        return code, stripped(list(lines))

    def _learn_variables(self) -> None:
        if not self._set.exists():
            return
        for entry in self._set.read_text("utf-8").split("\0"):
            name, _, value = entry.partition("=")
            if name.islower():  # those of the shell itself are not
                self.environment[name] = value
        self._set.unlink()

    def _become(self, command: str) -> None:
        os.chdir(self.path)
        os.environ.clear()
        os.environ.update(self.environment)
        joined = re.sub(r"\s#.*", "", command.replace("\\\n", " "))
        if not joined.startswith("citeloom ") or _SHELL.search(_QUOTED.sub("", joined)):
            # What it sets is exported to the next ones.
            told = f"set -a; trap {shlex.quote(f'env -0 > {shlex.quote(str(self._set))}')} EXIT"
            os.execvp("bash", ["bash", "-c", f"{told}\n{command}"])
        words = shlex.split(joined)
        sys.argv = words
        for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
            stream = open(number, mode, encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # which keeps it open
        from citeloom.infrastructure.cli.app import main

        main()


def _exit_code(become: Callable[[], None]) -> int:
    code = 0
    try:
        become()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc(limit=-4)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _in_terminal(become: Callable[[], None]) -> tuple[int, bytes]:
    """Exit code and output of ``become`` in a child process with a terminal of its own."""
    import fcntl
    import pty
    import select
    import struct
    import termios

    child, terminal = pty.fork()
    if not child:
        code = 1
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
            code = _exit_code(become)
        finally:
            os._exit(code)
    printed = bytearray()
    try:
        while select.select([terminal], [], [], SECONDS)[0]:
            printed += os.read(terminal, 65536)
        os.kill(child, 9)
        printed += f"\nno output for {SECONDS} s".encode()
    except OSError:  # the terminal has no other end any more
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bytes(printed)


def load() -> None:
    """Import what commands import, once for all of them."""
    import importlib
    import pkgutil

    for name in ("cli", "composition"):
        package = importlib.import_module(f"citeloom.infrastructure.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in ("onnxruntime", "qdrant_edge", "rich.table", "rich.progress"):
        importlib.import_module(name)
