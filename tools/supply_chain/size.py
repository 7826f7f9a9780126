"""Weight of an environment by distribution: ``python tools/supply_chain/size.py VENV``.

MB of 10^6 bytes, the sizes of files as they are; what was compiled (.pyc) is told apart: pip
compiles all at the install, uv only what is imported.
"""

import sys
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path

SHOWN = 15


def main(folder: str) -> None:
    root = Path(folder)
    weights: Counter[str] = Counter()
    compiled = 0
    for site in root.rglob("site-packages"):
        for one in distributions(path=[str(site)]):
            for file in one.files or ():
                path = Path(str(one.locate_file(file)))
                if path.is_file():
                    weights[one.name] += path.stat().st_size
                    compiled += path.stat().st_size * (path.suffix == ".pyc")
    total = sum(path.lstat().st_size for path in root.rglob("*") if not path.is_dir())
    print(
        f"{folder}: {total / 1e6:.0f} MB, {compiled / 1e6:.0f} of them compiled, "
        f"{len(weights)} distributions"
    )
    for name, weight in weights.most_common(SHOWN):
        print(f"{weight / 1e6:8.1f}  {name}")


if __name__ == "__main__":
    main(sys.argv[1])
