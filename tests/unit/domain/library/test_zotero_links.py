"""Addresses that open in Zotero."""

from support.cases import each

from citeloom.domain.library import attachment_key, library_path, zotero_link

STORED = "/home/ada/Zotero/storage/QWER5678/Marsh 2019.pdf"


@each(
    ("item", "path", "page", "link"),
    [
        ("ABCD1234", STORED, 5, "zotero://open-pdf/library/items/QWER5678?page=5"),
        (None, STORED, None, "zotero://open-pdf/library/items/QWER5678"),
        (
            "ABCD1234",
            r"C:\Users\ada\Zotero\storage\QWER5678\a.PDF",
            2,
            "zotero://open-pdf/library/items/QWER5678?page=2",
        ),
        ("ABCD1234", "/papers/marsh.pdf", 5, "zotero://select/library/items/ABCD1234"),
        (
            "ABCD1234",
            "/Zotero/storage/QWER5678/snapshot.html",
            None,
            "zotero://select/library/items/ABCD1234",
        ),
        (None, "/Zotero/storage/QWER5678/a.epub", None, "zotero://select/library/items/QWER5678"),
        (None, "/papers/marsh.pdf", 5, None),
        ("not a key", "/papers/marsh.pdf", 5, None),
        (None, "/storage/lowercase/a.pdf", 1, None),
        (None, "/storage/QWER5678/deeper/a.pdf", 1, None),
    ],
)
def test_a_stored_pdf_opens_at_its_page_and_anything_else_selects_the_item(
    item: str | None, path: str, page: int | None, link: str | None
) -> None:
    assert zotero_link(item, path, page) == link


def test_groups_have_a_path_of_their_own() -> None:
    made = zotero_link(None, STORED, 3, library="groups/42")
    assert made == "zotero://open-pdf/groups/42/items/QWER5678?page=3"


def test_the_library_is_told_by_an_address_of_the_item() -> None:
    assert library_path(None, "http://zotero.org/groups/42/items/ABCD1234") == "groups/42"
    assert library_path("zotero://select/groups/7/items/ABCD1234") == "groups/7"
    assert library_path("http://zotero.org/users/1/items/ABCD1234", None, 3) == "library"


def test_only_zoteros_own_folders_name_an_attachment() -> None:
    assert attachment_key(STORED) == "QWER5678"
    assert attachment_key("/home/ada/storage/notes.pdf") is None
