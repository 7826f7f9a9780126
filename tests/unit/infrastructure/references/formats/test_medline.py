"""MEDLINE as PubMed writes it."""

from support.cases import each

from citeloom.infrastructure.references.formats.medline import read_medline


def test_pubmeds_own_format_is_read() -> None:
    text = """
PMID- 19480076
OWN - NLM
DP  - 2009 May-Jun
TI  - Living with diabetes: care beyond choice
      and control.
PG  - 1756-7
LID - 10.1016/S0140 [pii]
AID - 10.1016/S0140-6736(09)60971-5 [doi]
FAU - Mol, Annemarie
AU  - Mol A
CN  - Diabetes Group
LA  - eng
IS  - 1474-547X (Electronic)
JT  - Lancet (London, England)
TA  - Lancet
VI  - 373
IP  - 9677
OT  - care

PMID- 2
AU  - Smith JA
BTI - A Book.
"""
    first, second = read_medline(text)
    assert first.csl == {
        "type": "article-journal", "title": "Living with diabetes: care beyond choice and control",
        "PMID": "19480076", "DOI": "10.1016/S0140-6736(09)60971-5", "ISSN": "1474-547X",
        "container-title": "Lancet (London, England)", "container-title-short": "Lancet",
        "volume": "373", "issue": "9677", "page": "1756-7", "language": "en",
        "issued": {"date-parts": [[2009, 5], [2009, 6]]},
        "author": [{"family": "Mol", "given": "Annemarie"}, {"literal": "Diabetes Group"}],
        "URL": "https://pubmed.ncbi.nlm.nih.gov/19480076/",
    }  # fmt: skip
    assert first.tags == ("care",)
    assert (second.csl["type"], second.csl["title"]) == ("book", "A Book")
    assert second.csl["author"] == [{"family": "Smith", "given": "JA"}]


@each(
    ("tag", "written", "parts"),
    [
        ("FAU", "Smith, John A Jr", ("Smith", "John A", "Jr")),
        ("FAU", "Smith, John A 3rd", ("Smith", "John A", "3rd")),
        ("FAU", "Smith, John III", ("Smith", "John", "III")),
        ("AU ", "Smith JA Jr", ("Smith", "JA", "Jr")),
        ("AU ", "Smith JA 2nd", ("Smith", "JA", "2nd")),
        ("AU ", "De La Cruz J", ("De La Cruz", "J", None)),
        ("AU ", "Lenin VI", ("Lenin", "VI", None)),
    ],
)
def test_suffixes_are_no_given_names(tag: str, written: str, parts: tuple[str | None, ...]) -> None:
    (item,) = read_medline(f"PMID- 1\nTI  - Ponds\n{tag} - {written}\n")
    (name,) = item.csl["author"]
    assert (name["family"], name["given"], name.get("suffix")) == parts
