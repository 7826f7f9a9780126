"""How fast reference files are read: one library in each format, wall and processor seconds.

usage: python benchmarks/references.py [FILE...] [--runs 5]

Without files: ``../shared/data/zotero/bbt-1241-items.json`` and ``.bib``. A Better BibTeX JSON is
also written as CSL-JSON and CSL-YAML, and read back. The median of the runs counts; loading the
parsers is a run before.
"""

import argparse
import json
import platform
import statistics
import tempfile
import time
from pathlib import Path

import yaml

from citeloom.infrastructure.references.reader import FileReferenceReader

ZOTERO = Path(__file__).resolve().parents[1] / "../shared/data/zotero"
DEFAULTS = [ZOTERO / "bbt-1241-items.json", ZOTERO / "bbt-1241-items.bib"]


def measure(path: Path, runs: int) -> str:
    reader = FileReferenceReader()
    library = reader.read(path)
    wall, cpu = [], []
    for _ in range(runs):
        begun, used = time.perf_counter(), time.process_time()
        reader.read(path)
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - used)
    size = path.stat().st_size / 2**20
    return (
        f"| {path.name} | {size:.2f} | {len(library.items):,} | {len(library.warnings)} "
        f"| {statistics.median(wall):.2f} | {statistics.median(cpu):.2f} |"
    )


def written_again(path: Path, folder: Path) -> list[Path]:
    """The items of a JSON export as CSL-JSON and CSL-YAML files."""
    items = [dict(item.csl) for item in FileReferenceReader().read(path).items]
    as_json, as_yaml = folder / f"{path.stem}.csl.json", folder / f"{path.stem}.csl.yaml"
    as_json.write_text(json.dumps(items, ensure_ascii=False), encoding="utf-8")
    text = yaml.safe_dump({"references": items}, allow_unicode=True)
    as_yaml.write_text(text, encoding="utf-8")
    return [as_json, as_yaml]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=DEFAULTS)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print(f"{platform.platform()}, Python {platform.python_version()}\n")
    print("| file | MiB | items | warnings | s | CPU s |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for path in asked.files:
            again = written_again(path, Path(folder)) if path.suffix == ".json" else []
            for each in (path, *again):
                print(measure(each, asked.runs), flush=True)


if __name__ == "__main__":
    main()
