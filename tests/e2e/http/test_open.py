"""``citeloom serve --open``."""

import subprocess
import sys
import time
import webbrowser
from pathlib import Path

import pytest
from support.command_line import environment

from citeloom.infrastructure.cli import serve


def test_the_page_is_opened_in_the_browser_of_the_environment(tmp_path: Path) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0", "--open"]
    with subprocess.Popen(
        [*command, "--workspace", str(tmp_path)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**environment(), "BROWSER": str(browser)},
    ) as server:
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split()[1]
            for _ in range(400):
                if seen.exists():
                    break
                time.sleep(0.05)
            assert seen.read_text().strip() == address
        finally:
            server.kill()


def test_it_is_told_where_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    told: list[str] = []
    serve._open("http://127.0.0.1:1", told.append)
    assert told == ["no browser was found; open http://127.0.0.1:1 in yours"]
