"""Sentences that keep to their evidence, and those that do not."""

from support.cases import each

from citeloom.domain.review.checking import split_claims
from citeloom.domain.verification.claims.faithfulness import Deviation, deviations, vetoes
from citeloom.domain.verification.claims.function_words import HEDGE, attribution_words, markup
from citeloom.domain.verification.claims.parsed_sentence import parse_claim, parse_sentence
from citeloom.domain.verification.claims.quotations import misquoted
from citeloom.domain.verification.claims.roles import exchanged_places


def differing(sentence: str, evidence: str) -> tuple[Deviation, ...]:
    return deviations(parse_sentence(sentence), parse_sentence(evidence))


FAITHFUL = [
    ("Ponds cool the street in the evening.", "The ponds cool the street in the evening."),
    ("Cats are chased by dogs in the park.", "Dogs chase cats in the park."),
    ("In 2020, the tool analysed 300 texts.", "The tool analysed 300 texts in 2020."),
    ("Rats slept.", "Mice died; rats slept."),
    ("The package provides plots.", "The package offers plots."),
    ("Walking takes 2 hours.", "Walking takes 120 minutes."),
    ("Caffeine may reduce blood pressure.", "In conclusion, caffeine may reduce blood pressure."),
    ("Ponds cool the street.", "Ponds cool the street, and trees shade it in summer."),
    ("Ponds cool the street.", "Ponds cool the street (in summer, see Table 2)."),
    ("It stores the results.", "It stores the results of the tests."),
    ("The course took one week.", "The course took a week."),
    (
        "Across these disjoint scopes of serializability, atomic transactions cannot be performed.",
        "Atomic transactions cannot be performed across these disjoint scopes of serializability.",
    ),
]
# By what was done to them: the evidence, and then a sentence that it does not bear out.
UNFAITHFUL = {
    "number": ("The tool analysed 300 texts.", "The tool analysed 3000 texts."),
    "unit": ("Walking takes 2 hours.", "Walking takes 2 minutes."),
    "magnitude": ("It cost 3 million dollars.", "It cost 3 billion dollars."),
    "number made exact": ("The tool has about 16 users.", "The tool has 16 users."),
    "number added": ("The tool analysed texts.", "The tool analysed 300 texts."),
    "direction": ("Caffeine reduces blood pressure.", "Caffeine raises blood pressure."),
    "direction of another": (
        "Caffeine increases alertness and decreases sleep.",
        "Caffeine increases sleep.",
    ),
    "direction of a compound": (
        "It was used in week-long schools and for shorter talks.",
        "It was used in week-long schools and for longer talks.",
    ),
    "negation": ("Caffeine reduces pressure.", "Caffeine does not reduce pressure."),
    "negation lost": ("Caffeine does not reduce pressure.", "Caffeine reduces pressure."),
    "negation moved": ("Ponds cool streets, not parks.", "Ponds cool parks, not streets."),
    "German negation lost": ("Koffein senkt den Druck nicht.", "Koffein senkt den Druck."),
    "French negation lost": ("Le café ne réduit pas la tension.", "Le café réduit la tension."),
    "name": ("The tool was written in Python.", "The tool was written in Julia."),
    "letter": ("Group A slept longer.", "Group B slept longer."),
    "word": ("The drug helped mice.", "The drug helped humans."),
    "word added": ("Ponds cool the street.", "Ponds cool the old street."),
    "compound": ("The optical system is fast.", "The all-optical system is fast."),
    "compounds": ("The when-statement runs first.", "The if-statement runs first."),
    "one of another": ("The course took a month.", "The course took one week."),
    "quantifier beside a share": (
        "50% of the pupils read the books.",
        "Half of the pupils read both books.",
    ),
    "roles": ("Dogs chase cats.", "Cats chase dogs."),
    "roles after an opening": (
        "In parks, dogs chase cats across the wet lawns.",
        "Across the wet lawns, cats chase dogs in parks.",
    ),
    "roles with an opening": (
        "With BERT, GPT is improved on the test.",
        "With GPT, BERT is improved on the test.",
    ),
    "places exchanged": (
        "In cities, the ponds cool the streets of villages.",
        "The ponds cool the streets of cities in villages.",
    ),
    "roles in the passive": ("Dogs chase cats in parks.", "Dogs are chased by cats in parks."),
    "sides": ("Stata is faster than R.", "R is faster than Stata."),
    "numbers swapped": ("Boys had 12% and girls 15%.", "Boys had 15% and girls 12%."),
    "number of another": ("12% of boys and 15% of girls passed.", "15% of boys passed."),
    "middle left out": (
        "Ponds are the best of all known means against hot streets.",
        "Ponds are hot streets.",
    ),
    "other clause": ("Mice died; rats slept.", "Mice slept."),
    "question": ("Does caffeine reduce blood pressure?", "Caffeine does reduce blood pressure."),
    "test": ("We tested whether caffeine reduces sleep.", "Caffeine reduces sleep."),
    "opinion": ("Critics claim that grids fail.", "Grids fail."),
    "hedge": ("Caffeine may reduce blood pressure.", "Caffeine reduces blood pressure."),
    "restriction": ("Ponds cool streets only in summer.", "Ponds cool streets in summer."),
    "end": (
        "Caffeine may reduce blood pressure in adults.",
        "Caffeine may reduce blood pressure.",
    ),
    "end of a clause": ("Survival improved after surgery, and costs fell.", "Survival improved."),
    "beginning": ("In knock-out flies, caffeine reduces sleep.", "Caffeine reduces sleep."),
    "not only": ("Ponds not only cool the street.", "Ponds only cool the street."),
    "restriction added": ("He is a singer and writer.", "He is only a singer."),
    "all": ("Some ponds cool the street.", "All ponds cool the street."),
    "most": ("Most ponds cool the street.", "Ponds cool the street."),
    "cause": ("Caffeine is associated with cancer.", "Caffeine causes cancer."),
    "link": ("Ponds cool. Streets are empty.", "Ponds cool because streets are empty."),
    "denied whole": ("It is a myth that ponds cool streets.", "Ponds cool streets."),
    "month": ("The tool appeared on February 5.", "The tool appeared on May 5."),
    "markup": ("Ponds cool the street.", "Ponds cool the street [@pond2020]."),
    "address": ("Ponds cool the street.", "Ponds cool the street https://pond.example."),
    "link in Markdown": ("Ponds cool the street.", "Ponds cool the ![street](//x)."),
}  # fmt: skip


