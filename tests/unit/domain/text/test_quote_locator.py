"""Location of quotations: verify, annotations and resolve agree on where words stand."""

from hypothesis import given
from hypothesis import strategies as st
from support.builders import a_document, annotation, paragraph
from support.cases import each

from citeloom.application.maps.marks import regions_of_quote
from citeloom.domain.annotations import AnnotationLocator, Located
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.text.normalized_text import NormalizedText, QuoteLocator, count_letters
from citeloom.domain.verification.claims.quotations import QuotedFrom

SOURCE = (
    "Before it all. The ponds don’t cool the efﬁcient streets of Szelkúti, “as is known”, by "
    "12.5 %. The cool-\ning (by a well\u2010known\nmodel) falls in 2010–2012 – in Müller’s\u00a0"
    "town – and ends. Die Straße ist kühl."
)


def found(text: str, quote: str) -> list[str]:
    """As annotations are located, by letters and digits alone."""
    return [text[span.start : span.end] for span in letters_of(text).find(quote)]


def letters_of(text: str) -> QuoteLocator:
    return QuoteLocator(text, letters_only=True)


@each(
    ("text", "quote"),
    [
        ("The cool-\ning falls with distance.", "cooling falls"),
        ("The cool\u00ading falls with distance.", "cooling falls"),
        ("an e\ufb03cient \ufb01lter is best", "efficient filter"),
        ("an efficient filter is best", "e\ufb03cient \ufb01lter"),
        ("she said \u201cnever\u201d twice", 'said "never" twice'),
        ("in  the\n\nstreet of Szelk\u00fati", "in the street of Szelku\u0301ti"),
        ("the well\u2010known grid", "the well-known grid"),
        ("CO\u2082 falls by 10 %", "CO2 falls by 10%"),
        ("Die Stra\u00dfe ist k\u00fchl", "DIE STRASSE IST"),
        ("\u6771\u4eac\u306e\u6c60", "\u6771\u4eac"),
    ],
)
def test_another_way_to_write_the_same_words_is_found(text: str, quote: str) -> None:
    (words,) = found(text, quote)
    assert count_letters(words) == count_letters(quote)
    assert words == words.strip()


def test_the_punctuation_around_belongs_to_the_quote_that_has_it() -> None:
    text = "It cools (by far). It warms."
    assert found(text, "cools (by far).") == ["cools (by far)."]
    assert found(text, "by far") == ["by far"]


def test_every_place_is_told_in_order() -> None:
    assert found("pond, pond; Pond", "pond") == ["pond", "pond", "Pond"]


def test_parts_of_words_are_found_only_where_no_whole_words_are() -> None:
    assert [span.start for span in letters_of("party arts part art").find("art")] == [16]
    assert found("party", "art") == ["art"]


@each("quote", ["", " \n", "\u2192 \u2026", "pool"])
def test_what_has_no_letters_or_is_not_there_is_nowhere(quote: str) -> None:
    assert found("A pond \u2192 a street \u2026", quote) == []


def test_a_quote_with_a_running_head_in_its_middle_is_found_by_its_ends() -> None:
    begin, end = (
        "the cooling falls with the distance from",
        "the water and is gone at one hundred m",
    )
    text = f"We saw that {begin} {end}. The end."
    (span,) = letters_of(text).find_ends(f"{begin} 128 A. Smith and others, On ponds {end}.")
    assert text[span.start : span.end] == f"{begin} {end}."
    assert letters_of(text).find(f"{begin} 128 A. Smith {end}") == []


def test_ends_that_are_too_short_or_too_far_apart_say_nothing() -> None:
    begin, end = "the cooling falls with the distance", "from the water and is gone at one"
    assert letters_of(f"{begin} {end}").find_ends(f"{begin} x") == []
    far = f"{begin} {'and so on ' * 20} {end}"
    assert letters_of(far).find_ends(f"{begin} {end}") == []
    near = f"{begin[:30]} {end[-30:]}"
    assert letters_of(near).find_ends(f"{begin} {'and so on ' * 20} {end}") == []


def verified(quote: str, source: str) -> bool:
    return QuotedFrom(source).locate(quote).exact


