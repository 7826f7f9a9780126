"""What a cross-encoder reads of a claim and the sentences of a source, as numbers.

It reads the claim with each of the nearest sentences and with all of these together, and says
how likely each text is to say nothing on the claim, to bear it out, to contradict it.
"""

from collections.abc import Sequence
from math import log
from typing import Final

from citeloom.domain.claims.judging import Evidence

#: Of NEI, SUPPORT and CONTRADICT.
Shares = Sequence[float]

_NEAREST: Final = 3
#: How many texts are read.
READ: Final = _NEAREST + 1
_LEAST: Final = 1e-4


def texts(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The ``READ`` texts that are read with the claim: the nearest sentences, nearest first,
    then these together in their order. Where there are fewer, the last stands again."""
    nearest = sorted(range(len(evidence)), key=lambda n: -evidence[n].score)[:_NEAREST]
    single = [evidence[n].text.strip() for n in nearest]
    inorder = sorted(nearest, key=lambda n: (_place(evidence[n], n), n))
    joined = " ".join(evidence[n].text.strip() for n in inorder)
    return (*single, *single[-1:] * (_NEAREST - len(single)), joined)


def vector(found: Sequence[Shares]) -> tuple[float, ...]:
    """Of what was read in ``texts``, as the regression sees it: log odds of the likeliest
    support, contradiction and any of the two in a single sentence; log ratios of support and
    of contradiction to NEI in all together; the mean log ratio of contradiction to support."""
    single, joined = [tuple(map(_kept, one)) for one in found[:_NEAREST]], found[_NEAREST]
    none, support, contradict = map(_kept, joined)
    return (
        _odds(max(one[1] for one in single)),
        _odds(max(one[2] for one in single)),
        _odds(1 - min(one[0] for one in single)),
        log(support / none),
        log(contradict / none),
        sum(log(one[2] / one[1]) for one in single) / len(single),
    )


def _place(one: Evidence, otherwise: int) -> int:
    return otherwise if one.place is None else one.place


def _kept(share: float) -> float:
    return max(share, _LEAST)


def _odds(share: float) -> float:
    share = min(max(share, _LEAST), 1 - _LEAST)
    return log(share / (1 - share))
