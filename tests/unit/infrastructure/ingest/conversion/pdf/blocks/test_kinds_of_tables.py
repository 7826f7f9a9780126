"""What looked like a table, by its cells: a table, formulas, a listing."""

from collections.abc import Sequence

from support.pdf.page_lines import PITCH, line

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft
from citeloom.infrastructure.ingest.conversion.pdf.blocks.joins import with_table_grids
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine


def _kind(
    rows: list[tuple[str, str]],
    maths: float = 0.0,
    font: str = "Roman",
    above: Sequence[BlockDraft] = (),
) -> BlockLabel:
    lines: list[TextLine] = []
    for at, (first, second) in enumerate(rows):
        pieces = [(first, 60.0, 60 + 5.0 * len(first)), (second, 300 - 5.0 * len(second), 300.0)]
        placed = line(f"{first} {second}", base=100 + at * PITCH, x0=60.0, x1=300.0, pieces=pieces)
        lines.append(placed._replace(maths=maths, font=font))
    drafts = [*above, BlockDraft(BlockLabel.TABLE, tuple(lines), 0)]
    return with_table_grids(drafts, [])[-1].label


def test_a_derivation_with_its_reasons_is_no_table() -> None:
    rows = [
        ("s1 < t(e1)", "(commit wait)"),
        ("t(e1) ≤ t(e2)", "(causality)"),
        ("s1 < s2", "(both)"),
    ]
    assert _kind(rows, maths=0.35) is BlockLabel.FORMULA
    goes_on = [("LHS = (x : A)", "by definition"), ("= (x : B)", "A is B"), ("= RHS", "by it")]
    assert _kind(goes_on, maths=0.35) is BlockLabel.FORMULA


def test_the_points_of_a_plot_are_no_table() -> None:
    assert _kind([("●", "●"), ("●●", "●"), ("●", "●●")]) is BlockLabel.FORMULA


def test_a_proof_tree_is_no_table_and_a_row_of_dots_makes_none() -> None:
    tree = [(". .", ". ."), (".", "."), ("A true", "B true")]
    assert _kind(tree, maths=0.35) is BlockLabel.FORMULA
    rows = [("first", "one item"), ("second", "two items"), ("...", "..."), ("last", "n items")]
    rows += [("." * 20, "." * 20)] * 2  # to be filled in
    assert _kind(rows, maths=0.35) is BlockLabel.TABLE


def test_a_matrix_and_cases_are_formulas_and_a_call_in_a_cell_is_none() -> None:
    assert _kind([("1", "0"), ("B = (", ")"), ("0", "1")]) is BlockLabel.FORMULA
    assert _kind([("a", "if a > 0"), ("f(a) = {", "."), ("0", "otherwise")]) is BlockLabel.FORMULA
    assert _kind([("open(", "Opens"), ("close()", "Ends"), ("read()", "Reads")]) is BlockLabel.TABLE


def test_mathematics_without_certain_cells_is_no_table() -> None:
    assert _kind([("[A]^x", "[B]^y"), ("A", "B"), ("&-I", "∙"), ("A & B", "A")], 0.7) is (
        BlockLabel.FORMULA
    )


def test_mathematics_that_a_caption_calls_a_table_is_one() -> None:
    rows = [("insert", "log_B N"), ("B-tree", "log N"), ("log N/ε", "LSM"), ("log N", "B")]
    caption = BlockDraft(BlockLabel.CAPTION, (line("Table 1: Asymptotic costs", base=80.0),), 0)
    table = BlockDraft(BlockLabel.TABLE, (line("a 1", base=60.0),), 0)
    assert _kind(rows, maths=0.7) is BlockLabel.FORMULA
    assert _kind(rows, maths=0.7, above=[caption]) is BlockLabel.TABLE
    assert _kind(rows, maths=0.7, above=[table, caption]) is BlockLabel.FORMULA


def test_a_table_of_powers_and_numbers_is_a_table() -> None:
    rows = [("3.3 × 10⁻³", "0.99"), ("4.3 × 10⁻⁴", "≥ 1 − 10⁻⁶"), ("2.6 × 10⁻⁵", "0.998")]
    assert _kind(rows, maths=0.45) is BlockLabel.TABLE


def test_lines_with_their_numbers_are_a_listing() -> None:
    rows = [("1:", "function f(x)"), ("2:", "if x = 0 then"), ("3:", "return 1"), ("4:", "end if")]
    assert _kind(rows) is BlockLabel.CODE


def test_a_table_with_ranks_is_no_listing() -> None:
    rows = [("1", "alpha 12"), ("2", "beta 13"), ("3", "gamma 14"), ("4", "delta 15")]
    assert _kind(rows) is BlockLabel.TABLE


def test_lines_with_their_numbers_and_words_of_programs_are_a_listing() -> None:
    rows = [("1", "p = hash(x)"), ("2", "while p < n do"), ("4", "p = p + 1"), ("5", "return p")]
    assert _kind(rows) is BlockLabel.CODE


def test_lines_in_typewriter_type_without_certain_cells_are_a_listing() -> None:
    rows = [
        ("[B] C", "A"),
        ("Reinforcement Learns", "Generalized Linear"),
        ("Deep", "Models Of Any"),
    ]
    assert _kind(rows, maths=0.5, font="Courier") is BlockLabel.CODE
