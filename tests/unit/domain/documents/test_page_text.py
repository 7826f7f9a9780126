"""Quotations on pages, as a plain reading has them."""

from support.cases import each

from citeloom.domain.documents.fidelity import stands_on

PAGE = (
    "A running head 12\nThe cool-\ning beside ponds falls with the eﬀect of dis-\ntance, "
    "as is well known."
)
NEXT = "Another page of the paper begins here, and goes on with what it has to say."


@each(
    ("quote", "pages", "stands"),
    [
        ("The cooling beside ponds falls with the effect of distance", [PAGE], True),
        ("The cooling beside ponds rises with the effect of distance", [PAGE], False),
        ("as is well known. Another page of the paper", [PAGE, NEXT], True),
        ("as is well known. Another page of the paper", [NEXT, PAGE], False),
        ("falls with distance", ["12"], None),
        ("falls with distance", ["\x86\x9alj=[{Z\x8d of \x07Z@\x13\x0b u\x9bZ@ " * 20], None),
        ("falls with distance", ["soft hy\x02phens and \ufffe others " * 20], False),
        ("falls with distance", [], None),
    ],
)
def test_a_quotation_stands_on_its_pages(quote: str, pages: list[str], stands: bool | None):
    assert stands_on(quote, pages) is stands
