"""A command killed at random moments and run again, beside the same command left alone."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults.kills.content import content
from support.command_line import citeloom, environment

Command = Sequence[str | Path]


def _nothing() -> None:
    return None


@dataclass(frozen=True)
class Scenario:
    """``command`` changes a workspace that starts as ``before``. ``after`` finishes what was
    killed (the command itself, unless another is named); ``meanwhile`` changes the sources
    between the kill and the next start."""

    before: Path
    command: Command
    after: Sequence[Command] = ()
    meanwhile: Callable[[], None] = _nothing
    undone: Callable[[], None] = _nothing
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def finish(self) -> Sequence[Command]:
        return self.after or (self.command,)


class Campaign:
    """Kills of one scenario. ``folder`` takes the copies of the workspace."""

    def __init__(self, scenario: Scenario, folder: Path, seed: int) -> None:
        self._scenario = scenario
        self._folder = folder
        self._random = random.Random(seed)
        self._calm: dict[str, Any] = {}
        self._seconds = 0.0

    def undisturbed(self) -> dict[str, Any]:
        """The content after the sources' changes, made in one go."""
        workspace = self._copy("calm")
        began = time.monotonic()
        self._run(workspace, self._scenario.command)
        self._seconds = time.monotonic() - began
        shutil.rmtree(workspace)
        workspace = self._copy("calm")
        self._scenario.meanwhile()
        for command in self._scenario.finish:
            self._run(workspace, command)
        self._calm = content(workspace)
        self._scenario.undone()
        return self._calm

    def kill(self, number: int) -> None:
        """Kill once, one time in four also the run after it, and finish. Raises AssertionError
        naming the moments if the content differs or validate finds fault."""
        workspace = self._copy(f"killed{number}")
        moments = [self._interrupted(workspace)]
        self._scenario.meanwhile()
        if self._random.random() < 0.25:
            moments.append(self._interrupted(workspace, self._scenario.finish[0]))
        told = f"killed after {', '.join(f'{moment:.2f} s' for moment in moments)}"
        for command in self._scenario.finish:
            self._run(workspace, command, told)
        found = content(workspace)
        assert found == self._calm, f"{told}: {_difference(self._calm, found)}"
        checked = citeloom("validate", "--json", workspace=workspace, **self._scenario.environment)
        assert checked.code == 0, f"{told}: {checked.out} {checked.err}"
        self._scenario.undone()
        shutil.rmtree(workspace)

    def _copy(self, name: str) -> Path:
        shutil.rmtree(self._folder / name, ignore_errors=True)
        return Path(shutil.copytree(self._scenario.before, self._folder / name, symlinks=True))

    def _run(self, workspace: Path, command: Command, told: str = "") -> None:
        done = citeloom(*command, workspace=workspace, **self._scenario.environment)
        assert done.code == 0, f"{told}: {done.out} {done.err}"

    def _interrupted(self, workspace: Path, command: Command | None = None) -> float:
        """Kill the process alone or with its workers; seconds after its start."""
        moment = self._random.uniform(0.05, 1.0) * self._seconds
        arguments = [str(part) for part in command or self._scenario.command]
        process = subprocess.Popen(
            [sys.executable, "-m", "citeloom", *arguments, "--workspace", str(workspace)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(**self._scenario.environment),
            start_new_session=True,
        )
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            whole = self._random.random() < 0.5
            (os.killpg if whole else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
        return moment


def _difference(calm: Any, found: Any, at: str = "") -> str:
    """Where two contents first differ."""
    if isinstance(calm, dict) and isinstance(found, dict):
        for key in sorted({*calm, *found}):
            if key not in calm or key not in found:
                return f"{at}/{key} is {'missing' if key in calm else 'more than undisturbed'}"
            if calm[key] != found[key]:
                return _difference(calm[key], found[key], f"{at}/{key}")
    return f"{at}: {str(calm)[:300]} became {str(found)[:300]}"
