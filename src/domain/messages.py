"""Sentences for a person with her next step, and the names nearest to a mistyped one.

No sentence names a command: a driving adapter puts the next step in its own words.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum, auto
from typing import Annotated, Any, Final, Self

#: The least likeness of a name that may have been meant.
CLOSE: Final = 65.0
_MOST: Final = 3


def nearest(
    name: str, known: Mapping[str, Iterable[str]], *, at_least: float = 0.0, whole: bool = False
) -> tuple[str, ...]:
    """The keys of the names most like ``name``, at most three, the most similar first.
    ``at_least`` is the least likeness, 0 to 100, without regard to case; ``whole`` says that
    ``name`` is not a part of a name."""
    from rapidfuzz import fuzz

    written, likeness = name.casefold(), fuzz.ratio if whole else fuzz.WRatio
    scores = {
        key: max((likeness(written, one.casefold()) for one in names), default=0.0)
        for key, names in known.items()
    }
    near = sorted((key for key in scores if scores[key] >= at_least), key=lambda k: (-scores[k], k))
    return tuple(near[:_MOST])


class Action(StrEnum):
    """The next action of a person; ``NextStep`` has its arguments."""

    ADD_AGAIN = auto()
    ADD_DOCUMENTS = auto()
    ADD_REFERENCES = auto()
    ADD_TEXT = auto()
    ADD_WORK = auto()
    ALLOW_STALE = auto()
    CANCEL_SESSION = auto()
    CHOOSE_PROJECT = auto()
    CREATE_PROJECT = auto()
    CUT_EXACTLY = auto()
    DELETE_PROJECT = auto()
    DROP_COPIES = auto()
    DROP_MODEL = auto()
    FETCH_MODEL = auto()
    FREE_SPACE = auto()
    GIVE_PASSWORD = auto()
    IDENTIFY = auto()
    INGEST_AGAIN = auto()
    KEEP_OWN = auto()
    LIST_MAPS = auto()
    LIST_MODELS = auto()
    LIST_SESSIONS = auto()
    LIST_TAGS = auto()
    LIST_UNCITED = auto()
    LOCATE_LIBRARY = auto()
    LOCATE_ONLY = auto()
    MAKE_WRITABLE = auto()
    MAP_FILE = auto()
    MIGRATE_MODEL = auto()
    OPTIMIZE = auto()
    REPAIR = auto()
    REPLACE = auto()
    RESTORE = auto()
    RESTORE_SESSION = auto()
    RESUME_SESSION = auto()
    SEARCH_BY_MEANING = auto()
    SET_JUDGE = auto()
    SET_LANGUAGE_MODEL = auto()
    SHOW_SESSION = auto()
    USE_MODEL = auto()


class WarningCode(StrEnum):
    """Kinds of warnings about a document that are told apart."""

    NO_CITATION = auto()
    NO_IDENTIFIER = auto()


@dataclass(frozen=True, slots=True)
class NextStep:
    """An action, and its object if known."""

    action: Action
    project: str | None = None
    path: str | None = None
    model: str | None = None
    session: str | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any] | None) -> Self | None:
        """A step from the dict of another process (``asdict``)."""
        return cls(**{**fields, "action": Action(fields["action"])}) if fields else None

    @property
    def arguments(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value and name != "action"}


class UserMessage(str):
    """A sentence that knows its next step, and its kind if it has a ``WarningCode``. As a text it
    is only the sentence."""

    next_step: NextStep | None
    code: WarningCode | None

    def __new__(
        cls, text: str, next_step: NextStep | None = None, code: WarningCode | None = None
    ) -> Self:
        notice = super().__new__(cls, text)
        notice.next_step, notice.code = next_step, code
        return notice


def prefixed(beginning: str, sentence: str) -> str:
    """A longer sentence, with the same next step."""
    if isinstance(sentence, UserMessage):
        return UserMessage(beginning + sentence, sentence.next_step, sentence.code)
    return beginning + sentence


def in_words(sentence: str, words: Callable[[NextStep], str]) -> str:
    """A sentence and its next step, in an adapter's ``words``."""
    if not isinstance(sentence, UserMessage) or sentence.next_step is None:
        return str(sentence)
    step = words(sentence.next_step)
    return f"{sentence}; {step}" if sentence else step


class _MessageSchema:
    """The schema of a text that may be a notice; pydantic is loaded with the first model alone."""

    def __get_pydantic_core_schema__(self, source: Any, schema_of: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        written = core_schema.plain_serializer_function_ser_schema(
            lambda sentence, info: str(info.context(sentence) if info.context else sentence),
            info_arg=True,
            return_schema=core_schema.str_schema(),
        )
        return core_schema.no_info_wrap_validator_function(
            lambda sentence, check: (
                sentence if isinstance(sentence, UserMessage) else check(sentence)
            ),
            schema_of(source),
            serialization=written,
        )


#: A text that may be a notice. In JSON the next step is part of it where the caller of
#: ``model_dump`` hands over its words as ``context``: a function from texts to texts.
MessageText = Annotated[str, _MessageSchema()]
