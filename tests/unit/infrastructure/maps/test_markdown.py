"""Sections of Markdown with their lines."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, node, outline

from citeloom.infrastructure.maps.mappers.text import MarkdownMapper

MARKDOWN = """\
---
title: "On ponds"
---
Words before any heading.

Ponds
=====
They *cool* the [street](x). At night too.

```
# no heading
```

~~~ python
## nor this
~~~

> # quoted

## Methods ##

1. # in a list

Two protocols
were used
---------

#hashtag is none

# Ponds

"""


def test_markdown_headings_are_nested_sections_with_their_lines(tmp_path: Path) -> None:
    found = map_text(MarkdownMapper(), tmp_path / "a.md", MARKDOWN)
    assert outline(found) == [
        ("start", "block", (4, 4)),
        ("ponds", "section", (6, 28)),
        ("ponds.methods", "subsection", (20, 22)),
        ("ponds.two-protocols-were-used", "subsection", (24, 28)),
        ("ponds-2", "section", (30, 30)),
    ]
    assert (found.title, found.type) == ("On ponds", "text")
    assert node(found, "ponds").summary == "They cool the street."
    assert node(found, "ponds.two-protocols-were-used").title == "Two protocols were used"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A\n\n## B\n", "A"),
        ("# A\n\n# B\n", "a.md"),
        ("## B\n\n# A\n", "a.md"),
        ("just words\n", "a.md"),
        ("---\nno: title\n---\n# A\n", "A"),
        ("---\nnever ended\n", "a.md"),
        ("", "a.md"),
    ],
)
def test_a_title_is_declared_or_the_one_outermost_heading(
    tmp_path: Path, text: str, title: str
) -> None:
    assert map_text(MarkdownMapper(), tmp_path / "a.md", text).title == title


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_in_editors(tmp_path: Path, end: str) -> None:
    text = end.join(["# A", "", "a\x0cb\u2028c", "", "# B", "x"])
    found = map_text(MarkdownMapper(), tmp_path / "a.md", text)
    assert [node.location.lines for node in found.nodes] == [(1, 3), (5, 6)]
