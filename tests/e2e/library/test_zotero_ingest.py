"""A Zotero database is brought in and followed, through the command line."""

import hashlib
from pathlib import Path
from typing import Any

from support.command_line import Done, inside
from support.pdf.written_pdf import Text, paragraph, write_pdf
from support.zotero.library import Raw, annotation, attachment, key, note, work, write_database

from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.library.snapshot import RawLibrary

COLLECTIONS = [
    {"key": "CTHESIS2", "name": "Thesis", "parentCollection": False},
    {"key": "CCHAPTER", "name": "Chapter 1", "parentCollection": "CTHESIS2"},
]


def a_library(folder: Path) -> dict[str, Raw]:
    """Three PDFs (stored, linked, one under two items), an item with a missing file, one
    without any, a note."""
    inside: dict[str, Any] = {"collections": ["CCHAPTER"]}
    found = [
        work(1, citationKey="weir2016", pages="127-128", DOI="10.5555/weir.1", **inside),
        attachment(1, key(1, "W")),
        work(2, citationKey="reed2019", **inside),
        attachment(
            2, key(2, "W"), linkMode="linked_file", path=str(folder / "papers" / "reed.pdf"),
            filename=None,
        ),
        work(3, citationKey="eel2001", **inside),
        attachment(3, key(3, "W")),
        work(4, title="A chapter on eels and their winters", pages="1-2", **inside),
        attachment(4, key(4, "W"), filename="paper 3.pdf"),
        work(5, citationKey="lost1999", abstractNote="Of lost lakes.", **inside),
        attachment(5, key(5, "W")),
        work(6, citationKey="outside"),
        annotation(9, key(1, "F"), annotationText="Sluices of the north",
                   annotationComment="Unheard of.", annotationPageLabel="127"),
        note(7, key(1, "W"), "<p>Compare the <i>sluices</i> of the south.</p>"),
    ]  # fmt: skip
    storage = folder / "Zotero" / "storage"
    texts = {storage / key(1, "F") / "paper 1.pdf": ("Sluices of the north, 10.5555/other.9", 0),
             folder / "papers" / "reed.pdf": ("Reeds and what lives in them", 3),
             storage / key(3, "F") / "paper 3.pdf": ("Eels and their winters", 6),
             storage / key(4, "F") / "paper 3.pdf": ("Eels and their winters", 6)}  # fmt: skip
    for path, (title, seed) in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        first = [Text(72, 730, title), *paragraph(20, 700, seed=seed)]
        write_pdf(path, [first, paragraph(20, 700, seed=seed + 1)])
    return {item["key"]: item for item in found}


def test_a_collection_is_brought_in_followed_and_only_read(tmp_path: Path) -> None:
    raw, workspace = a_library(tmp_path), tmp_path / "library"
    database = tmp_path / "Zotero" / "zotero.sqlite"

    def write() -> None:
        write_database(database, [RawLibrary(LibraryRef(), list(raw.values()), COLLECTIONS)])

    def ingest(*more: str) -> Done:
        done = inside("ingest", "-p", "p", "--zotero", "--data-dir", database.parent, "--json",
                        *more, workspace=workspace)  # fmt: skip
        assert done.code == 0, done.err
        return done

    write()
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    done = ingest("--collection", "Thesis")
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert "5 items, 5 attachments, 1 note, 1 annotation" in done.err
    added = {one["citekey"]: one for one in done.json["documents"] if one["pages"]}
    assert set(added) == {"weir2016", "reed2019", "eel2001"}
    generated = added["eel2001"]["alternatives"]
    assert [one["why"] for one in generated] == ["the same file"]
    library = done.json["library"]
    assert (library["missing_files"], library["generated_keys"]) == (1, 1)
    assert library["rule"]

    def query(text: str, *more: str) -> list[dict[str, Any]]:
        asked = inside("query", text, "-p", "p", "--json", *more, workspace=workspace)
        found: list[dict[str, Any]] = asked.json["items"]
        return found

    assert query("lost lakes")[0]["citation"].startswith("[@lost1999")
    assert query("sluices of the south")[0]["citekey"] == "weir2016"
    (marked,) = query("unheard of", "--kind", "annotation")
    assert (marked["text"], marked["page_span"]) == ("Sluices of the north", [1, 1])
    told = marked["annotation"]
    assert (told["comment"], told["located"], told["color"]) == ("Unheard of.", "words", "#ffd400")
    assert told["uri"] == (
        f"zotero://open-pdf/library/items/{key(1, 'F')}?page=1&annotation={key(9, 'A')}"
    )
    again = ingest()
    assert again.json["library"]["unchanged"]
    assert "collections Thesis (as remembered)" in again.err

    raw[key(1, "W")]["citationKey"] = "weir2017"
    raw[key(2, "W")]["deleted"] = 1
    raw[key(3, "W")]["title"] = "Eels, corrected"
    write()
    changed = ingest()
    assert "key changed: weir2016 → weir2017" in changed.err
    assert "removed reed2019" in changed.err
    assert changed.json["documents_converted"] == changed.json["chunks_written"] == 0
    assert changed.json["documents_removed"] == 1
    old = inside("map", "weir2016", "-p", "p", "--json", workspace=workspace)
    assert old.json["source_path"].endswith("paper 1.pdf")
    checked = inside("validate", "-p", "p", "--json", workspace=workspace)
    assert checked.json["ok"], checked.out


def test_files_and_a_library_are_not_mixed(tmp_path: Path) -> None:
    for more in (["--zotero", "paper.pdf"], ["--tag", "ponds", "paper.pdf"]):
        done = inside("ingest", "-p", "p", *more, workspace=tmp_path)
        assert done.code == 2
        assert "--zotero" in done.err
