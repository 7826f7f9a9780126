"""Verdicts of an entailment model, where rules cannot tell and the model is sure."""

from collections.abc import Mapping, Sequence

import pytest
from support.cases import each

from citeloom.application.ports.verification import Entailment
from citeloom.application.verification.judges import LEANS_TO_SUPPORT, EntailmentJudge, RuleJudge
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.verdict import Basis, Verdict

SOURCE = "Small ponds lower the temperature of the air in the nearby streets on summer evenings."
OPPOSED = "Small ponds do not cool the air in the streets nearby on evenings in summer."
CLAIM = "Small ponds chilled the air in the streets nearby on evenings in summer."
OTHER = "Soil moisture was measured in small plots near the ponds on summer evenings."


class Readings:
    """Readings by the premise; neither for one that is not named."""

    fingerprint = "f" * 64

    def __init__(self, readings: Mapping[str, tuple[float, float]]) -> None:
        self._readings = readings
        self.read_pairs: list[tuple[str, str]] = []

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        self.read_pairs += [(claim, premise) for premise in premises]
        return [Entailment(*self._readings.get(premise, (0.0, 0.0))) for premise in premises]


def judged(
    claim: str, readings: Mapping[str, tuple[float, float]], *sources: str
) -> tuple[Judgement, Readings]:
    model = Readings(readings)
    evidence = [SourceSentence(text, 0.8, place) for place, text in enumerate(sources)]
    return EntailmentJudge(RuleJudge(), model).judge(claim, evidence), model


def test_a_paraphrase_that_the_model_is_sure_of_is_supported() -> None:
    found, _ = judged(CLAIM, {SOURCE: (0.96, 0.02)}, OTHER, SOURCE)
    assert (found.verdict, found.basis, found.best) == (Verdict.SUPPORTED, Basis.JUDGED, 1)
    assert found.confidence == 0.8
    assert "“chilled” for “lower”" in found.reasons[1]


def test_without_the_model_it_is_not_established() -> None:
    assert RuleJudge().judge(CLAIM, [SourceSentence(SOURCE, 0.8)]).verdict is (
        Verdict.NOT_ESTABLISHED
    )


def test_a_contradiction_that_the_model_is_sure_of_is_told() -> None:
    assert RuleJudge().judge(OPPOSED, [SourceSentence(SOURCE, 0.8)]).verdict is (
        Verdict.NOT_ESTABLISHED
    )
    found, _ = judged(OPPOSED, {SOURCE: (0.02, 0.9)}, SOURCE)
    assert (found.verdict, found.basis) == (Verdict.CONTRADICTED, Basis.JUDGED)


MINUTES = "The small ponds chilled the streets nearby in a few minutes."
SECONDS = "The small ponds cooled the streets nearby in a few seconds."


@each(
    ("reading", "verdict"),
    [((0.02, 0.95), Verdict.CONTRADICTED), ((0.02, 0.86), Verdict.PARTIAL)],
)
def test_without_another_direction_or_negation_a_contradiction_needs_a_surer_model(
    reading: tuple[float, float], verdict: Verdict
) -> None:
    found, _ = judged(MINUTES, {SECONDS: reading}, SECONDS)
    assert found.verdict is verdict


@each(
    ("claim", "source"),
    [
        (CLAIM, SOURCE),
        (
            "Old ponds are a complex and costly way of cooling that cannot be advised.",
            "Old ponds are a complex and costly way of cooling, not to be advised.",
        ),
        (
            "Old ponds cool only a limited number of streets, which is a shortfall.",
            "A shortfall of old ponds is the limited number of streets cooled.",
        ),
    ],
)
def test_a_model_alone_contradicts_nothing_that_names_the_same_things(
    claim: str, source: str
) -> None:
    found, _ = judged(claim, {source: (0.02, 0.95)}, source)
    assert found.verdict is not Verdict.CONTRADICTED


def test_a_model_alone_contradicts_nothing_that_another_sentence_may_support() -> None:
    found, _ = judged(MINUTES, {SECONDS: (0.02, 0.95), OTHER: (0.4, 0.0)}, SECONDS, OTHER)
    assert found.verdict is Verdict.PARTIAL


