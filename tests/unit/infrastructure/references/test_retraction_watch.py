"""Retraction Watch's list, as it is published and as it comes back from a spreadsheet."""

from datetime import date
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidSource
from citeloom.domain.references.work_versions import Nature, Notice
from citeloom.infrastructure.references.retraction_watch import find_retractions

HEADER = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,"
    "RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,"
    "OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes,"
)
ROW = (
    '1,"A ""bad"" paper,\non two lines",(BLS),"Uni, Town",J,P,X,A;B,,Research Article;,'
    "2/28/2010 0:00,10.5555/NOTICE,111,3/1/1998 0:00,10.5555/S0140(97)11096-0,222,Retraction,"
    "+Falsification/Fabrication of Data;+Investigation by Journal/Publisher;,No,,"
)
DOI = "10.5555/s0140(97)11096-0"


def read(tmp_path: Path, content: bytes | str, *dois: str):
    path = tmp_path / "list.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return find_retractions(path, set(dois or [DOI]))


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_list_as_it_is_published(tmp_path: Path, start: str, end: str) -> None:
    other = ROW.replace("1,", "2,", 1).replace("S0140(97)11096-0", "another")
    found = read(tmp_path, start + end.join([HEADER, other, ROW, ""]))
    assert found.records == 2
    assert found.newest == date(2010, 2, 28)
    assert found.warnings == ()
    (notice,) = found.notices
    assert notice == Notice(
        doi=DOI,
        nature=Nature.RETRACTION,
        dated=date(2010, 2, 28),
        reasons=("Falsification/Fabrication of Data", "Investigation by Journal/Publisher"),
        notice_doi="10.5555/notice",
        title=notice.title,
        line=4,
    )
    assert notice.title.split() == 'A "bad" paper, on two lines'.split()


def test_other_order_separator_and_letters_and_fewer_columns(tmp_path: Path) -> None:
    text = (
        "reason;ORIGINAL PAPER DOI;retraction_nature\nZürich;https://doi.org/10.5555/a;Correction"
    )
    (notice,) = read(tmp_path, text.encode("cp1252"), "10.5555/a").notices
    assert (notice.reasons, notice.nature) == (("Zürich",), Nature.CORRECTION)
    assert (notice.dated, notice.notice_doi) == (None, None)


def test_a_version_of_a_preprint_is_the_preprint(tmp_path: Path) -> None:
    text = "OriginalPaperDOI\n10.1101/2020.01.02.123456v1\n"
    (notice,) = read(tmp_path, text, "10.1101/2020.01.02.123456").notices
    assert notice.doi == "10.1101/2020.01.02.123456"


@pytest.mark.parametrize("nothing", ["unavailable", "Unavailable", "", "0"])
def test_records_without_doi_are_no_problem(tmp_path: Path, nothing: str) -> None:
    found = read(tmp_path, f"OriginalPaperDOI,Title\n{nothing},x\n")
    assert (found.records, found.notices, found.warnings) == (1, (), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: no column OriginalPaperDOI"),
        ("DOI,Title\n10.5555/a,x\n", "line 1: no column OriginalPaperDOI"),
        ('OriginalPaperDOI,Title\n10.5555/a,x\n10.5555/b,"' + "x\n" * 100_000, "line 3: "),
    ],
)
def test_what_is_no_such_list_is_refused_with_the_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(InvalidSource, match=problem):
        read(tmp_path, text)


def test_a_folder_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(InvalidSource, match="check the path"):
            find_retractions(path, {DOI})
