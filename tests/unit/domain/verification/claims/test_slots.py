"""Another thing in the same place is named; another form or an abbreviation of it is not."""

import pytest

from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.claims.slots import changed_things, slots

SOURCE = "The survey asked 18 teachers of rural schools about the noise in their classes."


def changed(claim: str, source: str, *others: str, only_names: bool = False) -> list[str]:
    further = [parse_sentence(one) for one in others]
    mine, theirs = parse_claim(claim), parse_sentence(source)
    return list(changed_things(mine, theirs, further, only_names=only_names))


@pytest.mark.parametrize(
    ("claim", "source", "mine", "theirs"),
    [
        (SOURCE.replace("teachers", "parents"), SOURCE, "parents", "teachers"),
        (
            "The arithmetic coding algorithm is adopted for the headers.",
            "Since we adopt the Huffman coding algorithm for the headers, they are short.",
            "arithmetic",
            "Huffman",
        ),
        (
            "A loss in the evening load of old servers is due to overhead of a shared scheduler.",
            "A loss in the evening load of old servers is due to overhead associated with lookups.",
            "shared scheduler",
            "associated",
        ),
        (
            "Hadoop Streaming is an example of a batch system.",
            "Google MapReduce is an example of a batch system.",
            "Hadoop Streaming",
            "Google MapReduce",
        ),
    ],
    ids=["noun", "modifier", "end", "name"],
)
def test_another_thing_in_the_place_is_named_with_the_words_of_both(
    claim: str, source: str, mine: str, theirs: str
) -> None:
    (text,) = changed(claim, source)
    assert f"says “{mine}”, the source “{theirs}" in text


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("They find it by experiments in a room.", "They find it by experimentation in a room."),
        ("The linear structure of a book is old.", "The linear struture of a book is old."),
        ("The run wrote 3 petabytes of data.", "The run wrote 3 PB of data."),
        ("The NN technique of them is fast.", "The nearest neighbor technique of them is fast."),
        (
            "The pond meets these needs.",
            "The pond satisfies these needs.",
        ),
        ("Birds of the lake eat fish.", "The pond of the city is cold."),
    ],
    ids=["derived", "misprint", "unit", "abbreviation", "verb", "another-sentence"],
)
def test_what_may_be_the_same_is_not_named(claim: str, source: str) -> None:
    assert changed(claim, source) == []


def test_what_another_sentence_has_in_the_same_place_is_not_named() -> None:
    claim = SOURCE.replace("teachers", "parents")
    assert changed(claim, SOURCE, "Later 18 parents of rural schools were asked, too.") == []
    assert changed(claim, SOURCE, "The parents had no time.")


def test_only_names_where_the_rest_may_be_a_paraphrase() -> None:
    source = "The system was written in Matlab and runs on a server."
    assert changed(source.replace("Matlab", "Octave"), source, only_names=True)
    assert not changed(source.replace("server", "laptop"), source, only_names=True)


def test_the_words_around_a_slot_are_counted() -> None:
    mine, theirs = parse_claim(SOURCE.replace("rural", "urban")), parse_sentence(SOURCE)
    (slot,) = slots(mine, theirs)
    assert (slot.said, slot.stated, slot.frame) == ("urban", "rural", 7)
