"""Reference files: what is read, what becomes a warning, what is refused and how."""

import codecs
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from citeloom.application.ports.citation import ReadItems, ReferenceFileFormat
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.plugins import Plugin
from citeloom.infrastructure.references import file_formats
from citeloom.infrastructure.references.reader import FileReferenceReader

ITEM = {"id": "smith2020", "type": "book", "title": "Ponds", "author": [{"family": "Smith"}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "library.json"


def read(file: Path, content: Any) -> Any:
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return FileReferenceReader().read(file)


def refusal(file: Path, content: bytes) -> str:
    with pytest.raises(ReferencesUnreadable) as caught:
        read(file, content)
    return str(caught.value)


@pytest.mark.parametrize("content", [[ITEM], {"items": [ITEM]}, ITEM, {"items": {"x": ITEM}}])
def test_a_list_an_object_with_items_and_a_single_item_are_read(file: Path, content: Any) -> None:
    library = read(file, content)
    assert [item.citekey for item in library.items] == ["smith2020"]
    assert library.warnings == ()


def test_the_fingerprint_is_that_of_the_content(file: Path) -> None:
    library = read(file, [ITEM])
    assert library.fingerprint == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "encoded",
    [
        codecs.BOM_UTF8 + json.dumps([ITEM]).encode(),
        json.dumps([ITEM]).encode("utf-16"),
        codecs.BOM_UTF16_BE + json.dumps([ITEM]).encode("utf-16-be"),
        json.dumps([ITEM]).encode("utf-32"),
    ],
)
def test_byte_order_marks_are_understood(file: Path, encoded: bytes) -> None:
    assert read(file, encoded).items[0].title == "Ponds"


def test_better_bibtex_json_brings_keys_files_tags_and_collections(file: Path) -> None:
    item = {
        "itemType": "journalArticle", "itemID": 3, "itemKey": "ABCD2345", "citationKey": "b2020",
        "title": "Lakes", "publicationTitle": "Waters", "pages": "1-9", "date": "2020",
        "tags": [{"tag": "water"}, {"tag": "water"}],
        "attachments": [{"path": "/p/a.pdf"}, {"path": "files/b.pdf"},
                        {"path": "file:///C:/p/my%20c.pdf"}],
    }  # fmt: skip
    note = {"itemType": "note", "note": "x"}
    tree = {"X": {"name": "Thesis", "parent": False, "items": [3]}}
    library = read(file, {"config": {}, "collections": tree, "items": [note, item]})
    (meta,) = library.items
    assert (meta.citekey, meta.item_key, meta.page, meta.year) == ("b2020", "ABCD2345", "1-9", 2020)
    assert (meta.tags, meta.collections) == (("water",), ("Thesis",))
    assert meta.type == "article-journal"
    assert meta.csl["container-title"] == "Waters"
    assert [(a.path, a.citekey) for a in library.attachments] == [
        ("/p/a.pdf", "b2020"),
        (str(file.parent / "files/b.pdf"), "b2020"),
        ("C:/p/my c.pdf", "b2020"),
    ]
    assert library.warnings == ()


def test_items_of_zoteros_web_api_are_read(file: Path) -> None:
    data = {"itemType": "book", "key": "ABCD2345", "title": "T", "extra": "Citation Key: t1"}
    (meta,) = read(file, [{"key": "ABCD2345", "version": 1, "data": data}]).items
    assert (meta.citekey, meta.item_key) == ("t1", "ABCD2345")


def test_a_bad_item_costs_itself_only(file: Path) -> None:
    library = read(file, ["text", None, {"type": "book"}, {**ITEM, "title": ["a", 1]}])
    assert [item.title for item in library.items] == ["a"]
    assert library.warnings == (
        "item 1: not an object but str; left out",
        "item 2: not an object but null; left out",
        "item 3: neither a title nor a citation key; left out",
    )


def test_an_item_without_title_is_kept_and_reported(file: Path) -> None:
    library = read(file, [{"id": "x1"}])
    assert library.items[0].title == "[no title]"
    assert library.warnings == ("item 1 (x1): has no title; found by DOI or file name only",)


def test_a_key_belongs_to_the_first_that_has_it(file: Path) -> None:
    library = read(
        file, [ITEM, {**ITEM, "title": "Lakes"}, ITEM, {"id": "smith2020a", "title": "Z"}]
    )
    assert {item.title: item.citekey for item in library.items} == {
        "Ponds": "smith2020",
        "Lakes": "smith2020b",
        "Z": "smith2020a",
    }
    (warning,) = library.warnings
    assert warning.startswith("item 2: key 'smith2020' belongs to item 1; called 'smith2020b' here")


def test_made_keys_are_reported_once_and_survive_later_items(file: Path) -> None:
    def items(*numbers: int) -> dict[str, Any]:
        return {
            "items": [
                {"itemType": "book", "itemID": n, "title": f"Ponds {n}", "date": "2020",
                 "creators": [{"creatorType": "author", "lastName": "Smith"}]}
                for n in numbers
            ]
        }  # fmt: skip

    before = read(file, items(5, 2))
    assert before.warnings[0].startswith("2 items have no citation key; made from author, year")
    keys = {item.title: item.citekey for item in before.items}
    assert keys == {"Ponds 2": "smith2020Ponds", "Ponds 5": "smith2020Pondsa"}
    after = read(file, items(9, 5, 2))
    assert keys.items() <= {item.title: item.citekey for item in after.items}.items()


def test_broken_escapes_and_numbers_that_are_none_do_no_harm(file: Path) -> None:
    content = b'[{"id": "a", "title": "Half \\ud83d pair", "volume": NaN, "x": 1e999}]'
    (meta,) = read(file, content).items
    assert meta.title == "Half \ufffd pair"
    assert meta.model_dump_json()


def test_an_empty_list_is_a_library_without_items(file: Path) -> None:
    library = read(file, [])
    assert library.items == ()
    assert library.warnings == ("library.json: holds no items",)


def test_malformed_json_is_refused_with_its_place(file: Path) -> None:
    message = refusal(file, b'[\n  {"id": "a",\n   "title": }\n]')
    assert message.startswith("library.json: not valid JSON at line 3, column 13: ")
    assert message.endswith("; export it again from Zotero (Better CSL JSON)")


def test_a_wrong_encoding_is_refused_with_the_offset(file: Path) -> None:
    latin = '[{"id": "a", "title": "Gewässer"}]'.encode("latin-1")
    assert refusal(file, latin) == (
        "library.json: not UTF-8 text at byte 26, line 1 (0xe4); "
        "save it as UTF-8, or export it again from Zotero (Better CSL JSON)"
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%0 Book\n%T x", "EndNote (Refer)"),
        (b"<?xml version='1.0'?><xml/>", "XML"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"SQLite format 3\0", "a database"),
    ],
)
def test_another_kind_of_file_is_named(file: Path, content: bytes, kind: str) -> None:
    message = refusal(file, content)
    assert f"this is {kind}" in message
    assert "CSL-JSON, CSL-YAML, BibTeX, BibLaTeX, RIS, MEDLINE and Better BibTeX JSON" in message