@each(("support", "verdict"), [(0.9, Verdict.SUPPORTED), (0.8, Verdict.NOT_ESTABLISHED)])
def test_a_word_from_elsewhere_needs_a_surer_model(support: float, verdict: Verdict) -> None:
    source = "The ponds are useful for gardeners in a variety of towns, the survey says."
    claim = "The ponds are useful for gardeners in a variety of seasons in towns."
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert found.verdict is verdict


@each(("support", "leans"), [(0.6, True), (0.4, False)])
def test_an_open_claim_says_where_the_model_leans_to_support(support: float, leans: bool) -> None:
    source = "A reduction of warmth near water was seen by the survey."
    found, _ = judged("Ponds chill their surroundings.", {source: (support, 0.1)}, source)
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert (found.reasons[0] == LEANS_TO_SUPPORT) is leans


@each(
    ("claim", "readings", "best"),
    [
        ("Of 162 papers on dry summers, 119 do no soil evaluation.", {0: 0.1, 1: 0.95}, None),
        ("A survey of 162 papers on dry summers: 119 do no soil evaluation.", {}, None),
        ("Of 162 papers on dry summers, 119 do soil evaluation.", {0: 0.95, 1: 0.95}, 0),
    ],
)
def test_what_denies_is_a_sentence_with_the_numbers_of_the_claim(
    claim: str, readings: Mapping[int, float], best: int | None
) -> None:
    sources = (
        "We find that 119 papers (73%) do not perform soil evaluation in dry summers.",
        "73% of the papers on dry summers do not do evaluation of soil.",
        "Through a survey of 162 papers on dry summers, we describe soil evaluation.",
    )
    found, _ = judged(claim, {sources[n]: (0.0, one) for n, one in readings.items()}, *sources)
    if best is None:
        assert found.verdict is Verdict.NOT_ESTABLISHED
    else:
        assert (found.verdict, found.best) == (Verdict.CONTRADICTED, best)


def test_an_aim_contradicts_nothing() -> None:
    aim = f"The aim was to learn whether {SOURCE[0].lower()}{SOURCE[1:]}"
    found, _ = judged(OPPOSED, {aim: (0.02, 0.95)}, aim)
    assert found.verdict is Verdict.NOT_ESTABLISHED


def test_what_need_not_be_is_not_contradicted() -> None:
    claim = "Small ponds need not cool the air in the streets nearby on evenings in summer."
    found, _ = judged(claim, {SOURCE: (0.02, 0.95)}, SOURCE)
    assert found.verdict is Verdict.NOT_ESTABLISHED


@pytest.mark.parametrize(
    ("when", "support", "verdict"),
    [
        ("once it is evening", 0.95, Verdict.SUPPORTED),
        ("only on evenings", 0.85, Verdict.PARTIAL),
        ("only on evenings", 0.95, Verdict.NOT_ESTABLISHED),
    ],
)
def test_a_time_in_other_words_is_the_models_to_judge(
    when: str, support: float, verdict: Verdict
) -> None:
    claim = f"Small ponds chilled the air in the streets nearby in summer {when}."
    found, _ = judged(claim, {SOURCE: (support, 0.0)}, SOURCE)
    assert found.verdict is verdict


@pytest.mark.parametrize("reading", [(0.4, 0.1), (0.1, 0.79), (0.0, 0.0)])
def test_a_model_that_is_not_sure_establishes_nothing(reading: tuple[float, float]) -> None:
    found, _ = judged(CLAIM, {SOURCE: reading}, SOURCE)
    assert found.verdict is Verdict.NOT_ESTABLISHED


def test_a_sentence_that_says_otherwise_forbids_a_verdict() -> None:
    found, _ = judged(CLAIM, {SOURCE: (0.96, 0.0), OTHER: (0.0, 0.95)}, SOURCE, OTHER)
    assert found.verdict is Verdict.NOT_ESTABLISHED
    found, _ = judged(OPPOSED, {SOURCE: (0.0, 0.9), OTHER: (0.6, 0.0)}, SOURCE, OTHER)
    assert found.verdict is Verdict.NOT_ESTABLISHED