@each(("sentence", "evidence"), FAITHFUL)
def test_what_keeps_to_its_evidence(sentence: str, evidence: str) -> None:
    assert differing(sentence, evidence) == ()


@each("kind", UNFAITHFUL)
def test_a_sentence_that_changes_its_evidence_deviates(kind: str) -> None:
    evidence, sentence = UNFAITHFUL[kind]
    assert differing(sentence, evidence)


@each("evidence", sorted({evidence for evidence, _ in UNFAITHFUL.values()}))
def test_a_sentence_keeps_to_itself(evidence: str) -> None:
    if len(evidence.split(". ")) == 1:
        assert differing(evidence, evidence) == ()


def test_reasons_name_what_is_otherwise() -> None:
    (first, *_) = differing("The tool analysed 3000 texts.", "The tool analysed 300 texts.")
    assert first.text == "The nearest sentence does not state “3000”."


def test_quotation_marks_hold_what_a_passage_says() -> None:
    quotes = ["Ponds cool the street in the\nevening."]
    assert misquoted("They say “cool the street in the evening”.", quotes) == ()
    assert misquoted("They say “heat the street”.", quotes) == ("heat the street",)


@each(
    ("sentence", "claims"),
    [
        (
            "The ponds cool the street, and the trees shade the square.",
            ("The ponds cool the street", "the trees shade the square."),
        ),
        ("Ponds cool the street, and parks.", None),
        ("Ponds cool the street because the wind is weak.", None),
        ("Ponds cool the street, but they are small.", None),
    ],
)
def test_clauses_that_stand_by_themselves(sentence: str, claims: tuple[str, ...] | None) -> None:
    assert split_claims(sentence) == (claims or (sentence,))


