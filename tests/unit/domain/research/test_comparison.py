"""Two reviews side by side."""

from collections.abc import Sequence
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st
from support.research.finished_review import a_claim, a_session, a_source, a_span, recorded

from citeloom.domain.research.comparison import Split, compare
from citeloom.domain.research.session import ClaimVerdict, Recorded

OTHER = UUID("99999999-2222-4333-8444-555555555555")
NAMES = st.lists(st.sampled_from("abcdef"), max_size=6)
VERDICTS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from([None, *ClaimVerdict])), max_size=5
)


@st.composite
def reviews(draw: st.DrawFn) -> Recorded:
    sources = [a_source(name) for name in draw(NAMES)]
    spans = [
        a_span(f"{n}", source, draw(st.sampled_from(["One.", "two  words.", "Two words."])))
        for n, source in enumerate(sources)
    ]
    claims = [a_claim(f"{n}", text, verdict) for n, (text, verdict) in enumerate(draw(VERDICTS))]
    return recorded(sources=tuple(sources), spans=tuple(spans), claims=tuple(claims), citations=())


def turned(split: Split) -> tuple[Sequence[object], Sequence[object], int]:
    return split.only_b, split.only_a, len(split.both)


@settings(max_examples=60, deadline=None)
@given(reviews(), reviews())
def test_the_other_way_round_it_is_the_same(a: Recorded, b: Recorded) -> None:
    one, other = compare(a, b), compare(b, a)
    for name in ("sources", "evidence", "claims"):
        there, back = getattr(one, name), getattr(other, name)
        assert turned(there) == (back.only_a, back.only_b, len(back.both))
    assert (one.a, one.b) == (other.b, other.a)
    assert sorted((c.claim, str(c.a), str(c.b)) for c in one.changed) == sorted(
        (c.claim, str(c.b), str(c.a)) for c in other.changed
    )


@settings(max_examples=40, deadline=None)
@given(reviews())
def test_beside_itself_nothing_differs(a: Recorded) -> None:
    found = compare(a, a)
    for split in (found.sources, found.evidence, found.claims):
        assert not split.only_a
        assert not split.only_b
    assert not found.changed
    assert len(found.claims.both) == found.a.claims


@settings(max_examples=40, deadline=None)
@given(reviews(), reviews())
def test_nothing_is_lost_and_nothing_told_twice(a: Recorded, b: Recorded) -> None:
    found = compare(a, b)
    for name in ("sources", "evidence", "claims"):
        split = getattr(found, name)
        assert len(split.both) + len(split.only_a) == getattr(found.a, name)
        assert len(split.both) + len(split.only_b) == getattr(found.b, name)


def test_what_is_the_same_and_what_changed() -> None:
    one = recorded()
    other = recorded(
        session=a_session(id=OTHER),
        sources=one.sources[:2],
        spans=one.spans[:1],
        claims=(
            a_claim("x", "the cooling  is gone AT 100 m.", ClaimVerdict.SUPPORTED),
            a_claim("y", "Nothing else.", None),
        ),
        citations=(),
    )
    found = compare(one, other)
    assert [source.title for source in found.sources.only_a] == ["Document menus", "Document lost"]
    assert len(found.evidence.both) == 1
    assert [claim.claim for claim in found.claims.only_b] == ["Nothing else."]
    (changed,) = found.changed
    assert (changed.a, changed.b) == (ClaimVerdict.CONTRADICTED, ClaimVerdict.SUPPORTED)
    assert found.b.session_id == str(OTHER)


def test_the_same_words_in_two_documents_are_two_pieces_of_evidence() -> None:
    ponds, streets = a_source("ponds"), a_source("streets")
    one = recorded(spans=(a_span("1", ponds, "It cools."),), sources=(ponds,), citations=())
    other = recorded(spans=(a_span("2", streets, "It cools."),), sources=(streets,), citations=())
    assert not compare(one, other).evidence.both
