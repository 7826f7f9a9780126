"""What reaches a terminal: lines, texts, styled texts and JSON."""

import io
import json
from contextlib import redirect_stdout

import pytest

from citeloom.infrastructure.cli.shared.output import (
    console,
    json_bytes,
    print_styled,
    print_table,
    print_text,
)
from citeloom.infrastructure.cli.shared.terminal import (
    json_escaped,
    print_line,
    printable,
    printable_line,
)


class Screen(io.TextIOWrapper):
    """A terminal that keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Straße, naïve, 池, שלום, \U0001f41f", "Straße, naïve, 池, שלום, \U0001f41f"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\\x0db"),
        ("\x1b[2J\x07\x7f\x9b", "\\x1b[2J\\x07\\x7f\\x9b"),
        ("\u202egnp.\u2066x\u2069", "\\u202egnp.\\u2066x\\u2069"),
        ("a\u2028b", "a\\u2028b"),
        ("שלום\u200f!", "שלום!"),
        ("\udcff", "\\udcff"),
        ("a\U000e0049\u200b\ufeffb", "a\\U000e0049b"),
        ("می\u200cخواهم \U0001f469\u200d\U0001f52c", "می\u200cخواهم \U0001f469\u200d\U0001f52c"),
    ],
)
def test_control_characters_are_printed_as_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_line_stays_one() -> None:
    assert printable_line("a.md\nciteloom: all is well\r\n") == "a.md\\nciteloom: all is well\\n"


def test_a_screen_gets_the_escapes_of_styles_alone() -> None:
    with redirect_stdout(Screen()) as screen:
        print_styled(console(), ("red \x1b[31m\n", "bold"), indent=3)
        print_table("title\x1b]0;x\x07", ("a",), [("[red]\x1b[8mhidden\nnext",)])
        print_text("text \x1b[1m")
        print_line("line \x1b[1m\n")
    assert "\x1b[1mred \\x1b[31m\\n\x1b[0m" in screen.shown
    assert "title\\x1b]0;x\\x07" in screen.shown
    assert "[red]\\x1b[8mhidden\\nnext" in screen.shown
    assert "text \\x1b[1m\nline \\x1b[1m\\n\n" in screen.shown


def test_what_is_drawn_by_other_parts_of_the_library_is_printable_too() -> None:
    with redirect_stdout(Screen()) as screen:
        console().print("plain \x1b[31m", markup=False)
    assert "plain \\x1b[31m" in screen.shown


def test_a_file_is_not_padded(capsys: pytest.CaptureFixture[str]) -> None:
    print_styled(console(), ("short", ""), indent=3, right=3)
    print_table(None, ("a", "b"), [("1", "2"), ("longer", "")])
    assert not [line for line in capsys.readouterr().out.splitlines() if line != line.rstrip()]


def test_json_means_the_same_without_control_characters() -> None:
    document = {"title": "a\x1b\x7f\x9b\u202e\u2028\u200f \\u202e \\\u202e é池"}
    text = json_bytes(document).decode()
    assert json.loads(text) == document
    assert json_escaped(text) == text
    assert "é池" in text
