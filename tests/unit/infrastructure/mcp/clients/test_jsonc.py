"""JSONC: read with comments, edited without losing a byte."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.mcp.clients.jsonc import Malformed, parse
from citeloom.infrastructure.mcp.clients.jsonc_edit import member_at, with_member, without_member

PATH = ("mcpServers", "citeloom")
ENTRY = {"command": "/opt/cite loom/bin", "args": ["mcp", "--workspace", "/home/é/“x”"]}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/")

ZED = """// Zed settings
{
  "theme": "One Dark", // dark
  /* servers */
  "context_servers": {
    // the files
    "files": {
      "command": "npx",
      "args": ["-y", "server"],
    }, // until here
  },
}
"""


class TestReading:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a": 1, "b": [true, null, -1.5e3]}', {"a": 1, "b": [True, None, -1500.0]}),
            ("// c\n{ /* d */ }", {}),
            ('{"a": "//no",}', {"a": "//no"}),
            ('["\\ud83d\\ude00", "\\"",]', ["😀", '"']),
        ],
    )
    def test_comments_and_last_commas_are_read(self, text: str, value: Any) -> None:
        assert parse(text).value == value

    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ('{\n"a": 1\n"b": 2}', 3, "a comma or } is missing"),
            ('{"a" 1}', 1, "a colon is missing"),
            ('{"a": }', 1, "a value is missing"),
            ('{"a": 1', 1, "a comma or } is missing"),
            ("{\n\n", 3, "not closed"),
            ("{} x", 1, "after the end"),
            ("/* x", 1, "the comment is not closed"),
            ("{'a': 1}", 1, "quotation marks"),
            ('{"a": 01}', 1, "this is no JSON"),
            ('{"a": tru}', 1, "this is no JSON"),
            ("[" * 200, 1, "nested too deeply"),
        ],
    )
    def test_what_is_broken_is_named_with_its_line(self, text: str, line: int, reason: str) -> None:
        with pytest.raises(Malformed, match=re.escape(reason)) as error:
            parse(text)
        assert error.value.line == line


class TestEditing:
    def test_a_new_member_stands_behind_the_comments_of_the_last(self) -> None:
        text = with_member(ZED, ("context_servers", "citeloom"), {"command": "c", "args": ["mcp"]})
        assert text == ZED.replace(
            "}, // until here\n",
            '}, // until here\n    "citeloom": {\n      "command": "c",\n'
            '      "args": ["mcp"]\n    },\n',
        )
        assert without_member(text, ("context_servers", "citeloom")) == ZED

    def test_an_empty_file_becomes_an_object(self) -> None:
        text = with_member(" \n", PATH, {"command": "c"})
        assert text == (
            '{\n  "mcpServers": {\n    "citeloom": {\n      "command": "c"\n    }\n  }\n}\n'
        )

    def test_one_line_stays_one_line(self) -> None:
        text = with_member('{"a": 1}\n', PATH, {"command": "c"})
        assert text == '{"a": 1, "mcpServers": {"citeloom": {"command": "c"}}}\n'
        assert without_member(text, PATH) == '{"a": 1}\n'

    def test_a_value_is_replaced_and_its_neighbours_stay(self) -> None:
        before = '{"mcpServers": {"citeloom": {"command": "old", /* mine */ "timeout": 5}}}'
        after = with_member(before, (*PATH, "command"), "new")
        assert after == before.replace('"old"', '"new"')
        assert with_member(after, (*PATH, "command"), "new") == after

    def test_an_emptied_object_goes_unless_there_is_a_comment_in_it(self) -> None:
        assert without_member('{"a": 1, "mcpServers": {"citeloom": {}}}', PATH) == '{"a": 1}'
        kept = '{\n  "mcpServers": {\n    // none yet\n    "citeloom": {}\n  }\n}'
        assert without_member(kept, PATH) == '{\n  "mcpServers": {\n    // none yet\n  }\n}'

    def test_what_follows_on_the_line_does_not_become_a_comment(self) -> None:
        text = without_member('{"mcpServers": { // mine\n  "citeloom": {} }}', PATH)
        assert parse(text).value == {"mcpServers": {}}

    @pytest.mark.parametrize(
        "text", ["[]", '{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": 1}']
    )
    def test_another_shape_is_refused(self, text: str) -> None:
        with pytest.raises(Malformed, match=r"line 1: .*(object|twice)"):
            with_member(text, PATH, {})


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda name: name not in PATH
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
comments = st.sampled_from(["", " // note", " /* note */", " /* a */ // b, {"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """An object with comments, in one of the styles that people use."""
    newline, indent = (
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.sampled_from(["  ", "\t", "    "])),
    )
    last_comma = draw(st.booleans())

    def written(value: Any, margin: str) -> str:
        if not isinstance(value, dict) or not value:
            return json.dumps(value, ensure_ascii=False)
        inner, lines = margin + indent, []
        for number, (name, one) in enumerate(value.items(), 1):
            comma = "," if number < len(value) or last_comma else ""
            above = draw(comments).strip()
            if above:
                lines.append(inner + above)
            lines.append(f"{inner}{json.dumps(name)}: {written(one, inner)}{comma}{draw(comments)}")
        return f"{{{draw(comments)}{newline}{newline.join(lines)}{newline}{margin}}}"

    root = draw(st.dictionaries(names, values, min_size=1, max_size=3))
    if draw(st.booleans()):
        root["mcpServers"] = draw(st.dictionaries(names, values, min_size=1, max_size=3))
        root |= draw(st.dictionaries(names, values, max_size=2))
    return draw(comments).strip() + newline + written(root, "") + draw(comments) + newline


@given(documents())
def test_put_in_and_taken_out_the_text_is_the_same(text: str) -> None:
    before = parse(text).value
    changed = with_member(text, PATH, ENTRY)
    servers = {**before.get("mcpServers", {}), "citeloom": ENTRY}
    assert parse(changed).value == {**before, "mcpServers": servers}
    assert COMMENT.findall(changed) == COMMENT.findall(text)
    assert with_member(changed, PATH, ENTRY) == changed
    assert without_member(changed, PATH) == text
    assert member_at(changed, PATH) == ENTRY


@given(documents(), st.data())
def test_any_member_can_be_taken_out(text: str, data: st.DataObject) -> None:
    before = parse(text).value
    name = data.draw(st.sampled_from(sorted(before)))
    rest = without_member(text, (name,))
    assert parse(rest).value == {key: one for key, one in before.items() if key != name}