@each(
    "claim",
    [
        "Small ponds chilled the air in the 12 streets nearby on evenings in summer.",
        "Small ponds chilled the air in the streets of Leipzig nearby on evenings in summer.",
        "Small ponds never chilled the air in the streets nearby on evenings in summer.",
        "Small ponds chilled the air in the streets nearby because of evenings in summer.",
        "Frogs thrive in gardens.",
    ],
)
def test_more_than_wording_is_not_the_models_to_support(claim: str) -> None:
    found, _ = judged(claim, {SOURCE: (0.99, 0.0)}, SOURCE)
    assert found.verdict is not Verdict.SUPPORTED


@each(("support", "verdict"), [(0.95, Verdict.SUPPORTED), (0.85, Verdict.NOT_ESTABLISHED)])
def test_what_other_words_may_keep_is_left_to_a_sure_model(
    support: float, verdict: Verdict
) -> None:
    source = "Small ponds can chill the air in several streets nearby on evenings in summer."
    claim = "In summer, small ponds chill the air in streets nearby on evenings."
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert found.verdict is verdict


@each(("support", "verdict"), [(0.95, Verdict.SUPPORTED), (0.85, Verdict.NOT_ESTABLISHED)])
def test_words_further_apart_are_left_to_a_sure_model(support: float, verdict: Verdict) -> None:
    source = "The salt of the sea seriously hinders the paint of old boats near the harbour."
    claim = "The paint of old boats is hindered seriously by the salt of the sea near the harbour."
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert found.verdict is verdict


@each(
    ("support", "verdict", "basis"),
    [(0.4, Verdict.SUPPORTED, Basis.EXACT), (0.2, Verdict.NOT_ESTABLISHED, None)],
)
def test_words_in_another_order_are_read_although_rules_find_them_faithful(
    support: float, verdict: Verdict, basis: Basis | None
) -> None:
    source = "Ponds cool the streets, and trees shade the squares."
    claim = "Trees shade the squares, and ponds cool the streets."
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert (found.verdict, found.basis) == (verdict, basis)
    assert any("another order" in one for one in found.reasons) is (basis is None)


@each(("support", "verdict"), [(0.8, Verdict.CONTRADICTED), (0.9, Verdict.NOT_ESTABLISHED)])
def test_what_rules_find_contrary_is_read_before_it_is_called_so(
    support: float, verdict: Verdict
) -> None:
    source = (
        "If the town moves a pump from one pond to another, the old pond does a test on that pump."
    )
    claim = "When the town moves a pump between two ponds, the old pond does a test on that pump."
    assert RuleJudge().judge(claim, [SourceSentence(source, 0.8)]).verdict is Verdict.CONTRADICTED
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert found.verdict is verdict


def test_clauses_of_a_claim_that_is_surely_contrary_are_not_read_alone() -> None:
    claim = "Small ponds cool the air of the streets, and tall trees shade the square at noon."
    first = "The air of the streets is cooled by small ponds."
    last = "At noon the square is shaded by tall trees."
    whole = "Small ponds cool the air of the squares, and tall trees shade the street at noon."
    found, _ = judged(claim, {first: (0.9, 0.0), last: (0.9, 0.0)}, first, whole, last)
    assert found.verdict is Verdict.SUPPORTED
    found, _ = judged(
        claim, {first: (0.9, 0.0), last: (0.9, 0.0), whole: (0.0, 0.95)}, first, whole, last
    )
    assert found.verdict is not Verdict.SUPPORTED


def test_what_rules_establish_is_not_read() -> None:
    found, model = judged(SOURCE, {SOURCE: (0.0, 0.99)}, SOURCE)
    assert (found.verdict, found.basis) == (Verdict.SUPPORTED, Basis.EXACT)
    assert not model.read_pairs


def test_nothing_is_read_without_evidence() -> None:
    found, model = judged(CLAIM, {})
    assert found.verdict is Verdict.UNSUPPORTED
    assert not model.read_pairs


