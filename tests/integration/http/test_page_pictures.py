"""Pictures of pages over HTTP: their resolution, and what is marked on them."""

import html
import io
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from PIL import Image, ImageChops
from support.http_client import client_at
from support.http_server import serving
from support.in_process import InProcess
from support.paths import LIBRARY
from support.world import World

QUOTE = "cooling"


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    world = World(tmp_path_factory.mktemp("library"), converter=InProcess())  # type: ignore[arg-type]
    pdf = (LIBRARY / "papers" / "pond-cooling.pdf").read_bytes()
    (world.folder / "ponds.pdf").write_bytes(pdf)
    world.ingest()
    with serving(world) as address, client_at(address) as client:
        yield client


@pytest.fixture(scope="module")
def document(rest: httpx2.Client) -> str:
    listed = rest.get("/api/v1/projects/local/thesis/documents").json()
    return str(listed["documents"][0]["document_id"])


@pytest.fixture(scope="module")
def hit(rest: httpx2.Client) -> dict[str, Any]:
    asked = {"project": "thesis", "text": "cooling of the evening air by a pond", "top_k": 1}
    return dict(rest.post("/api/v1/query", json=asked).json()["items"][0])


def picture(rest: httpx2.Client, document: str, page: int, **asked: Any) -> Image.Image:
    answer = rest.get(f"/api/v1/documents/{document}/pages/{page}.png", params=asked)
    assert answer.status_code == 200, answer.text
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def changed(one: Image.Image, other: Image.Image) -> tuple[int, int, int, int] | None:
    return ImageChops.difference(one, other).getbbox()


@pytest.mark.parametrize("dpi", [72, 144, 300])
def test_a_picture_has_the_resolution_that_was_asked_for(
    rest: httpx2.Client, document: str, dpi: int
) -> None:
    layer = rest.get(f"/api/v1/documents/{document}/pages/1/lines").json()
    drawn = picture(rest, document, 1, dpi=dpi)
    for side, points in zip(drawn.size, (layer["width"], layer["height"]), strict=True):
        assert abs(side - points * dpi / 72) <= 1


def test_a_passage_is_marked_by_its_place_in_the_text(
    rest: httpx2.Client, document: str, hit: dict[str, Any]
) -> None:
    (page, *_), span = hit["page_span"], hit["char_span"]
    marked = picture(rest, document, page, dpi=72, marks=f"{span[0]}-{span[1]}")
    box = changed(marked, picture(rest, document, page, dpi=72))
    asked = {"start": span[0], "end": span[1]}
    layer = rest.get(f"/api/v1/documents/{document}/pages/{page}/lines", params=asked).json()
    left, top, right, bottom = (list(edges) for edges in zip(*layer["marks"], strict=True))
    assert box is not None
    for seen, wanted in zip(box, (min(left), min(top), max(right), max(bottom)), strict=True):
        assert abs(seen - wanted) <= 4


def test_several_places_and_a_quotation_are_marked_together(
    rest: httpx2.Client, document: str, hit: dict[str, Any]
) -> None:
    page, start = hit["page_span"][0], hit["char_span"][0]
    halves = [f"{start}-{start + 100}", f"{start + 100}-{start + 200}"]
    plain = picture(rest, document, page)
    both = picture(rest, document, page, marks=halves)
    one = picture(rest, document, page, marks=halves[0])
    assert changed(one, plain)
    assert changed(both, one)
    assert changed(picture(rest, document, page, marks=halves[0], quote=QUOTE), one)


REFUSED = [
    ({"dpi": 100, "pixels": 800}, "does not go with pixels"),
    ({"dpi": 600}, "at most 4000 pixels; ask for up to"),
    ({"marks": "9999990-9999999"}, "no text of 9999990-9999999 is on these pages"),
    ({"marks": "20-10"}, "ends before it starts"),
    ({"marks": "10"}, "marks"),
    ({"box": [0, 0, 9, 9], "quote": QUOTE}, "box: does not go with quote"),
    ({"box": [0, 0, 9, 9], "marks": "0-5"}, "box: does not go with quote"),
]


@pytest.mark.parametrize(("asked", "reason"), REFUSED)
def test_what_cannot_be_drawn_as_asked_is_refused(
    rest: httpx2.Client, document: str, asked: dict[str, Any], reason: str
) -> None:
    refused = rest.get(f"/api/v1/documents/{document}/pages/1.png", params=asked)
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMETER")
    assert reason in refused.json()["detail"]


def test_other_marks_are_another_picture_for_a_client_that_has_one(
    rest: httpx2.Client, document: str, hit: dict[str, Any]
) -> None:
    path = f"/api/v1/documents/{document}/pages/{hit['page_span'][0]}.png"
    asked = {"marks": "{}-{}".format(*hit["char_span"])}
    known = {"if-none-match": rest.get(path, params=asked).headers["etag"]}
    assert rest.get(path, params=asked, headers=known).status_code == 304
    assert rest.get(path, headers=known).status_code == 200


def test_a_hit_in_a_table_has_the_picture_of_its_part_of_the_page(
    rest: httpx2.Client, document: str
) -> None:
    asked = {"project": "thesis", "text": "Table", "top_k": 3, "filters": ["kind=table"]}
    items = rest.post("/api/v1/query", json=asked).json()["items"]
    part = next(one["picture"] for one in items if one["picture"])
    left, top, right, bottom = part["bbox"]
    drawn = picture(rest, document, part["page"], box=part["bbox"], dpi=72)
    whole = picture(rest, document, part["page"], dpi=72)
    assert abs(drawn.width - (right - left)) <= 2
    assert abs(drawn.height - (bottom - top)) <= 2
    assert changed(drawn, whole.crop((int(left), int(top), int(left) + drawn.width,
                                      int(top) + drawn.height))) is None  # fmt: skip


@pytest.mark.parametrize("box", ["1,2,3", "1,2,3,x", "-1,0,5,5", "nan,0,5,5", "0,0,5,inf"])
def test_a_box_without_four_places_on_a_page_is_refused(
    rest: httpx2.Client, document: str, box: str
) -> None:
    path = f"/api/v1/documents/{document}/pages/1.png"
    assert rest.get(path, params={"box": box.split(",")}).status_code == 400


def test_a_box_has_no_marks(rest: httpx2.Client, document: str) -> None:
    asked = {"box": [0, 0, 9, 9], "marks": "0-9"}
    answer = rest.get(f"/api/v1/documents/{document}/pages/1.png", params=asked)
    assert "does not go with quote or marks" in answer.json()["detail"]


@pytest.mark.parametrize("box", [(0, 0, 0, 0), (9, 9, 1, 1), (9000, 9000, 9001, 9001)])
def test_a_box_without_an_area_on_the_page_is_a_dot(
    rest: httpx2.Client, document: str, box: tuple[int, ...]
) -> None:
    assert picture(rest, document, 1, box=box).size == (1, 1)


def test_the_page_shows_a_table_as_one_and_as_it_is_printed(rest: httpx2.Client) -> None:
    asked = {"project": "thesis", "q": "cooling by distance", "filter": "kind=table"}
    shown = rest.get("/ask", params=asked).text
    rows = re.findall(r"<tr>(.*?)</tr>", shown)
    assert max(row.count("<td>") for row in rows) > 1
    assert any("<mark>" in row for row in rows)
    source = re.search(r'class="part" href="[^"]+"><img src="([^"]+)"', shown)
    assert source is not None
    drawn = rest.get(html.unescape(source[1]))
    assert drawn.headers["content-type"] == "image/png"
    assert max(Image.open(io.BytesIO(drawn.content)).size) == 800
