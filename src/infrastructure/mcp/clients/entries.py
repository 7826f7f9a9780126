"""The entry of a server in the text of a configuration file, in JSON and in TOML.

JSON is also read with comments and trailing commas, as Visual Studio Code and Zed write it, but is
changed only without them: it is written as a whole, in the order and with the indentation that it
had. TOML keeps its comments and its layout.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from .catalogue import Client, FileFormat

_STRING: Final = r'("(?:[^"\\]|\\.)*")'
_COMMENT: Final = re.compile(_STRING + r"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_LINE: Final = re.compile(r"line (\d+)")
_OTHERWISE: Final = "the table is written there in a way that cannot be edited here"


class Malformed(ValueError):
    """The text is not JSON or TOML, or has another shape than that of the client."""


class HasComments(Malformed):
    """The text is JSON that is read, but not written."""

    def __init__(self) -> None:
        super().__init__("has comments or trailing commas, which would be lost")


def entry_in(text: str, client: Client, name: str) -> Mapping[str, Any] | None:
    """Raises Malformed."""
    values = _loads(text) if client.format is FileFormat.TOML else _read_json(text)[0]
    return _entry(values, client, name)


def with_entry(text: str, client: Client, name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry; of an older one, what does not say how the server is reached stays.
    Raises Malformed, also as HasComments."""
    old = entry_in(text, client, name) or {}
    stale = set(client.transport_names) - entry.keys()
    new = {key: value for key, value in old.items() if key not in stale} | dict(entry)
    if new == old:
        return text
    if client.format is FileFormat.TOML:
        return _with_table(text, client.key, name, new)
    values = _changeable_json(text)
    values.setdefault(client.key, {})[name] = new
    return _written(values, text)


def without_entry(text: str, client: Client, name: str) -> str:
    """The text without the entry, and without the servers if it was the only one. Raises
    Malformed, also as HasComments."""
    if entry_in(text, client, name) is None:
        return text
    if client.format is FileFormat.TOML:
        return _without_table(text, client.key, name)
    values = _changeable_json(text)
    del values[client.key][name]
    if not values[client.key]:
        del values[client.key]
    return _written(values, text)


def snippet(client: Client, name: str, entry: Mapping[str, Any]) -> str:
    """The content of the file if it has only this entry."""
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
    """The client's own command that adds the entry for the user, where it has one that takes
    JSON."""
    match client.name:
        case "claude-code":
            document = json.dumps(entry, ensure_ascii=False)
            command = ["claude", "mcp", "add-json", "--scope", "user", name, document]
        case "vscode":
            command = ["code", "--add-mcp", json.dumps({"name": name, **entry}, ensure_ascii=False)]
        case _:
            return None
    return shlex.join(command)


def _entry(values: Any, client: Client, name: str) -> Mapping[str, Any] | None:
    if not isinstance(values, dict) or not isinstance(values.get(client.key, {}), dict):
        raise Malformed(f"an object with servers under “{client.key}” is expected there")
    found = values.get(client.key, {}).get(name)
    return found if isinstance(found, dict) else None


def _read_json(text: str) -> tuple[Any, bool]:
    """The value, and whether it is JSON without comments. Raises Malformed."""
    if not text.strip():
        return {}, True
    try:
        return _parsed(text), True
    except (ValueError, RecursionError):
        plain = _TRAILING_COMMA.sub(_blanked, _COMMENT.sub(_blanked, text))
    try:
        return _parsed(plain), False
    except json.JSONDecodeError as error:
        raise Malformed(f"line {error.lineno}: not readable as JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not readable as JSON: {error}") from None


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_members, parse_constant=_refuse)


def _blanked(match: re.Match[str]) -> str:
    """Strings as they are; all else as blanks, so that lines keep their numbers."""
    return match[1] or re.sub(r"[^\n]", " ", match[0])


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"“{twice}” is there twice")
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number in JSON")


def _changeable_json(text: str) -> dict[str, Any]:
    values: dict[str, Any]
    values, is_plain = _read_json(text)
    if not is_plain:
        raise HasComments
    return values


def _written(values: dict[str, Any], before: str) -> str:
    """JSON with the indentation and the line ends that the text had. Raises Malformed."""
    found = _INDENT.search(before)
    indent = found[1] if found else 2
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False, indent=indent)
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:  # 1e999, or half of a surrogate pair
        raise Malformed(f"it has a value that cannot be written again: {error}") from None
    end = "\n" if not before.strip() or before.endswith("\n") else ""
    return _with_line_ends(text + end, before)


def _with_table(text: str, key: str, name: str, table: dict[str, Any]) -> str:
    """The text with a table of servers changed in place, or added at the end. Raises Malformed."""
    before = _loads(text)
    servers = before.get(key, {})

    def change(document: Any) -> None:
        if isinstance(servers.get(name), dict):
            _update(document[key][name], servers[name], table)
        else:
            document[key][name] = table

    after = _joined(text, tomlkit.dumps({key: {name: table}}))
    if name in servers or not _is_toml(after):  # where the servers are in an inline table
        after = _edited(text, change)
    return _checked(after, text, {**before, key: {**servers, name: table}})


def _without_table(text: str, key: str, name: str) -> str:
    """Raises Malformed."""
    before = _loads(text)
    servers = {one: table for one, table in before.pop(key).items() if one != name}

    def change(document: Any) -> None:
        del document[key][name]
        if not servers:
            del document[key]

    after = _joined(_edited(text, change))
    return _checked(after, text, {**before, key: servers} if servers else before)


def _update(item: Any, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Change the keys of a table; comments behind its last key belong to the next table."""
    behind = []
    while isinstance(item, Table) and item.value.body and item.value.body[-1][0] is None:
        behind.append(item.value.body.pop()[1])
    for key in old.keys() - new.keys():
        del item[key]
    for key, value in new.items():
        if old.get(key) != value:
            item[key] = value
    for one in reversed(behind):
        item.add(one)


def _edited(text: str, change: Callable[[Any], None]) -> str:
    try:
        document = tomlkit.parse(text)
        change(document)
        return document.as_string()
    except (TOMLKitError, LookupError, TypeError, RecursionError) as error:
        raise Malformed(_OTHERWISE) from error


def _checked(after: str, before: str, wanted: Mapping[str, Any]) -> str:
    """The new text, if it has the requested form and nothing else. Raises Malformed."""
    if not _is_toml(after) or tomllib.loads(after) != wanted:
        raise Malformed(_OTHERWISE)
    return _with_line_ends(after, before)


def _joined(*parts: str) -> str:
    """Texts with a blank line between them and one line end at the end."""
    return "\n\n".join(part.rstrip() for part in parts if part.strip()) + "\n"


def _is_toml(text: str) -> bool:
    try:
        return tomllib.loads(text) is not None
    except ValueError:
        return False


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = _LINE.search(str(error))
        line = f"line {found[1]}: " if found else ""
        raise Malformed(f"{line}not readable as TOML: {error}") from None


def _with_line_ends(text: str, before: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in before else plain
