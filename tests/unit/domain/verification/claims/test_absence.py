"""Names and numbers that a whole document does not have."""

from support.cases import each

from citeloom.domain.verification.claims.contradictions import absent

DOCUMENT = (
    "StarBLAST-Docker was made in 2019 for 12.5 % of the classes of the iPlant colla-\nborative. "
    "Students of IL-6 used 100,000 letters."
)


def test_a_country_may_be_called_otherwise() -> None:
    source = "American schools face a high dropout rate."
    assert absent("In the United States 3 schools closed.", source) == ()
    assert absent("In the United Kingdom schools closed.", source) == ("United", "Kingdom")


@each(
    ("claim", "nowhere"),
    [
        ("The tool is called StarBLAST Docker.", ()),
        ("The classes of iPlant used the tool.", ()),
        ("The tool of Jetstream was used in 12.5% of the classes.", ("Jetstream",)),
        ("Teachers used 100000 letters of IL-8.", ("IL-8",)),
        ("In 2021 scores rose by 18 points.", ("18",)),
        ("Two places hold the answers of 3 classes.", ()),
    ],
)
def test_what_stands_nowhere(claim: str, nowhere: tuple[str, ...]) -> None:
    assert absent(claim, DOCUMENT) == nowhere


@each(
    ("claim", "document", "nowhere"),
    [
        ("It was rewritten in Rust.", "Users trust it.", ("Rust",)),
        ("It was rewritten in Rust.", "The Rust port is faster.", ()),
        ("It was written in Java.", "It was written in JavaScript.", ()),  # a hump begins a name
        ("More than 300 users came.", "There were >300 users.", ()),
        ("There are 8.1 million users.", "There are 8.1M users.", ()),
        ("Scores went from 14 to 40.", "Scores of 14-40 were seen.", ()),
        ("It has the MIT Licence.", "It is under the MIT License.", ()),
        ("Google's clusters read S2ORC.", "The clusters at Google read S2ORC.", ()),
        ("They read S2ORC.", "They read SORC.", ("S2ORC",)),
        ("GPUs are fast.", "A fast GPU.", ()),
        ("It ran on the PDP-9.", "It ran on the PDP-7 and -9.", ()),
        ("It ran on the PDP-8.", "It ran on the PDP-7 and -9.", ("PDP-8",)),
    ],
)
def test_names_are_whole_words_and_numbers_have_many_forms(
    claim: str, document: str, nowhere: tuple[str, ...]
) -> None:
    assert absent(claim, document) == nowhere
