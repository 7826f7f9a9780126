"""Each target on inputs that were found once, and on a few that are always the same; ``make fuzz``
makes others."""

import os

import pytest
from fuzz.corpus import found
from fuzz.registry import TARGETS
from fuzz.target import Target
from hypothesis import Phase, given, settings

EXAMPLES = int(os.environ.get("CITELOOM_TEST_EXAMPLES", "25"))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_anything_drawn_is_accepted_or_refused_with_a_documented_error(target: Target) -> None:
    @settings(
        max_examples=max(1, EXAMPLES // target.weight), phases=[Phase.generate], derandomize=True
    )
    @given(target.inputs)
    def run(drawn: object) -> None:
        target.run(drawn)

    run()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_inputs_that_were_found_are_accepted_or_refused(target: Target) -> None:
    for one in found(target.name):
        target.run(one)
