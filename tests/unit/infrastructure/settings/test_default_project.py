"""The default project in the settings: read from each source, written beside comments."""

import tomllib
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.settings.settings import load_configuration, with_default_project

SETTINGS = """# My settings.
# Two lines.

# The section of queries.
[query]
top_k = 8  # more
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'project = "a/b"\n'),
        ("# only a comment", '# only a comment\nproject = "a/b"\n'),
        ('project="x" # mine\n[query]\n', 'project = "a/b" # mine\n[query]\n'),
        ('project = "x"\r\n', 'project = "a/b"\r\n'),
        (
            SETTINGS,
            '# My settings.\n# Two lines.\n\nproject = "a/b"\n\n'
            "# The section of queries.\n[query]\ntop_k = 8  # more\n",
        ),
        ("[llm]\nmodel = '''\nproject = 1\n'''\n", None),
    ],
)
def test_the_rest_of_the_file_stays(before: str, after: str | None) -> None:
    written = with_default_project(before, "a/b")
    assert after is None or written == after
    assert tomllib.loads(written) == {**tomllib.loads(before), "project": "a/b"}
    assert set(before.splitlines()) - set(written.splitlines()) <= {
        line for line in before.splitlines() if line.startswith("project")
    }


@pytest.mark.parametrize(
    "text", ['"project" = "x"\n', 'project = """\nx"""\n', 'title = """\n[a]\n"""\n', "[broken"]
)
def test_what_is_not_understood_is_left_alone(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"yourself|not readable"):
        with_default_project(text, "a/b")


@pytest.mark.parametrize(
    ("environment", "dotenv", "toml", "named", "source"),
    [
        ("env", "dot", "file", "local/env", "CITELOOM_PROJECT"),
        ("", "dot", "file", "local/dot", "project in .env"),
        ("", "", "file", "local/file", "project in citeloom.toml"),
        ("", "", " ", "", "project in citeloom.toml"),
    ],
)
def test_the_first_source_that_names_one_wins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: str,
    dotenv: str,
    toml: str,
    named: str,
    source: str,
) -> None:
    monkeypatch.setenv("CITELOOM_PROJECT", environment)
    if dotenv:
        (tmp_path / ".env").write_text(f"CITELOOM_PROJECT={dotenv}\n")
    (tmp_path / "citeloom.toml").write_text(f'project = "{toml}"\n[query]\ntop_k = 3\n')
    found = load_configuration(tmp_path / "citeloom.toml", env_file=tmp_path / ".env")
    assert found.settings.project == named
    assert found.source_of_project == source
    above = source if source != "project in citeloom.toml" else None
    assert found.project_above_file == above
    assert next(found.rows())[:2] == ("project", named or "(none)")


@pytest.mark.parametrize("value", ['"a b"', "3", "{x = 1}"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "citeloom.toml").write_text(f"project = {value}\n")
    with pytest.raises(ConfigurationError, match=r"project \(citeloom.toml\)"):
        load_configuration(tmp_path / "citeloom.toml", env_file=tmp_path / ".env")
