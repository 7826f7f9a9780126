from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import resolve_title
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import (
    TitleEvidence,
    in_title_case,
    plausible_title,
    title_words,
)

FULL = "2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm"
PAGE = title_words("2q low overhead high performance buffer management replacement algorithm " * 2)
ANY_PAGE = title_words(" ".join(f"word{n}" for n in range(40)))


@each(
    ("printed", "stated", "page", "title"),
    [
        ("X3: A Low Overhead", FULL, PAGE, FULL),  # half of it, misread
        (FULL.replace("2Q", "X3"), FULL, PAGE, FULL),
        ("ON LINES", "On Lines", ANY_PAGE, "On Lines"),
        ("On Lines", "ON LINES", ANY_PAGE, "On Lines"),
        ("On Lines: and their Pages", "On Lines", ANY_PAGE, "On Lines: and their Pages"),
        ("On Lines and Pages", "Special Issue on Ranking", ANY_PAGE, "On Lines and Pages"),
        ("On Lines and Pages", "IJEL", ANY_PAGE, "On Lines and Pages"),
        ("On Lines", "On Lines of Entirely Different Words", ANY_PAGE, "On Lines"),
        (None, "Special Issue on Ranking", ANY_PAGE, None),  # the page does not bear it out
        (None, "Special Issue on Ranking", frozenset(), "Special Issue on Ranking"),
        (None, FULL, PAGE | ANY_PAGE, FULL),
        ("Tilings\u2217", None, ANY_PAGE, "Tilings"),
        ("Liquid Types \u2217", None, ANY_PAGE, "Liquid Types"),
        ("Type-schemes for programs\ufffd", None, ANY_PAGE, "Type-schemes for programs"),
        ("Searching with A*", None, ANY_PAGE, "Searching with A*"),
        ("Memo 19--LISP II Garbage Collector", None, ANY_PAGE, "LISP II Garbage Collector"),
        ("BYD6CCCXD1CTBM BYD9D2D8CXD3 CC", None, ANY_PAGE, None),
        ("On Lines, see@lines.example", None, ANY_PAGE, None),
    ],
)
def test_page_and_metadata_are_judged_together(
    printed: str | None, stated: str | None, page: frozenset[str], title: str | None
) -> None:
    assert resolve_title(printed, TitleEvidence.of([stated]), page) == title


def test_a_note_number_goes_where_the_file_name_has_the_bare_word() -> None:
    named = TitleEvidence.of([], "scalable-peer-systems")
    assert resolve_title("Scalable peer systems1", named, ANY_PAGE) == "Scalable peer systems"
    assert resolve_title("Retrieval at Track5", named, ANY_PAGE) == "Retrieval at Track5"


def test_a_file_name_is_never_the_title() -> None:
    named = TitleEvidence.of([], "on-lines-and-pages")
    assert resolve_title(None, named, ANY_PAGE) is None


@each(
    ("stated", "kept"),
    [
        ("Microsoft Word - paper.doc", None),
        ("shannon1948.dvi", None),
        ("Untitled Document", None),
        ("untitled", None),
        ("IEEE Paper Template in A4 (V1)", None),
        ("PII: S0167-6423(00)00002-1", None),
        ("see@lines.example", None),
        ("12345678", None),
        ("[inria-00555588, v1] On Lines and Pages", "On Lines and Pages"),
        ("On  Lines\nand Pages", "On Lines and Pages"),
    ],
)
def test_names_of_files_and_templates_are_no_titles(stated: str, kept: str | None) -> None:
    assert plausible_title(stated) == kept


@each(
    ("title", "text", "cased"),
    [
        ("ON THE FALL OF BODIES", "Bodies fall on the ground.", "On the Fall of Bodies"),
        ("REAL-TIME CHORDS: A SURVEY", "A survey", "Real-Time Chords: A Survey"),
        ("THE UNIX SHELL", "UNIX has a shell. UNIX is old.", "The UNIX Shell"),
        ("PAPERS IN LATEX", "We write LaTeX.", "Papers in LaTeX"),
        ("LISP II", "Lisp is a language.", "Lisp II"),
        ("CHURCH'S THESIS", "church", "Church's Thesis"),
        ("ESSENTIA: an Audio Library", "essentia", "ESSENTIA: an Audio Library"),
        (None, "", None),
    ],
)
def test_a_title_in_capitals_is_written_as_titles_are(
    title: str | None, text: str, cased: str | None
) -> None:
    assert in_title_case(title, f"{title}\n\n{text}") == cased


def test_a_title_that_repeats_the_files_name_is_no_evidence() -> None:
    assert TitleEvidence.of(["smith-scan"], "smith-scan").titles == ()
    assert TitleEvidence.of(["On Lines"], "on-lines").titles == ("On Lines",)
    assert TitleEvidence.of([None], "").titles == ()
