"""Questions on the command line: words without quotation marks, and ``-term`` at the beginning."""

from typing import Any, Final

from typer._click.exceptions import NoSuchOption

#: Names of the arguments that hold a question.
QUESTIONS: Final = ("text", "question")
_HINT: Final = 'a question with -term is written in quotation marks: "tidy data -term"'


def joined(words: list[str]) -> str:
    """The question, which a shell has split at its blanks."""
    return " ".join(words)


def take_dashed_words(command: Any) -> None:
    """Make a command that is asked a question take ``"-term other"`` for words: an argument that
    begins with a dash and has a blank is no option."""
    if not any(each.name in QUESTIONS and each.nargs == -1 for each in command.params):
        return
    parse = command.parse_args

    def parse_args(context: Any, arguments: list[str]) -> Any:
        try:
            return parse(context, _dashed_last(command, arguments))
        except NoSuchOption as error:
            if not error.option_name.startswith("--"):
                error.message += f"; {_HINT}"
            raise

    command.parse_args = parse_args


def _dashed_last(command: Any, arguments: list[str]) -> list[str]:
    """The arguments, with words that begin with a dash behind ``--``. Their order among the others
    does not matter: each says what must not occur."""
    if "--" in arguments:
        return arguments
    takes_value = {
        name
        for each in command.params
        if each.param_type_name == "option" and not each.is_flag
        for name in each.opts
    }
    dashed = [
        argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
        if argument.startswith("-") and " " in argument.split("=")[0] and before not in takes_value
    ]
    kept = [argument for argument in arguments if argument not in dashed]
    return [*kept, "--", *dashed] if dashed else arguments