@pytest.mark.parametrize(
    "content", [b"just a text", b"Dear Sir @ home", b"\xc3\xa4", b"id,title\n1,x"]
)
def test_what_is_like_no_reference_file_is_refused(file: Path, content: bytes) -> None:
    assert "an unknown kind of reference file" in refusal(file, content)


@pytest.mark.parametrize(
    "content",
    [
        b"@book{smith2020, title={Ponds}, author={Smith}}",
        b"% made by hand\n@book{smith2020, title={Ponds}}",
        b"This is my library.\n\n@BOOK(smith2020, title={Ponds})",
        b"TY  - BOOK\nID  - smith2020\nTI  - Ponds\nER  - ",
        codecs.BOM_UTF8 + b"TY  - BOOK\r\nID  - smith2020\r\nTI  - Ponds\r\n",
        b"Provider: X\n\nTY - BOOK\nID - smith2020\nTI - Ponds\nER -",
        b"references:\n- id: smith2020\n  title: Ponds\n",
        b"---\nreferences:\n- id: smith2020\n  title: Ponds\n---\n# Text\n",
        b"# mine\n- id: smith2020\n  title: Ponds\n",
        json.dumps([ITEM]).encode("utf-16-le"),
        "@book{smith2020, title={Ponds}}".encode("utf-16"),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_content(file: Path, content: bytes) -> None:
    (item,) = read(file, content).items
    assert (item.citekey, item.title) == ("smith2020", "Ponds")


def test_a_declared_encoding_is_believed(file: Path) -> None:
    text = "% Encoding: ISO8859_1\n\n@book{m, title={Gewässer}}"
    assert read(file, text.encode("latin-1")).items[0].title == "Gewässer"


@pytest.mark.parametrize("content", [b"", b" \n", b"\0\0"])
def test_an_empty_file_is_refused(file: Path, content: bytes) -> None:
    assert "the file is empty" in refusal(file, content)


@pytest.mark.parametrize("content", [b'{"a": 1}', b"3", b'"x"', b"[1, 2]", b'{"items": 3}'])
def test_json_that_is_no_library_is_refused(file: Path, content: bytes) -> None:
    found = refusal(file, content)
    assert "valid JSON, but" in found
    assert "empty" not in found


def test_json_that_nobody_wrote_by_hand_is_refused(file: Path) -> None:
    assert "not usable JSON" in refusal(file, b"[" * 200_000)
    assert "not usable JSON" in refusal(file, b'[{"id": ' + b"9" * 5000 + b"}]")


def test_a_missing_file_a_folder_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReferencesUnreadable, match=r"no\.json: no such file; check the path"):
        FileReferenceReader().read(tmp_path / "no.json")
    with pytest.raises(ReferencesUnreadable, match="a folder, not a file"):
        FileReferenceReader().read(tmp_path)
    big = tmp_path / "big.json"
    big.write_bytes(b" " * 3_000_000)
    with pytest.raises(ReferencesUnreadable, match=r"2\.9 MiB, more than the 1 MiB"):
        FileReferenceReader(max_bytes=2**20).read(big)


def test_files_of_bibtex_entries_count_from_the_folder_of_the_file(file: Path) -> None:
    text = r"""@book{a, title={T}, file={x.pdf:Papers\x.pdf:PDF;:C\:\\y.pdf:PDF;/z.pdf}}"""
    assert [(one.path, one.citekey) for one in read(file, text.encode()).attachments] == [
        (str(file.parent / "Papers/x.pdf"), "a"), ("C:\\y.pdf", "a"), ("/z.pdf", "a"),
    ]  # fmt: skip


def test_what_is_odd_in_a_bibtex_file_is_told_by_line(file: Path) -> None:
    text = """@book{a, title={One}}
@book{a, title={Two}}
@book{o'neil, title={Three}}
@book{b}
"""
    library = read(file, text.encode())
    assert [item.citekey for item in library.items] == ["a", "aa", "anonndThree", "b"]
    assert library.warnings == (
        "item 3 at line 3 (o'neil): \"o'neil\" cannot be cited, because of its characters or "
        "length; the item gets another key: correct it",
        "item 4 at line 4 (b): has no title; found by DOI or file name only",
        "item 2 at line 2: key 'a' belongs to item 1 at line 1; called 'aa' here: "
        "give it its own key and export again",
        "1 item has no citation key; made from author, year and title: item 3 → anonndThree",
    )


def test_a_file_that_would_take_long_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    formats = [replace(one, max_mib=one.max_mib and 1e-9) for one in file_formats.FORMATS]
    monkeypatch.setattr(file_formats, "FORMATS", formats)
    assert "more than the 0 MiB" in refusal(file, b"@book{a, title={T}}")
    assert read(file, [ITEM]).items


class _Refer(Plugin):
    def reference_formats(self) -> Sequence[ReferenceFileFormat]:
        pattern = re.compile(r"\A%0 ")

        def read(text: str) -> ReadItems:
            return ReadItems([{**ITEM, "title": text.split("%T ")[1].strip()}])

        return (ReferenceFileFormat(("Refer",), (".enw",), pattern, read),)


def test_a_plugin_adds_a_format(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ".enw" not in FileReferenceReader().suffixes
    monkeypatch.setattr(file_formats, "plugins", lambda: (_Refer(),))
    file.write_text("%0 Book\n%T Lakes\n")
    assert [one.title for one in FileReferenceReader().read(file).items] == ["Lakes"]
    assert FileReferenceReader().suffixes >= {".bib", ".enw", ".yml"}
    assert read(file, [ITEM]).items[0].title == "Ponds"


def test_the_format_is_the_one_that_matches_first(file: Path) -> None:
    file.write_text("@book{a, title={T}, abstract={\nTY  - x\nPMID - 1}}")
    assert FileReferenceReader().read(file).items[0].title == "T"


def test_plugins_are_not_asked_about_what_is_read_without_them(file: Path) -> None:
    with mock.patch("citeloom.infrastructure.references.file_formats.plugins") as asked:
        assert read(file, [ITEM]).items
    asked.assert_not_called()


def test_items_with_one_fault_make_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "many.ris"
    path.write_text("TY  - JOUR\nAU  - b\nER  - \n" * 1000)
    assert [one for one in FileReferenceReader().read(path).warnings if "places" in one] == [
        "1,000 places (item 1 at line 1; item 2 at line 4; item 3 at line 7; …): "
        "neither a title nor a citation key; left out"
    ]
