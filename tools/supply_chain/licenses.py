"""Licenses of everything that is installed, against those that may be.

``python tools/supply_chain/licenses.py`` prints them; status 1 if one is neither allowed nor
named here.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions

#: SPDX identifiers of licenses that ask for no more than notices (and PSF's, for changes).
PERMISSIVE = frozenset(
    "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-2-Clause-Views BSD-3-Clause CC0-1.0 ISC MIT "
    "MIT-0 MIT-CMU PSF-2.0 Unlicense Zlib".split()
)
#: Weak copyleft by file: used unmodified, as a package of its own.
ALLOWED = PERMISSIVE | {"MPL-2.0"}

#: Distributions whose metadata is not enough, or whose license is none of the above: what is
#: chosen or why it may be, by normalized name.
NAMED = {
    "bibtexparser": ("BSD-3-Clause", "LGPLv3 or BSD: BSD is chosen; pyzotero imports it"),
    "partd": ("BSD-3-Clause", "BSD in its metadata; the wheel has the file; dask imports it"),
    "psycopg": ("LGPL-3.0-only", "only with the extra postgresql; unmodified, replaceable"),
    "psycopg-binary": ("LGPL-3.0-only", "only with the extra postgresql; unmodified, replaceable"),
    "py-rust-stemmers": ("MIT", "no license in its metadata; the wheel has the file"),
    "pypdfium2": ("BSD-3-Clause AND Apache-2.0", "pdfium's own licenses are in the wheel"),
}
#: Trove classifiers and what stands in the field ``License``, as SPDX has them.
_SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_WORDS = re.compile(r"\(|\)|[^\s()]+")


def normalized(name: str) -> str:
    """The name of a distribution as indexes have it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def license_of(distribution: Distribution) -> str:
    """The SPDX expression of a distribution; empty where its metadata has none that is known."""
    if named := NAMED.get(normalized(distribution.name)):
        return named[0]
    metadata = distribution.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    declared = [
        one.split(" :: ")[-1]
        for one in metadata.get_all("Classifier") or ()
        if one.startswith("License :: OSI Approved :: ")
    ] or (metadata.get("License") or "").strip().splitlines()[:1]
    return " AND ".join(_SPDX.get(one, one) for one in declared)


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with ``ALLOWED`` licenses (annex D of SPDX 2.3: AND
    binds before OR)."""
    words = _WORDS.findall(expression)
    return bool(words) and _alternatives(words) and not words


def problems(installed: Iterable[Distribution]) -> Iterator[str]:
    for one in installed:
        expression = license_of(one)
        if normalized(one.name) not in NAMED and not is_allowed(expression):
            yield (
                f"{one.name} {one.version}: {expression or 'no license in its metadata'}: not "
                "allowed; name it in tools/supply_chain/licenses.py, or do without it"
            )


def _alternatives(words: list[str]) -> bool:
    allowed = _all_of(words)
    while words and words[0] == "OR":
        words.pop(0)
        allowed = _all_of(words) or allowed
    return allowed


def _all_of(words: list[str]) -> bool:
    allowed = _one(words)
    while words and words[0] == "AND":
        words.pop(0)
        allowed = _one(words) and allowed
    return allowed


def _one(words: list[str]) -> bool:
    if not words:
        return False
    word = words.pop(0)
    if word != "(":
        return word in ALLOWED
    allowed = _alternatives(words)
    return bool(words) and words.pop(0) == ")" and allowed


def main() -> int:
    installed = sorted(distributions(), key=lambda one: normalized(one.name))
    for one in installed:
        why = NAMED.get(normalized(one.name), ("", ""))[1]
        print(f"{one.name} {one.version}: {license_of(one)}{f' ({why})' if why else ''}")
    found = list(problems(installed))
    print("\n".join(found) or f"{len(installed)} distributions, all allowed")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
