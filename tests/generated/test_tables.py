"""Tables of every kind: the cells where they were set, running text outside.

All seeds are worth a run by hand; these cover each kind once, in one and in two columns.
"""

import pytest
from generated.table_measure import score_table
from generated.typeset.tables import KINDS, typeset_table


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_cells_of_a_typeset_table(seed: int) -> None:
    table = typeset_table(seed)
    found = score_table(table)
    assert found.right >= 0.95 * found.wanted, table.kind
    assert found.right >= 0.95 * found.told, table.kind
    assert found.spans == found.right, table.kind
    assert found.eaten == 0, table.kind
    assert found.kept, table.kind
