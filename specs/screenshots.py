"""Pictures of the web page for docs/screenshots.md: ``python -m specs.screenshots``.

Chromium shows the views of ``citeloom serve`` on the sample library; a picture is a WebP file in
``docs/pictures`` of at most 120 kB.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from specs.transcripts.pages import ROOT
from specs.transcripts.server import Server

PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 120_000
_QUALITIES = (85, 70, 55)
_WIDE = ViewportSize(width=1280, height=820)
_NARROW = ViewportSize(width=320, height=640)
#: Waits for the pictures in view; those further down are not loaded before.
SHOWN: Final = """() => Promise.all([...document.images]
    .filter(image => image.getBoundingClientRect().top < innerHeight)
    .map(image => image.decode()))"""
_QUESTION = "/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air"
_KEY = "quillenbrookGridRandomTransect2019"
DRAFT = f"""A grid of 16 points was as accurate as 43 random points would be [@{_KEY}, p. 128].

Two readings with a gap between them are better than two readings without one
[@bronsagerSpacedRereadingTwoWeek2021, p. 2].
"""
REVIEW = "Does a gap between two readings help recall?"


class Picture(NamedTuple):
    """``show`` leaves the page as it is to be seen."""

    name: str
    show: Callable[[Page], None]
    size: ViewportSize = _WIDE
    scheme: Literal["light", "dark"] = "light"


def _ask(page: Page) -> None:
    page.goto(_QUESTION)
    page.wait_for_selector(".reader .marks rect")


def _read(page: Page) -> None:
    """The page of the paper, which stands below the passages on a small screen."""
    _ask(page)
    page.locator(".reader").scroll_into_view_if_needed()
    page.locator(".marks rect").first.scroll_into_view_if_needed()


def _library(page: Page) -> None:
    page.goto("/library?project=samples")


def _paper(page: Page) -> None:
    _library(page)
    page.locator("tbody th a").first.click()
    page.wait_for_selector(".sheet img")


def _draft(page: Page) -> None:
    page.goto("/draft?project=samples")
    page.locator("textarea").fill(DRAFT)
    page.locator("#draft button[type=submit]").click()
    page.wait_for_selector(".checked")
    page.wait_for_selector(".reader .marks rect")


def _review(page: Page) -> None:
    page.goto("/review?project=samples")
    page.locator("#new-review textarea").fill(REVIEW)
    page.locator("#new-review button").click()
    page.wait_for_selector("#statement-1")
    page.wait_for_selector(".reader .marks rect")


PICTURE_LIST = (
    Picture("ask", _ask),
    Picture("ask-dark", _ask, scheme="dark"),
    Picture("ask-small", _ask, size=_NARROW),
    Picture("page-small", _read, size=_NARROW),
    Picture("library", _library),
    Picture("paper", _paper),
    Picture("draft", _draft),
    Picture("review", _review),
)


def taken(browser: Browser, address: str, picture: Picture) -> bytes:
    """A WebP file. Raises ValueError where it is too large."""
    context = browser.new_context(
        base_url=address,
        viewport=picture.size,
        color_scheme=picture.scheme,
        reduced_motion="reduce",
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    picture.show(page)
    page.evaluate(SHOWN)
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    for quality in _QUALITIES:
        file = io.BytesIO()
        shown.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
    raise ValueError(f"{picture.name}: more than {MOST_BYTES:,} bytes; show less in it")


def main() -> None:
    names = [picture.name for picture in PICTURE_LIST]
    parser = argparse.ArgumentParser(description="Take the pictures of docs/screenshots.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    wanted = parser.parse_args().names or names
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("no Chromium is installed; on Debian: apt-get install chromium")
    home = Path(tempfile.mkdtemp(prefix="home-"))
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    environment |= {"HOME": str(home), "HF_HUB_OFFLINE": "1"}
    library = ROOT / "references"
    ingest = ["ingest", str(library / "papers"), "--references", str(library / "library.csl.json")]
    try:
        subprocess.run(
            [sys.executable, "-m", "citeloom", *ingest, "-p", "samples"],
            cwd=home, env=environment, check=True,
        )  # fmt: skip
        server = Server(home, environment, "8420")
        PICTURES.mkdir(exist_ok=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for picture in PICTURE_LIST:
                if picture.name in wanted:
                    file = taken(browser, server.asked("http://127.0.0.1:8420"), picture)
                    (PICTURES / f"{picture.name}.webp").write_bytes(file)
                    sys.stdout.write(f"{picture.name}: {len(file):,} bytes\n")
            browser.close()
        server.close()
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
