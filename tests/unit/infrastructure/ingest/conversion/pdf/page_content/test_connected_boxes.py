"""Boxes that touch, merged."""

import random

from citeloom.infrastructure.ingest.conversion.pdf.page_content.page_objects import connected_boxes


def test_nothing_comes_of_nothing() -> None:
    assert connected_boxes([]) == []


def test_boxes_within_the_tolerance_are_one() -> None:
    boxes = [(0.0, 0.0, 10.0, 10.0), (10.9, 0.0, 20.0, 10.0), (22.0, 0.0, 30.0, 10.0)]
    assert connected_boxes(boxes) == [(0, 0, 20, 10), (22, 0, 30, 10)]


def test_what_lies_in_the_box_of_a_group_belongs_to_it() -> None:
    angle = [(0.0, 0.0, 100.0, 1.0), (0.0, 0.0, 1.0, 100.0)]
    assert connected_boxes([*angle, (50.0, 50.0, 60.0, 60.0)]) == [(0, 0, 100, 100)]


def test_a_group_that_grows_takes_earlier_groups() -> None:
    large = (0.0, 0.0, 50.0, 50.0)
    angle = [(60.0, 0.0, 61.0, 90.0), (45.0, 89.0, 61.0, 90.0), (0.0, 60.0, 46.0, 90.0)]
    assert connected_boxes([large, *angle]) == [(0, 0, 61, 90)]


def test_the_result_does_not_depend_on_the_order() -> None:
    rng = random.Random(17)
    boxes = []
    for _ in range(300):
        x, y = rng.uniform(0, 600), rng.uniform(0, 800)
        boxes.append((x, y, x + rng.uniform(0, 20), y + rng.uniform(0, 20)))
    merged = connected_boxes(boxes)
    rng.shuffle(boxes)
    assert connected_boxes(boxes) == merged
    assert connected_boxes(merged) == merged


def test_very_many_boxes_keep_their_extent() -> None:
    rng = random.Random(17)
    boxes = [
        (x, y, x + 2, y + 2)
        for x, y in ((rng.uniform(0, 90), rng.uniform(0, 90)) for _ in range(9000))
    ]
    alone = (300.0, 300.0, 310.0, 310.0)
    merged = connected_boxes([*boxes, alone])
    assert merged[-1] == alone
    assert merged[0][0] == min(box[0] for box in boxes)
    assert merged[0][3] == max(box[3] for box in boxes)
