from support.cases import each

from citeloom.domain.documents.conversion import Block, BlockLabel
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import (
    FrontMatter,
    judge_bibliography,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.publication import Venue
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.stated import (
    FileMetadata,
    StatedWork,
    stated_venue,
    xmp_values,
)

PACKET = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">On Lines &amp; Pages</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada Loom</rdf:li><rdf:li>Bo Line</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_titles_and_creators_are_read() -> None:
    assert xmp_values(PACKET, "dc:title") == ("On Lines & Pages",)
    assert xmp_values(PACKET, "dc:creator") == ("Ada Loom", "Bo Line")


def test_no_packet_has_no_values() -> None:
    assert xmp_values(None, "dc:title") == ()
    assert xmp_values("<dc:title></dc:title>", "dc:title") == ()


def _judged(
    *parts: tuple[BlockLabel, str],
    printed: FrontMatter = FrontMatter("On Lines", ("Ada Loom",)),
    metadata: FileMetadata = FileMetadata(),
    is_doubtful: bool = False,
) -> StatedWork:
    text, blocks = "", []
    for label, part in parts:
        start, end = len(text), len(text) + len(part)
        lines = (Line(start, end, 1, (0.0, 0.0, 9.0, 9.0)),)
        blocks.append(Block(label=label, span=CharSpan(start=start, end=end), lines=lines))
        text += part + "\n\n"
    rows = {1: ["Lines and Pages"]}
    return judge_bibliography(printed, metadata, text, blocks, rows, is_doubtful=is_doubtful)


@each(
    ("label", "note", "year"),
    [
        (BlockLabel.FOOTNOTE, "5 th Biennial Conference on Lines (COL \u201911) Asilomar", 2011),
        (BlockLabel.FOOTNOTE, "Copyright 1998 by the authors", 1998),
        (BlockLabel.TEXT, "Journal of Loose Lines, Vol. 32, No. 2, April 1985, pp. 374-382.", 1985),
        (BlockLabel.TEXT, "A. Loom, Lines, IEEE Trans. Lines, Vol. 32, 1985, pp. 374-382.", None),
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
    assert found == StatedWork("On Lines", ("Ada Loom",), None)


PRISM = """<rdf:Description prism:volume="7" prism:startingPage='12' xmlns:prism="x">
<prism:publicationName>Journal of Lines</prism:publicationName><prism:number>2</prism:number>
<prism:endingPage>19</prism:endingPage><prism:coverDate>2019-03-01</prism:coverDate>"""


def test_the_venue_of_the_metadata_is_read_from_elements_and_attributes() -> None:
    assert stated_venue(PRISM) == Venue("Journal of Lines", "7", "2", "12-19", 2019, True)
    assert stated_venue(None).container_title is None


TITLE, NAMES = (BlockLabel.TITLE, "On Lines"), (BlockLabel.AUTHORS, "Ada Loom")


def _uncertain(*parts: tuple[BlockLabel, str], **given: object) -> tuple[str, ...]:
    return _judged(TITLE, NAMES, *parts, **given).uncertain  # type: ignore[arg-type]


def test_what_one_weak_source_has_is_uncertain() -> None:
    assert _uncertain() == ()
    assert _uncertain(is_doubtful=True) == ("authors",)  # as OCR reads: Zséfia
    assert _uncertain(printed=FrontMatter("On Lines")) == ("title",)
    named = FileMetadata(title="On Lines")
    assert _uncertain(printed=FrontMatter("On Lines"), metadata=named) == ()
    assert _uncertain(printed=FrontMatter("On L\ufffdnes", ("Ada Loom",))) == ("title",)
    assert _uncertain(printed=FrontMatter("On Lines", ("Ada L\ufffd\ufffdm",))) == ("authors",)
    assert _uncertain(printed=FrontMatter("On Lines", ("Ada Loom",), unread=True)) == ("authors",)
    mails = (BlockLabel.TEXT, "{ada,bo,cy}@lines.example")
    assert _uncertain(mails) == ("authors",)
    assert _uncertain((BlockLabel.TEXT, "Copyright 1998 Loom")) == ("year",)
    event = (BlockLabel.TEXT, "SOSP\u201903, October 19\u201322, 2003, Oslo. Copyright 2003 ACM")
    assert _uncertain(event) == ("container_title",)


def test_authors_that_the_metadata_has_too_are_sure() -> None:
    printed = FrontMatter("On Lines", ("Ada Loom",), unread=True)
    assert _uncertain(printed=printed, metadata=FileMetadata(author="Loom, Ada")) == ()


def test_letters_that_a_font_does_not_name_are_read_from_the_name_of_the_file() -> None:
    printed = FrontMatter("Lines simpli\ufffded", ("Ada Loom",))
    found = _judged(
        TITLE, NAMES, printed=printed, metadata=FileMetadata(file_stem="lines-simplified")
    )
    assert (found.title, found.uncertain) == ("Lines simplified", ())


def test_a_cover_has_the_venue_and_the_year() -> None:
    text, blocks = "", []
    for page, label, part in (
        (1, BlockLabel.TEXT, "Conference Paper \u00b7 November 2013"),
        (2, BlockLabel.TITLE, "On Lines"),
        (2, BlockLabel.AUTHORS, "Ada Loom"),
    ):
        start, end = len(text), len(text) + len(part)
        lines = (Line(start, end, page, (0.0, 0.0, 9.0, 9.0)),)
        blocks.append(Block(label=label, span=CharSpan(start=start, end=end), lines=lines))
        text += part + "\n\n"
    assert (
        judge_bibliography(FrontMatter("On Lines"), FileMetadata(), text, blocks, {}).year == 2013
    )


def test_the_subject_of_the_metadata_names_the_journal() -> None:
    subject = "Theoretical Lines 321 (2004) 5-12. doi:10.1000/x"
    found = _judged(TITLE, NAMES, metadata=FileMetadata(subject=subject))
    assert (found.container_title, found.pages, found.year) == ("Theoretical Lines", "5-12", 2004)
    assert found.uncertain == ()
