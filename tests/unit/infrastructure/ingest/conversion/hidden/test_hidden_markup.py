"""HTML: what the page's own styles hide goes, what a reader sees stays."""

import pytest
import soupsieve
from bs4 import BeautifulSoup, Tag
from support.cases import each

from citeloom.infrastructure.ingest.conversion.hidden import style_rules
from citeloom.infrastructure.ingest.conversion.hidden.hidden_markup import without_hidden_markup
from citeloom.infrastructure.ingest.conversion.hidden.style_rules import Unseen

SEEN = "<p>What a reader sees of the page: ten words or more.</p>"


def page(body: str, css: str = "") -> BeautifulSoup:
    style = f"<style>{css}</style>" if css else ""
    return BeautifulSoup(
        f"<html><head>{style}</head><body>{SEEN}{body}</body></html>", "html.parser"
    )


def hidden(body: str, css: str = "") -> Unseen | None:
    """Why ``Secret`` was taken out, None where it stays. The rest stays always."""
    soup = page(body, css)
    counts = without_hidden_markup(soup)
    assert "What a reader sees" in soup.get_text()
    assert "script" not in counts
    assert ("Secret" in soup.get_text()) == (not counts)
    assert set(counts.values()) <= {1}
    return next(iter(counts), None)


@each(
    ("style", "reason"),
    [
        ("color:white", Unseen.NO_CONTRAST),
        ("COLOR: #FFFFFF !important", Unseen.NO_CONTRAST),
        ("color:#fefefe", Unseen.NO_CONTRAST),
        ("color: rgb(255 255 255)", Unseen.NO_CONTRAST),
        ("color: rgba(250, 250, 250, 1)", Unseen.NO_CONTRAST),
        ("color:hsl(0, 0%, 100%)", Unseen.NO_CONTRAST),
        ("color:#000;background:#000", Unseen.NO_CONTRAST),
        ("color:black;background:#010101 none", None),  # of more values than a colour: not known
        ("color:navy;background-color:#000082", Unseen.NO_CONTRAST),
        ("color:transparent", Unseen.TRANSPARENT),
        ("color:rgba(0,0,0,0)", Unseen.TRANSPARENT),
        ("color:#0000", Unseen.TRANSPARENT),
        ("opacity:0", Unseen.TRANSPARENT),
        ("opacity:.01", Unseen.TRANSPARENT),
        ("font-size:0", Unseen.TOO_SMALL),
        ("font-size:1px", Unseen.TOO_SMALL),
        ("font-size:2pt", Unseen.TOO_SMALL),
        ("font-size:0.05em", Unseen.TOO_SMALL),
        ("font:0/0 a", Unseen.TOO_SMALL),
        ("position:absolute;left:-9999px", Unseen.OUTSIDE),
        ("position:fixed;top:-100em", Unseen.OUTSIDE),
        ("text-indent:-9999px", Unseen.OUTSIDE),
        ("transform:translateX(-9999px)", Unseen.OUTSIDE),
        ("transform:scale(0)", Unseen.OUTSIDE),
        ("position:absolute;clip:rect(0 0 0 0)", Unseen.OUTSIDE),
        ("position:absolute;clip:rect(1px, 1px, 1px, 1px)", Unseen.OUTSIDE),
        ("clip-path:inset(50%)", Unseen.OUTSIDE),
        ("width:1px;height:1px;overflow:hidden", Unseen.OUTSIDE),
        ("display:none", Unseen.NOT_DISPLAYED),
        ("visibility: hidden", Unseen.NOT_DISPLAYED),
        ("color:red", None),
        ("color:white;background:navy", None),
        ("color:white;background-image:url(a.png)", None),
        ("color:#999", None),
        ("color:var(--ink)", None),
        ("font-size:9px", None),
        ("font-size:3pt", None),
        ("font: 700 12px serif", None),
        ("opacity:0.6", None),
        ("opacity:0;transition:opacity 1s", None),
        ("opacity:0;animation:show 1s", None),
        ("position:absolute;left:-20px", None),
        ("margin-left:-40px", None),
        ("overflow:hidden;height:200px", None),
        ("color:transparent;background:url(a.png);-webkit-background-clip:text", None),
        ("clip:rect(0 100px 40px 0);position:absolute", None),
    ],
)
def test_inline_styles_and_rules_of_classes_hide(style: str, reason: Unseen | None) -> None:
    assert hidden(f'<div style="{style}"><b>Secret</b></div>') == reason
    assert (
        hidden('<div class="a x"><b>Secret</b></div>', f"p{{color:red}} .x {{ {style} }}") == reason
    )
    assert hidden("<p><i>Secret</i></p>", f"@media screen {{ p > i {{ {style} }} }}") == reason