@each(
    ("sentence", "evidence"),
    [
        ("MongoDB takes 2 ms and Cassandra 4 ms.", "Cassandra takes 2 ms and MongoDB takes 4 ms."),
        (
            "The servers push the mapping to the coordinator.",
            "The mapping is pushed to all servers by the coordinator after every change.",
        ),
        ("Experience with R is required.", "Experience with R is highly recommended."),
        ("Attendance was voluntary.", "Attendance was mandatory."),
        ("Users must not install it.", "Users need not install it."),
        ("Users may not install it.", "Users need not install it."),
        ("Proofs guide the students.", "Students guide the proofs that are required."),
        ("Pupils were taught by parents.", "Parents were taught by pupils."),
        ("The trained pupils were rated.", "The rated pupils were trained."),
        ("The model trains the users.", "The model is trained on logs of users."),
        ("The grammar is needed.", "A grammar needs the parser."),
        ("Parents were taught by pupils in May.", "In May, pupils were taught by parents."),
        ("Ponds cool the streets in towns.", "Ponds do not cool the streets in towns."),
        ("Prices shot up in May.", "Prices shot down in May."),
        ("Prices went significantly up.", "Prices went significantly down."),
        ("It is simply a pond.", "It is not simply a pond."),
        ("Ponds help because of wind.", "Ponds help because the trees are old."),
        ("Because they scale well, reads are local.", "Reads are local, so they scale well."),
        ("Some say that ponds help pupils.", "Ponds may help pupils, some say."),
        ("Pupils like ponds.", "Some pupils like ponds."),
        ("They tried ponds and it succeeded.", "They tried ponds, without success."),
        ("The text is parsed and then read.", "The text is read and then parsed."),
        ("All pupils passed some tests.", "Some pupils passed all tests."),
        ("Studies show that ponds help pupils.", "Anecdotally, ponds help pupils."),
        (
            "Deep ponds cool towns best when rain is high.",
            "Deep ponds cool towns best when rain is low, and wide ponds cool towns best when rain "
            "is high.",
        ),
        ("The cost rises with the level of ponds.", "The cost rises with falling level of ponds."),
        ("It always rains, so that ponds help.", "It always rains. Ponds help."),
        ("Because ponds help, it rains.", "Because it rains, ponds help."),
        ("It rained, so they stayed.", "It rained. They stayed."),
        ("It rains, so ponds help.", "Ponds help, so it rains."),
        ("It has grown because ponds failed.", "It has grown since its start, and ponds failed."),
    ],
)
def test_what_changed_places_or_duty_forbids_support(sentence: str, evidence: str) -> None:
    assert vetoes(parse_claim(sentence), parse_sentence(evidence))


