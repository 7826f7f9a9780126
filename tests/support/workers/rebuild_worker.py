"""Builds a graph as the real process does, and stops, or dies, where it is told to.

usage: rebuild_worker.py FOLDER DIMENSION [STEP die|SECONDS]...

STEP is a function that ``build`` calls, or ``rename N``, its Nth renaming of a folder.
Before it, ``kill -9``, or a line on stdout and SECONDS of sleep.
"""

import os
import signal
import sys
import time
from pathlib import Path

from citeloom.infrastructure.search.edge import graph_build as module


def before(step, what):
    def halt():
        if what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        sys.stdout.write("here\n")
        sys.stdout.flush()
        time.sleep(float(what))

    if step.startswith("rename"):
        rename, left = Path.replace, [int(step.removeprefix("rename"))]

        def renaming(self, target):
            if self.name == "shard" or Path(target).name == "shard":
                left[0] -= 1
                if not left[0]:
                    halt()
            return rename(self, target)

        Path.replace = renaming
        return
    original = getattr(module, step)

    def halting(*arguments):
        halt()
        return original(*arguments)

    setattr(module, step, halting)


if __name__ == "__main__":
    folder, dimension, *more = sys.argv[1:]
    for step, what in zip(more[::2], more[1::2], strict=True):
        before(step, what)
    sys.stdout.write(f"{module.build(Path(folder), int(dimension), 20.0)}\n")
