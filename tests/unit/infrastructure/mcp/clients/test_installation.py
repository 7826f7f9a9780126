"""CiteLoom put into the files of MCP clients, and taken out of them."""

import json
import stat
import tomllib
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigurationError, InvalidRequest, StorageFailed
from citeloom.infrastructure.mcp.clients.catalogue import (
    CLIENTS,
    Client,
    FileFormat,
    Launch,
    Places,
    Remote,
    client_named,
)
from citeloom.infrastructure.mcp.clients.entries import entry_in
from citeloom.infrastructure.mcp.clients.installation import ChangeKind, ClientFiles, EditByHand

SERVER = Launch("/opt/bin/citeloom", ("mcp", "--workspace", "/home/me/thesis"))
URL = "http://127.0.0.1:8365/mcp"
REACHED = {"command": "/opt/bin/citeloom", "args": ["mcp", "--workspace", "/home/me/thesis"]}

JSON = """{
  "theme": "mine, always",
  "KEY": {
    "other": {
      "command": "npx"
    }
  }
}
"""
JSONC = """// mine
{
  "theme": "dark", /* always */
  "KEY": {
    "other": {"command": "npx"}, // files
  },
}
"""
TOML = '# mine\nmodel = "o5" # always\n\n[KEY.other]\ncommand = "npx"\n'

clients = pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
JSON_CLIENTS = [one for one in CLIENTS.values() if one.format is FileFormat.JSON]


@pytest.fixture
def files(tmp_path: Path) -> ClientFiles:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return ClientFiles(Places(tmp_path / "home", "linux", {}), tmp_path / "project")


