"""Tables of a TOML text put in and taken out; the rest of the text stays."""

import tomllib

import pytest

from citeloom.infrastructure.mcp.clients.toml_edit import (
    MalformedToml,
    table_at,
    with_table,
    without_table,
)

PATH = ("mcp_servers", "citeloom")
ENTRY = {"command": "/opt/“c”", "args": ["mcp", "--workspace", "C:\\Users\\é"]}
DROPPED = ("url", "bearer_token_env_var")
WRITTEN = """[mcp_servers.citeloom]
command = "/opt/“c”"
args = ["mcp", "--workspace", "C:\\\\Users\\\\é"]
"""

CODEX = """# Codex
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
TEXTS = [
    "",
    "\n",
    "# only a comment\n",
    CODEX,
    CODEX.replace("\n", "\r\n"),
    'a = """\n[x]\n"""\n\n\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_put_in_and_taken_out_the_text_is_the_same(text: str) -> None:
    changed = with_table(text, PATH, ENTRY, DROPPED)
    assert changed.startswith(text)
    assert table_at(changed, PATH) == ENTRY
    assert with_table(changed, PATH, ENTRY, DROPPED) == changed
    assert without_table(changed, PATH) == text


def test_the_table_is_written_as_people_write_it() -> None:
    assert with_table("", PATH, ENTRY, ()) == WRITTEN
    assert with_table("a = 1", PATH, ENTRY, ()) == f"a = 1\n\n{WRITTEN}"
    assert '[mcp_servers."a b"]' in with_table("", ("mcp_servers", "a b"), ENTRY, ())


def test_other_keys_of_the_table_stay_with_their_comments() -> None:
    before = (
        '[mcp_servers.citeloom] # mine\nurl = "http://x" # old\nstartup_timeout_sec = 20 # slow\n'
        'args = [\n  "old", # one\n]\n# kept\n[mcp_servers.citeloom.env]\nA = "1"\n\n[other]\n'
    )
    after = with_table(before, PATH, ENTRY, DROPPED)
    assert after == (
        f"[mcp_servers.citeloom] # mine\n{WRITTEN.partition(']')[2].strip()}\n"
        "startup_timeout_sec = 20 # slow\n"
        '# kept\n[mcp_servers.citeloom.env]\nA = "1"\n\n[other]\n'
    )
    assert tomllib.loads(without_table(after, PATH)) == {"other": {}}
    assert "# kept" in without_table(after, PATH)


def test_a_table_in_the_middle_goes_without_its_neighbours() -> None:
    text = f"# head\n\n{WRITTEN}\n# of the other\n[other]\nb = 2\n"
    assert without_table(text, PATH) == "# head\n\n# of the other\n[other]\nb = 2\n"
    assert without_table(CODEX, PATH) == CODEX


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { citeloom = { command = "x" } }\n',
        '[mcp_servers]\nciteloom.command = "x"\n',
        "mcp_servers = {}\n",
    ],
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(MalformedToml, match="in a way that cannot be edited"):
        with_table(text, PATH, ENTRY, ())


def test_what_is_broken_is_named_with_its_line() -> None:
    with pytest.raises(MalformedToml, match="line 2: not readable as TOML") as error:
        with_table("a = 1\nb = \n", PATH, ENTRY, ())
    assert error.value.line == 2