@each(
    ("sentence", "evidence"),
    [
        ("Cassandra takes 2 ms and MongoDB 4 ms.", "Cassandra takes 2 ms and MongoDB takes 4 ms."),
        (
            "The coordinator pushes the mapping to the servers.",
            "The mapping is pushed to all servers by the coordinator after every change.",
        ),
        ("The field faces the problem of size.", "The field is faced with the problem of size."),
        ("The users train a model with logs.", "Users train models that are trained with logs."),
        ("We rated the pupils that were trained.", "The trained pupils were rated."),
        ("Users need not install it.", "Users do not need to install it."),
        ("Attendance was voluntary.", "Attendance was not mandatory."),
        ("It may not be mandatory.", "It may not be required."),
        ("Neither of the two rooms is free.", "Neither of the rooms is free."),
        ("The size needs no tuning.", "The size does not require tuning."),
        ("Students must pass a test.", "Passing a test is required of students."),
        ("A strict proof of primes is not required.", "We do not require strict prime proofs."),
        ("Results of trials give new questions.", "Trials give results by raising new questions."),
        (
            "Instances should be made like real ones.",
            "Instances need not be structureless, and should be made like real ones.",
        ),
        (
            "Theory cannot tell the full story.",
            "This is not because of love, but because theory cannot tell the full story.",
        ),
        (
            "One can never count on different key values residing in the same place.",
            "You can never count on different key-values residing in the same place.",
        ),
        ("Proofs help because they are short.", "Proofs help, as they are short."),
        ("Tools help because their output is visual.", "Tools help as their output is visual."),
        ("Because reads are local, they scale well.", "Reads are local, so they scale well."),
        ("Data are lost before logs are kept.", "Logs are kept after data are lost."),
        (
            "Either the reserve price or the bid of the first ad that was omitted is the price of "
            "the last ad on the page.",
            "The price of the last ad shown on the page is either the reserve price or the bid of "
            "the first omitted ad.",
        ),
        ("Pupils cannot load the files.", "The files cannot be loaded by pupils."),
        ("No errors were found after it rained.", "After it rained, no errors were found."),
        ("Ponds were so-called lakes so far.", "Ponds were called lakes."),
        (
            "Data that are not used, can safely be lost.",
            "Data that are not used can safely be lost.",
        ),
        ("Grids are contained in a C server.", "The server written in C, contains all the grids."),
        ("Reads are local, so they scale well.", "As reads are local, they scale well."),
        ("Pupils have actively used the test.", "The test has been actively used by pupils."),
        ("They scale well because reads are local.", "Reads are local so they scale well."),
        ("The author has seen many papers.", "I have unfortunately seen many papers."),
        ("It was tested in matches of 100 games.", "It was tested in 100-game matches."),
        ("The week has two sessions.", "The week is structured around two sessions."),
        ("They get only a few words here.", "They get only few words here."),
        ("The presentations were not analysed.", "We did not analyse the presentations."),
        ("Ponds are usually not covered.", "Ponds are not a topic that is usually covered."),
        ("It cools, no matter whether ponds are old.", "It cools, whether ponds are old."),
        ("Ponds cannot be moved and cool highly.", "Ponds highly cool and cannot be moved."),
        ("They removed lists and it became more useful.", "Removing lists made it more useful."),
        ("Pupils read fewer books than these.", "These are more books than pupils read."),
        (
            "The first ad that is omitted beats the last ad.",
            "The first omitted ad beats the last ad.",
        ),
        ("It got faster in many towns.", "In many towns it got faster and slower roads fell."),
        ("Ponds cool, above all if deep.", "Ponds cool, especially if deep."),
        ("Setting up data cost time.", "Time was lost on data setup, and interest went down."),
        ("It is the fifth time.", "It marks our fifth time."),
        ("Ponds became more useful and cut heat.", "Ponds became increasingly useful to cut heat."),
        ("Ponds are a better way.", "Ponds are not simply a better way."),
        ("It is a pond.", "It is simply a pond."),
        ("Words are looked up by pupils.", "Pupils look up words, and few of them go down."),
        ("Few pupils failed.", "Few of the pupils failed."),
        ("It ran on the PDP-7 and PDP-9.", "It ran on the PDP-7 and -9."),
        ("Ponds must be entirely clean.", "Entirely clean is what ponds must be."),
        ("It is cooled by supporting ponds.", "By relying on the support of ponds, it is cooled."),
        ("One pond cools the street.", "A single pond cools the street."),
        (
            "It is divided into blocks.",
            "It is divided into blocks, not in the sense of block form.",
        ),
        ("It keeps the test results in files.", "It keeps the results of the tests in files."),
        (
            "Although ponds cool many streets, they do not cool parks.",
            "Ponds cool many streets, but ponds do not cool all parks of many streets.",
        ),
    ],
)
def test_the_same_in_other_places_or_words_of_duty_is_free(sentence: str, evidence: str) -> None:
    assert not vetoes(parse_claim(sentence), parse_sentence(evidence))


@each(
    ("sentence", "evidence"),
    [
        ("It provides notions.", "We argue that it provides several notions."),
        ("It may help and cool.", "It may help and could cool."),
        ("It is used in schools.", "It can be used in schools."),
        ("It is built anew.", "It will be built anew."),
    ],
)
def test_shades_are_left_to_a_sure_model(sentence: str, evidence: str) -> None:
    found = vetoes(parse_claim(sentence), parse_sentence(evidence))
    assert {one.kind.value for one in found} == {"shade"}


