"""A claim with evidence and what the evidence says of it."""

from typing import NamedTuple

NEI, SUPPORT, CONTRADICT = range(3)


class Pair(NamedTuple):
    claim: str
    evidence: str
    label: int