def annotated(quote: str, source: str) -> bool:
    place = AnnotationLocator(a_document([paragraph(source, 1)])).place(annotation(quote))
    return place is not None and place.located is Located.WORDS


def resolved(quote: str, source: str) -> bool:
    try:
        return bool(regions_of_quote(a_document([paragraph(source, 1)]), quote, (1,), lambda _: ()))
    except InvalidRequest:
        return False


@each(
    ("quote", "source", "words"),
    [
        ("ponds don't cool the efficient streets", SOURCE, "ponds don’t cool the efﬁcient streets"),
        ("PONDS DON’T COOL", SOURCE, "ponds don’t cool"),
        ("streets  of\nSzelkuti", SOURCE, "streets of Szelkúti"),
        ("of Szelku\u0301ti, 'as is known'", SOURCE, "of Szelkúti, “as is known"),
        ("by 12.5%", SOURCE, "by 12.5 %"),
        (
            "The cooling, by a well-known model",
            SOURCE,
            "The cool-\ning (by a well\u2010known\nmodel",
        ),
        ("in 2010-2012 \u2014 in Muller's town", SOURCE, "in 2010–2012 – in Müller’s\u00a0town"),
        ("Strasse ist kuhl", SOURCE, "Straße ist kühl"),
        ("cool\u00ading falls", "The cooling falls.", "cooling falls"),
        ("x ≤ 5", "where x\u2009≤\u20095 holds", "x\u2009≤\u20095"),
        ("the ponds do cool", SOURCE, None),
        ("streets cool the ponds", SOURCE, None),
        ("by 13.5 %", SOURCE, None),
        ("The cooling falls", SOURCE, None),
        ("whales", SOURCE, None),
        ("→ …", SOURCE, None),
        ("", SOURCE, None),
        ("any words", "", None),
    ],
)
def test_verify_annotations_and_resolve_agree(quote: str, source: str, words: str | None) -> None:
    known = [reads(quote, source) for reads in (verified, annotated, resolved)]
    assert known == [words is not None] * 3
    for locator in (QuoteLocator(source), letters_of(source)):
        spans = [source[span.start : span.end].strip("”") for span in locator.find(quote)]
        assert [text.rstrip(" %") for text in spans] == ([words.rstrip(" %")] if words else [])


@each(
    ("quote", "source", "agreement"),
    [
        ("ooling fal", "The cooling falls.", (False, True, True)),
        ("scores rose by 25 %", "scores rose by 2.5 %", (False, True, False)),
        ("a value of 0.5", "a value of −0.5", (False, True, False)),
        ("methods, which", "methods [12], which", (True, False, True)),
        ("cool … at night", "ponds cool the street at night", (True, False, True)),
        ("[some] ponds cool", "the ponds cool", (True, False, True)),
    ],
)
def test_they_differ_in_parts_of_words_numbers_references_and_ellipses(
    quote: str, source: str, agreement: tuple[bool, bool, bool]
) -> None:
    assert (verified(quote, source), annotated(quote, source), resolved(quote, source)) == agreement


def test_what_an_ellipsis_stands_for_is_not_marked() -> None:
    parts = [paragraph(text, 1) for text in ("ponds cool", "as was shown", "at night")]
    regions = regions_of_quote(a_document(parts), "ponds cool … at night", (1,), lambda _: ())
    assert len(regions) == 2


CHARACTERS = st.sampled_from("ab cﬁ Éß’'“” -\u00ad\n.,1²05%<−[]e\u0301")
texts = st.text(CHARACTERS, max_size=60)


@given(texts, st.integers(0, 60), st.integers(1, 12), st.booleans())
def test_a_located_span_has_the_words_of_the_quote_and_no_more(
    text: str, start: int, length: int, letters_only: bool
) -> None:
    quote = text[start : start + length]
    wanted = NormalizedText(quote, letters_only=letters_only).letters
    for span in QuoteLocator(text, letters_only=letters_only).find(quote):
        assert 0 <= span.start < span.end <= len(text)
        located = text[span.start : span.end]
        assert NormalizedText(located, letters_only=letters_only).letters == wanted
