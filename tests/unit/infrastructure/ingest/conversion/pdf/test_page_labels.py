"""Labels of the pages of PDFs of many kinds, against what their pages print."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PIL import Image
from support.pdf.scanned_pdf import Dictated
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.domain.citation.locators import to_roman
from citeloom.domain.documents.conversion import LabelSource, PageEntry
from citeloom.infrastructure.ingest.conversion.pdf import native
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import Reading, ReadWord

SEEDS = range(3)
Page = list[Text]
Labels = list[str | None]


def entries_of(path: Path) -> tuple[PageEntry, ...]:
    return convert_pdf(path, "id").structure.page_map


def labels_of(path: Path) -> Labels:
    return [entry.label for entry in entries_of(path)]


def body(rng: random.Random, *, lines: int = 14) -> Page:
    """A page of text that begins with a number now and then, as a table or a list does."""
    text = paragraph(lines, rng.choice([700, 712]), seed=rng.randrange(999))
    if rng.random() < 0.3:
        text[0] = Text(72, text[0].y, f"{rng.randrange(1, 40)} {text[0].text}")
    if rng.random() < 0.3:
        text.append(Text(500, text[-1].y - 16, f"({rng.randrange(1, 9)})"))
    return text


def foot(text: str, x: float = 300.0) -> Text:
    return Text(x, 40, text, 9)


def in_the_foot(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    first = rng.randrange(1, 900)
    numbers = range(first, first + count)
    return [[*body(rng), foot(f"- {n} -")] for n in numbers], [str(n) for n in numbers]


def in_heads_that_alternate(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    first = rng.randrange(2, 900)
    pages, labels = [], []
    for n in range(first, first + count):
        even = [Text(72, 750, str(n), 9), Text(400, 750, "A. Author and B. Other 2019", 9)]
        odd = [Text(72, 750, "On the 12 Ponds of 1984", 9), Text(520, 750, str(n), 9)]
        pages.append([*(odd if n % 2 else even), *body(rng)])
        labels.append(str(n))
    return pages, labels


def of_the_pages_there_are(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    head = Text(72, 750, "Report 2020-17, 3 May 2020", 9)
    pages = [[head, *body(rng), foot(f"Page {n} of {count}", 480)] for n in range(1, count + 1)]
    return pages, [str(n) for n in range(1, count + 1)]


def of_front_matter_text_and_supplement(
    rng: random.Random, count: int
) -> tuple[list[Page], Labels]:
    labels = [to_roman(n) for n in range(1, 5)]
    labels += [str(n) for n in range(1, count + 1)]
    labels += [f"S{n}" for n in range(1, 5)]
    return [[*body(rng), foot(label)] for label in labels], [*labels]


def after_an_article_number(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    article = f"0{rng.randrange(10000, 99999)}"
    pages = [[*body(rng), foot(f"{article}-{n}")] for n in range(1, count + 1)]
    return pages, [str(n) for n in range(1, count + 1)]


def of_two_printed_pages(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    first = 2 * rng.randrange(1, 200)
    numbers = range(first, first + 2 * count, 2)
    pages = [[*body(rng), foot(str(n), 150), foot(str(n + 1), 450)] for n in numbers]
    return pages, [f"{n}–{n + 1}" for n in numbers]


def of_an_unnumbered_title_page(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    pages, labels = in_the_foot(rng, count)
    first = int(labels[0] or 0)
    before = str(first - 1) if first > 1 else None
    return [body(rng), *pages], [before, *labels]


def not_printed(rng: random.Random, count: int) -> tuple[list[Page], Labels]:
    stamp = Text(72, 750, "arXiv:1512.02900v1 9 Dec 2015", 9)
    return [[stamp, *body(rng)] for _ in range(count)], [None] * count


Kind = Callable[[random.Random, int], tuple[list[Page], Labels]]
KINDS: tuple[Kind, ...] = (
    in_the_foot,
    in_heads_that_alternate,
    of_the_pages_there_are,
    of_front_matter_text_and_supplement,
    after_an_article_number,
    of_two_printed_pages,
    of_an_unnumbered_title_page,
    not_printed,
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers(kind: Kind, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    pages, expected = kind(rng, rng.randrange(4, 8))
    assert labels_of(write_pdf(tmp_path / "a.pdf", pages)) == expected


def test_labels_that_the_file_declares_one_too_high_give_way(tmp_path: Path) -> None:
    rng = random.Random(1)
    cover = [Text(150, 500, "A Report", 24, True)]
    pages = [cover, *([*body(rng), foot(str(n))] for n in range(1, 7))]
    path = write_pdf(tmp_path / "a.pdf", pages, labels="/Nums [0 << /S /D >>]")
    assert labels_of(path) == [None, "1", "2", "3", "4", "5", "6"]


def test_labels_that_only_count_the_file_are_none(tmp_path: Path) -> None:
    pages, expected = not_printed(random.Random(2), 5)
    path = write_pdf(tmp_path / "a.pdf", pages, labels="/Nums [0 << /S /D >>]")
    assert labels_of(path) == expected


def test_declared_labels_that_fit_the_printed_ones_name_pages_without_number(
    tmp_path: Path,
) -> None:
    rng = random.Random(3)
    texts: Sequence[str] = ["", "", "iii", "iv", "v", "1", "2", "3", ""]
    pages = [[*body(rng), *([foot(text)] if text else [])] for text in texts]
    declared = "/Nums [0 << /S /r >> 5 << /S /D >>]"
    entries = entries_of(write_pdf(tmp_path / "a.pdf", pages, labels=declared))
    assert [entry.label for entry in entries] == [
        "i", "ii", "iii", "iv", "v", "1", "2", "3", "4",
    ]  # fmt: skip
    assert [entry.label_source for entry in entries] == [
        *[LabelSource.PDF] * 2, *[LabelSource.PRINTED] * 6, LabelSource.PDF,
    ]  # fmt: skip


def test_the_number_of_a_page_without_one_is_counted_between_others(tmp_path: Path) -> None:
    rng = random.Random(4)
    pages, labels = in_the_foot(rng, 7)
    pages[3] = body(rng)
    entries = entries_of(write_pdf(tmp_path / "a.pdf", pages))
    assert [entry.label for entry in entries] == labels
    assert entries[3].label_source is LabelSource.COUNTED
    assert entries[4].label_source is LabelSource.PRINTED


class MarginReader(Dictated):
    """Reads a scan's text, and the number in the margin by the width of the picture."""

    def read(self, image: Image.Image, dpi: int) -> Reading:
        words = super().read(image, dpi).words
        box = [value * dpi / 72 for value in (500.0, 60.0, 518.0, 67.0)]
        number = str(round(image.width * 72 / dpi) - 417)
        return Reading((*words, ReadWord(number, *box, 90.0, (99,))))


def test_numbers_in_the_margins_of_scans_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pictures = [Image.new("L", (600 + n, 800), 255) for n in range(4)]
    for picture in pictures:
        picture.paste(0, (72, 100, 300, 160))
    path = tmp_path / "scan.pdf"
    pictures[0].save(path, "PDF", resolution=72, save_all=True, append_images=pictures[1:])
    engine = MarginReader(["weavers keep their shuttles in a drawer"] * 4)
    monkeypatch.setattr(native, "choose_engine", lambda _: engine.choice())
    entries = entries_of(path)
    assert [entry.label for entry in entries] == ["183", "184", "185", "186"]
    assert {entry.label_source for entry in entries} == {LabelSource.PRINTED}