def existing(files: ClientFiles, client: Client, text: str | None = None) -> Path:
    """The client's file with other settings and another server in it."""
    path = files.path(client, of_project=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        text = (TOML if client.format is FileFormat.TOML else JSON).replace("KEY", client.key)
    path.write_text(text, "utf-8")
    return path


class TestEveryClient:
    @clients
    def test_the_file_is_after_removal_what_it_was(
        self, files: ClientFiles, client: Client
    ) -> None:
        path = existing(files, client)
        before = path.read_bytes()
        added = files.install(client, "citeloom", client.entry(SERVER))
        assert (added.action, added.file) == (ChangeKind.ADDED, path)
        assert added.backup is not None
        assert added.backup.read_bytes() == before
        text = path.read_text("utf-8")
        assert "mine" in text
        assert "always" in text
        assert entry_in(text, client, "other") == {"command": "npx"}
        assert (entry_in(text, client, "citeloom") or {}).items() >= REACHED.items()
        again = files.install(client, "citeloom", client.entry(SERVER))
        assert again.action is ChangeKind.UNCHANGED
        assert files.remove(client, "citeloom").action is ChangeKind.REMOVED
        assert path.read_bytes() == before
        assert not added.backup.exists()
        assert files.remove(client, "citeloom").action is ChangeKind.ABSENT

    @clients
    def test_a_file_that_was_not_there_is_gone_after_removal(
        self, files: ClientFiles, client: Client
    ) -> None:
        assert files.install(client, "citeloom", client.entry(SERVER)).backup is None
        path = files.path(client, of_project=False)
        text = path.read_text("utf-8")
        read = tomllib.loads(text) if client.format is FileFormat.TOML else json.loads(text)
        assert read == {client.key: {"citeloom": client.entry(SERVER)}}
        assert files.remove(client, "citeloom").action is ChangeKind.REMOVED
        assert not path.exists()

    @clients
    def test_what_others_changed_meanwhile_stays(self, files: ClientFiles, client: Client) -> None:
        path = existing(files, client)
        before = path.read_text("utf-8")
        files.install(client, "citeloom", client.entry(SERVER))
        path.write_text(path.read_text("utf-8").replace("always", "never"), "utf-8")
        removed = files.remove(client, "citeloom")
        assert path.read_text("utf-8") == before.replace("always", "never")
        assert removed.backup is not None
        assert "citeloom" in removed.backup.read_text("utf-8")

    @clients
    def test_another_server_takes_the_place_of_the_old_one(
        self, files: ClientFiles, client: Client
    ) -> None:
        path = existing(files, client)
        files.install(client, "citeloom", client.entry(SERVER))
        other = client.entry(Launch("uvx", ("citeloom", "mcp")))
        assert files.install(client, "citeloom", other).action is ChangeKind.CHANGED
        assert entry_in(path.read_text("utf-8"), client, "citeloom") == other
        if client.url_name is None:
            return
        remote = client.entry(Remote(URL))
        files.install(client, "citeloom", remote)
        assert entry_in(path.read_text("utf-8"), client, "citeloom") == remote

    @clients
    def test_a_broken_file_is_not_touched(self, files: ClientFiles, client: Client) -> None:
        path = existing(files, client, "{\n\n = ]")
        line = 1 if client.format is FileFormat.TOML else 3
        for act in (files.install, files.remove):
            with pytest.raises(ConfigurationError, match=f": line {line}: .*; nothing was changed"):
                act(client, "citeloom", *([client.entry(SERVER)] if act == files.install else []))
        assert path.read_text("utf-8") == "{\n\n = ]"
        (standing,) = [one for one in files.standings("citeloom") if one.client is client]
        assert f"line {line}" in (standing.problem or "")

    @pytest.mark.parametrize("client", JSON_CLIENTS, ids=[one.name for one in JSON_CLIENTS])
    def test_a_file_with_comments_is_read_and_left_to_the_user(
        self, files: ClientFiles, client: Client
    ) -> None:
        before = JSONC.replace("KEY", client.key)
        path = existing(files, client, before)
        with pytest.raises(EditByHand, match=f"comments .*; nothing .* under “{client.key}”"):
            files.install(client, "citeloom", client.entry(SERVER))
        with pytest.raises(EditByHand, match=f"take “other” out of “{client.key}” yourself"):
            files.remove(client, "other")
        assert files.remove(client, "citeloom").action is ChangeKind.ABSENT
        by_hand = json.dumps({"citeloom": client.entry(SERVER)})[1:-1]
        path.write_text(before.replace('"other"', f'{by_hand}, "other"'), "utf-8")
        again = files.install(client, "citeloom", client.entry(SERVER))
        assert again.action is ChangeKind.UNCHANGED
        assert [one.client for one in files.standings("citeloom") if one.is_installed] == [client]
        assert list(path.parent.iterdir()) == [path]


class TestWhere:
    @pytest.mark.parametrize(
        ("name", "platform", "environment", "place"),
        [
            ("claude-desktop", "darwin", {}, "Library/Application Support/Claude"),
            ("claude-desktop", "linux", {}, ".config/Claude"),
            ("claude-desktop", "win32", {}, "AppData/Roaming/Claude"),
            ("vscode", "darwin", {}, "Library/Application Support/Code/User"),
            ("vscode", "linux", {"XDG_CONFIG_HOME": "{}/xdg"}, "xdg/Code/User"),
            ("vscode", "win32", {"APPDATA": "{}/Roaming"}, "Roaming/Code/User"),
            ("zed", "darwin", {"XDG_CONFIG_HOME": "{}/xdg"}, ".config/zed"),
            ("zed", "linux", {"XDG_CONFIG_HOME": "relative"}, ".config/zed"),
            ("zed", "win32", {}, "AppData/Roaming/Zed"),
            ("codex", "linux", {"CODEX_HOME": "{}/cx"}, "cx"),
            ("cursor", "win32", {}, ".cursor"),
            ("devin", "win32", {}, "AppData/Roaming/devin"),
        ],
    )
    def test_the_file_is_where_the_platform_has_it(
        self, tmp_path: Path, name: str, platform: str, environment: dict[str, str], place: str
    ) -> None:
        named = {key: value.format(tmp_path) for key, value in environment.items()}
        files = ClientFiles(Places(tmp_path, platform, named), tmp_path)
        assert files.path(client_named(name), of_project=False).parent == tmp_path / place

    def test_of_several_files_that_which_is_there_is_taken(self, files: ClientFiles) -> None:
        cline = client_named("cline")
        first, second = cline.user_files(files.places)
        assert files.path(cline, of_project=False) == first
        second.parent.mkdir(parents=True)
        second.touch()
        assert files.path(cline, of_project=False) == second

    def test_a_project_has_a_file_of_its_own_with_clients_that_read_one(
        self, files: ClientFiles
    ) -> None:
        code = client_named("claude-code")
        files.install(code, "citeloom", code.entry(SERVER), of_project=True)
        assert (files.project / ".mcp.json").is_file()
        with pytest.raises(InvalidRequest, match="Zed reads no file in a project"):
            files.path(client_named("zed"), of_project=True)

    def test_an_unknown_client_is_told_which_there_are(self) -> None:
        with pytest.raises(
            InvalidRequest, match=r"emacs: not a known client.* claude-desktop, .*, zed"
        ):
            client_named("emacs")


class TestFiles:
    CURSOR = CLIENTS["cursor"]

    def install(self, files: ClientFiles) -> Path | None:
        return files.install(self.CURSOR, "citeloom", self.CURSOR.entry(SERVER)).backup

    def test_of_a_link_the_file_is_changed_that_it_leads_to(
        self, files: ClientFiles, tmp_path: Path
    ) -> None:
        path = existing(files, self.CURSOR)
        real = path.rename(tmp_path / "dotfiles.json")
        path.symlink_to(real)
        assert self.install(files) == tmp_path / "dotfiles.json.before-citeloom"
        assert path.is_symlink()
        assert "citeloom" in real.read_text("utf-8")

    def test_file_and_backup_keep_the_rights(self, files: ClientFiles) -> None:
        path = existing(files, self.CURSOR)
        path.chmod(0o600)
        backup = self.install(files)
        assert backup is not None
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(backup.stat().st_mode) == 0o600

    def test_a_file_that_is_read_only_is_not_replaced(self, files: ClientFiles) -> None:
        path = existing(files, self.CURSOR)
        before = path.read_bytes()
        path.chmod(0o444)
        with pytest.raises(StorageFailed, match="is read-only; make it writable"):
            self.install(files)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_a_folder_in_its_place_is_told(self, files: ClientFiles) -> None:
        files.path(self.CURSOR, of_project=False).mkdir(parents=True)
        with pytest.raises(ConfigurationError, match=r"mcp\.json: is not a file"):
            self.install(files)

    def test_another_encoding_is_told_with_its_line(self, files: ClientFiles) -> None:
        path = existing(files, self.CURSOR)
        path.write_bytes(b'{\n"a": "\xff"}')
        with pytest.raises(ConfigurationError, match="line 2: is not UTF-8"):
            self.install(files)

    def test_a_byte_order_mark_and_line_ends_stay(self, files: ClientFiles) -> None:
        path = existing(files, self.CURSOR)
        before = b'\xef\xbb\xbf{\r\n\t"a": 1\r\n}\r\n'
        path.write_bytes(before)
        self.install(files)
        lines = path.read_bytes().split(b"\r\n")
        assert lines[:3] == [b"\xef\xbb\xbf{", b'\t"a": 1,', b'\t"mcpServers": {']
        assert all(b"\n" not in line for line in lines)
        files.remove(self.CURSOR, "citeloom")
        assert path.read_bytes() == before

    def test_an_empty_object_is_empty_again(self, files: ClientFiles) -> None:
        path = existing(files, self.CURSOR, '{ "mcpServers":{ } }')
        self.install(files)
        files.remove(self.CURSOR, "citeloom")
        assert path.read_text("utf-8") == '{ "mcpServers":{ } }'

    def test_what_the_user_added_to_the_entry_stays(self, files: ClientFiles) -> None:
        own = '"env": {"A": "1"}, "disabled": true'
        path = existing(
            files, self.CURSOR, f'{{"mcpServers": {{"citeloom": {{"url": "http://x", {own}}}}}}}'
        )
        self.install(files)
        text = path.read_text("utf-8")
        assert entry_in(text, self.CURSOR, "citeloom") == {
            "env": {"A": "1"}, "disabled": True, **REACHED
        }  # fmt: skip


class TestAddresses:
    @pytest.mark.parametrize(
        ("name", "entry"),
        [
            ("claude-code", {"type": "http", "url": URL}),
            ("gemini", {"httpUrl": URL}),
            ("windsurf", {"serverUrl": URL}),
            ("cline", {"type": "streamableHttp", "url": URL}),
            ("codex", {"url": URL}),
        ],
    )
    def test_each_client_has_its_words_for_an_address(
        self, name: str, entry: dict[str, str]
    ) -> None:
        assert client_named(name).entry(Remote(URL)) == entry

    @pytest.mark.parametrize(
        ("name", "more"),
        [
            ("cursor", {"headers": {"Authorization": "Bearer ${env:T}"}}),
            ("gemini", {"headers": {"Authorization": "Bearer ${T}"}}),
            ("codex", {"bearer_token_env_var": "T"}),
        ],
    )
    def test_the_token_is_taken_from_the_environment(
        self, name: str, more: dict[str, object]
    ) -> None:
        assert client_named(name).entry(Remote(URL, "T")).items() >= more.items()

    @pytest.mark.parametrize(
        ("name", "server"), [("claude-desktop", Remote(URL)), ("zed", Remote(URL, "T"))]
    )
    def test_what_a_client_cannot_read_is_refused(self, name: str, server: Remote) -> None:
        with pytest.raises(InvalidRequest, match="reads no"):
            client_named(name).entry(server)


class TestStandings:
    def test_it_is_told_where_it_is_and_what_is_wrong_there(
        self, files: ClientFiles, tmp_path: Path
    ) -> None:
        codex, cursor = client_named("codex"), client_named("cursor")
        files.install(codex, "citeloom", codex.entry(SERVER))
        program = tmp_path / "citeloom"
        program.touch()
        here = Launch(str(program), ("mcp", "--workspace", str(tmp_path)))
        files.install(cursor, "citeloom", cursor.entry(here), of_project=True)
        standings = files.standings("citeloom")
        assert [one.client.name for one in standings if one.is_installed] == ["codex", "cursor"]
        told = {(one.client.name, one.file.is_relative_to(files.project)): one for one in standings}
        assert told["codex", False].problem == "/opt/bin/citeloom is not there any more"
        assert told["codex", False].workspace == "/home/me/thesis"
        assert told["cursor", True].problem is None
        assert told["cursor", True].address == str(program)
        assert [name for (name, _), one in told.items() if one.is_found] == ["codex", "cursor"]
