"""``citeloom map`` with pictures, and ``citeloom references``."""

import json
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from support.command_line import inside
from support.paths import LIBRARY

KEY = "szelkutiEveningCoolingSmall2022"


def test_a_page_is_drawn_under_its_key(samples: Path, tmp_path: Path) -> None:
    done = inside("map", KEY, "-p", "samples", "--render", "1", workspace=samples, cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.strip() == f"{KEY}-page-1.png"
    with Image.open(tmp_path / f"{KEY}-page-1.png") as image:
        assert image.format == "PNG"
        assert min(image.size) > 800


def test_a_page_is_found_by_its_printed_label(samples: Path, tmp_path: Path) -> None:
    found = inside("map", KEY, "-p", "samples", "--render", "2", "--json", "--output",
                     tmp_path / "two.png", workspace=samples)  # fmt: skip
    label = found.json["page_label"]
    assert label
    again = inside("map", KEY, "-p", "samples", "--render", f"label:{label}", "--json",
                     "--output", tmp_path / "again.png", workspace=samples)  # fmt: skip
    assert again.json == {
        "file": str(tmp_path / "again.png"),
        "page": 2,
        "page_label": label,
        "page_label_source": "printed",
    }
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "two.png").read_bytes()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--render", "99"), 2, "the PDF has pages 1 to"),
        (("--render", "xii"), 2, "label:xii"),
        (("--output", "a.png"), 2, "--render"),
        (("--render", "1", "--figures", "f"), 2, "one of them"),
    ],
)
def test_what_cannot_be_drawn_says_why(
    samples: Path, tmp_path: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    done = inside("map", KEY, "-p", "samples", *options, workspace=samples, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert not list(tmp_path.iterdir())


def test_a_protected_paper_is_drawn_with_the_password_it_was_ingested_with(tmp_path: Path) -> None:
    locked, drawn = tmp_path / "locked.pdf", tmp_path / "page.png"
    with pikepdf.open(LIBRARY / "papers" / "pond-cooling.pdf") as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="owner", user="open"))
    done = inside("ingest", locked, "-p", "p", workspace=tmp_path, CITELOOM_PASSWORD="open")
    assert done.code == 0, done.err
    ask = ("map", locked, "-p", "p", "--render", "1", "--output", drawn)
    for password, said in (((), "password needed"), (("--password", "no"), "password is wrong")):
        refused = inside(*ask, *password, workspace=tmp_path)
        assert (refused.code, drawn.exists()) == (1, False)
        assert all(word in refused.err for word in ("locked.pdf", said, "--password"))
    done = inside(*ask, "--password", "open", workspace=tmp_path)
    assert (done.code, drawn.exists()) == (0, True), done.err
    figures = ("map", locked, "-p", "p", "--figures", tmp_path / "figures", "--json")
    done = inside(*figures, workspace=tmp_path, CITELOOM_PASSWORD="open")
    assert len(done.json["figures"]) == 1


def test_figures_are_written_with_their_captions(samples: Path, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    ask = ("map", KEY, "-p", "samples", "--figures", folder, "--json")
    done = inside(*ask, workspace=samples)
    assert done.code == 0, done.err
    (figure,) = done.json["figures"]
    assert figure["file"] == f"page-{figure['page']}-figure-1.png"
    assert figure["caption"].startswith("Figure 1")
    left, top, right, bottom = figure["bbox"]
    with Image.open(folder / figure["file"]) as image:
        assert image.width / image.height == pytest.approx(
            (right - left) / (bottom - top), rel=0.02
        )
        assert len(image.convert("L").getcolors() or []) > 1
    assert json.loads((folder / "figures.json").read_text("utf-8")) == [figure]


def test_a_paper_without_figures_leaves_no_folder(samples: Path, tmp_path: Path) -> None:
    key, folder = "wexcombeUnhurriedPageScheduled2023", tmp_path / "none"
    done = inside("map", key, "-p", "samples", "--figures", folder, workspace=samples)
    assert (done.code, done.out.strip()) == (0, "no figures were found")
    assert not folder.exists()


def test_the_works_cited_are_listed(tmp_path: Path, notes: Callable[..., Path]) -> None:
    folder = notes(
        tides="# Tides\n\nThey follow the moon.\n\n## References\n\n"
        "Weir, A. (2016). Sluices of the north. Weirs, 3, 1. https://doi.org/10.5555/weir.1\n\n"
        "Lock, B., & Gate, C. (2017). Gates that close. Weirs, 4, 2.\n"
    )
    assert inside("ingest", folder, "-p", "p", workspace=tmp_path).code == 0
    ask = ("references", folder / "tides.md", "-p", "p")
    found = inside(*ask, "--json", workspace=tmp_path).json
    assert found["count"] == 2
    first, second = found["references"]
    assert (first["author"], first["year"], first["title"], first["doi"]) == (
        "Weir", 2016, "Sluices of the north", "10.5555/weir.1",
    )  # fmt: skip
    assert (second["author"], second["doi"]) == ("Lock", None)
    table = inside(*ask, workspace=tmp_path).out
    assert "Gates that close" in table
    assert "10.5555/weir.1" in table
