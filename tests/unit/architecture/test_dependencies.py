"""What is installed: pinned with hashes, licensed as it may be, listed in the bill of materials."""

import re
import tomllib
from email.message import Message
from importlib.metadata import Distribution, distributions
from typing import Any

import pytest
from packaging.requirements import Requirement
from support.cases import each
from support.paths import ROOT

from tools.supply_chain.audit import verdict
from tools.supply_chain.licenses import is_allowed, license_of, normalized, problems
from tools.supply_chain.sbom import bill, closure

PROJECT, *WINGS = (
    tomllib.loads(path.read_text("utf-8"))["project"]
    for path in (ROOT / "pyproject.toml", *ROOT.glob("packages/*/pyproject.toml"))
)
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+).*\\\n(?P<rest>(?:    .*\n?)+)", re.M)


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    """Versions by name in the lock, every one of which has a hash."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    found = list(PIN.finditer(text))
    assert len(found) == len(re.findall("^[a-z]", text, re.M))
    assert all("--hash=sha256:" in one["rest"] for one in found)
    return {one["name"]: one["version"] for one in found}


def test_what_is_required_is_pinned_with_hashes(pins: dict[str, str]) -> None:
    required = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    required += [one for wing in WINGS for one in wing["dependencies"]]
    for one in map(Requirement, required):
        if one.name != "citeloom":
            assert one.specifier.contains(pins[normalized(one.name)]), one


def test_the_base_install_has_nothing_that_only_measures_need() -> None:
    assert closure(PROJECT["dependencies"]).keys().isdisjoint({"scipy", "ir-measures"})


def test_all_licenses_are_allowed() -> None:
    assert list(problems(distributions())) == []


class Installed(Distribution):
    def __init__(self, **metadata: str) -> None:
        self._message = Message()
        for name, value in ({"Name": "some", "Version": "1"} | metadata).items():
            self._message[name.replace("_", "-")] = value

    @property
    def metadata(self) -> Any:
        return self._message

    def read_text(self, filename: str) -> None:
        return None

    def locate_file(self, path: Any) -> Any:
        return path


@each(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND GPL-2.0-only", False),
        ("GPL-2.0-only OR BSD-3-Clause", True),
        ("MPL-2.0 AND (Apache-2.0 OR LGPL-3.0-only)", True),
        ("(AGPL-3.0-only OR MIT) AND LGPL-3.0-only", False),
        ("(MIT", False),
        ("", False),
        ("UNKNOWN", False),
    ],
)
def test_expressions_of_licenses(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed


def test_a_license_is_read_where_it_is_declared_and_reported_where_it_may_not_be() -> None:
    classified = Installed(Classifier="License :: OSI Approved :: MIT License")
    assert license_of(classified) == "MIT"
    (told,) = problems([classified, Installed(License="GPL v3"), Installed(License="MIT")])
    assert told.startswith("some 1: GPL v3: not allowed")


def test_the_bill_of_materials_is_whole(pins: dict[str, str]) -> None:
    made = bill()
    components = {one["bom-ref"]: one for one in made["components"]}
    assert len(components) == len(made["components"]) > 80
    assert {one["ref"] for one in made["dependencies"]} == {
        made["metadata"]["component"]["bom-ref"],
        *components,
    }
    assert {ref for one in made["dependencies"] for ref in one["dependsOn"]} == components.keys()
    assert all(one["licenses"][0]["expression"] for one in components.values())
    assert {normalized(one["name"]) for one in components.values()} <= pins.keys()


def test_an_audit_that_skipped_something_is_none() -> None:
    sound = {"name": "a", "version": "1", "vulns": []}
    skipped = {"name": "b", "skip_reason": "not found"}
    known = {"name": "c", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]}
    assert verdict("osv", [sound])[1] == 0
    assert verdict("osv", [sound, skipped])[1] == 2
    text, status = verdict("osv", [sound, skipped, known])
    assert status == 1
    assert "c 2: X-1, mended in 3\n" in text
    assert text.endswith("2 of 3 distributions audited")