@each(
    ("sentence", "evidence"),
    [
        ("It is built, so ponds cool.", "It is built, and ponds cool."),
        ("It is hot because ponds are low.", "Ponds are low, and it is hot."),
    ],
)
def test_a_reason_that_is_a_fact_is_left_to_a_language_model(sentence: str, evidence: str) -> None:
    found = vetoes(parse_claim(sentence), parse_sentence(evidence))
    assert {one.kind.value for one in found} == {"reason"}


@each(
    ("sentence", "evidence"),
    [
        ("The filter was trained on noise.", "The noise was filtered before training."),
        ("Designers tested the page.", "The testers designed the page."),
    ],
)
def test_words_in_other_forms_are_not_exact_support(sentence: str, evidence: str) -> None:
    assert [one.kind.value for one in differing(sentence, evidence)] == ["order"]
    assert not vetoes(parse_claim(sentence), parse_sentence(evidence))


PARTS = [
    (
        "Old ponds cooled few streets, which is a flaw.",
        "A flaw of old ponds is that few streets cooled.",
    ),
    (
        "Pupils read the books that teachers bought.",
        "Teachers bought books, which the pupils read.",
    ),
]


@each(("sentence", "evidence"), PARTS)
def test_parts_in_another_order_are_left_to_a_language_model(sentence: str, evidence: str) -> None:
    assert {one.kind.value for one in vetoes(parse_claim(sentence), parse_sentence(evidence))} == {
        "apart"
    }


@each(
    ("sentence", "evidence"),
    [
        ("Every worker pings the master often.", "The master pings every worker often."),
        (
            "It fits a non-linear model, and then a linear model.",
            "It fits a linear model, and then a non-linear model.",
        ),
        (
            "Low values come first in June, and high ones in May.",
            "High values come first in June, and low ones in May.",
        ),
        (
            "The old short draft was built using this paper.",
            "This paper was built using the old short draft.",
        ),
        ("Parents were taught by pupils.", "Pupils were taught by parents."),
        (
            "Tin is soluble and lead is not soluble.",
            "Lead is soluble and tin is not soluble.",
        ),
        ("A cut of costs brings a cut of bids.", "A cut of bids brings a cut of costs."),
        (
            "Oak is built on the model of trees.",
            "They are Elm, which is built on the model of trees; and Oak, which is built on the "
            "model of lists.",
        ),
    ],
)
def test_two_parts_that_changed_places_are_of_another_order(sentence: str, evidence: str) -> None:
    assert "order" in {
        one.kind.value for one in vetoes(parse_claim(sentence), parse_sentence(evidence))
    }


@each(
    ("sentence", "evidence"),
    [
        ("Red, green and blue ponds cool.", "Blue, green and red ponds cool."),
        ("Streets are cooled by ponds.", "Ponds cool the streets."),
        ("Ponds are not deep and lakes are deep.", "Lakes are deep and ponds are not deep."),
        ("In towns, ponds cool streets.", "Ponds cool streets in towns."),
    ],
)
def test_lists_passives_and_openings_exchange_nothing(sentence: str, evidence: str) -> None:
    assert not exchanged_places(parse_claim(sentence), parse_sentence(evidence))


FACES = "Faces were better recalled at dawn; names were better recalled at dusk."
AGE = "Working memory declined with age, whereas vocabulary did not decline with age."
ARMS = "Group A received the drug; group B received a placebo."


