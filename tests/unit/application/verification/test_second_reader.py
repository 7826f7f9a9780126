"""A second reader beside the bundled model: what two that agree may support."""

from collections.abc import Sequence

from support.cases import each

from citeloom.application.ports.verification import Entailment
from citeloom.application.verification.judges import EntailmentJudge, RuleJudge
from citeloom.application.verification.second_reader import SecondReaderJudge
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.verdict import Basis, Verdict

SOURCE = "The training increased reading scores of rural pupils by 12.5% in 2019."
FREE = "Children from the countryside came to read better."
DENIED = "The training brought no increase in reading scores of rural pupils in 2019."


class Reading:
    """Reads every text as support with one probability."""

    def __init__(self, support: float) -> None:
        self.support = support
        self.fingerprint = f"reading-{support}"
        self.read_texts: list[str] = []

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        self.read_texts += premises
        return [Entailment(self.support, 0.0) for _ in premises]


def judged(claim: str, first: float, second: Reading, *sources: str) -> Judgement:
    bundled = EntailmentJudge(RuleJudge(), Reading(first))
    evidence = [SourceSentence(text, 0.8, n) for n, text in enumerate(sources or (SOURCE,))]
    return SecondReaderJudge(bundled, second).judge(claim, evidence)


@each(
    ("first", "second", "is_supported"),
    [(0.95, 0.5, True), (0.95, 0.1, False), (0.8, 0.99, False), (0.1, 0.99, False)],
)
def test_two_that_agree_support(first: float, second: float, is_supported: bool) -> None:
    found = judged(FREE, first, Reading(second))
    assert (found.verdict is Verdict.SUPPORTED) is is_supported
    if is_supported:
        assert (found.basis, found.confidence, found.best) == (Basis.JUDGED, None, 0)
        assert found.reasons == ("Both judge models read this as support.",)


@each(
    ("claim", "verdict"),
    [
        (FREE.replace("better", "23% better"), Verdict.NOT_ESTABLISHED),
        (FREE.replace("countryside", "countryside of Peru"), Verdict.NOT_ESTABLISHED),
        (SOURCE.replace("2019", "2018"), Verdict.CONTRADICTED),
        (SOURCE.replace("rural", "urban"), Verdict.NOT_ESTABLISHED),
        (SOURCE.replace("increased", "did not increase"), Verdict.NOT_ESTABLISHED),
        (DENIED, Verdict.SUPPORTED),
    ],
)
def test_nothing_that_certainly_differs_is_left_to_them(claim: str, verdict: Verdict) -> None:
    assert judged(claim, 0.99, Reading(0.99)).verdict is verdict


def test_the_sentence_is_read_with_the_one_before_and_only_if_the_first_leans() -> None:
    before, second = "We taught pupils in villages.", Reading(0.5)
    assert judged(FREE, 0.95, second, before, SOURCE).verdict is Verdict.SUPPORTED
    assert second.read_texts in ([before], [SOURCE, f"{before} {SOURCE}"])
    unread = Reading(0.99)
    judged(SOURCE, 0.95, unread)
    judged(FREE, 0.1, unread)
    assert unread.read_texts == []


def test_another_second_reader_is_another_judge() -> None:
    first = EntailmentJudge(RuleJudge(), Reading(0.5))
    names = {SecondReaderJudge(first, Reading(one)).fingerprint for one in (0.1, 0.2)}
    assert len(names | {first.fingerprint}) == 3
