"""What has changed places in a sentence is not borne out; turned together, it is."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.verification.claims.exchanges import exchanges
from citeloom.domain.verification.claims.judgement import SourceSentence, judge
from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.verdict import Verdict

RING = "The ring is distributive, with additive identity ∞ and multiplicative identity 0."
GAME = "Texts by Mistral 7B were preferred 5020 times, compared to 4143 times for Llama 2 13B."
RATE = "The rate was 5% for boys and 7% for girls in the study."
DECIBELS = "For 15, 10, and 5 second samples it drops to 50% at -9, -6, and -3 dB, respectively."
AGES = "Boys had 12%, girls 15%, and adults 20%."
PARABOLA = "If 2b ≤ a + c then V(F) = {c − b, b − a}. If 2b ≥ a + c then V(F) = {(c − a)/2}."
OWNER = "Files can be deleted only by the owner."


def changed(sentence: str, evidence: str) -> bool:
    return any(exchanges(parse_claim(sentence), parse_sentence(evidence)))


@each(
    ("sentence", "evidence"),
    [
        ("The ring has additive identity 0 and multiplicative identity ∞.", RING),
        ("Mistral 7B was preferred 4143 times and Llama 2 13B 5020 times.", GAME),
        ("Llama 2 13B was preferred 5020 times and Mistral 7B 4143 times.", GAME),
        ("The rate was 5% for girls and 7% for boys in the study.", RATE),
        ("Girls had a rate of 5% and boys of 7%.", RATE),
        ("For 15 and 10 second samples it drops to 50% at -6 and -9 dB respectively.", DECIBELS),
        ("Girls had 20% and adults 15%.", AGES),
        ("If 2b ≥ a + c then V(F) = {c − b, b − a}.", PARABOLA),
        ("If 2b ≥ a + c then V(F) = {c − b, b − a}.", PARABOLA[46:]),
        ("It holds that p < 0.05.", "It holds that p > 0.05."),
        ("It is A ∪ B.", "It is A ∩ B."),
        ("It is x ∈ B.", "It is x ∉ B."),
        ("Only files can be deleted by the owner.", OWNER),
        ("Only files can be deleted by the owner.", "Files can be deleted by the owner only."),
        ("The owner can delete only the files.", OWNER),
        ("Tea is sold to adults only in Spain.", "Tea is sold only to adults in Spain."),
    ],
)
def test_what_has_changed_places(sentence: str, evidence: str) -> None:
    assert changed(sentence, evidence)


@each(
    ("sentence", "evidence"),
    [
        ("The ring has multiplicative identity 0 and additive identity ∞.", RING),
        ("Llama 2 13B was preferred 4143 times and Mistral 7B 5020 times.", GAME),
        ("The rate was 7% for girls and 5% for boys in the study.", RATE),
        ("In the study, girls had a rate of 7% and boys of 5%.", RATE),
        ("For 10 and 15 second samples it drops to 50% at -6 and -9 dB respectively.", DECIBELS),
        ("Adults had 20% and girls 15%.", AGES),
        ("If a + c ≥ 2b then V(F) = {(c − a)/2}.", PARABOLA),
        ("It holds that p ≤ 0.05.", "It holds that p < 0.05."),
        ("Only the owner can delete files.", OWNER),
        ("Files can only be deleted by the owner.", OWNER),
        ("Files can be deleted by the owner only.", OWNER),
        ("The lags of Stasis and Berkeley DB agree.", "The lags of Berkeley DB and Stasis agree."),
        ("In 2020, it had 40 images and 300 texts.", "It had 300 texts and 40 images in 2020."),
    ],
)
def test_what_keeps_its_place(sentence: str, evidence: str) -> None:
    assert not changed(sentence, evidence)


FRAMES = [
    "{} had a mean of {} and {} of {}.",
    "The mean was {1} for {0} and {3} for {2}.",
    "{} reached {}, while {} reached {}.",
    "{1} of {0} but {3} of {2} took part.",
]
NAMES = ["Boys", "Girls", "teachers", "nurses", "BERT", "GPT"]
VALUES = ["12%", "15%", "48%", "3.5%"]


@given(
    st.sampled_from(FRAMES),
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True),
    st.lists(st.sampled_from(VALUES), min_size=2, max_size=2, unique=True),
)
def test_values_change_places_unless_turned_with_their_nouns(
    frame: str, names: list[str], values: list[str]
) -> None:
    (one, other), (low, high) = names, values
    source = frame.format(one, low, other, high)
    for claimed in FRAMES:
        assert not changed(claimed.format(one, low, other, high), source)
        assert not changed(claimed.format(other, high, one, low), source)
        assert changed(claimed.format(one, high, other, low), source)
        assert changed(claimed.format(other, low, one, high), source)


def judged(claim: str, *evidence: str) -> Verdict:
    found = [SourceSentence(text, 0.9 - at / 10, at) for at, text in enumerate(evidence)]
    return judge(claim, found).verdict


def test_a_course_taught_with_a_tool_does_not_teach_it() -> None:
    taught = "The course is taught with the tool."
    assert judged("The course teaches the tool.", taught) is not Verdict.SUPPORTED


def test_a_number_of_the_next_sentence_is_stated() -> None:
    claim = "After compression, the 50% rate for 10 second samples occurs at 0 dB SNR."
    before = "The rate is 50% for 10 and 5 second samples at -9 and -3 dB SNR without compression."
    after = "After it, the rate is 50% for 15, 10, and 5 second samples at -3, 0, and +4 dB SNR."
    assert judged(claim, before, after) is not Verdict.CONTRADICTED
    assert judged(claim, before) is Verdict.CONTRADICTED


@each(
    ("claim", "evidence"),
    [
        ("Ponds cool towns.", "It can be shown that ponds cool towns."),
        ("Ponds cool towns.", "That said, ponds cool towns."),
        ("It fails for PARITY.", "It fails for PARITY and the MAJORITY function."),
        ("HTML needs at least 28 tokens.", "HTML needs 28+ tokens."),
    ],
)
def test_what_asserts_names_and_bounds_is_no_doubt(claim: str, evidence: str) -> None:
    assert judged(claim, evidence) is Verdict.SUPPORTED
    assert judged("HTML needs 28 tokens.", "HTML needs 28+ tokens.") is not Verdict.SUPPORTED
