"""What a page draws: boxes on the displayed page, and what counts as a drawing."""

from collections.abc import Mapping

import pytest

from citeloom.infrastructure.ingest.conversion.pdf.page_content.page_objects import (
    PageObjects,
    read_page_objects,
)
from tests.support.pdf.drawn_pdf import drawn, form, opened, picture

BOX = "100 600 50 40 re f"  # from the bottom left; from the top: 152 to 192


def read(content: str, objects: Mapping[str, str] | None = None, page: str = "") -> PageObjects:
    with opened(drawn(content, objects, page)) as opened_page:
        return read_page_objects(opened_page)


def rounded(boxes: tuple[tuple[float, ...], ...]) -> list[tuple[float, ...]]:
    return [tuple(round(value, 1) for value in box) for box in boxes]


class TestPlaces:
    def test_boxes_count_from_the_top_left(self) -> None:
        assert rounded(read(BOX).drawings) == [(100, 152, 150, 192)]

    @pytest.mark.parametrize(
        ("rotate", "box"),
        [
            (90, (600, 100, 640, 150)),
            (180, (462, 600, 512, 640)),
            (270, (152, 462, 192, 512)),
        ],
    )
    def test_a_rotated_page_is_read_as_displayed(self, rotate: int, box: tuple[float, ...]) -> None:
        assert rounded(read(BOX, page=f"/Rotate {rotate}").drawings) == [box]

    def test_a_cropped_page_counts_from_its_crop_box(self) -> None:
        cropped = read(BOX, page="/CropBox [80 500 300 700]")
        assert rounded(cropped.drawings) == [(20, 60, 70, 100)]

    def test_a_cropped_and_rotated_page(self) -> None:
        turned = read(BOX, page="/CropBox [80 500 300 700] /Rotate 90")
        assert rounded(turned.drawings) == [(100, 20, 140, 70)]

    def test_what_lies_beyond_the_crop_box_is_cut(self) -> None:
        cropped = read(BOX + " 10 10 50 50 re f", page="/CropBox [120 500 300 700]")
        assert rounded(cropped.drawings) == [(0, 60, 30, 100)]

    def test_the_matrices_of_nested_forms_apply(self) -> None:
        inner = form(BOX, matrix="0.5 0 0 0.5 0 0")
        outer = form("q 1 0 0 1 10 20 cm /Inner Do Q", matrix="2 0 0 2 0 -200").replace(
            "/Font", "/XObject << /Inner 6 0 R >> /Font"
        )
        found = read("q 1 0 0 1 5 0 cm /Outer Do Q", {"Inner": inner, "Outer": outer})
        assert rounded(found.drawings) == [(125, 312, 175, 352)]

    def test_a_page_without_extent_draws_nothing(self) -> None:
        assert read(BOX, page="/CropBox [612 792 700 900]") == PageObjects()


