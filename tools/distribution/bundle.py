"""The MCP bundle of the wheel in a folder: ``python tools/distribution/bundle.py dist``.

An ``.mcpb`` file is a zip of ``manifest.json`` and what it starts
(https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md, version 0.4). This one holds
the wheel; uv, which has to be on the machine, installs what the wheel needs from PyPI at the
first start. The same wheel always gives the same bytes.
"""

import json
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Final

from citeloom.infrastructure.mcp.tools import LISTED

ROOT: Final = Path(__file__).resolve().parents[2]
START: Final = "server/main.py"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_MAIN: Final = '''"""Starts ``citeloom``."""

from citeloom.infrastructure.cli.app import main

if __name__ == "__main__":
    main()
'''


def manifest(project: dict[str, Any]) -> dict[str, Any]:
    """``project`` is that table of pyproject.toml."""
    workspace = {
        "type": "directory",
        "title": "Workspace",
        "description": "The folder that your papers were ingested in, or a new one.",
        "required": True,
    }
    read_only = {
        "type": "boolean",
        "title": "Read only",
        "description": "Without the tools that add or remove papers.",
        "required": False,
        "default": False,
    }
    run = ["run", "--quiet", "--directory", "${__dirname}", START, "mcp"]
    return {
        "manifest_version": "0.4",
        "name": project["name"],
        "display_name": "CiteLoom",
        "version": project["version"],
        "description": project["description"],
        "long_description": "Finds passages in your own papers and gives them with citation and "
        "printed page, checks drafts against the works that they cite, and answers questions in "
        "quotations. Nothing leaves your machine. It needs uv (https://docs.astral.sh/uv/), which "
        "installs 0.6 GB from PyPI at the first start: start the server once more if the "
        "application does not wait that long.",
        "author": {"name": project["authors"][0]["name"]},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "uv",
            "entry_point": START,
            "mcp_config": {
                "command": "uv",
                "args": [*run, "--workspace", "${user_config.workspace}"],
                "env": {"CITELOOM_MCP__READ_ONLY": "${user_config.read_only}"},
            },
        },
        "tools": [{"name": one.name, "description": one.description} for one in LISTED.values()],
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": project["requires-python"]},
        },
        "user_config": {"workspace": workspace, "read_only": read_only},
    }


def environment(project: dict[str, Any], wheel: str) -> str:
    """The pyproject.toml of the bundle: the wheel beside it, and what that requires."""
    return f'''[project]
name = "{project["name"]}-bundle"
version = "{project["version"]}"
requires-python = "{project["requires-python"]}"
dependencies = ["{project["name"]}=={project["version"]}"]

[tool.uv]
package = false

[tool.uv.sources]
{project["name"]} = {{ path = "{wheel}" }}
'''


def project_table() -> dict[str, Any]:
    """Of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def files(wheel: Path) -> dict[str, bytes]:
    """What is in the bundle, by name."""
    project = project_table()
    texts = {
        "manifest.json": json.dumps(manifest(project), indent=2, ensure_ascii=False) + "\n",
        "pyproject.toml": environment(project, wheel.name),
        START: _MAIN,
        **{name: (ROOT / name).read_text("utf-8") for name in project["license-files"]},
    }
    return {name: text.encode("utf-8") for name, text in texts.items()} | {
        wheel.name: wheel.read_bytes()
    }


def write(folder: Path) -> Path:
    """The bundle, beside the wheel of this version in ``folder``."""
    project = project_table()
    named = f"{project['name']}-{project['version']}"
    wheel, output = folder / f"{named}-py3-none-any.whl", folder / f"{named}.mcpb"
    with zipfile.ZipFile(output, "w") as bundle:
        for name, content in sorted(files(wheel).items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # Unix, wherever it is made
            is_wheel = name == wheel.name  # compressed already
            entry.compress_type = zipfile.ZIP_STORED if is_wheel else zipfile.ZIP_DEFLATED
            bundle.writestr(entry, content)
    return output


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
