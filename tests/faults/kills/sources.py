"""Sources of the campaigns: notes and papers in a folder, and a Zotero library beside them."""

import os
import shutil
from pathlib import Path
from typing import Any

from support.pdf.written_pdf import Text, paragraph, write_pdf
from support.zotero.library import Raw, annotation, attachment, key, note, work, write_database

from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.library.snapshot import RawLibrary

TIME = 1_700_000_000
PAPERS = 12
# The first words of titles differ: papers without an author and a year would share their keys,
# which are given in the order in which the papers are stored.
NOTES = "Alder Birch Cedar Dogwood Elm Fir Gorse Hazel".split()
PAPERS_ON = "Larch Maple Nutmeg".split()


class Folder:
    """Five notes and three papers. ``change`` edits, adds, renames and replaces; ``restore``
    brings back what was, with its times."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._kept = place.with_name(f"{place.name}.kept")
        place.mkdir()
        for n in range(5):
            self._note(n, "tide")
        for n in range(3):
            self._paper(n, "Sluices")
        shutil.copytree(place, self._kept)

    def change(self) -> None:
        self._note(1, "flood")
        self._note(7, "spring")
        (self.place / "note0.md").rename(self.place / "renamed.md")
        self._paper(0, "Weirs")
        swapped = self.place / "swapped.pdf"
        (self.place / "paper1.pdf").rename(swapped)
        (self.place / "paper2.pdf").rename(self.place / "paper1.pdf")
        swapped.rename(self.place / "paper2.pdf")

    def restore(self) -> None:
        shutil.rmtree(self.place)
        shutil.copytree(self._kept, self.place)

    def _note(self, number: int, word: str) -> None:
        body = "\n\n".join(
            f"## Part {part}\n\n" + f"Station {number} measured a {word} of {part} metres. " * 20
            for part in range(4)
        )
        path = self.place / f"note{number}.md"
        path.write_text(f"# {NOTES[number]} and stations\n\n{body}\n", encoding="utf-8")
        os.utime(path, (TIME + number, TIME + number))

    def _paper(self, number: int, word: str) -> None:
        pages = [
            [Text(72, 730, f"{PAPERS_ON[number]} {word}"), *paragraph(20, 700, seed=number)],
            paragraph(30, 700, seed=number + 1),
        ]
        write_pdf(self.place / f"paper{number}.pdf", pages)


class Library:
    """Twelve papers with marks and notes in a Zotero database. ``change`` renames a key, trashes
    a work, adds a mark and edits one."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        self._raw = {item["key"]: item for item in self._items()}
        for n in range(1, PAPERS + 1):
            path = place / "storage" / key(n, "F") / f"paper {n}.pdf"
            path.parent.mkdir(parents=True)
            first = [Text(72, 730, f"Sluices of the north {n}"), *paragraph(20, 700, seed=3 * n)]
            write_pdf(path, [first, paragraph(20, 700, seed=3 * n + 1)])
        self.restore()

    def change(self) -> None:
        changes: dict[str, dict[str, Any]] = {
            key(1, "W"): {"citationKey": "weir1999"},
            key(2, "W"): {"deleted": 1},
            key(21, "A"): {"annotationComment": "Heard of since."},
        }
        items = {name: {**item, **changes.get(name, {})} for name, item in self._raw.items()}
        more = _mark(60, 3, 3)
        self._write({**items, more["key"]: more})

    def restore(self) -> None:
        self._write(self._raw)

    def _write(self, items: dict[str, Raw]) -> None:
        write_database(
            self.place / "zotero.sqlite", [RawLibrary(LibraryRef(), list(items.values()), [])]
        )

    def _items(self) -> list[Raw]:
        found: list[Raw] = []
        for n in range(1, PAPERS + 1):
            found += [work(n, citationKey=f"weir{2000 + n}"), attachment(n, key(n, "W"))]
            found.append(_mark(20 + n, n, n))
            found.append(note(40 + n, key(n, "W"), f"<p>Compare <i>pond {n}</i>.</p>"))
        return found


def _mark(number: int, paper: int, title: int) -> Raw:
    position = '{"pageIndex":0,"rects":[[72,725,260,742]]}'
    return annotation(
        number, key(paper, "F"), annotationText=f"Sluices of the north {title}",
        annotationComment=f"Mark {number}.", annotationPosition=position,
    )  # fmt: skip
