"""The film of README: ``python -m specs.film``.

A real session of a hundred seconds on the sample library, in a terminal and on the web page, as an
animated WebP file of at most 3 MB. Chromium draws both; the terminal shows what the commands print.
"""

import html
import io
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from specs.screenshots import DRAFT, REVIEW, SHOWN
from specs.transcripts.folder import Folder, load
from specs.transcripts.pages import ROOT
from specs.transcripts.server import Server

FILM = ROOT / "docs" / "film.webp"
MOST_BYTES = 3_000_000
_SIZE = ViewportSize(width=1024, height=640)
_QUALITY = 75
_INGEST = "citeloom ingest references/papers --references references/library.csl.json -p samples"
#: What a scene is about, its command, and the lines of its output that are shown.
_TERMINAL = (
    ("Add papers with their reference file", _INGEST, 14),
    ("Ask: each passage comes with key and printed page",
     'citeloom query "Does a gap between two readings help?" -k 1', 20),
    ("Check a draft: does each source say so, on that page?", "citeloom verify draft.md", 20),
    ("Review: one question, answered in quotations", f'citeloom review "{REVIEW}"', 20),
    ("Ask every paper the same", 'citeloom table "How many participants took part?"', 16),
)  # fmt: skip
_STYLE = """<style>
body { margin: 0; background: #15191c; color: #e8e6e1; }
pre { margin: 20px 24px; white-space: pre-wrap; font: 16.5px/1.42 "DejaVu Sans Mono", monospace; }
b { color: #8ecfe0; }
</style>"""
_CAPTION = """text => {
  const bar = document.createElement("div");
  bar.textContent = text;
  bar.style.cssText = "position:fixed;z-index:99;left:0;right:0;bottom:0;padding:9px 22px;" +
    "background:#1d5c6b;color:#fff;font:600 17px/1.4 'DejaVu Sans',sans-serif";
  document.body.append(bar);
}"""


class Film:
    """Pictures of a page of the browser, and for how many milliseconds each is shown."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pictures: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def show(self, milliseconds: int, caption: str = "") -> None:
        if caption:
            self.page.evaluate(_CAPTION, caption)
        self.page.evaluate(SHOWN)
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.pictures.append(picture)
        self.milliseconds.append(milliseconds)

    def scene(self, caption: str, command: str, lines: list[str]) -> None:
        """A command is typed in ten steps, then prints in two."""
        for part in range(1, 11):
            self._terminal(command[: len(command) * part // 10], [])
            self.show(180, caption)
        for shown in (lines[: len(lines) // 3], lines):
            self._terminal(command, shown)
            self.show(900 if shown is not lines else 4_000 + 500 * len(lines), caption)

    def _terminal(self, typed: str, lines: list[str]) -> None:
        text = html.escape("\n".join(lines))
        self.page.set_content(f"{_STYLE}<pre><b>$ {html.escape(typed)}</b>\n{text}</pre>")

    def saved(self) -> bytes:
        """A WebP file. Raises ValueError where it is too large."""
        file = io.BytesIO()
        first, *others = self.pictures
        first.save(
            file, "WEBP", save_all=True, append_images=others, duration=self.milliseconds,
            loop=0, quality=_QUALITY, method=4,
        )  # fmt: skip
        if file.tell() > MOST_BYTES:
            raise ValueError(f"{file.tell():,} bytes are more than {MOST_BYTES:,}; show less")
        return file.getvalue()


def in_terminal(film: Film, folder: Folder) -> None:
    (folder.path / "draft.md").write_text(DRAFT, "utf-8")
    for caption, command, most in _TERMINAL:
        code, printed = folder.run(command)
        assert code == 0, printed
        film.scene(caption, command, [line for line in printed if line.strip()][:most])


def on_the_page(film: Film, address: str) -> None:
    page = film.page
    page.goto(f"{address}/ask?project=samples")
    film.show(2_500, "citeloom serve --open: the same in your browser")
    page.goto(f"{address}/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air")
    page.wait_for_selector(".reader .marks rect")
    film.show(6_000, "Passages by paper, and the page with the words marked")
    page.keyboard.press("j")
    page.wait_for_timeout(2_000)
    film.show(3_500, "j and k move through the passages")
    page.keyboard.press("b")
    page.wait_for_timeout(500)
    film.show(3_000, "b keeps the quotation, with its citation")
    page.goto(f"{address}/library?project=samples")
    film.show(4_000, "The library: drop papers on it")
    page.goto(f"{address}/draft?project=samples")
    page.locator("textarea").fill(DRAFT)
    film.show(3_000, "Paste a draft")
    page.locator("#draft button[type=submit]").click()
    page.wait_for_selector(".checked")
    page.wait_for_selector(".reader .marks rect")
    film.show(7_000, "Each verdict beside its sentence, and the page of the source")
    page.goto(f"{address}/review?project=samples")
    page.locator("#new-review textarea").fill(REVIEW)
    page.locator("#new-review button").click()
    page.wait_for_selector("#statement-1")
    page.wait_for_selector(".reader .marks rect")
    film.show(7_000, "A review: every statement is a quotation on its page")


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("no Chromium is installed; on Debian: apt-get install chromium")
    load()
    home = Path(tempfile.mkdtemp(prefix="home-")).resolve()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = browser.new_context(viewport=_SIZE, reduced_motion="reduce")
            context.set_default_timeout(60_000)
            film = Film(context.new_page())
            folder = Folder(home)
            in_terminal(film, folder)
            with closing(Server(folder.path, folder.environment, "8420")) as server:
                on_the_page(film, server.asked("http://127.0.0.1:8420"))
            browser.close()
        file = film.saved()
    finally:
        shutil.rmtree(home)
    FILM.write_bytes(file)
    seconds = sum(film.milliseconds) // 1_000
    sys.stdout.write(
        f"{FILM.name}: {seconds} s, {len(film.pictures)} pictures, {len(file):,} bytes\n"
    )


if __name__ == "__main__":
    main()
