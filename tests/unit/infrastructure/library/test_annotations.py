"""Paths of attachments by their link mode, and places of annotations on the page."""

from pathlib import Path
from typing import Any

import pytest

from citeloom.domain.library.snapshot import LibraryRef, LinkMode
from citeloom.infrastructure.library.annotations import AnnotationPosition, position_of
from citeloom.infrastructure.library.attachment_paths import (
    LINK_MODES,
    AttachmentFolders,
    file_name,
)
from citeloom.infrastructure.library.raw_items import annotation_of

PLACES = AttachmentFolders(data_dir=Path("/z"), linked_base=Path("/base"))


def test_link_modes_are_zoteros() -> None:
    assert [(mode.value, name) for name, mode in LINK_MODES.items()] == [
        (0, "imported_file"), (1, "imported_url"), (2, "linked_file"), (3, "linked_url"),
    ]  # fmt: skip
    assert set(LINK_MODES.values()) == set(LinkMode)


@pytest.mark.parametrize(
    ("mode", "fields", "path"),
    [
        ("imported_file", {"filename": "a b.pdf"}, "/z/storage/KEY00001/a b.pdf"),
        ("imported_file", {"path": "storage:é.pdf"}, "/z/storage/KEY00001/é.pdf"),
        ("imported_url", {"filename": "page.html"}, "/z/storage/KEY00001/page.html"),
        ("imported_file", {"filename": "../../etc/passwd"}, "/z/storage/KEY00001/passwd"),
        ("imported_file", {"filename": ".."}, None),
        ("imported_file", {}, None),
        ("linked_file", {"path": "/papers/a.pdf"}, "/papers/a.pdf"),
        ("linked_file", {"path": "attachments:sub/a.pdf"}, "/base/sub/a.pdf"),
        ("linked_file", {"path": "attachments:sub\\a.pdf"}, "/base/sub/a.pdf"),
        ("linked_file", {"path": "C:\\papers\\a.pdf"}, "C:\\papers\\a.pdf"),
        ("linked_file", {"path": "\\\\server\\share\\a.pdf"}, "\\\\server\\share\\a.pdf"),
        ("linked_file", {"path": "file:///C:/papers/a%20b.pdf"}, "C:/papers/a b.pdf"),
        ("linked_file", {"path": "file:///papers/a.pdf"}, "/papers/a.pdf"),
        ("linked_file", {"path": "somewhere.pdf"}, None),
        ("linked_file", {}, None),
        ("linked_url", {"url": "https://example.org", "path": "/x"}, None),
        ("unheard_of", {"filename": "a.pdf"}, None),
    ],
)
def test_where_a_file_lies(mode: str, fields: dict[str, Any], path: str | None) -> None:
    assert PLACES.of({"key": "KEY00001", "linkMode": mode, **fields}) == path


def test_without_the_folders_there_is_no_path() -> None:
    nowhere = AttachmentFolders()
    stored = {"key": "KEY00001", "linkMode": "imported_file", "filename": "a.pdf"}
    linked = {"key": "KEY00001", "linkMode": "linked_file", "path": "attachments:a.pdf"}
    assert nowhere.of(stored) is None
    assert nowhere.of(linked) is None
    assert (file_name(stored), file_name(linked)) == ("a.pdf", "a.pdf")


@pytest.mark.parametrize(
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
