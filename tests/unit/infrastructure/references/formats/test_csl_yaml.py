"""CSL-YAML: pandoc's, Better BibTeX's, and what is not a library at all."""

from typing import Any

import pytest
from support.cases import each

from citeloom.infrastructure.references.formats.csl_json import csl_item, items_of, read_yaml
from citeloom.infrastructure.references.formats.source_item import UnreadableFile


def items(text: str) -> list[dict[str, Any]]:
    held = items_of(read_yaml(text))
    assert not isinstance(held, str)
    return [csl_item(item) for item in held.items]


PANDOC = """---
title: A paper
references:
- id: berg2020
  type: article-journal
  title: The *E. coli* of [DNA]{.nocase} and H~2~O
  author:
  - family: Berg
    given: Jan
    non-dropping-particle: van den
  issued: 2020-05~
  accessed: 2021-01-02
  language: no
  volume: 012
  number: 7
  page: 1:30
...
# The text
- id: not this
"""


def test_pandocs_metadata_is_read() -> None:
    (item,) = items(PANDOC)
    assert item["title"] == (
        'The <i>E. coli</i> of <span class="nocase">DNA</span> and H<sub>2</sub>O'
    )
    assert item["issued"] == {"date-parts": [[2020, 5]], "circa": True}
    assert item["accessed"] == {"date-parts": [[2021, 1, 2]]}
    assert (item["language"], item["volume"], item["number"]) == ("no", "012", 7)
    assert item["page"] == "1:30"
    assert item["author"] == [
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"}
    ]


@each(
    ("issued", "csl"),
    [
        ("2014", {"date-parts": [[2014]]}),
        ("2014-12-31/", {"date-parts": [[2014, 12, 31], [0]]}),
        ("{year: 2014, month: 3}", {"date-parts": [[2014, 3]]}),
        ("[{year: 2014}, {year: 2015}]", {"date-parts": [[2014], [2015]]}),
        ("[{year: 2014, season: 2, circa: true}]",
         {"date-parts": [[2014]], "season": 2, "circa": True}),
        ("{literal: in press}", {"literal": "in press"}),
        ("{date-parts: [[2014, 3]], circa: true}", {"date-parts": [[2014, 3]], "circa": True}),
    ],
)  # fmt: skip
def test_yaml_dates_become_date_parts(issued: str, csl: dict[str, Any]) -> None:
    (item,) = items(f"- id: a\n  issued: {issued}\n")
    assert item["issued"] == csl


def test_shared_values_are_read() -> None:
    one, two = items("- id: a\n  author: &x [{family: Doe}]\n- id: b\n  author: *x\n")
    assert one["author"] == two["author"] == [{"family": "Doe"}]


def test_aliases_do_not_explode() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(UnreadableFile, match="too large"):
        read_yaml("\n".join(lines))


@each(
    "text",
    ["a: &a [*a]", "- id: a\n b: c: d", "[" * 5000, "- !!python/object/apply:os.system [ls]",
     "- id: *nobody", "- {a: 1, ? [b] : 2}", "\x01: a"],
)  # fmt: skip
def test_what_is_no_yaml_is_refused(text: str) -> None:
    with pytest.raises(UnreadableFile):
        read_yaml(text)


def test_the_place_of_a_mistake_is_told() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read_yaml("---\nreferences:\n- id: a\n  title: b: c\n---\n")
    assert (caught.value.line, caught.value.column) == (4, 11)