def test_few_sentences_are_read_and_the_nearest_by_rules_among_them() -> None:
    others = [f"Plot {n} was dry." for n in range(9)]
    found, model = judged(CLAIM, {SOURCE: (0.96, 0.0)}, *others, SOURCE)
    assert found.verdict is Verdict.SUPPORTED
    assert len(model.read_pairs) == 5


def test_the_fingerprint_names_rules_and_model() -> None:
    assert EntailmentJudge(RuleJudge(), Readings({})).fingerprint == (
        f"{RuleJudge().fingerprint}, entailment-12 {'f' * 16}"
    )


@each(
    ("claim", "source"),
    [
        (
            "The write rates were much higher than the read rates.",
            "The read rates were much higher than the write rates.",
        ),
        (
            "Traffic that is low lowers the rate while more of it raises it.",
            "Traffic that is low raises the rate while more of it lowers it.",
        ),
        ("In the study 43 engineers answered better.", "In the study 43 students answered better."),
        ("The town cooled because ponds were dug there.", "The town cooled after ponds were dug."),
        (
            "Administrators collect the work of students with one command.",
            "Teachers collect the work of students with one command.",
        ),
    ],
)
def test_what_is_surely_otherwise_is_not_supported_however_sure_the_model(
    claim: str, source: str
) -> None:
    found, _ = judged(claim, {source: (0.99, 0.0)}, source)
    assert found.verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source", "support"),
    [
        (
            "Fair tests were the goals of the ponds.",
            "Here we show how our goals of the ponds, fair tests, were met in large towns.",
            0.96,
        ),
        (
            "A server that takes snapshots too often wastes energy.",
            "If a server snapshots too often, it wastes energy.",
            0.96,
        ),
        (
            "After tests, students could answer questions on ponds better.",
            "After both tests students were able to answer questions on ponds better.",
            0.8,
        ),
    ],
)
def test_function_words_and_clauses_are_for_the_model_to_judge(
    claim: str, source: str, support: float
) -> None:
    found, _ = judged(claim, {source: (support, 0.0)}, source)
    assert found.verdict is Verdict.SUPPORTED


def test_a_sentence_is_read_with_the_one_before_where_that_has_the_rest() -> None:
    before, after = "Chunk size is a key choice.", "We have chosen 64 MB, more than most."
    both = f"{before} {after}"
    claim = "A chunk size of 64 MB was chosen, more than most."
    found, _ = judged(claim, {both: (0.96, 0.0)}, before, after)
    assert (found.verdict, found.best) == (Verdict.SUPPORTED, 1)


def test_a_sentence_may_call_its_subject_it() -> None:
    source = "It scales to large clusters and tolerates faults."
    model = Readings({source: (0.96, 0.0)})
    for title, verdict in (
        ("Mesos: a platform for clusters", Verdict.SUPPORTED),
        ("Another platform", Verdict.NOT_ESTABLISHED),
    ):
        evidence = [SourceSentence(source, 0.8, 0, title)]
        claim = "The platform called Mesos scales to large clusters and tolerates faults."
        assert EntailmentJudge(RuleJudge(), model).judge(claim, evidence).verdict is verdict


def test_two_clauses_may_be_borne_out_by_two_sentences() -> None:
    claim = "Small ponds cool the air of the streets, and tall trees shade the square at noon."
    first = "The air of the streets is cooled by small ponds."
    last = "At noon the square is shaded by tall trees."
    found, _ = judged(claim, {first: (0.9, 0.0), last: (0.9, 0.0)}, first, OTHER, last)
    assert (found.verdict, found.best, found.also) == (Verdict.SUPPORTED, 0, (2,))
    found, _ = judged(claim, {first: (0.9, 0.0)}, first, OTHER)
    assert found.verdict is not Verdict.SUPPORTED


def test_a_sentence_that_has_the_words_in_other_roles_forbids_support_by_another() -> None:
    claim = "The students guide the instructors."
    otherwise = "The instructors guide the students."
    loose = "Here are notes for the students and instructors, who lead each other."
    readings = {otherwise: (0.95, 0.0), loose: (0.95, 0.0)}
    found, _ = judged(claim, readings, loose, otherwise)
    assert found.verdict is not Verdict.SUPPORTED


