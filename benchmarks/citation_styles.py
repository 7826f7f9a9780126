"""Citations and bibliographies beside those of citeproc-js, the reference processor of CSL.

usage: python benchmarks/citation_styles.py [--all] [--data ../shared/data] [--golden]

50 works (40 of ``zotero/bbt-1241-items.json``, each of its types in turn, and 10 of
``jose/library.csl.json``) in the five bundled styles: 250 entries and 250 citations in the text,
with marks (italics …) and letter for letter. ``--all`` takes all 1,268 works. Needs node and the
npm registry: citeproc is installed into a temporary folder. Both read the same CSL-JSON; of a
date with parts and words beside only the parts, for citeproc-js prints both in one. Runs of
blanks are one on both sides. ``--golden`` writes what the unit tests compare with, from works
of our own (``tests/unit/infrastructure/citation/works.json``).
"""

import argparse
import html
import importlib.metadata
import json
import platform
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import citeproc

from citeloom.infrastructure.citation.csl.processor import Processor, Reference
from citeloom.infrastructure.citation.csl.rendering.rich_text import as_html
from citeloom.infrastructure.citation.csl.style import BUNDLED, load_style
from citeloom.infrastructure.references.reader import FileReferenceReader

CITEPROC_JS = "2.4.63"
ROOT = Path(__file__).resolve().parent.parent
UNIT = ROOT / "tests" / "unit" / "infrastructure" / "citation"
SCRIPT = """
const fs = require("fs"), CSL = require("citeproc");
const job = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const items = Object.fromEntries(job.items.map((item) => [item.id, item]));
const out = {};
for (const [name, xml] of Object.entries(job.styles)) {
  const engine = new CSL.Engine({
    retrieveLocale: (lang) => job.locales[lang] || job.locales["en-US"],
    retrieveItem: (id) => JSON.parse(JSON.stringify(items[id])),
  }, xml);
  engine.setOutputFormat("html");
  engine.updateItems(job.items.map((item) => item.id));
  for (const cite of job.cites)
    engine.appendCitationCluster({citationItems: [cite], properties: {noteIndex: 0}}, true);
  const cited = engine.registry.citationreg.citationByIndex
    .map((citation) => engine.process_CitationCluster(citation.sortedItems, citation));
  const [about, entries] = engine.makeBibliography();
  out[name] = {cites: cited, entries: about.entry_ids.map((ids, n) => [ids[0], entries[n]])};
}
fs.writeFileSync(process.argv[3], JSON.stringify(out));
"""
Item = dict[str, Any]


def works(path: Path) -> list[Item]:
    found = FileReferenceReader().read(path).items
    return [{k: only_parts(v) for k, v in {**m.csl, "id": m.citekey}.items()} for m in found]


def only_parts(value: Any) -> Any:
    if isinstance(value, dict) and value.get("date-parts"):
        return {key: part for key, part in value.items() if key not in ("literal", "raw")}
    return value


def chosen(data: Path) -> list[Item]:
    """Each type in turn, in the order of the file, until there are 40; and every other of the
    second library, until there are 10."""
    by_type: dict[str, list[Item]] = defaultdict(list)
    for item in works(data / "zotero" / "bbt-1241-items.json"):
        by_type[item["type"]].append(item)
    turns = [
        by_type[kind][n]
        for n in range(max(map(len, by_type.values())))
        for kind in sorted(by_type)
        if n < len(by_type[kind])
    ]
    return turns[:40] + works(data / "jose" / "library.csl.json")[::2][:10]


def cites(items: Sequence[Item]) -> list[dict[str, str]]:
    """A third each without a place, with a page, with a range of pages."""
    places: list[dict[str, str]] = [{}, {"locator": "12"}, {"locator": "127-135"}]
    return [
        {"id": item["id"], **(place | {"label": "page"} if place else {})}
        for n, item in enumerate(items)
        for place in [places[n % 3]]
    ]


