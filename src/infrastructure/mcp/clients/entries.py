"""The entry of a server in the text of a configuration file, in each format."""

import json
from collections.abc import Mapping
from typing import Any, Final

from citeloom.infrastructure.mcp.clients.catalogue import Client, FileFormat
from citeloom.infrastructure.mcp.clients.jsonc import Malformed
from citeloom.infrastructure.mcp.clients.jsonc_edit import member_at, with_member, without_member
from citeloom.infrastructure.mcp.clients.toml_edit import (
    MalformedToml,
    table_at,
    with_table,
    without_table,
)

#: What the functions here raise for a text that is not understood.
MALFORMED: Final = (Malformed, MalformedToml)


def entry_in(text: str, client: Client, name: str) -> Mapping[str, Any] | None:
    """Raises Malformed, MalformedToml."""
    at = table_at if client.format is FileFormat.TOML else member_at
    found = at(text, (client.key, name))
    return found if isinstance(found, Mapping) else None


def with_entry(text: str, client: Client, name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry; of an older one, what does not say how the server is reached stays.
    Raises Malformed, MalformedToml."""
    path = (client.key, name)
    stale = tuple(one for one in client.transport_names if one not in entry)
    if client.format is FileFormat.TOML:
        return with_table(text, path, entry, stale)
    old = entry_in(text, client, name)
    if old is None:
        return with_member(text, path, dict(entry))
    for key, value in entry.items():
        text = with_member(text, (*path, key), value)
    for key in stale:
        text = without_member(text, (*path, key))
    return text


def without_entry(text: str, client: Client, name: str) -> str:
    """Raises Malformed, MalformedToml."""
    without = without_table if client.format is FileFormat.TOML else without_member
    return without(text, (client.key, name))


def snippet(client: Client, name: str, entry: Mapping[str, Any]) -> str:
    """What belongs into the file, as it stands there alone."""
    return with_entry("", client, name, entry).rstrip("\n")


def workspace_of(entry: Mapping[str, Any]) -> str | None:
    """The folder that the entry names with ``--workspace``."""
    args = entry.get("args")
    if not isinstance(args, list) or "--workspace" not in args[:-1]:
        return None
    return str(args[args.index("--workspace") + 1])


def address_of(entry: Mapping[str, Any], client: Client) -> str | None:
    """The command or the address of the entry, for people."""
    if client.url_name and isinstance(entry.get(client.url_name), str):
        return str(entry[client.url_name])
    return str(entry["command"]) if isinstance(entry.get("command"), str) else None


def as_command_line(client: Client, name: str, entry: Mapping[str, Any]) -> str | None:
    """The client's own command that adds the entry, where it has one."""
    if client.name != "claude-code":
        return None
    quoted = json.dumps(entry, ensure_ascii=False).replace("'", "'\\''")
    return f"claude mcp add-json --scope user {name} '{quoted}'"
