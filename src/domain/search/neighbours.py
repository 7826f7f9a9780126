"""A passage is read in its surroundings: what its neighbours say counts for it.

Cutting a text parts what belongs together: the sentence that answers may stand in one passage
and the words of the question in the next. So each side of the fusion takes, for the greater
part, the best of a passage and of those directly before and after it. Which of the neighbours
comes first is still told by their own scores.

Measured on SciFact's training claims through the product (11,371 passages of 5,183 abstracts,
nDCG@10, default weights): 0.7470 without, 0.7509 with a share of 0.8, 0.7524 with 0.9, 0.7518
with 1.0; the same to 0.0013 whether 20, 40 or all candidates are looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citeloom.domain.documents.chunk import ChunkPosition
from citeloom.domain.search.fusion import Scored

#: How much of a score is that of the best in the surroundings.
SHARE = 0.9
#: So many of the best candidates are looked at.
DEPTH = 40


def in_surroundings(
    candidates: Sequence[Scored], positions: Mapping[str, ChunkPosition], share: float = SHARE
) -> list[Scored]:
    """The candidates with the scores that they have in their surroundings, in the same order.

    Those without a position keep theirs, and are nobody's neighbours.
    """
    by_position = {positions[one.id]: one for one in candidates if one.id in positions}

    def lifted(one: Scored) -> Scored:
        if one.id not in positions:
            return one
        beside = (by_position.get(position) for position in _beside(positions[one.id]))
        near = [one, *(other for other in beside if other is not None)]
        if len(near) == 1:
            return one
        return replace(
            one,
            dense=_mixed(one.dense, [other.dense for other in near], share),
            sparse=_mixed(one.sparse, [other.sparse for other in near], share),
            sentence=_mixed(_quoted(one), [_quoted(other) for other in near], share),
        )

    return [lifted(one) for one in candidates]


def side_by_side(
    ids: Sequence[str], positions: Mapping[str, ChunkPosition], limit: int
) -> list[list[str]]:
    """The first of ``ids`` in at most ``limit`` groups: a passage, with those directly before
    and after it as far as they come later in ``ids``, in the order of the text.

    The groups hold a beginning of ``ids``, which ends where one more group would be needed.
    """
    groups: list[list[str]] = []
    led: dict[ChunkPosition, list[str]] = {}
    for id in ids:
        position = positions.get(id)
        group = led.get(position) if position else None
        if group is None:
            if len(groups) == limit:
                break
            groups.append(group := [])
            for beside in _beside(position) if position else ():
                led.setdefault(beside, group)
        group.append(id)
    for group in groups:
        if len(group) > 1:
            group.sort(key=lambda id: positions[id].place)
    return groups


def _beside(position: ChunkPosition) -> tuple[ChunkPosition, ChunkPosition]:
    document, place = position
    return ChunkPosition(document, place - 1), ChunkPosition(document, place + 1)


def _quoted(one: Scored) -> float | None:
    """A passage without sentences counts as one sentence, as it does in the fusion."""
    return one.dense if one.sentence is None else one.sentence


def _mixed(own: float | None, near: Sequence[float | None], share: float) -> float | None:
    """No BM25 score counts as 0; a side that nobody has stays unknown."""
    known = [score for score in near if score is not None]
    if not known:
        return None
    mine = own or 0.0
    return mine + share * (max(mine, *known) - mine)
