"""Places of annotations on the page, and what was marked."""

from typing import Any

from support.cases import each

from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.library.raw_items import AnnotationPosition, annotation_of, position_of


@each(
    ("position", "expected"),
    [
        ('{"pageIndex":0,"rects":[[305.787,724.52,327.787,746.52]]}',
         AnnotationPosition(1, ((305.787, 724.52, 327.787, 746.52),))),
        ('{"pageIndex":4,"rects":[[1,2,3,4],[9,8,7,6]],"nextPageRects":[[1,1,2,2]]}',
         AnnotationPosition(5, ((1, 2, 3, 4), (7, 6, 9, 8)), ((1, 1, 2, 2),))),
        ('{"pageIndex":2,"paths":[[1,5,3,2],[0,0]],"width":2}',
         AnnotationPosition(3, ((1, 2, 3, 5), (0, 0, 0, 0)))),
        ({"pageIndex": 1, "rects": []}, AnnotationPosition(2)),
        ('{"pageIndex":1,"rects":[[1,2,3],["a",2,3,4],[1,2,3,1e400],null]}', AnnotationPosition(2)),
        ('{"type":"FragmentSelector","value":"epubcfi(/6/4!/4)"}', AnnotationPosition()),
        ('{"type":"CssSelector","value":"p:nth-child(2)"}', AnnotationPosition()),
        ('{"pageIndex":-1}', AnnotationPosition()), ('{"pageIndex":true}', AnnotationPosition()),
        ('{"pageIndex":"0"}', AnnotationPosition()), ("{not json", AnnotationPosition()),
        ("[" * 100_000, AnnotationPosition()),
        ("[]", AnnotationPosition()), (None, AnnotationPosition()), ("", AnnotationPosition()),
    ],
)  # fmt: skip
def test_positions_are_read_or_left(position: Any, expected: AnnotationPosition) -> None:
    assert position_of({"annotationPosition": position}) == expected


def test_an_annotation_says_what_was_marked() -> None:
    raw = {
        "key": "GGGG0001", "version": 4, "itemType": "annotation", "parentItem": "FFFF0001",
        "annotationType": "highlight", "annotationText": "Highlighted text",
        "annotationComment": "User comment", "annotationColor": "#FF0000",
        "annotationPageLabel": "xii", "annotationSortIndex": "00000|000010|00100",
        "annotationPosition": '{"pageIndex":0,"rects":[[1,2,3,4]]}',
        "annotationAuthorName": "", "tags": [{"tag": "important"}, {"tag": "review"}],
    }  # fmt: skip
    found = annotation_of(raw, LibraryRef())
    assert found is not None
    assert (found.page, found.text, found.comment, found.color, found.page_label) == (
        1, "Highlighted text", "User comment", "#FF0000", "xii",
    )  # fmt: skip
    assert (found.tags, found.attachment_key, found.author) == (
        ("important", "review"), "FFFF0001", None,
    )  # fmt: skip
    bare = annotation_of(
        {"key": "G", "annotationType": "underline", "annotationText": "Another highlight",
         "annotationComment": None, "annotationColor": None, "tags": [],
         "annotationPosition": '{"pageIndex": 1}'}, LibraryRef(),
    )  # fmt: skip
    assert bare is not None
    assert (bare.page, bare.comment, bare.color, bare.tags) == (2, "", None, ())
