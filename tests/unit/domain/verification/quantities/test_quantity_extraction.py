"""Quantities in prose, and which of them a source states."""

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.paths import cases

from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.verification.quantities.quantity import (
    Quantity,
    has_numeric_content,
    missing_quantities,
    quantities,
)

CASES: dict[str, Any] = cases("deep_research_citations")


def only(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


def states(source: str, claim: str) -> bool:
    claimed = quantities(claim)
    return bool(claimed) and not missing_quantities(claimed, quantities(source))


@each("row", CASES["numeric_parse"], ids=lambda row: row["in"])
def test_value_and_unit_are_read(row: dict[str, str | None]) -> None:
    found = quantities(row["in"] or "")
    if row.get("value"):
        assert found[0].value == Decimal(row["value"] or 0)
    elif "value" in row:
        assert not found
    if row.get("unit"):
        assert found[0].unit == row["unit"]


@each("row", CASES["numeric_exact_match"], ids=lambda row: row["claim"])
def test_a_claim_agrees_where_all_its_numbers_are_stated(row: dict[str, Any]) -> None:
    assert states(row["evidence"], row["claim"]) == row["match"]


@each("row", CASES["numeric_exact_match_stricter_derived"], ids=lambda row: row["claim"])
def test_numbers_are_compared_as_values_with_magnitude_and_unit(row: dict[str, Any]) -> None:
    assert states(row["evidence"], row["claim"]) == row["ours"]


@each(
    "row",
    [row for row in CASES["tolerance"] if "a" in row],
    ids=lambda row: f"{row['a']}-{row['b']}",
)
def test_tolerance_is_five_per_cent_where_the_text_says_about(row: dict[str, Any]) -> None:
    assert states(f"There were {row['b']} of them.", f"about {row['a']}") == row["match"]
    exact = states(f"There were {row['b']} of them.", f"exactly {row['a']}")
    assert exact == (row["a"] == row["b"])


@each("row", CASES["detect_numeric_sentences"], ids=lambda row: row["text"])
def test_sentences_with_numbers_are_found(row: dict[str, Any]) -> None:
    text = row["text"]
    count = sum(has_numeric_content(text[a:b]) for a, b in sentence_spans(text))
    assert count == row["count"] if "count" in row else count >= row["min"]


@each("row", CASES["has_numeric"], ids=lambda row: row["in"])
def test_numeric_content_is_told(row: dict[str, Any]) -> None:
    assert has_numeric_content(row["in"]) == row["out"]


@each(
    ("text", "value", "unit"),
    [
        ("at −0.5 °C", "-0.5", "°C"),
        ("a change of –12%", "-12", "percent"),
        ("five per cent", "5", "percent"),
        ("1.2M users", "1200000", ""),
        ("two million", "2000000", ""),
        ("a hundred", "100", ""),
        ("two hundred and twelve", "212", ""),
        ("one hundred twelve", "112", ""),
        ("three thousand two hundred and ten", "3210", ""),
        ("seventeen thousand five hundred", "17500", ""),
        ("two hundred thousand", "200000", ""),
        ("two hundred and twelve thousand", "212000", ""),
        ("twenty-five", "25", ""),
        ("3×10⁻⁴", "0.0003", ""),
        ("3 x 10^-4", "0.0003", ""),
        ("1e-5", "0.00001", ""),
        ("10⁻³", "0.001", ""),
        ("5 mg/kg", "5", "mg/kg"),
        ("5 mg kg⁻¹", "5", "mg/kg"),
        ("5 mM", "5", "mM"),
        ("10 M", "10", "M"),
        ("(n = 1,234)", "1234", ""),
        ("0·05", "0.05", ""),
        ("12\u202f345", "12345", ""),
        ("a 20-item scale", "20", ""),
        ("a 5-year-old", "5", "years"),
        ("a threefold rise", "3", "fold"),
        ("it doubled", "2", "fold"),
        ("half of them", "50", "percent"),
        ("one patient died", "1", ""),
    ],
)
def test_a_number_is_read_with_sign_magnitude_and_unit(text: str, value: str, unit: str) -> None:
    assert (only(text).value, only(text).unit) == (Decimal(value), unit)


@each(
    ("text", "kind", "ends"),
    [
        ("3–5", "range", (3, 5)),
        ("between 3 and 5 million", "range", (3_000_000, 5_000_000)),
        ("$3-5 billion", "range", (3 * 10**9, 5 * 10**9)),
        ("5- to 10-year", "range", (5, 10)),
        ("ranged from 20 to 50", "range", (20, 50)),
        ("95% CI 1.2–3.4", "interval", (Decimal("1.2"), Decimal("3.4"))),
        ("95% CI [1.2, 3.4]", "interval", (Decimal("1.2"), Decimal("3.4"))),
        ("95% CI: 1 to 3", "interval", (1, 3)),
        ("95% confidence interval (CI) 1.1 to 2.3", "interval", (Decimal("1.1"), Decimal("2.3"))),
        ("95% CI −1.2 to 3.4", "interval", (Decimal("-1.2"), Decimal("3.4"))),
    ],
)
def test_two_ends_are_one_quantity(text: str, kind: str, ends: tuple[Decimal, Decimal]) -> None:
    found = only(text)
    assert (found.kind, (found.value, found.upper)) == (kind, ends)
    assert found.level == (95 if kind == "interval" else None)


def test_p_values_have_their_relation() -> None:
    assert only("p < 0.05")[3:5] == (Decimal("0.05"), "p-value")
    assert only("p < 0.05").relation == "<"
    assert only("P=.03").relation == "="
    assert only("P = 3 × 10⁻⁴").value == Decimal("0.0003")


def test_a_spread_belongs_to_its_value() -> None:
    found = only("1.4 ± 0.24 mg")
    assert (found.value, found.spread, found.unit) == (Decimal("1.4"), Decimal("0.24"), "mg")


@each(
    "text",
    "IL-6|COVID-19|a 3D view|4-PBA|Figure 2|Table 3|as shown [12, 13]|p53|type 2 diabetes|"
    "version 3.11|one of them|no one|10.1000/xyz12|https://a.org/12|CD4+|no number".split("|"),
)
def test_names_with_digits_are_no_quantities(text: str) -> None:
    assert quantities(text) == ()


@each(
    ("text", "kind"),
    [
        ("in 2024", "year"),
        ("in the 1990s", "year"),
        ("a 2 × 3 design", "number"),
        ("(Smith, 2019)", "year"),
        ("of 1900 patients", "number"),
        ("the 3rd", "ordinal"),
        ("the second", "ordinal"),
    ],
)
def test_years_and_ordinals_are_told_apart(text: str, kind: str) -> None:
    assert {one.kind for one in quantities(text)} == {kind}
    assert all(one.unit == "" for one in quantities(text))


@each(
    ("claim", "source", "stated"),
    [
        ("3–5 years", "from 3 in spring to 5 years", False),
        ("20 to 50", "rose from 20 to 50", True),
        ("20–50%", "20% to 50%", True),
        ("95% CI 1.2–3.4", "95% CI [1.2, 3.4]", True),
        ("95% CI 1.2–3.4", "95% CI [1.2, 3.5]", False),
        ("90% CI 1.2–3.4", "95% CI [1.2, 3.4]", False),
        ("95% of them", "95% CI [1.2, 3.4]", False),
        ("p < 0.05", "p = 0.03", True),
        ("p < 0.05", "p = 0.3", False),
        ("p = 0.03", "p < 0.05", False),
        ("2 h", "120 min", True),
        ("2 h", "2 min", False),
        ("1.5 g", "1500 mg", True),
        ("25%", "a share of 0.25", True),
        ("25%", "24.8%", False),
        ("about 25%", "24.8%", True),
        ("25%", "nearly 24.8%", True),
        ("about 2010", "in 2012", False),
        ("more than 500", "523 people", True),
        ("more than 500", "490 people", False),
        ("the 3rd", "3 of them", False),
        ("−0.5", "0.5", False),
        ("1.4 ± 0.2", "1.4 ± 0.24", False),
        ("1.4", "1.4 ± 0.24", True),
        ("ten years", "10 years", True),
        ("5 mg", "5 mg/kg", False),
    ],
)
def test_what_bears_a_number_out(claim: str, source: str, stated: bool) -> None:
    assert states(source, claim) == stated


def test_what_is_missing_is_named() -> None:
    claim = "Of 120 pupils, 45% passed (p < .01)."
    absent = missing_quantities(quantities(claim), quantities("45% of 130 pupils passed, p < .01"))
    assert [one.text for one in absent] == ["120"]


@given(st.text(alphabet="0123456789.,-–−+±%$€ ×10⁻⁴eE()[]<>=pCIn~/mgkKMBft", max_size=40))
def test_quantities_lie_in_order_in_any_text(text: str) -> None:
    at = 0
    for one in quantities(text):
        assert at <= one.start < one.end <= len(text)
        at = one.end


@given(
    st.decimals(min_value=2, max_value=9999, places=1),
    st.sampled_from(["", "%", " mg", " million", " years"]),
    st.sampled_from(["It was {} in all.", "We found {}, as said.", "({})"]),
)
def test_a_number_agrees_with_itself_and_not_with_another(
    value: Decimal, unit: str, frame: str
) -> None:
    claim = frame.format(f"{value}{unit}")
    assert states(f"The source gives {value}{unit}.", claim)
    assert not states(f"The source gives {value + 1}{unit}.", claim)
    assert not states(f"The source gives 7{value}{unit}.", claim)


@each(
    ("text", "kind"),
    [
        ("We taught the material to 1757 interactive students.", "number"),
        ("1873 registered students came.", "number"),
        ("From 2019 to 2021 the students came.", "year"),
        ("In 2020 interactive students came.", "year"),
        ("In the summer of 2020 we taught students.", "year"),
    ],
)
def test_four_digits_that_count_things_are_no_year(text: str, kind: str) -> None:
    assert quantities(text)[-1].kind == kind
