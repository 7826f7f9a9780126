"""What is written for Typst is compiled by Typst, with the BibLaTeX that is exported."""

from pathlib import Path

import pytest
import typst

from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.citation import in_text
from citeloom.domain.citation.in_text import Mention
from citeloom.domain.citation.metadata import CiteKey
from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.writer import write_references

KEYS = [
    "plain2020",
    "a:b",
    "a.b-c_d",
    "x/y+z",
    "ends.",
    "1st",
    "_x",
    "-x",
    "müller2019",
    "日本2020",
    "q^|?",
]
PLACES = [
    Mention(citekey="k", labels=("12", "13")),
    Mention(citekey="k", labels=("xii", "S1")),
    Mention(citekey="k", place='sec. "A [b] & c_d #x $y @z *s*", para. 3 // no /* x */ -- ~ `'),
    Mention(citekey="k"),
]


@pytest.fixture
def manuscript(tmp_path: Path) -> Path:
    works = [
        meta_from_csl(
            {
                "type": "article-journal",
                "title": f"On {{braces}}, 100 % & #{n} of <i>all</i>_things",
                "author": [{"family": "van der Doe", "given": f"Ann {n}"}],
                "issued": {"date-parts": [[2000 + n, 5]]},
                "container-title": "Journal of $igns",
                "page": "12-15",
            },
            key,
        )
        for n, key in enumerate(KEYS)
    ]
    text = write_references(works, ReferenceFormat.BIBLATEX)
    (tmp_path / "works.bib").write_text(text, "utf-8")
    return tmp_path / "text.typ"


def test_every_key_and_place_compiles(manuscript: Path) -> None:
    assert all(map(CiteKey.is_valid, KEYS))
    cited = [
        in_text.typst([place.model_copy(update={"citekey": key})])
        for key in KEYS
        for place in PLACES
    ]
    body = "\n\n".join(f"Said {text} so." for text in cited)
    manuscript.write_text(f'{body}\n#bibliography("works.bib")\n', "utf-8")
    assert typst.compile(str(manuscript), format="pdf").startswith(b"%PDF")
