"""``server.json`` for the registry of MCP servers, and the MCP bundle."""

import json
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.paths import ROOT

from citeloom.infrastructure.mcp.tools import LISTED
from citeloom.infrastructure.settings.sections import PREFIX, Settings
from tools.distribution import bundle

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TEXT = {"type": "string", "minLength": 1}


def an_object(required: str, optional: str = "", /, **types: Any) -> dict[str, Any]:
    """The schema of an object with these fields and no others; texts unless ``types`` says more."""
    names = [*required.split(), *optional.split()]
    fields = {name: types.get(name, TEXT) for name in names}
    return {
        "type": "object", "required": required.split(), "properties": fields,
        "additionalProperties": False,
    }  # fmt: skip


def a_list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": items}


# After https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, of which it
# allows what is used here.
ARGUMENT = an_object(
    "type",
    "name value description format isRequired",
    type={"enum": ["positional", "named"]},
    format={"enum": ["string", "number", "boolean", "filepath"]},
    isRequired={"type": "boolean"},
)
PACKAGE = an_object(
    "registryType identifier transport",
    "registryBaseUrl version runtimeHint packageArguments environmentVariables",
    registryType={"enum": ["pypi", "npm", "oci", "nuget", "mcpb"]},
    registryBaseUrl={"const": "https://pypi.org"},
    transport=an_object("type", type={"enum": ["stdio"]}),
    packageArguments=a_list(ARGUMENT),
    environmentVariables=a_list(
        an_object("name", "description format default", format=ARGUMENT["properties"]["format"])
    ),
)
SERVER = an_object(
    "name description version",
    "$schema title packages",
    name={"pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
    title={**TEXT, "maxLength": 100},
    description={**TEXT, "maxLength": 100},
    packages=a_list(PACKAGE),
)
# After schemas/mcpb-manifest-v0.4.schema.json of https://github.com/modelcontextprotocol/mcpb.
OPTION = an_object(
    "type title description",
    "required default",
    type={"enum": ["string", "number", "boolean", "directory", "file"]},
    required={"type": "boolean"},
    default={"type": ["string", "number", "boolean"]},
)
MANIFEST = an_object(
    "manifest_version name version description author server",
    "display_name long_description license keywords tools compatibility user_config",
    manifest_version={"const": "0.4"},
    author=an_object("name"),
    keywords=a_list(TEXT),
    tools=a_list(an_object("name", "description")),
    server=an_object(
        "type entry_point mcp_config",
        type={"enum": ["python", "node", "binary", "uv"]},
        mcp_config=an_object(
            "command",
            "args env",
            args=a_list(TEXT),
            env={"type": "object", "additionalProperties": TEXT},
        ),
    ),
    compatibility=an_object(
        "platforms runtimes",
        platforms=a_list({"enum": ["darwin", "win32", "linux"]}),
        runtimes=an_object("python"),
    ),
    user_config={"type": "object", "additionalProperties": OPTION},
)


def is_setting(variable: str) -> bool:
    section, name = variable.removeprefix(PREFIX).lower().split("__")
    return hasattr(getattr(Settings(), section), name)


class TestRegistry:
    @pytest.fixture
    def server(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((ROOT / "server.json").read_text("utf-8"))
        return read

    def test_it_is_accepted_by_the_schema_of_the_registry(self, server: dict[str, Any]) -> None:
        jsonschema.validate(server, SERVER)

    def test_it_names_the_package_in_this_version(self, server: dict[str, Any]) -> None:
        (package,) = server["packages"]
        assert package["identifier"] == PROJECT["name"]
        assert {server["version"], package["version"]} == {PROJECT["version"]}
        assert all(is_setting(one["name"]) for one in package["environmentVariables"])

    def test_the_readme_says_whose_it_is(self, server: dict[str, Any]) -> None:
        """The registry looks for that on PyPI
        (https://modelcontextprotocol.io/registry/package-types)."""
        assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text("utf-8")


class TestBundle:
    @pytest.fixture
    def made(self, tmp_path: Path) -> Path:
        wheel = tmp_path / f"{PROJECT['name']}-{PROJECT['version']}-py3-none-any.whl"
        wheel.write_bytes(b"the wheel")
        return bundle.write(tmp_path)

    def test_the_manifest_is_as_the_specification_has_it(self, made: Path) -> None:
        manifest = json.loads(zipfile.ZipFile(made).read("manifest.json"))
        jsonschema.validate(manifest, MANIFEST)
        assert manifest["version"] == PROJECT["version"]
        assert [one["name"] for one in manifest["tools"]] == list(LISTED)
        server = manifest["server"]
        assert server["entry_point"] in server["mcp_config"]["args"]
        assert all(is_setting(name) for name in server["mcp_config"]["env"])
        given = [*server["mcp_config"]["args"], *server["mcp_config"]["env"].values()]
        used = {one for one in given if one.startswith("${user_config.")}
        assert used == {f"${{user_config.{name}}}" for name in manifest["user_config"]}

    def test_it_holds_the_wheel_and_what_starts_it(self, made: Path) -> None:
        held = zipfile.ZipFile(made)
        names = set(held.namelist())
        wheel = f"{PROJECT['name']}-{PROJECT['version']}-py3-none-any.whl"
        assert names == {
            "manifest.json",
            "pyproject.toml",
            bundle.START,
            "LICENSE",
            "NOTICE",
            wheel,
        }
        assert held.read(wheel) == b"the wheel"
        compile(held.read(bundle.START), bundle.START, "exec")
        environment = tomllib.loads(held.read("pyproject.toml").decode())
        assert environment["tool"]["uv"]["sources"] == {PROJECT["name"]: {"path": wheel}}
        assert environment["project"]["requires-python"] == PROJECT["requires-python"]

    def test_the_same_wheel_gives_the_same_bytes(self, made: Path) -> None:
        first = made.read_bytes()
        made.unlink()
        assert bundle.write(made.parent).read_bytes() == first
