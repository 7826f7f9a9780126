"""Errors on their way from the worker process."""

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import CiteLoomError, ConversionTimeout, PasswordNeeded
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.ingest.conversion.protocol import error_from_header, error_to_header


@pytest.mark.parametrize(
    "error",
    [
        PasswordNeeded("a.pdf: password needed", NextStep(Action.GIVE_PASSWORD), wrong=True),
        ConversionTimeout("a.pdf: too slow; split it", timeout_seconds=1.0),
        CiteLoomError("odd", path=Path("x")),
    ],
)
def test_errors_survive_the_wire(error: CiteLoomError) -> None:
    back = error_from_header(json.loads(json.dumps(error_to_header(error))))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert back.next_step == error.next_step
    assert set(back.details) == set(error.details)
