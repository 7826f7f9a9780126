"""Targets: what names a place or a part, and what narrows a question."""

from contextlib import suppress

from fuzz.mutation import texts
from fuzz.target import Target

from citeloom.domain.citation.locators import RangeFormat, page_range
from citeloom.domain.errors import InvalidAddress, InvalidRequest, InvalidUri
from citeloom.domain.maps.address import parse_address
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.metadata import parse_web_url
from citeloom.domain.resources.uris import parse_self, parse_suffix, parse_uri
from citeloom.domain.search.filters import Field, parse_clause
from citeloom.domain.search.fusion import parse_question

ADDRESSES = (
    "doc://book#pages=1-3,7", "doc://a/b/c#pages=1", "video://lecture#t=01:00:00-01:01:01.5",
    "audio://podcast#t=60-120", "image://d#bbox=0.1,0.1,0.9,0.9", "text://code#lines=10-12",
    "virtual:doc://x",
)  # fmt: skip
URIS = (
    "ndk://file/local-thesis/abc123/$body", "ndk://file/local-thesis/abc123/0-120/$chunk/03/00",
    "ndk://file/local-thesis/-/$collection", "ndk://arxiv/abs/2301.00001/$media/fig.1",
    "ndk://doi/10.1000/xyz/$plain", "self://$chunk/01", "https://arxiv.org/abs/2301.00001v2",
    "https://doi.org/10.1000/xyz?a=b#c",
)  # fmt: skip
FILTERS = (
    "year=2015..2020,2022", 'author="Smith, Jo",Jones', "tag!=draft", "page=..3", "lang=de",
    "section-prefix=Methods > Sampling", "citekey=a2020,b2021", "marked=yellow",
)  # fmt: skip
QUESTIONS = (
    'does "deep water" cool -harbour the street', '"IL-6" or IL6 "α-synuclein"', '-"two words" x',
    'CO₂ "CO2" -x -y', '"" - " -',
)  # fmt: skip
NUMBERS = ("127-35", "1102–3, 45", "e12-e15", "S1-S10", "xii-xiv", "2-1", "10.1000/1-2")


def _address(text: str) -> None:
    with suppress(InvalidAddress):
        read = parse_address(text)
        assert parse_address(str(read)) == read


def _uri(text: str) -> None:
    for parse in (parse_suffix, parse_self, parse_web_url):
        with suppress(InvalidUri):
            parse(text)
    with suppress(InvalidUri):
        uri = parse_uri(text)
        assert parse_uri(str(uri)) == uri
    with suppress(InvalidRequest):
        ProjectId.parse(text)


def _filter(text: str) -> None:
    with suppress(InvalidRequest):
        parse_clause(text)


def _question(text: str) -> None:
    asked = parse_question(text)
    for passage in (text, text.upper(), "Deep water cools the street; IL-6 does not."):
        asked.accepts(passage)
        asked.excludes(passage)


def _pages(text: str) -> None:
    for style in RangeFormat:
        page_range(text, style)


TARGETS = (
    Target("addresses", texts(ADDRESSES, ("#", "pages=", "t=", "bbox=", "-", "://")), _address),
    Target("knowledge-uris", texts(URIS, ("$", "/", "ndk://", "$body", "$chunk", "~", "-")), _uri),
    Target("filters", texts(FILTERS, ("=", "!=", "..", ",", '"', *Field)), _filter),
    Target("questions", texts(QUESTIONS, ('"', "-", ' "', " -", "a-b", "10%")), _question),
    Target("page-ranges", texts(NUMBERS, ("-", "–", ",", "&", "1", "x")), _pages),
)
