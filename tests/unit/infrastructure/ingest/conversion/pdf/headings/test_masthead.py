from support.pdf.page_lines import STYLE, flow, line, prose

from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import build_blocks
from citeloom.infrastructure.ingest.conversion.pdf.blocks.joins import without_masthead
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import TitleBlock
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine


def _masthead(first: TextLine) -> list[str]:
    lines = [first, line("A Title in Large Type", base=120.0, size=14.0), *prose(6, base=160.0)]
    drafts = build_blocks(flow(lines), STYLE, (), TitleBlock(title=(1,)), ())
    kept, found = without_masthead(drafts)
    assert sum(len(draft.lines) for draft in kept) + len(found) == len(lines)
    return [ln.text for ln in found]


def test_journal_and_volume_above_the_title_are_the_masthead() -> None:
    text = "Journal of Reading Practice 12 (2021) doi:10.5555/jrp"
    assert _masthead(line(text, base=60.0, size=7.0)) == [text]


def test_a_sentence_above_the_title_stays_in_the_text() -> None:
    notice = "Permission is granted to reproduce the 3 figures in this paper."
    assert _masthead(line(notice, base=60.0, size=7.0)) == []


def test_without_a_title_there_is_no_masthead() -> None:
    drafts = build_blocks(flow(prose(6)), STYLE, (), TitleBlock(), ())
    assert without_masthead(drafts) == (drafts, [])
