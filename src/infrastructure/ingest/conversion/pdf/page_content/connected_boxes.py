"""Boxes that touch, merged."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from citeloom.domain.documents.spans import BBox

_MANY = 2000  # boxes beyond which those of the same cells of a grid are merged first
_CELL = 4.0  # points: side of the first grid's cells; that of each further one is doubled

Boxes = npt.NDArray[np.float64]


def connected_boxes(boxes: Sequence[BBox], tolerance: float = 1.0) -> list[BBox]:
    """The boxes around each group of boxes of which none is further than ``tolerance`` from the
    box of the others. The result does not depend on the order; no two of its boxes touch."""
    if not boxes:
        return []
    left = np.unique(np.asarray(boxes, dtype=np.float64), axis=0)
    cell = _CELL
    while len(left) > _MANY:
        left = _merged_in_cells(left, cell)
        cell *= 2
    widest = np.argsort(-(left[:, 2] - left[:, 0]) * (left[:, 3] - left[:, 1]), kind="stable")
    left = left[widest]
    merged: list[BBox] = []
    while len(left):
        group, left = _grown(left[0], left[1:], tolerance)
        # A group that grew last may have reached those before it.
        reached = [at for at, box in enumerate(merged) if _touch(box, group, tolerance)]
        if reached:
            left = np.vstack([np.array([group, *(merged[at] for at in reached)]), left])
            merged = [box for at, box in enumerate(merged) if at not in reached]
        else:
            merged.append(group)
    return sorted(merged, key=lambda box: (box[1], box[0]))


def _grown(seed: npt.NDArray[np.float64], others: Boxes, slack: float) -> tuple[BBox, Boxes]:
    """The seed with all that touches it, step by step, and the boxes that do not."""
    x0, top, x1, bottom = (float(value) for value in seed)
    while len(others):
        near = (
            (others[:, 0] <= x1 + slack)
            & (others[:, 2] >= x0 - slack)
            & (others[:, 1] <= bottom + slack)
            & (others[:, 3] >= top - slack)
        )
        if not near.any():
            break
        taken = others[near]
        x0, top = min(x0, float(taken[:, 0].min())), min(top, float(taken[:, 1].min()))
        x1, bottom = max(x1, float(taken[:, 2].max())), max(bottom, float(taken[:, 3].max()))
        others = others[~near]
    return (x0, top, x1, bottom), others


def _touch(one: BBox, other: BBox, slack: float) -> bool:
    return (
        one[0] <= other[2] + slack
        and one[2] >= other[0] - slack
        and one[1] <= other[3] + slack
        and one[3] >= other[1] - slack
    )


def _merged_in_cells(boxes: Boxes, cell: float) -> Boxes:
    """One box for all boxes that begin and end in the same cells of a grid."""
    cells = np.floor(boxes / cell).astype(np.int64)
    _, group = np.unique(cells, axis=0, return_inverse=True)
    count = int(group.max()) + 1
    merged = np.empty((count, 4))
    merged[:, :2], merged[:, 2:] = np.inf, -np.inf
    np.minimum.at(merged[:, 0], group, boxes[:, 0])
    np.minimum.at(merged[:, 1], group, boxes[:, 1])
    np.maximum.at(merged[:, 2], group, boxes[:, 2])
    np.maximum.at(merged[:, 3], group, boxes[:, 3])
    return merged
