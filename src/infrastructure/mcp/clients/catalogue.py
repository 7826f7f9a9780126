"""The MCP clients that are known: their configuration files, what an entry looks like there, and
the command that it starts.

Each client has the address of the documentation that says so.
"""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import ConfigurationError, InvalidRequest

# Of environments that uvx makes for one run, in uv's cache:
# https://docs.astral.sh/uv/concepts/tools/
_OF_ONE_RUN: Final = "archive-v0"


class FileFormat(Enum):
    JSON = auto()
    TOML = auto()


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts the server."""

    command: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remote:
    """The address of a server over HTTP; ``token_variable`` is the environment variable of the
    client that holds its token."""

    url: str
    token_variable: str | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of this machine: ``platform`` as ``sys.platform`` has it."""

    home: Path
    platform: str
    environment: Mapping[str, str]

    @property
    def configuration(self) -> Path:
        """``%APPDATA%``, ``~/.config`` or what XDG_CONFIG_HOME says, for programs that use it on
        macOS too."""
        if self.platform == "win32":
            return self._folder("APPDATA", "AppData/Roaming")
        return (
            self._folder("XDG_CONFIG_HOME", ".config")
            if self.platform == "linux"
            else (self.home / ".config")
        )

    @property
    def application_data(self) -> Path:
        """``~/Library/Application Support`` on macOS, else as ``configuration``."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.configuration

    def _folder(self, variable: str, otherwise: str) -> Path:
        value = self.environment.get(variable, "")
        return Path(value) if Path(value).is_absolute() else self.home / otherwise

    def named_by(self, variable: str, otherwise: str) -> Path:
        """The folder that the variable of a client names."""
        value = self.environment.get(variable)
        return Path(value) if value else self.home / otherwise


@dataclass(frozen=True, slots=True)
class Client:
    """``user_files`` are the configuration files of the user, of which the first that exists
    counts, else the first. ``project_file`` is relative to a project's folder. Servers are under
    ``key``; ``variable`` is how a value there names an environment variable."""

    name: str
    title: str
    documentation: str
    user_files: Callable[[Places], tuple[Path, ...]]
    restart: str
    project_file: str | None = None
    key: str = "mcpServers"
    format: FileFormat = FileFormat.JSON
    stdio: Mapping[str, Any] | None = None
    http: Mapping[str, Any] | None = None
    url_name: str | None = "url"
    variable: str | None = None

    def entry(self, server: Launch | Remote) -> dict[str, Any]:
        """Raises InvalidRequest if its file cannot express that."""
        if isinstance(server, Remote):
            return self._remote(server)
        return {**(self.stdio or {}), "command": server.command, "args": list(server.args)}

    @property
    def transport_names(self) -> tuple[str, ...]:
        """The names in an entry that say how the server is reached; others are the user's."""
        own = {"type", "command", "args", "headers", "bearer_token_env_var", "source"}
        return tuple(sorted(own | ({self.url_name} if self.url_name else set())))

    def _remote(self, server: Remote) -> dict[str, Any]:
        if self.url_name is None:
            raise InvalidRequest(
                f"{self.title} reads no addresses from its file; leave the address out, so that it "
                "starts the server itself",
                parameter="http",
            )
        entry = {**(self.http or {}), self.url_name: server.url}
        if server.token_variable is None:
            return entry
        if self.format is FileFormat.TOML:
            return entry | {"bearer_token_env_var": server.token_variable}
        if self.variable is None:
            raise InvalidRequest(
                f"{self.title} reads no environment variables in its file, and a token is not "
                "written into it; add the header Authorization there yourself",
                parameter="token_variable",
            )
        reference = self.variable.replace("NAME", server.token_variable)
        return entry | {"headers": {"Authorization": f"Bearer {reference}"}}


def _below_home(*names: str) -> Callable[[Places], tuple[Path, ...]]:
    return lambda places: tuple(places.home / name for name in names)


_QUIT: Final = "quit {} and start it again; closing its window is not enough"

