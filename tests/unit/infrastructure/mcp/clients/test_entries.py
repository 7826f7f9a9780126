"""Entries of servers put into the text of a configuration file and taken out of it."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.mcp.clients.catalogue import client_named
from citeloom.infrastructure.mcp.clients.entries import (
    HasComments,
    Malformed,
    as_command_line,
    entry_in,
    with_entry,
    without_entry,
)

CODEX, CURSOR = client_named("codex"), client_named("cursor")
ENTRY = {"command": "/opt/“c”", "args": ["mcp", "--workspace", "C:\\Users\\é"]}
WRITTEN = """[mcp_servers.citeloom]
command = "/opt/“c”"
args = ["mcp", "--workspace", "C:\\\\Users\\\\é"]
"""
SETTINGS = """# Codex
model = "o5" # mine

[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  "files",
]

# Profiles
[profiles.fast]
model = "x"
"""


class TestToml:
    @pytest.mark.parametrize(
        "text",
        [
            "# only a comment\n",
            SETTINGS,
            SETTINGS.replace("\n", "\r\n"),
            'a = """\n[x]\n"""\n',
            "[mcp_servers]\n[mcp_servers.a]\nx = 1\n[b]\n[mcp_servers.c]\ny = 2\n",
        ],
    )
    def test_put_in_and_taken_out_the_text_is_the_same(self, text: str) -> None:
        changed = with_entry(text, CODEX, "citeloom", ENTRY)
        assert changed.startswith(text)
        assert entry_in(changed, CODEX, "citeloom") == ENTRY
        assert with_entry(changed, CODEX, "citeloom", ENTRY) == changed
        assert without_entry(changed, CODEX, "citeloom") == text

    def test_the_table_is_written_as_people_write_it(self) -> None:
        assert with_entry("", CODEX, "citeloom", ENTRY) == WRITTEN
        assert with_entry("a = 1", CODEX, "citeloom", ENTRY) == f"a = 1\n\n{WRITTEN}"
        assert '[mcp_servers."a b"]' in with_entry("", CODEX, "a b", ENTRY)

    def test_other_keys_of_the_table_stay_with_their_comments(self) -> None:
        before = (
            '[mcp_servers.citeloom] # mine\nurl = "http://x" # old\n'
            'startup_timeout_sec = 20 # slow\nargs = [\n  "old", # one\n]\n'
            "\n# of the other\n[other]\n"
        )
        after = with_entry(before, CODEX, "citeloom", ENTRY)
        _, command, args = WRITTEN.splitlines()
        assert after == (
            f"[mcp_servers.citeloom] # mine\nstartup_timeout_sec = 20 # slow\n{args}\n{command}\n"
            "\n# of the other\n[other]\n"
        )
        assert tomllib.loads(without_entry(after, CODEX, "citeloom")) == {"other": {}}

    @pytest.mark.parametrize(
        "text",
        [
            'mcp_servers = { citeloom = { command = "x" } }\n',
            '[mcp_servers]\nciteloom.command = "x"\n',
            "mcp_servers = {}\n",
            "mcp_servers.citeloom = 5\n",
            "[[mcp_servers.citeloom]]\n",
        ],
    )
    def test_a_table_is_changed_however_it_is_written(self, text: str) -> None:
        changed = with_entry(text, CODEX, "citeloom", ENTRY)
        assert tomllib.loads(changed) == {"mcp_servers": {"citeloom": ENTRY}}
        assert tomllib.loads(without_entry(changed, CODEX, "citeloom")) == {}

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("a = 1\nb = \n", "line 2: not readable as TOML"),
            ("mcp_servers = 1\n", "servers under “mcp_servers” is expected"),
        ],
    )
    def test_what_is_broken_is_named(self, text: str, reason: str) -> None:
        with pytest.raises(Malformed, match=reason):
            with_entry(text, CODEX, "citeloom", ENTRY)


class TestJson:
    def test_an_empty_file_becomes_an_object(self) -> None:
        text = with_entry(" \n", CURSOR, "citeloom", {"command": "c", "args": ["mcp"]})
        assert text == (
            '{\n  "mcpServers": {\n    "citeloom": {\n      "command": "c",\n'
            '      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n'
        )

    def test_an_emptied_object_goes(self) -> None:
        text = '{\n  "a": 1,\n  "mcpServers": {\n    "citeloom": {}\n  }\n}'
        assert without_entry(text, CURSOR, "citeloom") == '{\n  "a": 1\n}'

    @pytest.mark.parametrize(
        "text",
        [
            '// c\n{"mcpServers": {"citeloom": {"command": "//no", "args": []}}}',
            '{"mcpServers": { /* "}, */ "citeloom": {"command": "//no", "args": [],},},}',
            '{"a": ",]", "mcpServers": {"citeloom": {"command": "//no", "args": [] /**/, //\n}}}',
        ],
    )
    def test_comments_and_last_commas_are_read_but_not_written(self, text: str) -> None:
        entry: dict[str, Any] = {"command": "//no", "args": []}
        assert entry_in(text, CURSOR, "citeloom") == entry
        assert with_entry(text, CURSOR, "citeloom", entry) == text
        assert without_entry(text, CURSOR, "other") == text
        with pytest.raises(HasComments):
            with_entry(text, CURSOR, "citeloom", ENTRY)
        with pytest.raises(HasComments):
            without_entry(text, CURSOR, "citeloom")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ('{\n"a": 1\n"b": 2}', "line 3: not readable as JSON"),
            ('{"a": 1 // x\n\n', "line 3: not readable as JSON"),
            ("{} x", "line 1: not readable as JSON"),
            ("{ /* x", "line 1: not readable as JSON"),
            ("{'a': 1}", "line 1: not readable as JSON"),
            ("[" * 200_000, "not readable as JSON"),
            ('{"a": NaN}', "NaN is not a number in JSON"),
            ('{"mcpServers": {}, "mcpServers": {"x": 1}}', "“mcpServers” is there twice"),
            ("[]", "an object .* is expected"),
            ('{"mcpServers": []}', "an object .* is expected"),
            ('{"a": 1e999}', "cannot be written again"),
            ('{"a": "\\ud800"}', "cannot be written again"),
        ],
    )
    def test_what_is_broken_is_named(self, text: str, reason: str) -> None:
        with pytest.raises(Malformed, match=reason):
            with_entry(text, CURSOR, "citeloom", ENTRY)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda name: name not in ("mcpServers", "citeloom")
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@given(
    root=st.dictionaries(names, values, min_size=1, max_size=3),
    servers=st.dictionaries(names, st.dictionaries(names, values), min_size=1, max_size=3),
    after=st.dictionaries(names, values, max_size=2),
    indent=st.sampled_from(["  ", "    ", "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_put_in_and_taken_out_the_json_of_a_program_is_the_same(
    root: dict[str, Any],
    servers: dict[str, Any],
    after: dict[str, Any],
    indent: str,
    newline: str,
) -> None:
    document = {**root, "mcpServers": servers, **after}
    text = json.dumps(document, ensure_ascii=False, indent=indent).replace("\n", newline)
    changed = with_entry(text, CURSOR, "citeloom", ENTRY)
    assert json.loads(changed) == {**document, "mcpServers": {**servers, "citeloom": ENTRY}}
    assert list(json.loads(changed)) == list(document)
    assert with_entry(changed, CURSOR, "citeloom", ENTRY) == changed
    assert without_entry(changed, CURSOR, "citeloom") == text


def test_commands_of_clients_are_quoted_for_a_shell() -> None:
    entry = {"command": "it's"}
    line = as_command_line(client_named("claude-code"), "papers", entry)
    assert line == """claude mcp add-json --scope user papers '{"command": "it'"'"'s"}'"""
    line = as_command_line(client_named("vscode"), "papers", {"command": "c"})
    assert line == """code --add-mcp '{"name": "papers", "command": "c"}'"""
    assert as_command_line(CURSOR, "papers", entry) is None
