"""Variables of CSL-JSON as publishers deposit them."""

from support.cases import each

from citeloom.infrastructure.citation.csl.item import read_item


@each(
    ("given", "read"),
    [
        ("’t&amp;nbsp;Hart", "’t Hart"),
        ("’t&nbsp;Hart", "’t Hart"),
        ("R&amp;D", "R&D"),
        ("R&amp;amp;D", "R&D"),
        ("Fr&#233;chet", "Fréchet"),
        ("Ad&D", "Ad&D"),
        ("p &lt; 0.05 and a<i>b</i>", "p &lt; 0.05 and a<i>b</i>"),
        ("&#60;b&#x3c;c", "&#60;b&#x3c;c"),
    ],
)
def test_entities_are_characters_but_no_markup(given: str, read: str) -> None:
    item = read_item({"title": given, "author": [{"family": given, "given": "A"}]}, "k")
    title, family = item.text("title") or "", item.people("author")[0].family
    assert title.replace("\N{NO-BREAK SPACE}", " ") == family == read