#: In the order in which they are listed.
CLIENTS: Final[Mapping[str, Client]] = {
    client.name: client
    for client in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
            lambda places: (places.application_data / "Claude" / "claude_desktop_config.json",),
            _QUIT.format("Claude Desktop"),
            url_name=None,
        ),
        Client(
            "claude-code",
            "Claude Code",
            "https://code.claude.com/docs/en/mcp",
            _below_home(".claude.json"),
            "start a new session of Claude Code; `/mcp` there lists it",
            project_file=".mcp.json",
            stdio={"type": "stdio"},
            http={"type": "http"},
            variable="${NAME}",
        ),
        Client(
            "cursor",
            "Cursor",
            "https://cursor.com/docs/mcp",
            _below_home(".cursor/mcp.json"),
            "restart Cursor; its settings list it under MCP",
            project_file=".cursor/mcp.json",
            variable="${env:NAME}",
        ),
        Client(
            "vscode",
            "Visual Studio Code",
            "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
            lambda places: (places.application_data / "Code" / "User" / "mcp.json",),
            "reload the window; `MCP: List Servers` starts it",
            project_file=".vscode/mcp.json",
            key="servers",
            stdio={"type": "stdio"},
            http={"type": "http"},
            variable="${env:NAME}",
        ),
        Client(
            "windsurf",
            "Windsurf",
            "https://docs.windsurf.com/windsurf/cascade/mcp",
            _below_home(".codeium/windsurf/mcp_config.json"),
            "restart Windsurf, or refresh its MCP servers",
            url_name="serverUrl",
            variable="${env:NAME}",
        ),
        Client(
            "devin",
            "Devin Desktop",
            "https://docs.sevalla.com/ai-agents/windsurf",
            lambda places: (places.configuration / "devin" / "mcp_config.json",),
            "restart Devin Desktop",
            project_file=".devin/mcp_config.json",
        ),
        Client(
            "codex",
            "Codex",
            "https://developers.openai.com/codex/mcp",
            lambda places: (places.named_by("CODEX_HOME", ".codex") / "config.toml",),
            "start a new session of Codex; `/mcp` there lists it",
            project_file=".codex/config.toml",
            key="mcp_servers",
            format=FileFormat.TOML,
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "https://geminicli.com/docs/tools/mcp-server/",
            _below_home(".gemini/settings.json"),
            "start Gemini CLI again; `/mcp` there lists it",
            project_file=".gemini/settings.json",
            url_name="httpUrl",
            variable="${NAME}",
        ),
        Client(
            "zed",
            "Zed",
            "https://zed.dev/docs/ai/mcp",
            lambda places: (
                places.configuration
                / ("Zed" if places.platform == "win32" else "zed")
                / "settings.json",
            ),
            "open the agent's settings in Zed; a green dot marks a running server",
            key="context_servers",
        ),
        Client(
            "cline",
            "Cline",
            "https://docs.cline.bot/mcp/configuring-mcp-servers",
            lambda places: (
                places.home / ".cline/data/settings/cline_mcp_settings.json",
                places.application_data
                / "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            "open MCP Servers in Cline; it is under Configure",
            http={"type": "streamableHttp"},
        ),
        Client(
            "copilot-cli",
            "GitHub Copilot CLI",
            "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
            lambda places: (places.named_by("COPILOT_HOME", ".copilot") / "mcp-config.json",),
            "start Copilot again; `/mcp show` there lists it",
            project_file=".mcp.json",
            stdio={"type": "stdio", "tools": ["*"]},
            http={"type": "http", "tools": ["*"]},
            variable="${NAME}",
        ),
        Client(
            "lm-studio",
            "LM Studio",
            "https://lmstudio.ai/docs/app/mcp",
            _below_home(".lmstudio/mcp.json"),
            "LM Studio loads it when the file is saved; switch it on in the tab Program",
        ),
    )
}


def client_named(name: str) -> Client:
    """Raises InvalidRequest."""
    if (client := CLIENTS.get(name.lower())) is None:
        raise InvalidRequest(
            f"{name}: not a known client; there are {', '.join(CLIENTS)}", parameter="client"
        )
    return client


def launch(program: Sequence[str], workspace: Path, options: Sequence[str] = ()) -> Launch:
    """Absolute, as clients start in any folder."""
    command, *args = program
    return Launch(command, (*args, "mcp", "--workspace", str(workspace), *options))


def running_program(argv0: str) -> list[str]:
    """The command that this process was started by: ``citeloom``, or Python with the module. Raises
    ConfigurationError where it will be gone."""
    found = shutil.which(argv0)
    if found is None or Path(found).stem.lower() != "citeloom":
        return [sys.executable, "-m", "citeloom"]
    path = Path(os.path.abspath(found))
    if _OF_ONE_RUN in path.resolve().parts:
        raise ConfigurationError(
            f"{path}: is in an environment that uvx made for this run only; add --uvx, or install "
            "it to stay (`uv tool install citeloom`)"
        )
    return [str(path)]


def uvx_program() -> list[str]:
    """uv's command, which installs the package where it is not yet; with its path where it is
    found, as programs of a desktop do not have the shell's PATH."""
    return [shutil.which("uvx") or "uvx", "citeloom"]
