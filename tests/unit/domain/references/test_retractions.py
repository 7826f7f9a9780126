"""The standing of a work after all notices on it."""

from datetime import date

from support.cases import each

from citeloom.domain.references.work_versions import Nature, Notice, current_notice


def a_notice(nature: Nature, year: int | None) -> Notice:
    return Notice(doi="10.5555/a", nature=nature, dated=date(year, 1, 1) if year else None, line=1)


@each(
    ("notices", "stands"),
    [
        ([(Nature.CORRECTION, 2020), (Nature.CONCERN, 2019)], Nature.CONCERN),
        ([(Nature.RETRACTION, 2019), (Nature.CORRECTION, 2021)], Nature.RETRACTION),
        ([(Nature.RETRACTION, 2019), (Nature.REINSTATEMENT, 2021)], Nature.REINSTATEMENT),
        ([(Nature.REINSTATEMENT, 2018), (Nature.RETRACTION, 2019)], Nature.RETRACTION),
        ([(Nature.RETRACTION, None), (Nature.REINSTATEMENT, 2019)], Nature.REINSTATEMENT),
        ([(Nature.RETRACTION, 2019), (Nature.REINSTATEMENT, None)], Nature.RETRACTION),
    ],
)
def test_how_a_work_stands_is_what_the_notices_say_together(
    notices: list[tuple[Nature, int | None]], stands: Nature
) -> None:
    assert current_notice(a_notice(*each) for each in notices).nature is stands
