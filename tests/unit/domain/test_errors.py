"""The tree of errors: as documented, and whole on the way back from a worker."""

import pickle
import re
from collections.abc import Iterator

from support.cases import each

from citeloom.domain import errors
from citeloom.domain.errors import (
    CiteLoomError,
    DocumentFailed,
    EmbeddingModelMismatch,
    HybridNotSupported,
    InvalidAddress,
    InvalidUri,
    ModelNotInProject,
    OperationTimeout,
    ProjectChanged,
    ProjectNotFound,
    ProjectsDiffer,
    Refused,
    Unavailable,
    UsageError,
)
from citeloom.domain.messages import Action, NextStep

EXIT_CODES = {UsageError: 2, Refused: 3, Unavailable: 4, DocumentFailed: 1}


def classes(above: type[CiteLoomError]) -> Iterator[tuple[str, str]]:
    """Each class of the tree with the name of the one above it."""
    for below in above.__subclasses__():
        if below.__module__ == errors.__name__:
            yield above.__name__, below.__name__
            yield from classes(below)


def drawn() -> Iterator[tuple[str, str]]:
    """The same, as drawn in the docstring of the module."""
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"    ((?:│   |    )*)(├── |└── )?(\w+)(?: {2,}|$)", line):
            depth = len(found[1]) // 4 + bool(found[2])
            del above[depth:]
            if above:
                yield above[-1], found[3]
            above.append(found[3])


def drawn_exit_codes() -> dict[str, int]:
    found = re.findall(r"── (\w+) .*exit (\d)", errors.__doc__ or "")
    return {name: int(code) for name, code in found}


def test_the_tree_in_the_documentation_is_the_tree_of_classes() -> None:
    assert sorted(drawn()) == sorted(classes(CiteLoomError))


def test_exit_codes_follow_the_branch_as_documented() -> None:
    assert drawn_exit_codes() == {kind.__name__: code for kind, code in EXIT_CODES.items()}
    for name in {name for _, name in classes(CiteLoomError)}:
        kind = getattr(errors, name)
        (branch,) = [b for b in EXIT_CODES if issubclass(kind, b)]
        assert kind.exit_code == EXIT_CODES[branch]
    assert CiteLoomError.exit_code == 1


def test_every_class_has_a_code_in_capitals() -> None:
    for name in {name for _, name in classes(CiteLoomError)}:
        assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", getattr(errors, name).code)


def test_a_code_is_the_name_of_its_class_unless_the_class_states_another() -> None:
    assert errors.ProjectExists.code == "PROJECT_EXISTS"
    assert errors.NotPermitted.code == "FORBIDDEN"
    assert errors.InvalidRequest.code == UsageError.code == "INVALID_PARAMETER"
    assert errors.ShardBusy.code == errors.IndexUnavailable.code == "INDEX_UNAVAILABLE"


STEP = NextStep(Action.INGEST_AGAIN, path="x.pdf")


def made(name: str) -> CiteLoomError:
    special: dict[str, CiteLoomError] = {
        "ProjectNotFound": ProjectNotFound("a/b", ["c/d"]),
        "EmbeddingModelMismatch": EmbeddingModelMismatch("a/b", "m@3:aa", "n@4:bb"),
        "ProjectsDiffer": ProjectsDiffer("a/b", "c/d"),
        "ProjectChanged": ProjectChanged("a/b"),
        "ModelNotInProject": ModelNotInProject("a/b", "m", ["n"]),
        "HybridNotSupported": HybridNotSupported("a/b", "it is switched off"),
        "OperationTimeout": OperationTimeout("ingest", 15),
        "InvalidAddress": InvalidAddress("doc://", "it names nothing"),
        "InvalidUri": InvalidUri("ndk://", "it names nothing"),
    }
    return special.get(name) or getattr(errors, name)("x.pdf: broken", STEP, page=3)


@each("name", sorted({name for _, name in classes(CiteLoomError)}))
def test_an_error_comes_back_whole_from_another_process(name: str) -> None:
    error = made(name)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error) == again.message
    assert again.next_step == error.next_step
    assert again.details == error.details
    # The fields of its own, such as project_id, included.
    assert vars(again) == vars(error)
    assert (again.code, again.exit_code) == (error.code, error.exit_code)


def test_an_unknown_project_names_those_there_are_or_says_how_to_make_one() -> None:
    assert "projects here: c/d" in str(ProjectNotFound("a/b", ["c/d"]))
    assert ProjectNotFound("a/b", ["c/d"]).next_step is None
    assert ProjectNotFound("a/b").next_step == NextStep(Action.CREATE_PROJECT)


def test_a_model_mismatch_says_how_to_migrate() -> None:
    error = EmbeddingModelMismatch("a/b", "m@3:aa", "n@4:bb")
    assert error.next_step == NextStep(Action.MIGRATE_MODEL, project="a/b", model="n")
