"""The events of a review when the server is killed: each once, in order, to the end."""

import os
from pathlib import Path

import pytest
from support.killed_server import followed_through_kills

from citeloom.domain.research.events import to_wire


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.faults)])
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_client_that_comes_back_has_the_record_without_gap_or_repeat(
    tmp_path: Path, kills: int
) -> None:
    received, kept = followed_through_kills(tmp_path, kills=kills, seed=23)
    *told, last = received
    assert [(id, data) for id, _, data in told] == [
        (str(event.sequence), to_wire(event)) for event in kept
    ]
    assert [event.sequence for event in kept] == list(range(1, len(kept) + 1))
    assert last[:2] == (None, "completed")
