"""A worker that would read documents otherwise is told apart, with what to do about it."""

from support.cases import each

from citeloom_server.infrastructure.cluster.requests import WorkerIdentity

OWN = WorkerIdentity(
    citeloom="1.0", converter="rules=3", ocr="tesseract-5:eng", chunking="s-4", distributed="2026.8"
)


def test_an_equal_worker_has_no_difference() -> None:
    assert OWN.difference(OWN.model_copy()) is None


@each(
    ("field", "told"),
    [
        ("citeloom", "has CiteLoom other, this machine 1.0; install the same version of CiteLoom"),
        ("converter", "has the converter other, this machine rules=3; install the same version"),
        ("ocr", "has the OCR engine other, this machine tesseract-5:eng; install the same engine"),
        ("chunking", "has the chunker other, this machine s-4; install the same version"),
        ("distributed", "has distributed other, this machine 2026.8; install the same version"),
    ],
)
def test_each_difference_is_told_with_both_sides_and_a_remedy(field: str, told: str) -> None:
    difference = OWN.difference(OWN.model_copy(update={field: "other"}))
    assert difference is not None
    assert difference.startswith(told)


def test_of_several_differences_the_version_is_told() -> None:
    other = OWN.model_copy(update={"citeloom": "2.0", "converter": "rules=4", "chunking": "s-5"})
    assert str(OWN.difference(other)).startswith("has CiteLoom 2.0")
