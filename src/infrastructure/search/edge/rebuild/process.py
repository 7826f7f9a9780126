"""Subprocess that builds a graph, and its outcome."""

import json
from pathlib import Path
from typing import Final

from citeloom.domain.errors import IndexUnavailable, ShardBusy, StorageFailed, WorkspaceTooNew
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.search.edge.child_process import Ended, run_module

_MODULE: Final = "citeloom.infrastructure.search.edge.rebuild.rebuild"
_ERRORS: Final = {
    error.__name__: error for error in (IndexUnavailable, ShardBusy, StorageFailed, WorkspaceTooNew)
}


def rebuild_apart(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Run ``rebuild`` in a new process and wait for it.

    Raises what that raises; IndexUnavailable if the process dies.
    """
    ended = run_module(_MODULE, folder, dimension, wait_seconds)
    try:
        answer = json.loads(ended.output)
    except ValueError:
        raise _died(folder, ended) from None
    if "error" in answer:
        next_step = NextStep.of(answer["next_step"])
        raise _ERRORS.get(answer["error"], IndexUnavailable)(answer["message"], next_step)
    return bool(answer["rebuilt"])


def _died(folder: Path, ended: Ended) -> IndexUnavailable:
    return IndexUnavailable(
        f"{folder.name}: building the index failed ({ended.cause}); what is stored "
        "can be searched as before",
        NextStep(Action.OPTIMIZE),
        collection=folder.name,
    )