class TestDrawings:
    def test_shapes_that_touch_are_one_drawing(self) -> None:
        found = read(f"{BOX} 150.8 600 50 40 re f 300 600 50 40 re f")
        assert rounded(found.drawings) == [(100, 152, 200.8, 192), (300, 152, 350, 192)]

    def test_a_thin_one_is_a_rule_and_a_stroke(self) -> None:
        found = read("100 600 200 0.5 re f 100 500 m 300 500 l S")
        assert rounded(found.rules) == [(100, 191.5, 300, 192), (99.5, 291.5, 300.5, 292.5)]
        assert rounded(found.strokes) == [(100, 191.5, 300, 192), (100, 292, 300, 292)]
        assert found.drawings == ()

    def test_a_ruled_grid_in_one_path_has_all_its_strokes(self) -> None:
        lines = "".join(f"100 {y} m 300 {y} l " for y in (500, 520, 540))
        found = read(f"{lines} 100 500 m 100 540 l 300 500 m 300 540 l S")
        assert len(found.strokes) == 5
        assert rounded(found.drawings) == [(99.5, 251.5, 300.5, 292.5)]

    def test_rules_of_one_path_stay_apart(self) -> None:
        found = read("100 600 200 1 re 100 500 200 1 re f")
        assert rounded(found.rules) == [(100, 191, 300, 192), (100, 291, 300, 292)]

    def test_a_curve_is_one_drawing(self) -> None:
        points = " ".join(f"{100 + i} {600 + i % 7} l" for i in range(1, 300))
        found = read(f"100 600 m {points} S 100 500 m 110 520 120 520 130 500 c f")
        assert rounded(found.drawings) == [
            pytest.approx((99.5, 185.5, 399.5, 192.5), abs=1.2),
            (100, 272, 130, 292),
        ]
        assert found.strokes == ()

    @pytest.mark.parametrize(
        "content",
        [
            "100 600 50 40 re n",
            f"/G0 gs {BOX}",
            f"q 0 0 50 50 re W n {BOX} Q",
            "1 g 0 0 612 792 re f",
            "0.9 g 0 0 612 792 re f",
            "700 600 50 40 re f",
            "100 600 3 3 re f",
            f"1 g {BOX}",
        ],
        ids=[
            "no paint",
            "transparent",
            "clipped",
            "paper",
            "tinted paper",
            "off page",
            "dot",
            "white",
        ],
    )
    def test_what_shows_nothing_is_no_drawing(self, content: str) -> None:
        assert read(content).drawings == ()

    def test_the_white_ground_of_a_plot_belongs_to_it(self) -> None:
        found = read("1 g 100 500 200 100 re f 0 g 0 G 120 520 m 120 590 l 280 590 l S")
        assert rounded(found.drawings) == [(100, 192, 300, 292)]

    def test_white_on_colour_is_drawn(self) -> None:
        found = read("0.5 g 100 500 200 100 re f 1 g 100 550 200 1 re f")
        assert rounded(found.strokes) == [(100, 241, 300, 242)]

    def test_a_shape_is_cut_where_it_is_clipped(self) -> None:
        found = read(f"q 120 500 300 120 re W n {BOX} Q")
        assert rounded(found.drawings) == [(120, 172, 150, 192)]

    def test_the_box_of_a_form_clips(self) -> None:
        found = read("/Form Do", {"Form": form(BOX, box="0 0 120 620")})
        assert rounded(found.drawings) == [(100, 172, 120, 192)]

    def test_a_map_of_many_strokes_has_none(self) -> None:
        dots = " ".join(
            f"{i % 60 * 10} {i // 60 * 10} m {i % 60 * 10 + 6} {i // 60 * 10} l S"
            for i in range(3600)
        )
        found = read(dots)
        assert found.strokes == ()


class TestPictures:
    def test_a_picture_is_its_visible_part(self) -> None:
        content = "q 100 600 60 40 re W n 120 0 0 80 100 600 cm /Picture Do Q"
        found = read(content, {"Picture": picture()})
        assert rounded(found.pictures) == [(100, 152, 160, 192)]

    def test_a_picture_that_is_clipped_away_is_none(self) -> None:
        content = "q 10 10 60 40 re W n 120 0 0 80 100 600 cm /Picture Do Q"
        assert read(content, {"Picture": picture()}).pictures == ()

    def test_a_picture_in_strips_is_one(self) -> None:
        content = " ".join(f"q 120 0 0 1 100 {600 + i} cm /Picture Do Q" for i in range(40))
        assert rounded(read(content, {"Picture": picture()}).pictures) == [(100, 152, 220, 192)]

    def test_rules_drawn_as_pictures_are_rules(self) -> None:
        content = " ".join(f"q 120 0 0 0.5 100 {y} cm /Picture Do Q" for y in (600, 620, 640))
        sides = " ".join(f"q 0.5 0 0 40 {x} 600 cm /Picture Do Q" for x in (100, 160, 220))
        found = read(
            f"{content} {sides} q 120 0 0 1 100 500 cm /Picture Do Q", {"Picture": picture()}
        )
        assert found.pictures == ()
        assert rounded(found.drawings) == [(100, 151.5, 220.5, 192)]
        assert rounded(found.rules) == [(100, 291, 220, 292)]
        assert len(found.strokes) == 7

    def test_a_rotated_picture_has_the_box_around_it(self) -> None:
        content = "q 0 80 -120 0 300 600 cm /Picture Do Q"
        assert rounded(read(content, {"Picture": picture()}).pictures) == [(180, 112, 300, 192)]