@each(
    ("body", "css"),
    [
        ("<p hidden>Secret</p>", ""),
        ('<font color="#fff">Secret</font>', ""),
        ('<p id="x">Secret</p>', "#x{color:#fff} p{color:#000}"),
        ('<p class="x">Secret</p>', ".x{color:#fff !important} p.x{color:#000}"),
        ('<p class="x">Secret</p>', "@import 'a.css'; .y,.x:not(.z){display:none}"),
        ('<div style="display:none"><p style="display:block">Secret</p></div>', ""),
        ('<div style="color:#fff"><p>Secret</p></div>', ""),
        ('<div style="font-size:0"><p style="font-size:2em">Secret</p></div>', ""),
        ('<table bgcolor="#ffffff"><tr><td style="color:#fff">Secret</td></tr></table>', ""),
        ('<p class="x">Secret</p>', "/* } */ .x{color:white} @media print{.x{color:red}}"),
    ],
)
def test_it_is_the_cascade_that_decides(body: str, css: str) -> None:
    assert hidden(body, css) is not None


@each(
    ("body", "css"),
    [
        ('<p class="x">Secret</p>', "@media print{.x{display:none}}"),
        ('<p class="x">Secret</p>', "@keyframes x{from{opacity:0}} .x:hover{display:none}"),
        ('<p class="x">Secret</p>', ".x::before{display:none} .y .x{display:none}"),
        ('<p class="x">Secret</p>', ".x{color:#fff} p.x{color:#000}"),
        ('<div style="visibility:hidden"><p style="visibility:visible">Secret</p></div>', ""),
        ('<div style="font-size:0"><p style="font-size:12px">Secret</p></div>', ""),
        ('<table bgcolor="#000080"><tr><td style="color:#fff">Secret</td></tr></table>', ""),
        ('<td background="dark.png" style="color:#fff">Secret</td>', ""),
        ('<p class="x">Secret</p>', "body{background:#111;color:#eee}"),
        ('<div style="color:#fff"><a href="b">Secret</a></div>', ""),
        ('<p class="x">Secret</p>', ".x{{{ color:white"),
        ('<p class="x">Secret</p>', "}} <!-- ]] .x[ {color:white}"),
    ],
)
def test_what_is_seen_stays(body: str, css: str) -> None:
    assert hidden(body, css) is None


def test_where_most_is_in_the_colour_of_paper_the_ground_is_another() -> None:
    soup = page("<p>" + "Text of a dark page. " * 20 + "</p>", "p{color:#fff}")
    assert not without_hidden_markup(soup)
    assert "dark page" in soup.get_text()


def test_what_reads_out_a_formula_stays() -> None:
    twin = '<span class="r"><math><mi>Secret</mi></math></span><span aria-hidden="true">x</span>'
    assert hidden(twin, ".r{position:absolute;clip:rect(1px,1px,1px,1px)}") is None


def test_many_rules_on_many_elements_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    most, compared = 20_000, 0
    match = soupsieve.SoupSieve.match

    def counted(selector: soupsieve.SoupSieve, element: Tag) -> bool:
        nonlocal compared
        compared += 1
        return match(selector, element)

    monkeypatch.setattr(style_rules, "_MOST_CANDIDATES", most)
    monkeypatch.setattr(soupsieve.SoupSieve, "match", counted)
    css = "".join(f".c{number} b, b.d{number} > i {{color:white}}" for number in range(300))
    soup = page("<b><i>word</i></b>" * 300, css)
    assert not without_hidden_markup(soup)
    assert most - 300 < compared <= most
