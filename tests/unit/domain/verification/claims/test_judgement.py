"""Whether sentences of a source bear out a claim."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.verification.claims.faithfulness import vetoes
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence, judge
from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.claims.polarity import directions
from citeloom.domain.verification.claims.reasons import found_in_another
from citeloom.domain.verification.verdict import Basis, Verdict

SOURCE = "The training increased reading scores of rural pupils by 12.5% in 2019."
OTHER = "Teachers were paid by the state and lived in small towns near the coast."


def judged(claim: str, *sentences: str, score: float = 0.9) -> Judgement:
    return judge(
        claim, [SourceSentence(text, score, n) for n, text in enumerate(sentences or (SOURCE,))]
    )


def test_a_repeated_sentence_is_supported() -> None:
    found = judged(SOURCE, OTHER, SOURCE)
    assert (found.verdict, found.best) == ("SUPPORTED", 1)


@pytest.mark.parametrize(
    "claim",
    [
        "In 2019, reading scores of rural pupils were increased by 12.5% by the training.",
        "The training raised reading scores of rural pupils by 12.5% in 2019.",
        "Training increased the reading scores of rural pupils by 12.5 per cent in 2019.",
    ],
)
def test_a_plain_paraphrase_is_supported(claim: str) -> None:
    assert judged(claim).verdict == "SUPPORTED"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The training increased reading scores of rural pupils by 17.5% in 2019.", "17.5%"),
        ("The training did not increase reading scores of rural pupils by 12.5% in 2019.", "denie"),
        ("The training decreased reading scores of rural pupils by 12.5% in 2019.", "decreased"),
    ],
)
def test_what_is_altered_is_contradicted_and_named(claim: str, reason: str) -> None:
    found = judged(claim)
    assert found.verdict == "CONTRADICTED"
    assert any(reason in one for one in found.reasons)


@each(
    ("claim", "source"),
    [
        (
            "Theories say that judgements, and not responses, cause the reaction.",
            "Theories say that responses, and not judgements, cause the reaction.",
        ),
        (
            "Links have a storage cost because they are stored at the server.",
            "Links have no storage cost because they are not stored at the server.",
        ),
    ],
)
def test_denials_that_changed_places_or_are_gone_contradict(claim: str, source: str) -> None:
    assert judged(claim, source).verdict == "CONTRADICTED"


@each(
    ("claim", "source"),
    [
        ("The authors trained the model.", "They trained the model that we describe."),
        ("Radiation improves survival.", "Avoiding surgery and radiation improves survival."),
        ("Ponds cool streets.", "Rarely is shade cast and ponds cool streets."),
        ("Ponds cool streets.", "Ponds cool streets and this is a myth."),
        ("Ponds cool streets.", "Ponds cool streets yet no effect was found in summer."),
    ],
)
def test_what_another_part_of_the_sentence_decides_is_not_supported(
    claim: str, source: str
) -> None:
    assert judged(claim, source).verdict != "SUPPORTED"


@each(
    ("claim", "source"),
    [
        ("The method has merit for samples.", "The method is not without merit for samples."),
        ("Patients recover with treatment.", "Patients cannot recover without treatment."),
    ],
)
def test_negations_that_cancel_each_other_out_do_not_contradict(claim: str, source: str) -> None:
    assert judged(claim, source).verdict != "CONTRADICTED"


@each(
    ("claim", "source"),
    [
        (
            "They reused the parts of Therac-20 in Therac-6.",
            "They reused the parts of Therac-6 in Therac-20.",
        ),
        ("Phase 1 comes before Phase 2 here.", "Phase 2 comes before Phase 1 here."),
        (
            "The value of A-1 in A-12 follows from samples.",
            "The value of A-12 in A-1 follows from samples.",
        ),
        (
            "Faces were studied by means of library search.",
            "Faces were used in a study of library search.",
        ),
    ],
)
def test_exchanged_things_are_not_supported(claim: str, source: str) -> None:
    assert judged(claim, source).verdict != "SUPPORTED"


def test_what_is_written_down_does_not_fall() -> None:
    assert directions("They wrote down what they knew.") == ()
    assert [one.word for one in directions("Costs went down.")] == ["down"]


def test_what_requires_nothing_is_as_what_is_not_required() -> None:
    (mine,) = directions("The method requires no changes.")
    (theirs,) = directions("No changes are required.")
    assert mine.negated
    assert theirs.negated


def test_a_long_list_of_works_is_read_in_linear_time() -> None:
    began = time.process_time()
    parse_sentence("Ponds cool it (" + "Black and Yacoob, 1997; " * 40)
    assert time.process_time() - began < 1


def test_sides_of_a_comparison_that_changed_places_contradict() -> None:
    source = "Scores of trained teachers were higher than scores of untrained novices."
    claim = "Scores of untrained novices were higher than scores of trained teachers."
    turned = "Scores of untrained novices were lower than scores of trained teachers."
    assert judged(claim, source).verdict == "CONTRADICTED"
    assert judged(turned, source).verdict == "SUPPORTED"


def test_a_number_that_no_sentence_states_is_no_full_support() -> None:
    source = "The training increased reading scores of rural pupils."
    claim = "The training increased reading scores of rural pupils by 40%."
    found = judged(claim, source)
    assert found.verdict == "PARTIAL"
    assert "The nearest sentence does not state “40%”." in found.reasons


def test_a_claim_put_together_from_two_sentences_is_not_said_to_be_supported() -> None:
    claim = "The training increased reading scores of rural pupils by 40%."
    sentences = ("The training increased reading scores of rural pupils.", "The gain was 40%.")
    assert judged(claim, *sentences).verdict == "NOT_ESTABLISHED"


def test_what_has_nothing_in_common_is_not_established() -> None:
    found = judged("Whales sing at night.", OTHER, score=0.1)
    assert found.verdict == "NOT_ESTABLISHED"
    assert any("Whales" in one for one in found.reasons)


def test_no_evidence_is_no_support() -> None:
    found = judge("Whales sing at night.", [])
    assert (found.verdict, found.best) == ("UNSUPPORTED", None)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        ("Pupils in the country read better after training.", "country"),
    ],
)
def test_a_word_that_the_evidence_does_not_have_decides(claim: str, word: str) -> None:
    found = judged(claim)
    assert (found.verdict, found.basis, found.confidence) == ("NOT_ESTABLISHED", None, None)
    assert any(word in reason for reason in found.reasons)


def test_certainty_is_that_of_the_basis() -> None:
    exact = Judgement(verdict=Verdict.SUPPORTED)
    by_model = Judgement(verdict=Verdict.SUPPORTED, basis=Basis.JUDGED)
    open_ = Judgement(verdict=Verdict.NOT_ESTABLISHED, basis=None)
    assert exact.certainty > by_model.certainty > open_.certainty == 0
    assert Judgement(verdict=Verdict.SUPPORTED, confidence=0.3).certainty == 0.3


def test_a_reservation_left_out_is_part() -> None:
    source = "The training may have increased reading scores of rural pupils."
    found = judged("The training increased reading scores of rural pupils.", source)
    assert found.verdict == "PARTIAL"


@pytest.mark.parametrize(
    "claim",
    [
        "The authors report that the training increased reading scores of rural pupils in 2019.",
        "According to Miller, the study found that the training increased reading scores of "
        "rural pupils by 12.5% in 2019.",
    ],
)
def test_who_reports_it_is_the_citation(claim: str) -> None:
    assert judged(claim).verdict == "SUPPORTED"


@each("number", ["100{,}000", "100\\,000", "100~000", "100,000"])
def test_numbers_set_in_tex(number: str) -> None:
    source = "The archive holds 100,000 letters of the family."
    assert judged(f"The archive holds {number} letters of the family.", source).verdict == (
        "SUPPORTED"
    )


COURSE = (
    "During the summer of 2020, we taught the material to 1757 interactive students in 64 "
    "countries with 191 teaching assistants."
)
SHARE = "The percentage of interactive students that completed half of the classes was 58% in 2021."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("In its first summer, 1200 interactive students were taught the material.", COURSE),
        ("Only 28% of the interactive students completed half of all classes in 2021.", SHARE),
    ],
)
def test_another_number_of_the_same_contradicts_in_other_words_too(claim: str, source: str) -> None:
    assert judged(claim, source, score=0.75).verdict == "CONTRADICTED"


def test_numbers_of_other_things_contradict_nothing() -> None:
    claim = "In its first summer the material was taught in 30 languages to interactive students."
    assert judged(claim, COURSE, score=0.75).verdict == "NOT_ESTABLISHED"


def test_no_contradiction_without_anything_contrary() -> None:
    source = (
        "However, NCBI BLAST can become problematic in a classroom environment, as many job "
        "submissions from the same IP address may be throttled (IP block), response time may be "
        "slow, and users are unable to import custom databases."
    )
    claim = (
        "NCBI BLAST is hard to use with a class, because requests that come from one IP address "
        "may be throttled."
    )
    assert judged(claim, source, score=0.7).verdict != "CONTRADICTED"


def test_the_sentence_with_the_claims_numbers_is_the_nearest() -> None:
    sentences = (
        "On average the tool improves accuracy by 48% while reducing response times by 26%.",
        "In two studies, the tool improves accuracy by 38% while reducing response times by 44%.",
    )
    found = judge(
        "The tool reduces response times by 44%.",
        [SourceSentence(sentences[0], 0.9, 0), SourceSentence(sentences[1], 0.5, 9)],
    )
    assert (found.verdict, found.best) == ("NOT_ESTABLISHED", 1)
    assert not any("44%" in reason for reason in found.reasons)


def test_a_factor_is_so_many_times() -> None:
    source = "With the index queries ran faster by a factor of 5 to 10."
    assert judged("With the index queries ran 5 to 10 times faster.", source).verdict == "SUPPORTED"
    assert judged("With the index queries ran 5 to 12 times faster.", source).verdict != "SUPPORTED"


@each(
    ("claim", "source"),
    [
        ("There were two groups.", "There were 2 groups."),
        ("There are 8.1 million users.", "There are 8.1M users."),
        ("Scores are one to four.", "Scores are 1-4."),
        ("Scores go from one to four.", "Scores go from 1-4."),
        ("There are more than 300 users.", "There are >300 users."),
        ("The licence is free.", "The license is free."),
        ("Ponds cool streets.", "More specifically, ponds cool streets."),
        ("Students of high schools took part.", "High school students took part."),
        ("They used S2ORC.", "They used the corpus S2ORC [12]."),
        ("Items were rated from 1 to 6.", "Items were rated from 1 (Not at all) to 6 (Very much)."),
        (
            "Scores were 4.9 points higher on the first quiz.",
            "Scores were 4.9 points higher on the first quiz (of a possible 60); Figure 3 has all.",
        ),
        ("Students asked 16 questions.", "For example, both students asked 16 questions."),
        (
            "The video on trees is 14% longer.",
            "The test favoured trees: 15 had some knowledge of them, and the video on trees is 14% "
            "longer.",
        ),
        (
            "Misses cost less than successful searches.",
            "Small times for insert and removal can be guaranteed and misses cost less than "
            "successful searches.",
        ),
        (
            "Hash trees require no initial table.",
            "Hash trees require no initial table yet are faster and use less space than lists.",
        ),
        ("The author has seen many weak papers.", "I have seen many weak papers."),
        ("Ponds were found to be cool.", "Ponds were found to be not only cool."),
        ("Experts hold that ponds cool streets.", "Experts argue that ponds cool streets."),
    ],
)
def test_what_says_the_same_in_another_form_is_supported(claim: str, source: str) -> None:
    assert judged(claim, source).verdict == "SUPPORTED"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Six teachers took part.", "In all 26 students took part."),
        (
            "Pastry recovers all missing entries after failures.",
            "Pastry recovers all missing entries, and their quality approaches that before the "
            "failures.",
        ),
        ("There were 9 points.", "There were 16 grids."),
        (
            "The dose increases the risk of bleeding.",
            "The dose decreased the risk of nausea but was tied to an increased risk of bleeding.",
        ),
    ],
)
def test_another_thing_is_no_contradiction(claim: str, source: str) -> None:
    assert judged(claim, source).verdict != "CONTRADICTED"


@each(
    ("claim", "source", "named"),
    [
        ("All ponds cool the street.", "Most ponds cool the street.", "All"),
        ("Ponds cool the street.", "We doubt that rents rose and ponds cool the street.", "doubt"),
        (
            "Ponds cool the street.",
            "The mayor hoped trees grow and ponds cool the street.",
            "hoped",
        ),
        (
            "Ponds cool the street.",
            "Some have postulated that ponds cool the street.",
            "postulated",
        ),
        ("Ponds cool the street at night.", "Ponds may cool the street at night.", "less sure"),
        ("The training helped 43 students read.", "The training helped 43 teachers read.", "43"),
        ("The training helps urban pupils read.", "The training helps rural pupils read.", "urban"),
        (
            "Wind is a cause of poor sleep in ponds.",
            "Wind is a mark of poor sleep in ponds.",
            "cause",
        ),
        (
            "The training caused reading scores of rural pupils to rise by 12.5% in 2019.",
            SOURCE,
            "cause",
        ),
        (
            "Every set of measured ponds is online.",
            "All street lamps in town and many sets of measured ponds are online.",
            "Every",
        ),
    ],
)
def test_what_was_changed_is_named_and_leaves_a_part(claim: str, source: str, named: str) -> None:
    found = judged(claim, source)
    assert found.verdict == "PARTIAL"
    assert any(named in one for one in found.reasons)
    assert len(found.reasons) <= 3


COMPARED = st.sampled_from(["annotations", "ponds", "streets", "models", "teachers", "trees"])
MEASURED = st.sampled_from(["standard deviation", "mean error", "body temperature", "daily cost"])
WORDS = st.sampled_from([("lower", "higher"), ("smaller", "larger"), ("shorter", "longer")])
FRAMES = st.sampled_from(
    [
        "{a} have {x} {m} than {b}.",
        "{a} have {x} {m} (and thus {y} agreement) than {b}.",
        "{a} have {x} {m}, and {y} agreement, than {b}.",
        "In all settings, {a} had {x} {m} than {b} (7.8 and 14.0 on average).",
    ]
)


@given(a=COMPARED, b=COMPARED, m=MEASURED, words=WORDS, frame=FRAMES)
def test_a_comparison_that_is_reversed_is_never_supported(
    a: str, b: str, m: str, words: tuple[str, str], frame: str
) -> None:
    first, second = f"Coarse {a}", f"fine {b}"
    x, y = words
    source = frame.format(a=first, b=second, m=m, x=x, y=y)
    reversals = [
        frame.format(a=first, b=second, m=m, x=y, y=x),
        f"{first} have {y} {m} than {second}.",
        frame.format(a=f"Fine {b}", b=f"coarse {a}", m=m, x=x, y=y),
    ]
    assert judged(source, source).verdict == "SUPPORTED"
    for claim in reversals:
        assert judged(claim, source).verdict != "SUPPORTED"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The disk recovers 92 GB in 6.2 s.", "The disk recovers 92GB in 6.2 seconds."),
        ("At least half of the pupils read.", "At least 50% of the pupils read."),
        ("25 % of the pupils read.", "A quarter of the pupils read."),
        ("It replicates data across datacentres.", "It replicates data across datacenters."),
        ("The test system has 6 GB of memory.", "Our test-system has 6GB of memory."),
        ("The default size of 4 KB is reasonable.", "The default size of 4kbytes is reasonable."),
    ],
)
def test_what_is_written_otherwise_is_the_same(claim: str, source: str) -> None:
    assert judged(claim, source).verdict == "SUPPORTED"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A node may live within several scopes.", "A node lives within a single scope."),
        ("The pupils share a single queue.", "The pupils share several queues."),
        ("He studied under the supervision of Turing.", "He studied under Church’s supervision."),
    ],
)
def test_several_are_not_one_and_another_owner_is_another(claim: str, source: str) -> None:
    found = vetoes(parse_claim(claim), parse_sentence(source))
    assert any("of something else" in one.text or "Turing" in one.text for one in found)


def test_owners_in_another_order_are_the_same() -> None:
    claim = parse_claim("The latencies of Stasis and Berkeley DB were similar.")
    source = parse_sentence("We found that the latencies of Berkeley DB and Stasis were similar.")
    assert not any("Stasis" in one.text for one in vetoes(claim, source))


def test_the_same_ones_may_be_several() -> None:
    reasons = judged("The models use several metrics.", "The models use the same metrics.").reasons
    assert not any("of something else" in one for one in reasons)


@pytest.mark.parametrize(
    ("claim", "source", "reasons"),
    [
        ("Paramorphisms were investigated by Malcolm to cover primitive recursion.",
         "Paramorphisms were investigated by Meertens [19] to cover this pattern of primitive "
         "recursion.", ["Your sentence says “Malcolm”, the source “Meertens”."]),
        ("Frogs sleep deeply in water because fish sleep.", "Frogs sleep in cold water.",
         ["Your sentence gives a reason that the source does not: “because”.",
          "Your sentence says “deeply”, the source “cold”.",
          "The nearest sentence does not have “fish”."]),
        ("Old frogs sleep in a deep pond.", "Newts sleep, swim and eat in ponds.",
         ["The nearest sentence does not have “Old”, “deep”."]),
        ("The first design was slow.", "The first design was slow, and it was not used in 1990.",
         ["The source goes on with a denial: “not”."]),
        ("The small number of users has created a bottleneck.",
         "It is a small field with few users, creating a potential bottleneck.",
         ["Only the source denies something: “few”."]),
        ("Frogs do not sleep in deep water.", "Frogs do not sleep in deep water and never in mud.",
         ["The source denies more: “never”."]),
    ],
    ids=["replaced", "because", "title", "another clause", "denied", "both deny"],
)  # fmt: skip
def test_each_word_is_named_once(claim: str, source: str, reasons: list[str]) -> None:
    found = judge(claim, [SourceSentence(source, 0.9, 0, "Frogs of the pond")])
    assert [*found.reasons][: len(reasons)] == reasons


@pytest.mark.parametrize(
    ("others", "lacking", "had"),
    [
        (("Eggs hatch.", "The nests of foxes."), "“eggs”", "“Foxes”, “nest”"),
        (("Foxes take eggs from a nest.",), "", "“Foxes”, “nest”, “eggs”"),
        (("It rains.",), "“Foxes”, “nest”, “eggs”", ""),
        ((), "“Foxes”, “nest”, “eggs”", ""),
    ],
    ids=["one with most", "all", "no word", "no sentence"],
)
def test_words_that_one_other_sentence_has_are_named_apart(
    others: tuple[str, ...], lacking: str, had: str
) -> None:
    number, begin = "The nearest sentence does not state “7”.", "The nearest sentence does not have"
    said = [f"{begin} {lacking}"] if lacking else []
    said += [f"another sentence of the source has {had}"] if had else []
    reason = "; ".join(said) + "."
    reasons = found_in_another((number, f"{begin} “Foxes”, “nest”, “eggs”."), others)
    assert reasons == (number, reason[0].upper() + reason[1:])
