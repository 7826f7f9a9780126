"""Loose papers in the browser: dropped, corrected, looked up, cited and exported."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from support.http_server import serving_application
from support.in_process import without_processes
from support.pdf.written_pdf import Text, paragraph, write_pdf
from support.servers.played_services import PlayedServices, played

from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.references.lookup.services import WorkServices

PAPERS = {
    "ponds": ("Evening Cooling beside Small Urban Ponds", "Oriana Weir", "doi:10.5555/ponds"),
    "grids": ("Grid or Random Transect in Soil Surveys", "Halvard Quill", "doi:10.5555/grids"),
    "looms": ("Looms and Weavers of the Northern Valleys", "Ada Lock", ""),
    "stairs": ("Worn Stairs as Records of Many Footsteps", "Bo Gehl", ""),
    "kites": ("Kites in Steady Wind and What Holds Them", "Mara Lind", ""),
}
RECORDS: list[dict[str, Any]] = [
    {
        "type": "journal-article", "DOI": "10.5555/ponds", "title": PAPERS["ponds"][0],
        "author": [{"family": "Weir", "given": "Oriana"}], "container-title": "Weir Letters",
        "issued": {"date-parts": [[2021]]}, "volume": "7", "page": "1-9",
    },
    {
        "type": "journal-article", "DOI": "10.5555/looms",
        "title": "Looms and Weavers of the Southern Valleys",
        "author": [{"family": "Other", "given": "Nobody"}], "issued": {"date-parts": [[1999]]},
    },
]  # fmt: skip


@pytest.fixture
def services() -> PlayedServices:
    return PlayedServices(RECORDS)


@pytest.fixture
def address(
    tmp_path: Path, services: PlayedServices, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The server of an empty workspace, whose look-ups are played."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with without_processes(), played(services) as transport:
        lookup = WorkServices(tmp_path / "answers", version="1", transport=transport)
        application = open_application(tmp_path / "ws", overrides=Overrides(lookup=lookup))
        with serving_application(application, secret="s" * 43) as address:
            yield address
        lookup.close()
        application.close()


def pdfs(folder: Path) -> list[Path]:
    made = []
    for number, (name, (title, author, doi)) in enumerate(PAPERS.items()):
        lines = [
            Text(72, 720, title, 17.0, bold=True), Text(72, 690, author, 11.0),
            Text(72, 660, f"Journal of Odd Things, 2021. {doi}", 9.0),
        ]  # fmt: skip
        made.append(write_pdf(folder / f"{name}.pdf", [[*lines, *paragraph(30, 620, seed=number)]]))
    return made


def key_of(page: Page, title: str) -> str:
    row = page.get_by_role("row").filter(has_text=title)
    return row.locator("[data-name=Key] code").inner_text().removeprefix("@")


def test_loose_papers_are_dropped_corrected_looked_up_cited_and_exported(
    page: Page, tmp_path: Path, services: PlayedServices
) -> None:
    page.goto("/library")
    page.locator("#drop input").set_input_files(pdfs(tmp_path))
    expect(page.get_by_role("heading", name="5 papers")).to_be_visible(timeout=120_000)
    bar = page.locator(".uncited")
    expect(bar).to_have_count(1)
    expect(bar).to_contain_text("5 of 5 papers have a provisional citation")
    assert services.asked == []

    # One is corrected.
    page.get_by_role("link", name=PAPERS["kites"][0]).click()
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Journal or book").fill("Annals of Wind")
    page.get_by_label("Citation key").fill("lind2021")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".by code")).to_have_text("@lind2021")

    # The others are looked up, after it was said what is sent.
    page.get_by_role("link", name="Library", exact=True).first.click()
    expect(bar).to_contain_text("4 of 5 papers have")
    page.get_by_role("button", name="Look them up…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Look up 4 papers?")
    expect(dialog).to_contain_text("its title and first author")
    expect(dialog).to_contain_text("Crossref")
    assert services.asked == []
    dialog.get_by_role("button", name="Look up").click()
    found = page.locator("#looked-up")
    expect(found.get_by_role("heading").first).to_have_text(
        "Looked up: 1 taken, 1 to accept or leave, 2 not found"
    )
    assert services.asked
    expect(found.locator(".proposal")).to_contain_text("Southern Valleys")
    expect(found.locator(".proposal")).to_contain_text(re.compile("title \\d+ %, authors 0 %"))
    found.get_by_role("button", name="Leave").click()
    expect(found.locator(".proposal")).to_have_count(0)
    expect(bar).to_contain_text("3 of 5 papers have")

    # Each is cited, and all are exported.
    page.goto("/library")
    keys = [key_of(page, title) for title, *_ in PAPERS.values()]
    assert len(set(keys)) == 5
    text = page.request.get("/api/v1/projects/local/reading/references?format=bibtex").text()
    assert sorted(re.findall(r"^@\w+\{(.+),$", text, re.MULTILINE)) == sorted(keys)
    assert "Weir Letters" in text
    assert "Annals of Wind" in text
    for key, (title, *_) in zip(keys, PAPERS.values(), strict=True):
        page.goto(f"/ask?project=local/reading&q=lazy+dog&filter=citekey%3D{key}")
        page.locator(".hit.chosen mark").first.wait_for()
        page.keyboard.press("c")
        expect(page.locator("#told")).to_have_text(re.compile("^Copied"))
        assert f"[@{key}, PDF p. 1]" in page.evaluate("navigator.clipboard.readText()"), title


def test_what_no_service_has_is_said(page: Page, tmp_path: Path, services: PlayedServices) -> None:
    page.goto("/library")
    page.locator("#drop input").set_input_files([pdfs(tmp_path)[2]])
    expect(page.get_by_role("heading", name="1 paper")).to_be_visible(timeout=120_000)
    services.records.clear()
    page.get_by_role("button", name="Look it up…").click()
    page.get_by_role("dialog").get_by_role("button", name="Look up").click()
    expect(page.locator("#looked-up")).to_contain_text("1 not found")


def test_a_record_is_taken_as_the_citation_in_dark_on_a_small_screen(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, base_url=address, color_scheme="dark"
    )
    page = context.new_page()
    page.goto("/library")
    page.locator("#drop input").set_input_files([pdfs(tmp_path)[2]])
    expect(page.get_by_role("heading", name="1 paper")).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="Look it up…").click()
    page.get_by_role("dialog").get_by_role("button", name="Look up").click()
    expect(page.locator(".proposal")).to_be_visible()
    expect(page.locator("html")).to_have_js_property("scrollWidth", 390)
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#looked-up")).to_contain_text("1 taken")
    expect(page.locator(".uncited")).to_have_count(0)
    expect(page.locator(".papers")).to_contain_text("Southern Valleys")
    context.close()
