"""Clauses of a claim that name the authors whom it cites."""

from support.cases import each

from citeloom.domain.verification.drafts.typed_citations import without_authors

AUTHORS = ("Fischer, Michael J.", "Nancy A. Lynch", "Paterson, Michael S.", "van Rossum, Guido")


@each(
    ("claim", "said"),
    [
        ("Fischer, Lynch and Paterson show that no protocol exists.", "No protocol exists."),
        ("Lynch et al. also warn that clocks drift.", "Clocks drift."),
        ("Michael Fischer and colleagues have proved that 3 faults do harm.", "3 faults do harm."),
        ("According to van Rossum, names matter.", "Names matter."),
        ("As Lynch notes, clocks drift.", "Clocks drift."),
        ("Paterson's proof needs three steps.", "The proof needs three steps."),
        ("Turing shows that no protocol exists.", "Turing shows that no protocol exists."),
        ("Lynch and Turing show that clocks drift.", "Lynch and Turing show that clocks drift."),
        ("Lynch lives near the coast.", "Lynch lives near the coast."),
        ("Friends of Lynch say that clocks drift.", "Friends of Lynch say that clocks drift."),
    ],
)
def test_without_the_cited_authors(claim: str, said: str) -> None:
    assert without_authors(claim, AUTHORS) == said


def test_without_known_authors_the_claim_stays() -> None:
    assert without_authors("Lynch shows that clocks drift.", ()) == "Lynch shows that clocks drift."
