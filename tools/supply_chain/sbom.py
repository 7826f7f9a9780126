"""Bill of materials of the base install: CycloneDX 1.6 JSON on standard output (``make sbom``).

What citeloom requires without extras, all the way down, in the versions installed here, with the
hashes of requirements.lock. The same environment always gives the same bill but for its time, which
SOURCE_DATE_EPOCH sets.
"""

import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

sys.path[:0] = [str(Path(__file__).parents[2])]

from tools.supply_chain.licenses import license_of, normalized

ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"^(\S+)==(\S+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

#: Distributions by normalized name, with the names that each requires here.
Closure = dict[str, tuple[Distribution, frozenset[str]]]


def bill() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = closure(project["dependencies"])
    known = hashes((ROOT / "requirements.lock").read_text("utf-8"))
    main = f"pkg:pypi/{project['name']}@{project['version']}"
    direct = {
        normalized(Requirement(one).name) for one in project["dependencies"]
    } & required.keys()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": _now(),
            "component": {
                "type": "application",
                "bom-ref": main,
                "name": project["name"],
                "version": project["version"],
                "purl": main,
                "licenses": [{"expression": project["license"]}],
            },
        },
        "components": [_component(name, one, known) for name, (one, _) in required.items()],
        "dependencies": [
            {"ref": main, "dependsOn": sorted(_purl(required[name][0]) for name in direct)},
            *(
                {"ref": _purl(one), "dependsOn": sorted(_purl(required[name][0]) for name in needs)}
                for one, needs in required.values()
            ),
        ],
    }


def closure(requirements: Iterable[str]) -> Closure:
    """What these requirements need here, all the way down. Raises PackageNotFoundError."""
    found: Closure = {}
    extras: dict[str, set[str]] = {}

    def ask(requirement: Requirement) -> str:
        name = normalized(requirement.name)
        asked = {"", *requirement.extras}
        if not asked <= extras.setdefault(name, set()):
            extras[name] |= asked
            queue.append(name)
        return name

    queue: list[str] = []
    for one in map(Requirement, requirements):
        if one.marker is None or one.marker.evaluate():
            ask(one)
    while queue:
        name = queue.pop()
        held = distribution(name)
        needed = frozenset(
            ask(one)
            for one in map(Requirement, held.requires or ())
            if one.marker is None
            or any(one.marker.evaluate({"extra": extra}) for extra in sorted(extras[name]))
        )
        found[name] = (held, needed)
    return dict(sorted(found.items()))


def hashes(lock: str) -> dict[tuple[str, str], list[str]]:
    """SHA-256 of the files of each pinned version."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lock.splitlines():
        if pin := _PIN.match(line):
            of = found.setdefault((normalized(pin[1]), pin[2]), [])
        elif match := _HASH.search(line):
            of.append(match[1])
    return found


def _component(
    name: str, one: Distribution, known: Mapping[tuple[str, str], list[str]]
) -> dict[str, Any]:
    component = {
        "type": "library",
        "bom-ref": _purl(one),
        "name": one.name,
        "version": one.version,
        "purl": _purl(one),
        "licenses": [{"expression": license_of(one)}],
    }
    if digests := known.get((name, one.version)):
        component["externalReferences"] = [
            {
                "type": "distribution",
                "url": f"https://pypi.org/project/{name}/{one.version}/",
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
            }
        ]
    return component


def _purl(one: Distribution) -> str:
    return f"pkg:pypi/{normalized(one.name)}@{one.version}"


def _now() -> str:
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


if __name__ == "__main__":
    try:
        print(json.dumps(bill(), indent=1))
    except PackageNotFoundError as error:
        sys.exit(f"{error.name}: required and not installed; install citeloom into this Python")
