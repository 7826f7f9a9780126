"""Quantities, and the comparison of a claim's quantities with a source's."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from citeloom.domain.verification.quantities.units import in_base

Kind = Literal["number", "range", "interval", "p-value", "year", "ordinal"]
Relation = Literal["=", "<", ">"]

#: Relative tolerance of approximate values.
TOLERANCE: Final = Decimal("0.05")
# "Over 500" is said of 523, hardly of 900: maximum ratio of a value and its bound.
_NEAR_BOUND: Final = Decimal("1.25")


class Quantity(NamedTuple):
    """A quantity at ``text[start:end]``.

    ``value`` includes its magnitude; of a range or interval it is the lower end, ``upper`` the
    other. ``spread`` is the value after ±, ``level`` the per cent of a confidence interval.
    ``unit`` is a name of ``units`` (``percent``, ``USD``, ``mg/kg``) or "".
    """

    start: int
    end: int
    text: str
    value: Decimal
    kind: Kind = "number"
    unit: str = ""
    upper: Decimal | None = None
    spread: Decimal | None = None
    level: Decimal | None = None
    relation: Relation = "="
    approximate: bool = False


def missing_quantities(
    claimed: Iterable[Quantity], stated: Iterable[Quantity]
) -> tuple[Quantity, ...]:
    """The quantities of a claim that the source does not state."""
    stated = tuple(stated)
    return tuple(one for one in claimed if not _is_stated(one, stated))


def same_value(one: Quantity, other: Quantity) -> bool:
    """Whether ``other`` of a source supports ``one`` of a claim, ranges apart.

    Units are converted (2 h is 120 min), 25 % equals 0.25. Values are equal, or within 5 per
    cent if one is approximate, or near the claim's bound and within it."""
    if (one.kind == "ordinal") != (other.kind == "ordinal"):
        return False
    if (one.kind == "p-value") != (other.kind == "p-value"):
        return False
    value, unit = in_base(one.value, one.unit)
    other_value, other_unit = in_base(other.value, other.unit)
    if unit != other_unit:
        if {unit, other_unit} != {"percent", ""} or "" not in (one.unit, other.unit):
            return False
        bare, share = (value, other_value) if not unit else (other_value, value)
        return 0 < bare < 1 and bare * 100 == share
    if one.spread is not None and one.spread != other.spread:
        return False
    return _meets(one, other, value, other_value)


def _meets(one: Quantity, other: Quantity, value: Decimal, other_value: Decimal) -> bool:
    if value == other_value:
        return one.relation == other.relation or "=" in (one.relation, other.relation)
    if "year" not in (one.kind, other.kind) and (one.approximate or other.approximate):
        return abs(value - other_value) <= TOLERANCE * max(abs(value), abs(other_value))
    if one.kind == "p-value" and one.relation == "<":
        return other_value < value and other.relation != ">"
    if one.relation == ">":
        return value < other_value <= value * _NEAR_BOUND and other.relation != "<"
    if one.relation == "<":
        return other_value < value <= other_value * _NEAR_BOUND and other.relation != ">"
    return False


def _is_stated(one: Quantity, stated: Sequence[Quantity]) -> bool:
    if one.upper is None:
        if one.relation != "=" or one.approximate:
            stated = (*stated, *(end for other in stated for end in _ends(other)))
        return any(same_value(one, other) for other in stated if other.upper is None)
    low, high = _ends(one)
    for other in stated:
        ends = _ends(other)
        if not ends or not (same_value(low, ends[0]) and same_value(high, ends[1])):
            continue
        if one.level is None or other.level in (None, one.level):
            return True
    single = [other for other in stated if other.upper is None]
    return one.kind == "range" and all(
        any(same_value(end, other) for other in single) for end in (low, high)
    )


def _ends(quantity: Quantity) -> tuple[Quantity, ...]:
    if quantity.upper is None:
        return ()
    plain = quantity._replace(upper=None, kind="number", level=None)
    return plain, plain._replace(value=quantity.upper)