@each(
    ("sentence", "evidence"),
    [
        (
            "Depression and anxiety scores fell in June.",
            "Depression scores fell in June; anxiety scores fell in June.",
        ),
        (
            "Trust in doctors was high in rural areas and low in large cities.",
            "Trust in doctors was high in rural areas; trust in doctors was low in large cities.",
        ),
        ("Working memory declined with age.", AGE),
        ("Vocabulary did not decline with age.", AGE),
        ("Group A received the drug.", ARMS),
        (
            "Ada has songs certified as gold.",
            "Ada has had three songs certified as platinum, and ten songs certified as gold.",
        ),
        (
            "The film made 60 million euros during its first week.",
            "The film ran in towns, making 20 million euros on its first day and 60 million euros "
            "during its first week.",
        ),
        (
            "Fatigue was higher after evenings with friends, but not with films.",
            "Fatigue was higher after evenings with friends, but not after evenings with films.",
        ),
        ("The drug is safe and cheap.", "The drug does not reduce pain; it is safe and cheap."),
        (
            "Vitamin C was given to children.",
            "Although adults did not take part, vitamin C was given to children.",
        ),
    ],
)
def test_a_clause_or_several_that_are_only_joined_are_borne_out(
    sentence: str, evidence: str
) -> None:
    assert not vetoes(parse_claim(sentence), parse_sentence(evidence))


@each(
    ("sentence", "evidence"),
    [
        ("Names and faces were better recalled at dawn.", FACES),
        ("Names were better recalled at dawn.", FACES),
        ("Working memory did not decline with age.", AGE),
        (
            "Working memory did not decline with age.",
            "Although vocabulary did not decline with age, working memory declined with age.",
        ),
        (
            "Working memory did not decline with age.",
            "Working memory declined with age; vocabulary did not decline with age.",
        ),
        (
            "Fatigue was higher after evenings with films, but not after evenings with friends.",
            "Fatigue was higher after evenings with friends, but not after evenings with films.",
        ),
        (
            "Nurses were seen in wards.",
            "Nurses were seen at home; patients were seen in wards.",
        ),
        (
            "Names were better recalled at dawn.",
            "Faces were better recalled at dawn and names were better recalled at dusk.",
        ),
        ("Group A received a placebo.", ARMS),
        ("Groups A and B received a placebo.", ARMS),
    ],
)
def test_a_clause_lends_neither_words_nor_a_denial_to_another_one(
    sentence: str, evidence: str
) -> None:
    assert vetoes(parse_claim(sentence), parse_sentence(evidence))


def test_a_formula_without_words_deviates_from_another() -> None:
    assert differing("A ∩ B.", "A ∪ B.")
    assert not differing("A ∪ B.", "B ∪ A.")


def test_an_underscore_within_a_name_is_not_markup() -> None:
    assert not markup("FAIR_Bioinfo lasts eight months.")
    assert all(markup(one) for one in ("_FAIR_ lasts.", "FAIR_ lasts.", "*FAIR* lasts."))


def test_a_direction_that_the_source_lacks_is_said_once() -> None:
    found = differing("Confidence fell in May.", "Confidence was asked for in May.")
    assert [one.text for one in found].count("The source does not say “fell”.") >= 1
    assert not any("does not have “fell”" in one.text for one in found)


def test_exchanged_parts_are_named() -> None:
    mine, theirs = map(parse_sentence, ("The dog sees every cat.", "Every cat sees the dog."))
    assert exchanged_places(parse_claim(mine.text), theirs) == ("dog", "every cat")


def test_a_word_that_governs_nothing_of_the_claim_is_no_reservation() -> None:
    claim = parse_claim("The problem occurs with augmented chords.")
    for source, kind in (
        (
            "Of the chords that we attempt to classify, the problem occurs with augmented chords.",
            "shade",
        ),
        ("We expect that the problem occurs with augmented chords.", "reservation"),
    ):
        found = [one.kind for one in deviations(claim, parse_sentence(source))]
        assert kind in found
        assert ("reservation" in found) is (kind == "reservation")


def test_a_month_is_not_a_hedge() -> None:
    source = "In May 2019, the tool was held back, and on 12 May it ran."
    assert not attribution_words(source)
    assert not HEDGE.search(source)
    assert HEDGE.search("The tool may run in May.")


def test_the_hedge_that_was_left_out_is_named() -> None:
    found = deviations(parse_claim("Ponds cool it."), parse_sentence("Ponds perhaps cool it."))
    assert [one.text for one in found] == ["The source is less sure: “perhaps”."]
