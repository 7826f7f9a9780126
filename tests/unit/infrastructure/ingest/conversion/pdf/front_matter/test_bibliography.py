import pytest

from citeloom.domain.documents.conversion import Block, BlockLabel
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import (
    Bibliography,
    FileMetadata,
    FrontMatter,
    judge_bibliography,
    xmp_values,
)

PACKET = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">On Lines &amp; Pages</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada Loom</rdf:li><rdf:li>Bo Line</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_titles_and_creators_are_read() -> None:
    assert xmp_values(PACKET, "title") == ("On Lines & Pages",)
    assert xmp_values(PACKET, "creator") == ("Ada Loom", "Bo Line")


def test_no_packet_has_no_values() -> None:
    assert xmp_values(None, "title") == ()
    assert xmp_values("<dc:title></dc:title>", "title") == ()


def _judged(
    *parts: tuple[BlockLabel, str],
    printed: FrontMatter = FrontMatter("On Lines", ("Ada Loom",)),
    metadata: FileMetadata = FileMetadata(),
) -> Bibliography:
    text, blocks = "", []
    for label, part in parts:
        start, end = len(text), len(text) + len(part)
        lines = (Line(start, end, 1, (0.0, 0.0, 9.0, 9.0)),)
        blocks.append(Block(label=label, span=CharSpan(start=start, end=end), lines=lines))
        text += part + "\n\n"
    return judge_bibliography(printed, metadata, text, blocks, {1: ["Lines and Pages"]})


@pytest.mark.parametrize(
    ("label", "note", "year"),
    [
        (BlockLabel.FOOTNOTE, "5 th Biennial Conference on Lines (COL \u201911) Asilomar", 2011),
        (BlockLabel.FOOTNOTE, "Copyright 1998 by the authors", 1998),
        (BlockLabel.FOOTNOTE, "0 1985 ACM 0004-5411/85/0400-0374 $00.75", 1985),
        (BlockLabel.FOOTNOTE, "1Nyquist, H., Lines, Technical Journal, April 1924, p. 324", None),
        (BlockLabel.TEXT, "In the conference of 1971 it was said that lines are pages", None),
    ],
)
def test_the_year_is_that_of_notes_on_the_paper_itself(
    label: BlockLabel, note: str, year: int | None
) -> None:
    parts = [(BlockLabel.TITLE, "On Lines"), (BlockLabel.AUTHORS, "Ada Loom"), (label, note)]
    assert _judged(*parts).year == year


def test_a_masthead_beside_a_logo_has_the_year_and_other_figures_have_not() -> None:
    title = (BlockLabel.TITLE, "On Lines")
    rows = ("August 2014, Volume 59, Issue 10.", "Lines in 1990")
    assert _judged(title, printed=FrontMatter("On Lines", (), rows)).year == 2014
    assert _judged(title, printed=FrontMatter("On Lines", (), rows[1:])).year is None


def test_metadata_count_where_the_page_bears_them_out() -> None:
    printed = FrontMatter("ON LINES", ("ADA LOOM",))
    xmp = PACKET.replace("On Lines &amp; Pages", "On Lines")
    found = _judged(
        (BlockLabel.TITLE, "ON LINES"),
        (BlockLabel.AUTHORS, "ADA LOOM"),
        printed=printed,
        metadata=FileMetadata(author="typist", created="D:20030101", xmp=xmp),
    )
    assert found == Bibliography("On Lines", ("Ada Loom",), None)