def test_what_was_exchanged_is_named_with_the_words_of_both() -> None:
    source = "The survey asked teachers of rural schools about noise in their classes."
    claim = "The survey asked teachers of coastal schools about noise in their classes."
    unsure, _ = judged(claim, {source: (0.9, 0.0)}, source)
    assert unsure.verdict is Verdict.NOT_ESTABLISHED
    found, _ = judged(claim, {source: (0.1, 0.0)}, source)
    assert found.verdict is Verdict.PARTIAL
    assert found.reasons[0] == "Your sentence says “coastal”, the source “rural”."


def test_names_are_named_whatever_the_model_finds() -> None:
    source = "The small ponds in the old town were measured by Lamport for a summer."
    found, _ = judged(source.replace("Lamport", "Marzullo"), {source: (0.9, 0.0)}, source)
    assert (found.verdict, found.basis) == (Verdict.PARTIAL, None)
    assert found.reasons == ("Your sentence says “Marzullo”, the source “Lamport”.",)


def test_parts_in_another_order_are_not_alarmed() -> None:
    source = (
        "Today's ponds are holding large amounts of heat, such that cooling and shade are becoming "
        "harder for old towns."
    )
    claim = (
        "Cooling and shade are becoming harder for old towns, as ponds of today hold large amounts "
        "of heat."
    )
    found, _ = judged(claim, {source: (0.5, 0.4)}, source)
    assert "Parts of your sentence have changed places." in found.reasons
    assert found.verdict is Verdict.NOT_ESTABLISHED


def test_what_a_sentence_leaves_out_softly_is_not_alarmed_where_the_model_finds_support() -> None:
    source = "With small pumps, the old ponds are filled by the town in the evening of each day."
    claim = "The old ponds are filled by the town in the evening of each day."
    verdicts = [judged(claim, {source: (n, 0.0)}, source)[0].verdict for n in (0.1, 0.85)]
    assert verdicts[0] is Verdict.PARTIAL
    assert verdicts[1] is not Verdict.PARTIAL


def test_a_denial_is_named_where_the_model_finds_support_unlikely() -> None:
    source = "The old pump has to use extra storage to record the index of each of the small ponds."
    claim = source.replace("has to", "does not have to")
    for support, verdict in ((0.5, Verdict.PARTIAL), (0.7, Verdict.NOT_ESTABLISHED)):
        found, _ = judged(claim, {source: (support, 0.3)}, source)
        assert found.verdict is verdict
        assert any("denies something: “not”" in one for one in found.reasons)


def test_a_contradiction_by_the_model_names_the_word() -> None:
    found, _ = judged(OPPOSED, {SOURCE: (0.02, 0.95)}, SOURCE)
    assert found.verdict is Verdict.CONTRADICTED
    assert any("“" in one for one in found.reasons)


@each(
    ("claim", "support", "verdict"),
    [
        ("Ponds in towns lower the heat because frogs sleep there.", 0.1, Verdict.PARTIAL),
        ("Ponds in towns lower the heat because frogs sleep there.", 0.7, Verdict.NOT_ESTABLISHED),
        ("Ponds in Chile lower the daily heat there.", 0.1, Verdict.PARTIAL),
        ("Ponds in Peru lower the daily heat there.", 0.1, Verdict.NOT_ESTABLISHED),
        ("Ponds around towns raise the daily heat there.", 0.1, Verdict.PARTIAL),
        ("Ponds around hills lower heat for months.", 0.1, Verdict.NOT_ESTABLISHED),
    ],
)
def test_what_is_otherwise_and_unlikely_is_a_part(
    claim: str, support: float, verdict: Verdict
) -> None:
    source = "In many towns ponds lower the heat of afternoons."
    found, _ = judged(claim, {source: (support, 0.0)}, source, "Peru is long.")
    assert found.verdict is verdict
    assert found.certainty == 0