def by_citeproc_js(items: Sequence[Item]) -> dict[str, Any]:
    styles = files("citeloom.infrastructure.citation.csl") / "data"
    locales = Path(citeproc.LOCALES_PATH)
    job = {
        "items": list(items),
        "cites": cites(items),
        "styles": {name: (styles / file).read_text("utf-8") for name, file in BUNDLED.items()},
        "locales": {
            lang: (locales / f"locales-{lang}.xml").read_text("utf-8")
            for lang in ("en-US", "en-GB")
        },
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "package.json").write_text("{}")
        (folder / "run.js").write_text(SCRIPT)
        (folder / "job.json").write_text(json.dumps(job))
        install = ["npm", "install", "--silent", "--no-audit", f"citeproc@{CITEPROC_JS}"]
        subprocess.run(install, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        run = ["node", "run.js", "job.json", "out.json"]
        subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        out: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return {
        style: {
            "cites": [tidy(text) for text in found["cites"]],
            "entries": {id: tidy(text) for id, text in found["entries"]},
        }
        for style, found in out.items()
    }


def tidy(text: str) -> str:
    """Without the boxes of citeproc-js's HTML; characters as Python's HTML has them."""
    text = re.sub(r"</div>\s*<div class=\"csl-right-inline\">", " ", text)
    text = re.sub(r"<div[^>]*>|</div>", "", text).strip()
    return re.sub(
        r"[ \xa0]* ", " ", html.escape(html.unescape(protect(text)), quote=False)
    ).translate({0xE010: "<", 0xE011: ">"})


def protect(text: str) -> str:
    """Tags with brackets that unescaping leaves alone."""
    return re.sub(r"<(/?(?:i|b|sup|sub|span)(?: [^<>]*)?)>", "\ue010\\1\ue011", text)


def ours(items: Sequence[Item]) -> dict[str, Any]:
    made = {}
    for name in BUNDLED:
        processor = Processor(load_style(name), [(item["id"], item) for item in items])
        made[name] = {
            "cites": [
                as_html(processor.cite([Reference(cite["id"], place(cite))]))
                for cite in cites(items)
            ],
            "entries": {id: spaced(as_html(text)) for id, text in processor.bibliography()},
        }
    return made


def place(cite: Mapping[str, str]) -> tuple[str, str] | None:
    return (cite["locator"], "page") if "locator" in cite else None


def spaced(text: str) -> str:
    return re.sub(r"[ \xa0]* ", " ", text)


def _without(pattern: str) -> Callable[[str, str], bool]:
    return lambda a, b: re.sub(pattern, "", a) == re.sub(pattern, "", b)


KINDS: list[tuple[str, Callable[[str, str], bool]]] = [
    ("capital within a word of a title (scipy.optimize)", lambda a, b: a.lower() == b.lower()),
    ("comma before the last of persons and institutions", _without(",")),
    ("quotation marks of another language within a title", _without("[‘’“”]")),
    ("dash between a Roman and an Arabic number", _without("[-–]")),
    ("blank between initials", _without(r"[. ]")),
    ("letter behind the year, by the order of works", _without(r"(?<=\d)[a-z]\b")),
    (
        "event of an unpublished paper named (event-title read as event)",
        lambda a, b: "presented at" in a and "presented at" not in b,
    ),
]


def kind_of(a: str, b: str) -> str:
    return next((name for name, same in KINDS if same(a, b)), "other")


def without_number(text: str) -> str:
    return re.sub(r"^\[?\d+[\].]+ ?", "", text)


def compare(items: Sequence[Item], *, shown: int) -> None:
    began = time.perf_counter()
    theirs = by_citeproc_js(items)
    between = time.perf_counter()
    mine = ours(items)
    print(f"{len(items)} works; citeproc-js {CITEPROC_JS} {between - began:.1f} s (installing "
          f"included), ours {time.perf_counter() - between:.1f} s; Python "
          f"{platform.python_version()}, locales of citeproc-py "
          f"{importlib.metadata.version('citeproc-py')}")  # fmt: skip
    kinds: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    totals: Counter[str] = Counter()
    print(f"\n{'style':12} {'entries':>14} {'citations':>14}  order")
    for style, found in theirs.items():
        same: Counter[str] = Counter()
        for id, want in found["entries"].items():
            made = mine[style]["entries"][id]
            if without_number(made) == without_number(want):
                same["entries"] += 1
            else:
                kinds[kind_of(made, want)].append((style, want, made))
        for want, made in zip(found["cites"], mine[style]["cites"], strict=True):
            if made == want:
                same["cites"] += 1
            else:
                kinds[kind_of(made, want)].append((style, want, made))
        order = list(found["entries"]) == list(mine[style]["entries"])
        total = len(items)
        print(f"{style:12} {same['entries']:>5} of {total:<5} {same['cites']:>5} of {total:<5}  "
              f"{'same' if order else 'differs'}")  # fmt: skip
        totals += same
    every = len(items) * len(theirs)
    print(f"{'all':12} {totals['entries']:>5} of {every:<5} {totals['cites']:>5} of {every:<5}")
    print("\ndifferences by kind (theirs, ours):")
    for name, found in sorted(kinds.items(), key=lambda entry: -len(entry[1])):
        print(f"{len(found):5} {name}")
        for style, want, made in found[:shown]:
            print(f"        {style}: {want}\n        {' ' * len(style)}  {made}")


def write_golden() -> None:
    items = json.loads((UNIT / "works.json").read_text("utf-8"))
    golden = {"citeproc-js": CITEPROC_JS, "styles": by_citeproc_js(items)}
    text = json.dumps(golden, ensure_ascii=False, indent=1)
    (UNIT / "golden.json").write_text(text + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--shown", type=int, default=1, help="examples of each kind")
    options = parser.parse_args()
    if options.golden:
        write_golden()
        return
    items = chosen(options.data)
    if options.all:
        items = works(options.data / "zotero" / "bbt-1241-items.json") + works(
            options.data / "jose" / "library.csl.json"
        )
    compare(items, shown=options.shown)


if __name__ == "__main__":
    main()
